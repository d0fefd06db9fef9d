"""The seats of a table, and how the root of its cards comes about: secret, nonce hashes, nonces.

Must not be put here: when a table starts and ends (``table.py``), who may sit where
(``tickets.py``), and what is derived from a root (``deals.py``).
"""

from __future__ import annotations

import hashlib

from croupier_server.errors import Conflict, InvalidRequest, Reason
from croupier_server.games.base import Seat
from croupier_server.storage.base import Reveal
from croupier_server.tables import deals, encode
from croupier_server.tables.clock import FOREVER
from croupier_server.tables.journal import Journal
from croupier_server.tables.seats import SeatState
from croupier_server.tables.spec import DealKind, TableSpec
from croupier_server.wire.encode import field_bytes, field_number


class Opening:
    """Seats and nonces of one table.

    Args:
        spec: what the table is.
        journal: gets the events of seats and nonces.
        secret: of the table, for the deal source MATCH.

    Attributes:
        seats: who holds each seat.
        deadline: when nonces must have come, or `FOREVER`: none are waited for.
    """

    __slots__ = ("_journal", "_root", "_secret", "_spec", "deadline", "seats")

    def __init__(self, spec: TableSpec, journal: Journal, secret: bytes) -> None:
        self._spec = spec
        self._journal = journal
        self._secret = secret
        self._root = b""
        self.seats = tuple(SeatState() for _ in spec.seats)
        self.deadline = FOREVER

    # Seats ---------------------------------------------------------------------------------------

    def seat_info(self, seat: Seat, *, show_nonce_hash: bool) -> bytes:
        """Payload of ``SeatInfo``."""
        state = self.seats[seat]
        return encode.seat_info(self._spec, seat, state, show_nonce_hash=show_nonce_hash)

    @property
    def is_full(self) -> bool:
        """Whether somebody sits on every seat."""
        return all(seat.player for seat in self.seats)

    def join(self, seat: Seat, player: str, nonce_hash: bytes, now: int, *, is_open: bool) -> None:
        """Sit *player* down; the seat keeps its nonce hash unless seats *is_open*."""
        state = self.seats[seat]
        state.player = self._spec.seats[seat].player or player or f"seat {seat}"
        state.epoch += 1
        if is_open:
            state.nonce_hash = nonce_hash
        info = self.seat_info(seat, show_nonce_hash=not is_open)
        self._journal.announce(encode.SEAT_JOINED, field_bytes(1, info), now)

    def leave(self, seat: Seat, now: int) -> None:
        """Free a seat."""
        state = self.seats[seat]
        state.player = ""
        state.nonce_hash = b""
        self._journal.announce(encode.SEAT_LEFT, field_number(1, seat), now)

    # Nonces --------------------------------------------------------------------------------------

    def fill(self, now: int, nonce_ms: int) -> bool:
        """All sit: publish the hashes; returns whether nonces are waited for, for *nonce_ms*."""
        infos = [
            field_bytes(1, self.seat_info(seat, show_nonce_hash=True))
            for seat in range(len(self.seats))
        ]
        self._journal.announce(encode.SEATS_FILLED, b"".join(infos), now)
        waits = self._spec.deal.kind is DealKind.MATCH and self._is_incomplete
        if waits:
            self.deadline = now + nonce_ms
        return waits

    @property
    def _is_incomplete(self) -> bool:
        return any(seat.wants_nonce for seat in self.seats)

    def wants_nonce(self, seat: Seat) -> bool:
        """Whether the nonce of *seat* is waited for."""
        return self.deadline != FOREVER and self.seats[seat].wants_nonce

    def check_nonce(self, seat: Seat, nonce: bytes) -> None:
        """Raise unless *nonce* is the one that *seat* promised, and is waited for.

        Raises:
            Conflict: NONCE_NOT_EXPECTED.
            InvalidRequest: NONCE_MISMATCH.
        """
        if not self.wants_nonce(seat):
            raise Conflict(Reason.NONCE_NOT_EXPECTED, "no nonce of this seat is wanted now")
        if hashlib.sha256(nonce).digest() != self.seats[seat].nonce_hash:
            raise InvalidRequest(
                Reason.NONCE_MISMATCH, "not the nonce whose hash was given", field="nonce"
            )

    def take_nonce(self, seat: Seat, nonce: bytes, now: int) -> bool:
        """Take a nonce that is known to be right; returns whether it was the last one."""
        self.seats[seat].nonce = nonce
        self._journal.announce(encode.NONCE_OPENED, field_number(1, seat), now)
        return not self._is_incomplete

    def give_back(self, since: int, now: int) -> None:
        """Wait longer by the time from *since* to *now*."""
        if self.deadline != FOREVER:
            self.deadline += now - since

    def late_seat(self) -> Seat:
        """The first seat whose nonce has not come."""
        return next(seat for seat, state in enumerate(self.seats) if state.wants_nonce)

    def close(self) -> None:
        """Wait for no nonces any more."""
        self.deadline = FOREVER

    def finish(self) -> bytes:
        """All nonces are here: the root."""
        self.close()
        nonces = [seat.nonce for seat in self.seats]
        spec = self._spec
        self._root = deals.source_root(spec.deal, self._secret, spec.table_id, nonces)
        return self._root

    @property
    def reveal(self) -> Reveal:
        """What may be known once the match has ended."""
        is_match = self._spec.deal.kind is DealKind.MATCH
        return Reveal(
            secret=self._secret if is_match else b"",
            nonces=tuple(seat.nonce for seat in self.seats) if is_match else (),
            root=self._root,
            seed=self._spec.deal.seed,
        )
