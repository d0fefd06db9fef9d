"""Live tables to be hostile to, and what a hostile call is.

A call is written as a row: method, request in text format, and what it must be refused with. Names
in braces stand for ids, tickets and cards of the tables (`World.names`), so messages are written
with ``<`` and ``>``. A dump of all tables must be the same before and after.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from google.protobuf.message import Message

from croupier.record.v1 import record_service_pb2 as rec
from croupier.v1 import (
    cards_pb2,
    catalog_service_pb2,
    game_pb2,
    play_service_pb2,
    seat_service_pb2,
    spectate_service_pb2,
    system_service_pb2,
    table_pb2,
    table_service_pb2,
    tractor_pb2,
)
from croupier.v1.pokex_pb2 import (
    POKEX_DECISION_KIND_BID,
    POKEX_DECISION_KIND_FOLLOW,
    POKEX_DECISION_KIND_LEAD,
    POKEX_DECISION_KIND_NAME_RANK,
)
from croupier.v1.tongits_pb2 import (
    TONGITS_DECISION_KIND_ANSWER,
    TONGITS_DECISION_KIND_PLAY,
    TONGITS_DECISION_KIND_START_TURN,
)
from croupier.v1.tractor_pb2 import (
    TRACTOR_DECISION_KIND_BURY,
    TRACTOR_DECISION_KIND_CALL,
    TRACTOR_DECISION_KIND_DECLARE,
    TRACTOR_DECISION_KIND_FOLLOW,
    TRACTOR_DECISION_KIND_LEAD,
    TRACTOR_DECISION_KIND_NAME_TRUMPS,
    TRACTOR_DECISION_KIND_SHOW,
)
from croupier_server.games.modules import WIRES
from tests.rpc.calls import Metadata, Refusal, build
from tests.rpc.conftest import Running, server
from tests.rpc.players import (
    FIXED,
    NONCES,
    POKEX,
    SHORT,
    TONGITS,
    Seats,
    first_move,
    make,
    make_full,
)

CATALOG = "croupier.v1.CatalogService"
TABLES = "croupier.v1.TableService"
PLAY = "croupier.v1.PlayService"
SEATS = "croupier.v1.SeatService"
RECORDS = "croupier.record.v1.RecordService"
SPECTATE = "croupier.v1.SpectateService/SpectateTable"
PUBLIC_RESULTS = "croupier.v1.SpectateService/ListPublicDealResults"
SESSION = "croupier.v1.SessionService/Session"
WATCH_TABLES = f"{PLAY}/WatchTables"

REQUESTS: dict[str, type[Message]] = {
    "croupier.v1.SystemService/GetServerInfo": system_service_pb2.GetServerInfoRequest,
    f"{CATALOG}/ListGames": catalog_service_pb2.ListGamesRequest,
    f"{CATALOG}/ListRulesets": catalog_service_pb2.ListRulesetsRequest,
    f"{CATALOG}/GetRuleset": catalog_service_pb2.GetRulesetRequest,
    f"{CATALOG}/ExplainRule": catalog_service_pb2.ExplainRuleRequest,
    f"{TABLES}/CreateTable": table_service_pb2.CreateTableRequest,
    f"{TABLES}/GetTable": table_service_pb2.GetTableRequest,
    f"{TABLES}/ListTables": table_service_pb2.ListTablesRequest,
    f"{TABLES}/WatchLobby": table_service_pb2.WatchLobbyRequest,
    f"{TABLES}/JoinTable": table_service_pb2.JoinTableRequest,
    f"{TABLES}/LeaveTable": table_service_pb2.LeaveTableRequest,
    f"{TABLES}/StartTable": table_service_pb2.StartTableRequest,
    f"{TABLES}/AbortTable": table_service_pb2.AbortTableRequest,
    f"{SEATS}/WatchSeats": seat_service_pb2.WatchSeatsRequest,
    f"{SEATS}/ListSeats": seat_service_pb2.ListSeatsRequest,
    f"{PLAY}/WatchTable": play_service_pb2.WatchTableRequest,
    WATCH_TABLES: play_service_pb2.WatchTablesRequest,
    f"{PLAY}/SubmitMove": play_service_pb2.SubmitMoveRequest,
    f"{PLAY}/CheckMove": play_service_pb2.CheckMoveRequest,
    f"{PLAY}/GetLegalMoves": play_service_pb2.GetLegalMovesRequest,
    f"{PLAY}/ListLegalMoves": play_service_pb2.ListLegalMovesRequest,
    f"{PLAY}/GetSeatView": play_service_pb2.GetSeatViewRequest,
    f"{PLAY}/ListDealResults": play_service_pb2.ListDealResultsRequest,
    f"{PLAY}/OpenNonce": play_service_pb2.OpenNonceRequest,
    f"{PLAY}/Concede": play_service_pb2.ConcedeRequest,
    SPECTATE: spectate_service_pb2.SpectateTableRequest,
    PUBLIC_RESULTS: spectate_service_pb2.ListPublicDealResultsRequest,
    f"{RECORDS}/GetRecord": rec.GetRecordRequest,
    f"{RECORDS}/ListRecords": rec.ListRecordsRequest,
    f"{RECORDS}/VerifyRecord": rec.VerifyRecordRequest,
    f"{RECORDS}/StreamRecords": rec.StreamRecordsRequest,
}
"""The request of every call but the session."""

GAME = "game: GAME_KIND_TRACTOR "
TABLE = "spec < game: GAME_KIND_TRACTOR > "
MOVE = "decision_id: '1-0' move < tractor < decline <> > >"
BY_ID: dict[str, str] = {
    f"{TABLES}/GetTable": "",
    f"{TABLES}/JoinTable": "",
    f"{TABLES}/LeaveTable": "",
    f"{TABLES}/StartTable": "",
    f"{TABLES}/AbortTable": "",
    f"{PLAY}/WatchTable": "",
    f"{PLAY}/SubmitMove": MOVE,
    f"{PLAY}/CheckMove": MOVE,
    f"{PLAY}/GetLegalMoves": "decision_id: '1-0'",
    f"{PLAY}/ListLegalMoves": "decision_id: '1-0'",
    f"{PLAY}/GetSeatView": "",
    f"{PLAY}/ListDealResults": "",
    f"{PLAY}/OpenNonce": f"nonce: '{'n' * 32}'",
    f"{PLAY}/Concede": "",
    SPECTATE: "",
    PUBLIC_RESULTS: "",
    f"{RECORDS}/GetRecord": "",
    f"{RECORDS}/VerifyRecord": "",
}
"""Every call that names a table, with what its request needs besides."""

AUCTION = FIXED + "spec { ruleset: 'document' options { tractor { max_deals: 1 } } } "
WINDOW = (
    FIXED + "spec { options { tractor { max_deals: 1 } } clock { window_time { seconds: 30 } } } "
)
OPEN = FIXED + SHORT + "seats {} seats {} seats { access: SEAT_ACCESS_RESERVED } seats {} "
CHALLENGED = TONGITS.replace("max_hands: 1", "max_hands: 1 draw_call: TONGITS_DRAW_CALL_ANYONE")
PICKED = POKEX.replace("max_deals: 1", "max_deals: 1 center: POKEX_CENTER_LEADER_PICKS")
MATCH = "spec { game: GAME_KIND_TRACTOR shared_seats: true } " + SHORT


class Row(NamedTuple):
    """A hostile call and what it must be refused with.

    Attributes:
        method: of `REQUESTS`.
        text: the request in text format; names in braces are replaced.
        code: name of the status code.
        reason: the reason.
        fields: paths of all fields at fault.
        metadata: lines of ``key=value``; names in braces are replaced.
    """

    method: str
    text: str
    code: str
    reason: str
    fields: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()


class World:
    """Live tables, each stopped at a decision of another kind, and two that take no moves."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.call = running.call
        self.tables: dict[str, Seats] = {}
        self.names: dict[str, str] = {"none": "0" * 26}

    async def build(self) -> None:
        """Make and play the tables to where they stand."""
        await self._at("follow", FIXED + SHORT, TRACTOR_DECISION_KIND_FOLLOW, skip=6)
        await self._at("lead", FIXED + SHORT, TRACTOR_DECISION_KIND_LEAD, skip=2)
        await self._at("bury", FIXED + SHORT, TRACTOR_DECISION_KIND_BURY)
        await self._at("call", AUCTION, TRACTOR_DECISION_KIND_CALL, skip=1)
        await self._at("show", AUCTION, TRACTOR_DECISION_KIND_SHOW)
        await self._at("name", AUCTION, TRACTOR_DECISION_KIND_NAME_TRUMPS)
        await self._at("window", WINDOW, TRACTOR_DECISION_KIND_DECLARE)
        await self._at("stock", TONGITS, TONGITS_DECISION_KIND_START_TURN, skip=2)
        await self._at("turn", TONGITS, TONGITS_DECISION_KIND_PLAY, skip=1)
        await self._at("answer", CHALLENGED, TONGITS_DECISION_KIND_ANSWER, prefer="call_draw")
        await self._at("bid", POKEX, POKEX_DECISION_KIND_BID, skip=1, prefer="bid")
        await self._at("rank", POKEX, POKEX_DECISION_KIND_NAME_RANK, prefer="bid")
        await self._at("pair", POKEX, POKEX_DECISION_KIND_LEAD, skip=1)
        await self._at("reply", PICKED, POKEX_DECISION_KIND_FOLLOW, skip=4)
        await self._at("pick", PICKED, POKEX_DECISION_KIND_LEAD, skip=2)
        is_open = await make(self.call, OPEN)
        await is_open.join(0)
        await self._add("open", is_open)
        opening = await make(self.call, MATCH)
        for seat in range(4):
            await opening.join(seat, nonce=NONCES[seat] if seat < 2 else b"")
        await self._add("opening", opening)
        ended = await make_full(self.call)
        await ended.finish()
        await self._add("ended", ended)

    async def _add(self, name: str, table: Seats) -> None:
        self.tables[name] = table
        self.names[name] = table.id
        self.names[f"{name}_host"] = table.host
        for seat, ticket in enumerate(table.tickets):
            self.names[f"{name}_{seat}"] = ticket
        for seat, code in table.invites.items():
            self.names[f"{name}_code_{seat}"] = code

    async def _at(
        self, name: str, text: str, kind: int, skip: int = 0, prefer: str = "decline"
    ) -> None:
        """A table that asks for a decision of *kind*, after *skip* others of it; the seats make a
        move of the arm *prefer* wherever one is listed, and otherwise the first one."""
        table = await make_full(self.call, text)
        answered = None
        while True:
            decision = await table.open()
            assert decision is not None, name
            asked = getattr(decision.kind, decision.kind.WhichOneof("game") or "")
            if asked == kind and skip == 0 and self._is_telling(table, decision):
                break
            skip -= asked == kind and skip > 0
            answered = decision
            await table.submit(decision, _preferred(decision, prefer))
            if name == "window":
                self._close_window(table)
        await self._add(name, table)
        seat = decision.seat
        view = (await table.view(seat)).snapshot.seat_view
        self._name_cards(name, decision, view)
        self.names[f"{name}_id"] = decision.decision_id
        self.names[f"{name}_me"] = table.tickets[seat]
        self.names[f"{name}_next"] = table.tickets[(seat + 1) % len(table.tickets)]
        self.names[f"{name}_next_id"] = decision.decision_id[:-1] + str(
            (seat + 1) % len(table.tickets)
        )
        legal = first_move(decision)
        self.names[f"{name}_legal"] = str(legal).replace("\n", " ")
        self.names[f"{name}_legal_card"] = str(next(iter(legal.tractor.play.cards), 0))
        if answered is not None:
            self.names[f"{name}_old_id"] = answered.decision_id
            self.names[f"{name}_old_me"] = table.tickets[answered.seat]

    def _close_window(self, table: Seats) -> None:
        self.running.clock.advance(30_000)
        self.running.app.shard.tick()

    @staticmethod
    def _is_telling(table: Seats, decision: table_pb2.Decision) -> bool:
        """Whether the decision can be answered wrongly in every way that there is."""
        if decision.kind.tractor != TRACTOR_DECISION_KIND_FOLLOW:
            return True
        listed = {tuple(move.move.tractor.play.cards) for move in decision.legal.moves}
        kinds = {move.kind.tractor for move in decision.legal.moves}
        is_follow = kinds == {tractor_pb2.TRACTOR_MOVE_KIND_FOLLOW}
        return is_follow and 1 < len(listed) < 6 and all(len(cards) == 1 for cards in listed)

    def _name_cards(self, name: str, decision: table_pb2.Decision, seat: game_pb2.SeatView) -> None:
        """Cards that are held, that are not, and that may not be played."""
        hand = list(getattr(seat, seat.WhichOneof("game") or "").hand)
        absent = next(card for card in cards_pb2.Card.values() if card and card not in hand)
        self.names[f"{name}_first"] = str(hand[0])
        self.names[f"{name}_last"] = str(hand[-1])
        self.names[f"{name}_absent"] = str(absent)
        if not seat.HasField("tractor"):
            self.names[f"{name}_center"] = str(next(iter(seat.pokex.public_view.center_left), 0))
            return
        view = seat.tractor
        listed = [move.move.tractor.play.cards for move in decision.legal.moves]
        allowed = {cards[0] for cards in listed if len(cards) == 1}
        wrong = [card for card in hand if card not in allowed]
        self.names[f"{name}_wrong"] = str(wrong[0] if wrong else absent)
        suits = [set(order.cards) for order in view.public_view.order]
        apart = [card for card in hand if any((card in s) != (hand[0] in s) for s in suits)]
        self.names[f"{name}_apart"] = str(apart[0] if apart else absent)

    # Dumps ---------------------------------------------------------------------------------------

    def dump(self) -> dict[str, str]:
        """Everything that there is to know of every table, hidden cards included, as a hash."""
        shard = self.running.app.shard
        found = {}
        for name, seats in self.tables.items():
            table = shard.table(seats.id)
            views = WIRES[table.spec.kind].views()
            state = table.match.state
            parts = [table.resource(), views.public(state)]
            parts += [views.seat(state, seat) for seat in range(len(table.seats))]
            for decision in table.match.decisions:
                asked = decision and (decision.id, decision.answer, decision.clock_from_ms)
                parts.append(repr(asked).encode())
            for seat_state in table.seats:
                held = (seat_state.player, seat_state.epoch, seat_state.ticket, seat_state.nonce)
                parts.append(repr(held).encode())
            parts.append(repr(table.journal.sequence).encode())
            found[name] = hashlib.sha256(b"\0".join(parts)).hexdigest()
        found["tables"] = str(len(shard.list_tables(limit=1_000).tables))
        return found

    # Calls ---------------------------------------------------------------------------------------

    def request(self, row: Row) -> Message:
        """The request of *row*."""
        return build(REQUESTS[row.method], row.text.format_map(self.names))

    def metadata(self, lines: tuple[str, ...]) -> Metadata:
        """Metadata of *lines*."""
        pairs = [line.format_map(self.names).partition("=") for line in lines]
        return tuple((key, value) for key, _, value in pairs)

    async def refused(self, row: Row) -> Refusal:
        """What the call of *row* is refused with."""
        return await self.call.refused(row.method, self.request(row), self.metadata(row.metadata))

    async def finish(self) -> None:
        """Play every table to its end."""
        for seat in (0, 1):
            await self._open_nonce(seat)
        await self.tables["open"].join(2, code=self.tables["open"].invites[2])
        for seat in (1, 3):
            await self.tables["open"].join(seat)
        for name, table in self.tables.items():
            while (decision := await self._open(name, table)) is not None:
                await table.submit(decision, first_move(decision))
            result = (await table.table()).result
            assert result.reason == 1, f"{name}: {result}"
            assert (await self.call.record(table.id)).result == result

    async def _open(self, name: str, table: Seats) -> table_pb2.Decision | None:
        """An open decision; windows of a fixed time are closed when all have answered."""
        while True:
            for seat in range(len(table.tickets)):
                view = await table.view(seat)
                if view.HasField("decision"):
                    return view.decision
            if (await table.table()).status == table_pb2.TABLE_STATUS_ENDED:
                return None
            assert name == "window"
            self._close_window(table)

    async def _open_nonce(self, seat: int) -> None:
        table = self.tables["opening"]
        await self.call.unary(
            f"{PLAY}/OpenNonce",
            play_service_pb2.OpenNonceRequest(table_id=table.id, nonce=NONCES[seat]),
            play_service_pb2.OpenNonceResponse,
            (("croupier-ticket", table.tickets[seat]),),
        )


def _preferred(decision: table_pb2.Decision, arm: str) -> game_pb2.Move:
    """The first listed move of *arm*, or the first move."""
    for listed in decision.legal.moves:
        move = getattr(listed.move, listed.move.WhichOneof("game") or "")
        if move.WhichOneof("move") == arm != "decline":
            return listed.move
    return first_move(decision)


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    """A world of its own."""
    async with server(tables_max=50) as running:
        found = World(running)
        await found.build()
        yield found
