"""What calls on a shard give back.

Must not be put here: anything that does something.
"""

from __future__ import annotations

from typing import NamedTuple

from croupier_server.games.base import Seat
from croupier_server.tables.table import Table


class Created(NamedTuple):
    """A new table. The host ticket and the invite codes are secret and shown once."""

    table: Table
    host_ticket: str
    invite_codes: tuple[str, ...]


class Joined(NamedTuple):
    """A seat taken. The ticket is secret and shown once."""

    table: Table
    seat: Seat
    ticket: str
    epoch: int


class Made(NamedTuple):
    """`Created` as it is kept for a repeated request, which must not keep its table alive. No host
    ticket: it was given out before the server last started, and is known no more."""

    table_id: str
    host_ticket: str
    invite_codes: tuple[str, ...]


class Sat(NamedTuple):
    """`Joined` as it is kept for a repeated request. No ticket: as for `Made`."""

    table_id: str
    seat: Seat
    ticket: str
    epoch: int


class Accepted(NamedTuple):
    """An accepted move and the number of its event; 0 for a sealed answer."""

    decision_id: str
    sequence: int
