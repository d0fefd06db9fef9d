"""Tables for the tests of services, made and played through the contract, one call at a time."""

from __future__ import annotations

import hashlib

from croupier.legal import Pattern
from croupier.v1 import game_pb2, play_service_pb2, table_pb2, table_service_pb2
from croupier.v1.tractor_pb2 import TractorDecisionKind
from tests.rpc.calls import Caller, Metadata, build

TABLES = "croupier.v1.TableService"
PLAY = "croupier.v1.PlayService"
NONCES = [bytes([seat]) * 32 for seat in range(12)]

FIXED = "spec { game: GAME_KIND_TRACTOR deal_source { fixed { seed: 7 } } shared_seats: true } "
SHORT = (
    "spec { options { tractor { "
    "max_deals: 1 declare_window: TRACTOR_DECLARE_WINDOW_END_OF_DRAW } } } "
)
TONGITS = FIXED.replace("TRACTOR", "TONGITS") + "spec { options { tongits { max_hands: 1 } } } "
POKEX = FIXED.replace("TRACTOR", "POKEX") + "spec { options { pokex { max_deals: 1 } } } "


def hash_of(nonce: bytes) -> bytes:
    """What is given of a nonce when joining."""
    return hashlib.sha256(nonce).digest()


def ticket_of(ticket: str) -> Metadata:
    """Metadata of a seat."""
    return (("croupier-ticket", ticket),)


def host_of(ticket: str) -> Metadata:
    """Metadata of a host."""
    return (("croupier-host-ticket", ticket),)


def first_move(decision: table_pb2.Decision) -> game_pb2.Move:
    """A legal answer: the first that is listed, or the first of a pattern, or the fallback."""
    legal = decision.legal
    if legal.moves or not legal.patterns:
        return legal.moves[0].move if legal.moves else decision.fallback
    pattern = Pattern(legal.patterns[0])
    if pattern.step:
        return pattern.number_move(pattern.min).message
    return pattern.move(pattern.pool[: pattern.min]).message


class Seats:
    """A table with everything that its host and its seats hold."""

    def __init__(self, call: Caller, made: table_service_pb2.CreateTableResponse) -> None:
        self.call = call
        self.id = made.table.table_id
        self.host = made.host_ticket
        self.invites = {one.seat: one.code for one in made.invites}
        self.tickets = [""] * len(made.table.seats)
        self._last = -1

    async def join(self, seat: int, nonce: bytes = b"", code: str = "") -> None:
        """Sit down on *seat*."""
        request = table_service_pb2.JoinTableRequest(table_id=self.id, seat=seat, invite_code=code)
        request.player.display_name = f"player {seat}"
        if nonce:
            request.nonce_hash = hash_of(nonce)
        answer = table_service_pb2.JoinTableResponse
        joined = await self.call.unary(f"{TABLES}/JoinTable", request, answer)
        assert joined.seat == seat
        self.tickets[seat] = joined.ticket

    async def view(self, seat: int) -> play_service_pb2.GetSeatViewResponse:
        """What *seat* sees, and its open decision."""
        return await self.call.unary(
            f"{PLAY}/GetSeatView",
            play_service_pb2.GetSeatViewRequest(table_id=self.id),
            play_service_pb2.GetSeatViewResponse,
            ticket_of(self.tickets[seat]),
        )

    async def table(self) -> table_pb2.Table:
        """The table as everybody sees it."""
        request = table_service_pb2.GetTableRequest(table_id=self.id)
        answer = table_service_pb2.GetTableResponse
        return (await self.call.unary(f"{TABLES}/GetTable", request, answer)).table

    async def open(self) -> table_pb2.Decision | None:
        """An open decision with its view, as a stream has it; None when the match has ended."""
        number = len(self.tickets)
        for step in range(1, number + 1):
            seat = (self._last + step) % number
            view = await self.view(seat)
            if view.HasField("decision"):
                self._last = seat
                view.decision.view.CopyFrom(view.snapshot.seat_view)
                return view.decision
        assert (await self.table()).status == table_pb2.TABLE_STATUS_ENDED
        return None

    async def submit(self, decision: table_pb2.Decision, move: game_pb2.Move) -> int:
        """Answer *decision*; returns the number of the move's event."""
        answer = await self.call.unary(
            f"{PLAY}/SubmitMove",
            play_service_pb2.SubmitMoveRequest(
                table_id=self.id, decision_id=decision.decision_id, move=move
            ),
            play_service_pb2.SubmitMoveResponse,
            ticket_of(self.tickets[decision.seat]),
        )
        assert answer.accepted.decision_id == decision.decision_id
        return answer.accepted.sequence

    async def play_to(self, kind: TractorDecisionKind.ValueType, skip: int = 0) -> None:
        """Play until the table asks for a decision of *kind*, passing over *skip* of them."""
        while (decision := await self.open()) is not None:
            if decision.kind.tractor == kind:
                if not skip:
                    return
                skip -= 1
            await self.submit(decision, first_move(decision))
        raise AssertionError("the match ended before")

    async def finish(self) -> game_pb2.MatchResult:
        """Play to the end."""
        while (decision := await self.open()) is not None:
            await self.submit(decision, first_move(decision))
        return (await self.table()).result


async def make(call: Caller, text: str = FIXED + SHORT) -> Seats:
    """A table of *text*, a ``CreateTableRequest`` in text format, with nobody at it."""
    request = build(table_service_pb2.CreateTableRequest, text)
    answer = table_service_pb2.CreateTableResponse
    return Seats(call, await call.unary(f"{TABLES}/CreateTable", request, answer))


async def make_full(call: Caller, text: str = FIXED + SHORT) -> Seats:
    """A table of *text* with somebody on every seat."""
    seats = await make(call, text)
    for seat in range(len(seats.tickets)):
        await seats.join(seat, code=seats.invites.get(seat, ""))
    return seats
