"""Who holds a seat: name, life of the seat, nonce, and the hashes of what opens it.

Secrets are kept as SHA-256 alone.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.storage.base import Player
from croupier_server.tables.kept import Sitting, Slots

_OLD_MAX: Final = 8
"""So many replaced tickets of a seat are still told from wrong ones."""


def secret_hash(secret: str) -> bytes:
    """What is stored of an invite code, which is for whoever has it."""
    return hashlib.sha256(secret.encode()).digest()


def ticket_hash(principal: str, ticket: str) -> bytes:
    """What is stored of a ticket: it is good for the principal that it was given to, alone."""
    name = principal.encode()
    return hashlib.sha256(len(name).to_bytes(4, "big") + name + ticket.encode()).digest()


def is_same(left: bytes, right: bytes) -> bool:
    """Whether two hashes are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(left, right)


class SeatState:
    """One seat of a table and who holds it.

    Attributes:
        player: who sits there; None: nobody.
        principal: whose key it is held by; empty: nobody's.
        owner: whose seat it is: `principal`, or that of its player, for whom a house bot plays.
        epoch: which life of the seat this is; 0 before anybody sat there.
        nonce_hash: SHA-256 of its nonce, or empty.
        nonce: the nonce, once opened.
        next_nonce_hash: SHA-256 of the nonce that takes its place if another seat withholds its
            own, or empty.
        ticket: hash of the ticket that holds it; empty: nobody's.
        invite: hash of its invite code; empty: it has none.
        relief: hash of the code by which a house bot may take over; empty: none may.
        relieved: hash of the ticket that one took the seat from, which its player may have back by
            it; empty: none did.
        conceded: whether its player has given the match up.
        sitting: what was put down when it was last taken.
    """

    __slots__ = (
        "_old",
        "conceded",
        "epoch",
        "invite",
        "next_nonce_hash",
        "nonce",
        "nonce_hash",
        "owner",
        "player",
        "principal",
        "relief",
        "relieved",
        "sitting",
        "ticket",
    )

    def __init__(self) -> None:
        self.player: Player | None = None
        self.principal = ""
        self.owner = ""
        self.epoch = 0
        self.nonce_hash = b""
        self.nonce = b""
        self.next_nonce_hash = b""
        self.ticket = b""
        self.invite = b""
        self.relief = b""
        self.relieved = b""
        self.conceded = False
        self.sitting: Sitting | None = None
        self._old: tuple[bytes, ...] = ()

    def resume(self, given: Slots) -> None:
        """Become the seat that has these `slots`, where tuples may be plain ones."""
        for name, value in given.items():
            setattr(self, name, value)
        self.player = self.player and Player(*self.player)
        self.sitting = self.sitting and Sitting(*self.sitting)

    @property
    def secrets(self) -> tuple[bytes, ...]:
        """Hashes of all tickets that hold the seat or have held it, and of its invite code."""
        known = (self.ticket, self.invite, self.relieved, *self._old)
        return tuple(one for one in known if one)

    @property
    def wants_nonce(self) -> bool:
        """Whether a nonce was promised and has not come."""
        return bool(self.nonce_hash) and not self.nonce

    def renew_nonce(self) -> None:
        """Put the next nonce in the place of one that was opened in vain."""
        self.nonce_hash = self.next_nonce_hash
        self.nonce = self.next_nonce_hash = b""

    def hold(self, sitting: Sitting) -> None:
        """Give the seat to a new ticket; the one before is superseded."""
        owner = sitting.principal
        if sitting.relieves:
            self.relieved = self.relieved or self.ticket  # of the player, not of another bot
            owner = self.owner
        elif self.relieved:
            self.relief = self.relieved = b""  # its player is back
        self.retire()
        self.owner = owner
        self.sitting = sitting
        self.principal = sitting.principal
        self.ticket = sitting.ticket

    def retire(self) -> None:
        """Take the seat from its ticket."""
        if self.ticket:
            self._old = (*self._old, self.ticket)[-_OLD_MAX:]
        self.principal = self.owner = ""
        self.ticket = b""
        self.sitting = None

    def was_held_by(self, ticket: bytes) -> bool:
        """Whether the ticket with this hash held the seat before."""
        found = is_same(self.relieved, ticket)
        for old in self._old:
            found |= is_same(old, ticket)
        return found

    def was_relieved_from(self, ticket: bytes) -> bool:
        """Whether a house bot took the seat from the ticket with this hash."""
        return is_same(self.relieved, ticket)

    def is_invited_by(self, code: bytes) -> bool:
        """Whether the code with this hash opens the seat."""
        return is_same(self.invite, code) | self.is_relieved_by(code)

    def is_relieved_by(self, code: bytes) -> bool:
        """Whether the code with this hash lets a house bot take the seat over."""
        return is_same(self.relief, code)


def held_by(seats: Sequence[SeatState], ticket: bytes) -> Seat | None:
    """The seat that the ticket with this hash holds, if any."""
    for seat, state in enumerate(seats):
        if is_same(state.ticket, ticket):
            return seat
    return None
