"""Seats that house bots are to take: those of new tables, and those of players who went away."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from croupier_server.games.base import Seat
from croupier_server.tables.directory.tickets import Secrets, new_ticket
from croupier_server.tables.match.seats import secret_hash
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Access

_SEED_BYTES: Final = 8


class HouseSeat(NamedTuple):
    """A seat that a house bot is to take. The invite code is secret.

    *owner* is the principal that made the table: owners share the bots' time.
    """

    table_id: str
    seat: Seat
    invite_code: str
    bot: str
    seed: int
    owner: str = ""


class HouseSeats:
    """Hands seats to the house.

    Args:
        secrets: random bytes for codes and seeds.
        tell: told of each seat; None: there is no house.
        relief: name of the bot that takes over from a player who went away.
    """

    __slots__ = ("_relief", "_secrets", "_tell", "_waiting")

    def __init__(
        self, secrets: Secrets, tell: Callable[[HouseSeat], None] | None, relief: str
    ) -> None:
        self._secrets = secrets
        self._tell = tell
        self._relief = relief
        self._waiting: dict[str, list[HouseSeat]] = {}

    @property
    def is_open(self) -> bool:
        """Whether there is a house."""
        return self._tell is not None

    def wait(self, table: Table, codes: Sequence[str]) -> None:
        """Let the house seats of a new table wait for `hand_out`; *codes* open them, by seat."""
        seats = [
            self._seat(table, seat, codes[seat], spec.house_bot)
            for seat, spec in enumerate(table.spec.seats)
            if spec.access is Access.HOUSE
        ]
        if seats:
            self._waiting[table.spec.table_id] = seats

    def hand_out(self, table: Table) -> None:
        """*table* is stored: tell the house of its seats."""
        for seat in self._waiting.pop(table.spec.table_id, ()):
            if self._tell is not None:
                self._tell(seat)

    def forget(self, table: Table) -> None:
        """*table* was given up."""
        self._waiting.pop(table.spec.table_id, None)

    def relieve(self, table: Table, seat: Seat) -> None:
        """Have a bot take *seat* from a player who went away."""
        assert self._tell is not None
        code = new_ticket(self._secrets)
        table.opening.relieve(seat, secret_hash(code))
        self._tell(self._seat(table, seat, code, self._bot(table, seat)))

    def take_up(self, table: Table) -> None:
        """*table* is one of a server that was here before, whose bots are gone: bots of ours take
        its house seats, and those that were taken over, with new codes. A player whose seat was
        only to be taken over may be back by now."""
        if self._tell is None:
            return
        for seat, (spec, state) in enumerate(zip(table.spec.seats, table.seats, strict=True)):
            if not state.relieved:
                state.relief = b""
            if spec.access is not Access.HOUSE and not state.relieved:
                continue
            code = new_ticket(self._secrets)
            if spec.access is Access.HOUSE:
                state.invite = secret_hash(code)
            else:
                state.relief = secret_hash(code)
            self._tell(self._seat(table, seat, code, self._bot(table, seat)))

    def _bot(self, table: Table, seat: Seat) -> str:
        return table.spec.seats[seat].house_bot or self._relief

    def _seat(self, table: Table, seat: Seat, code: str, bot: str) -> HouseSeat:
        fixed = table.spec.deal.seed
        if fixed is None:
            found = self._secrets(_SEED_BYTES)
        else:  # as with the cards, what the bot does follows from the table's seed
            found = hashlib.sha256(f"house bot of seat {seat}, {fixed}".encode()).digest()
        seed = int.from_bytes(found[:_SEED_BYTES], "big")
        owner = table.opening.creation.principal
        return HouseSeat(table.spec.table_id, seat, code, bot, seed, owner)
