"""What a fuzzer's calls are about: tables that must not be harmed, tables that may be, and keys."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from random import Random
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message

from croupier import Client, Ticket
from croupier.client import NewTable
from croupier.credentials import Credentials
from croupier.errors import Error
from croupier.legal import LegalMoves
from croupier.v1 import game_pb2, play_service_pb2, table_pb2, table_service_pb2
from croupier_server.verify import verify
from scripts.live.garbage import LEFT_OUT
from scripts.live.process import clean_environment
from scripts.live.records import record_of

GAMES: Final = {
    "tractor": {"max_deals": 1},
    "tongits": {"max_hands": 2},
    "pokex": {"max_deals": 1},
}
_SELDOM: Final = (
    "ruleset",
    "options",
    "seats",
    "deal_source",
    "clock",
    "spectator_delay",
    "outcome",
)
"""Fields that a request is right without, and seldom right with values by chance."""

_NONCES: Final = ("nonce", "nonce_hash", "next_nonce_hash")
_WATCHED: Final = 12
_ENDING: Final = 0.03
_ASKED: Final = 6
"""Seats of victims that are asked something: fewer, and there is another table."""

_WORDS: Final = {
    "ruleset": ("standard", "document", "online", "qq", "pagat", ""),
    "clause": ("T-1", "T-3.2", "G-1", "P-2.1"),
    "display_name": ("ann", "bob"),
    "house_bot": ("greedy", "random"),
    "title": ("a table",),
    "page_token": ("",),
}


def make_key(store: str, name: str, *scopes: str) -> str:
    """A key, made as an operator makes it."""
    wanted = [word for scope in scopes for word in ("--scope", scope)]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "croupier_server",
            "keys",
            "create",
            name,
            *wanted,
            "--store",
            store,
        ],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


class Seated(NamedTuple):
    """A seat, and what it is asked; empty and None where it is not."""

    table_id: str
    ticket: str
    decision_id: str
    move: game_pb2.Move | None


class Tables:
    """Tables of one principal, at which all seats are its own.

    Args:
        address: of the server.
        key: its key.
    """

    def __init__(self, address: str, key: str) -> None:
        self.client = Client(address, credentials=Credentials(key))
        self.made: list[NewTable] = []
        self.tickets: list[list[Ticket]] = []

    @property
    def ids(self) -> list[str]:
        """Their ids."""
        return [made.table_id for made in self.made]

    async def add(self, game: str, seed: int, **more: Any) -> None:
        """One more, and everybody sits."""
        options = GAMES[game]
        deal = table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=seed))
        made = await self.client.create_table(
            game, options=options, deal=deal, shared_seats=True, **more
        )
        seats = range(len(made.table.seats))
        tickets = [await self.client.join(made.table_id, seat=seat) for seat in seats]
        self.made.append(made)
        self.tickets.append(tickets)

    async def view(self, ticket: Ticket) -> play_service_pb2.GetSeatViewResponse:
        """What a seat sees."""
        connection = self.client._main  # noqa: SLF001 - the SDK has no call for it
        request = play_service_pb2.GetSeatViewRequest(table_id=ticket.table_id)
        return await connection.call(connection.play.GetSeatView, request, ticket=ticket.secret)

    async def seats(self, number: int) -> list[Seated]:
        """The seats of a table, and what they are asked."""
        found = []
        for ticket in self.tickets[number]:
            view = await self.view(ticket)
            move = _a_move(view.decision) if view.HasField("decision") else None
            decision_id = view.decision.decision_id
            found.append(Seated(ticket.table_id, ticket.secret, decision_id, move))
        return found

    async def play(self, number: int, moves_max: int) -> bool:
        """Play on with so many moves at most; whether the match has ended."""
        connection = self.client._main  # noqa: SLF001
        for _ in range(moves_max):
            asked = [seat for seat in await self.seats(number) if seat.move is not None]
            if not asked:
                return True
            for seat in asked:
                request = play_service_pb2.SubmitMoveRequest(
                    table_id=seat.table_id, decision_id=seat.decision_id
                )
                assert seat.move is not None
                request.move.CopyFrom(seat.move)
                await connection.call(connection.play.SubmitMove, request, ticket=seat.ticket)
        return False

    async def dump(self) -> list[bytes]:
        """Everything that anybody may know of each table."""
        found = []
        for made, tickets in zip(self.made, self.tickets, strict=True):
            parts = [(await self.client.get_table(made.table_id)).SerializeToString()]
            parts += [(await self.view(ticket)).SerializeToString() for ticket in tickets]
            found.append(b"\0".join(parts))
        return found

    async def finish(self) -> list[str]:
        """Play every table to its end; what is wrong with how they end."""
        faults = []
        for number, table_id in enumerate(self.ids):
            while not await self.play(number, 100):
                pass
            record = await record_of(self.client, table_id)
            if record.result.reason != 1:
                faults.append(f"{table_id} ended with {record.result.reason}")
            checks = verify(record.SerializeToString()).checks
            faults += [f"{table_id}: {one.name}" for one in checks if not one.holds]
        return faults


def _a_move(decision: table_pb2.Decision) -> game_pb2.Move:
    return LegalMoves(decision.legal).sample(Random(decision.sequence)).message  # noqa: S311


class Subjects:
    """What calls are about, as values for the fields of requests.

    Args:
        whole: tables that must not be harmed; of those no ticket is used.
        victims: tables that may be.
    """

    def __init__(self, whole: Tables, victims: Tables) -> None:
        self.whole = whole
        self.victims = victims
        self.seats: list[Seated] = []
        self.tokens: list[str] = [""]
        self.hosts: list[tuple[str, str]] = []

    async def refresh(self, rng: Random) -> None:
        """Look at the victims anew; what has ended is followed by another."""
        victims = self.victims
        seats: list[Seated] = []
        for number in range(len(victims.made))[-_WATCHED:]:
            try:
                seats += await victims.seats(number)
            except Error:
                continue  # somebody stopped it, or took a seat over: that is what it is there for
        if sum(seat.move is not None for seat in seats) < _ASKED:
            try:
                await victims.add(rng.choice(tuple(GAMES)), rng.getrandbits(32))
            except Error:
                seats += self.seats[:8]
        self.seats = seats or self.seats

    def learn(self, answer: Message) -> None:
        """Keep what later requests can be made of."""
        token: str = getattr(answer, "next_page_token", "")
        if token:
            self.tokens = [*self.tokens[-20:], token]
        if isinstance(answer, table_service_pb2.CreateTableResponse):
            made = answer.table.table_id, answer.host_ticket
            self.hosts = [*self.hosts[-20:], made]

    def about(self, rng: Random, *, may_harm: bool, ends: bool) -> About:
        """What one call is about.

        Args:
            rng: the chance.
            may_harm: whether it could rightly harm any table.
            ends: whether it could end a match: those of the victims are to last a while.
        """
        asked = [seat for seat in self.seats if seat.move is not None]
        seats = asked if asked and rng.random() < 0.7 else self.seats
        seat = rng.choice(seats) if seats else Seated("", "", "", None)
        table_id, host = rng.choice(self.hosts) if self.hosts else ("", "")
        if not ends or rng.random() < _ENDING:
            table_id, host = (seat.table_id, "") if rng.random() < 0.8 else (table_id, host)
        if not may_harm and rng.random() < 0.25:
            table_id = rng.choice(self.whole.ids)
        if table_id != seat.table_id and rng.random() < 0.8:
            seat = seat._replace(ticket="")
        return About(rng, seat, table_id, host, self.tokens)


class About(NamedTuple):
    """One call's subject.

    Attributes:
        rng: the chance.
        seat: whose call it is.
        table_id: the table.
        host: ticket of its host.
        tokens: of pages.
    """

    rng: Random
    seat: Seated
    table_id: str
    host: str
    tokens: Sequence[str]

    def value(self, name: str) -> Any:
        """See `garbage.Pool`."""
        rng = self.rng
        known: dict[str, Any] = {
            "table_id": self.table_id,
            "decision_id": self.seat.decision_id or "1-0",
            "move": self.seat.move,
            "ticket": self.seat.ticket,
            "page_token": rng.choice(self.tokens),
            "page_size": rng.choice((0, 1, 7, 1_000)),
            "game": rng.choice((1, 2, 3)),
            "channel": rng.choice((1, 1, 1, 2, 0)),
        }
        if name in known:
            return known[name]
        if name == "request_id":
            return rng.choice(
                ("r1", "r" * 32, f"{rng.getrandbits(64):x}", f"{rng.getrandbits(128):x}")
            )
        if name == "resume":
            return rng.random() < 0.95  # a server that takes no tables has little to be fuzzed
        if name in _NONCES:
            return rng.randbytes(32)
        words = _WORDS.get(name)
        if name in _SELDOM and rng.random() < 0.7:
            return LEFT_OUT
        return rng.choice(words) if words else None

    def metadata(self, key: str) -> list[tuple[str, str | bytes]]:
        """What goes with the call."""
        found: list[tuple[str, str | bytes]] = []
        if key:
            found.append(("authorization", f"Bearer {key}"))
        if self.seat.ticket:
            found.append(("croupier-ticket", self.seat.ticket))
        if self.host:
            found.append(("croupier-host-ticket", self.host))
        return found
