"""A table before its match: host, seats, and how the root of its cards comes about."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from croupier_server.errors import Conflict, InvalidRequest, NotAllowed, Reason
from croupier_server.games.base import Seat
from croupier_server.storage.base import AbandonedSecret, Player, Reveal
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.kept import (
    Creation,
    Invited,
    Opened,
    Relieved,
    Replaced,
    Sitting,
    Slots,
    Watched,
)
from croupier_server.tables.match import deals, encode
from croupier_server.tables.match.creation import terms
from croupier_server.tables.match.journal import Journal
from croupier_server.tables.match.seats import SeatState
from croupier_server.tables.spec import DealKind, TableSpec
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.table import EVENT

RESTARTS_MAX: Final = 2
"""Openings of one table that may be given up for withheld nonces. Whoever holds the secret and the
withheld nonce chooses among one deck more than that."""


NOT_CARRIED: Final = frozenset(
    {"_journal", "_nonce_ms", "_nonces_by", "_spec", "_start_by", "creation", "deadline", "seats"}
)
"""Slots of an `Opening` that follow from what the table is, once the match has begun; and its
seats."""


class Opening:
    """Seats and nonces of one table.

    Args:
        spec: what the table is.
        journal: gets the events of seats and nonces.
        creation: how it was made; has its secrets.

    Attributes:
        creation: how it was made.
        host: hash of its host ticket.
        seats: who holds each seat.
        deadline: when nonces must have come or the match must have begun, or `FOREVER`.
        commitment: to the secret, for the deal source MATCH.
        abandoned: secrets that were replaced, with the nonces that had been opened, oldest first.
        withholders: principals whose nonces did not arrive in time; `LOCAL` is never among them.
        watched: principals who have watched the match, where it matters.
        was_filled: all seats were taken at some time, so that its commitment and hashes were
            published.
        began_at: number of the last event before the match began; None: it has not.
    """

    __slots__ = (
        "_journal",
        "_nonce_ms",
        "_nonces_by",
        "_root",
        "_secret",
        "_spec",
        "_start_by",
        "abandoned",
        "began_at",
        "commitment",
        "creation",
        "deadline",
        "host",
        "seats",
        "was_filled",
        "watched",
        "withholders",
    )

    def __init__(self, spec: TableSpec, journal: Journal, creation: Creation) -> None:
        self._spec = spec
        self._journal = journal
        self._secret = creation.secret
        self.creation = creation
        self.host = creation.host
        self._root = b""
        self.seats = tuple(SeatState() for _ in spec.seats)
        for state, invite in zip(self.seats, creation.invites, strict=False):
            state.invite = invite
        self.commitment = spec.commitment
        self.abandoned: tuple[AbandonedSecret, ...] = ()
        self.withholders: tuple[str, ...] = ()
        self.watched: tuple[str, ...] = ()
        self.was_filled = False
        self.began_at: int | None = None
        self._nonce_ms = 0  # how long nonces are waited for; 0: they are not
        timeout = spec.clock.start_timeout_ms
        self._wait(FOREVER, spec.created_ms + timeout if timeout else FOREVER)

    def _wait(self, nonces_by: int, start_by: int) -> None:
        self._nonces_by = nonces_by
        self._start_by = start_by
        self.deadline = min(nonces_by, start_by)

    def is_too_late(self, now: int) -> bool:
        """Whether the match should have begun by now."""
        return now >= self._start_by

    # Seats ---------------------------------------------------------------------------------------

    def seat_info(self, seat: Seat, *, show_nonce_hash: bool) -> bytes:
        """Payload of ``SeatInfo``."""
        state = self.seats[seat]
        return encode.seat_info(self._spec, seat, state, show_nonce_hash=show_nonce_hash)

    @property
    def is_full(self) -> bool:
        """Whether somebody sits on every seat."""
        return all(seat.player for seat in self.seats)

    def join(
        self, seat: Seat, player: Player, sitting: Sitting, now: int, *, is_open: bool
    ) -> None:
        """Sit *player* down; unless the table *is_open*, the seat keeps its nonce hash."""
        state = self.seats[seat]
        name = self._spec.seats[seat].player or player.display_name or f"seat {seat}"
        state.player = player._replace(display_name=name)
        state.epoch += 1
        if is_open:
            state.nonce_hash = sitting.nonce_hash
        state.hold(sitting)
        info = self.seat_info(seat, show_nonce_hash=not is_open)
        self._journal.announce(EVENT["seat_joined"], messages.seat_joined(info), now, sitting)

    def sitters(self) -> frozenset[str]:
        """Principals who hold a seat. A player for whom a house bot plays still holds its seat."""
        return frozenset(seat.owner for seat in self.seats if seat.owner)

    def leave(self, seat: Seat, now: int) -> None:
        """Free a seat."""
        self._free(seat)
        self._journal.announce(EVENT["seat_left"], messages.seat_left(seat), now)

    def _free(self, seat: Seat) -> None:
        state = self.seats[seat]
        state.player = None
        state.nonce_hash = b""
        state.retire()

    @property
    def has_begun(self) -> bool:
        """Whether the match has begun: all nonces came, so its cards are fixed."""
        return bool(self._root)

    def missing_seat(self) -> Seat | None:
        """The first seat that is empty, or whose nonce has not come; None: it is not for any of
        them that the match has not begun."""
        for seat, state in enumerate(self.seats):
            if not state.player or self.wants_nonce(seat):
                return seat
        return None

    def relieve(self, seat: Seat, code: bytes) -> None:
        """Let whoever has the code with this hash take *seat* over."""
        self.seats[seat].relief = code
        self._journal.note(Relieved(seat, code))

    def invite(self, host: bytes, invites: Sequence[bytes]) -> None:
        """Replace the hashes of the host ticket and, by seat, of invite codes; empty: as it was."""
        self.host = host
        for state, invite in zip(self.seats, invites, strict=True):
            state.invite = invite or state.invite
        self._journal.note(Invited(host, tuple(invites)))

    def watch(self, principals: Sequence[str]) -> None:
        """Remember that *principals*, who are new, watch the match."""
        self.watched += tuple(principals)
        self._journal.note(Watched(tuple(principals)))

    # Nonces --------------------------------------------------------------------------------------

    def fill(self, now: int, nonce_ms: int) -> bool:
        """All sit: publish the hashes; returns whether nonces are waited for: for *nonce_ms* from
        when seats may know of it, see `stored`."""
        self.was_filled = True
        infos = [self.seat_info(seat, show_nonce_hash=True) for seat in range(len(self.seats))]
        self._journal.announce(EVENT["seats_filled"], messages.seats_filled(infos), now)
        waits = self._spec.deal.kind is DealKind.MATCH and self._is_incomplete
        if waits:
            self._nonce_ms = nonce_ms
        return waits

    def stored(self, now: int) -> bool:
        """All that has happened is stored; returns whether the time for nonces begins with that."""
        begins = self._nonce_ms > 0 and self._nonces_by == FOREVER
        if begins:
            self._wait(now + self._nonce_ms, self._start_by)
        return begins

    @property
    def _is_incomplete(self) -> bool:
        return any(seat.wants_nonce for seat in self.seats)

    def wants_nonce(self, seat: Seat) -> bool:
        """Whether the nonce of *seat* is waited for."""
        return self._nonce_ms > 0 and self.seats[seat].wants_nonce

    def check_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        """Raise unless *nonce* is the one that *seat* promised, and is waited for.

        Raises:
            Conflict: NONCE_NOT_EXPECTED.
            InvalidRequest: NONCE_MISMATCH; MALFORMED_REQUEST for the hash of the next one.
        """
        if not self.wants_nonce(seat):
            raise Conflict(
                Reason.NONCE_NOT_EXPECTED, "the table does not need a nonce of this seat now"
            )
        promised = self.seats[seat].nonce_hash
        if hashlib.sha256(nonce).digest() != promised:
            raise InvalidRequest(
                Reason.NONCE_MISMATCH,
                "this is not the nonce whose SHA-256 hash the seat sent",
                field="nonce",
            )
        why = ""
        if next_hash and len(next_hash) != len(promised):
            why = f"a SHA-256 has {len(promised)} bytes"
        elif next_hash == promised:
            why = "this is the hash of the nonce that is being opened; send that of a new one"
        if why:
            raise InvalidRequest(Reason.MALFORMED_REQUEST, why, field="next_nonce_hash")

    def take_nonce(self, seat: Seat, opened: Opened, now: int) -> bool:
        """Take a nonce that is known to be right; returns whether it was the last one."""
        state = self.seats[seat]
        state.nonce = opened.nonce
        state.next_nonce_hash = opened.next_hash
        self._journal.announce(EVENT["nonce_opened"], messages.nonce_opened(seat), now, opened)
        return not self._is_incomplete

    def withheld(self) -> list[Seat]:
        """Seats whose nonces have not come."""
        return [seat for seat, state in enumerate(self.seats) if state.wants_nonce]

    @property
    def can_restart(self) -> bool:
        """Whether a withheld nonce starts the opening again; otherwise it ends the table."""
        return len(self.abandoned) < RESTARTS_MAX

    def check_sitter(self, seat: Seat, principal: str) -> None:
        """Raise if *principal* withheld a nonce here, and *seat* is not its own.

        Raises:
            NotAllowed: NONCE_WITHHELD.
        """
        if principal in self.withholders and self.seats[seat].owner != principal:
            raise NotAllowed(
                Reason.NONCE_WITHHELD,
                "your nonce at this table did not arrive in time, so you cannot take a seat here "
                "again; join another table",
            )

    def commit(self, secret: bytes) -> bytes:
        """The commitment to *secret*."""
        return deals.commitment(terms(self._spec), secret)

    def no_show(self, seat: Seat, replaced: Replaced, commitment: bytes, now: int) -> None:
        """Free *seat*, which withheld its nonce, and begin again with another secret.

        What has been opened is of no use any more; those seats' next nonces take its place. Seats
        that are freed together name one commitment.
        """
        if commitment != self.commitment:
            nonces = tuple(state.nonce for state in self.seats)
            self.abandoned += (AbandonedSecret(self._secret, nonces),)
        self._secret = replaced.secret
        self.commitment = commitment
        self._nonce_ms = 0
        self._wait(FOREVER, self._start_by)
        for state in self.seats:
            if state.nonce:
                state.renew_nonce()
        owner = self.seats[seat].owner
        if owner and owner != LOCAL and owner not in self.withholders:
            self.withholders += (owner,)
        self._free(seat)
        payload = messages.seat_no_show(seat, commitment)
        self._journal.announce(EVENT["seat_no_show"], payload, now, replaced)

    # Time ----------------------------------------------------------------------------------------

    def give_back(self, since: int, now: int) -> None:
        """Wait longer by the time from *since* to *now*."""
        later = now - since
        self._wait(_put_off(self._nonces_by, later), _put_off(self._start_by, later))

    def reopen(self, since: int, now: int, nonce_ms: int) -> None:
        """Go on where the server stopped at *since*; nonces are given *nonce_ms* anew."""
        nonces_by = FOREVER
        if self._nonce_ms:
            self._nonce_ms, nonces_by = nonce_ms, now + nonce_ms
        self._wait(nonces_by, _put_off(self._start_by, now - since))

    def close(self) -> None:
        """Wait for nothing any more."""
        self._nonce_ms = 0
        self._wait(FOREVER, FOREVER)

    def finish(self) -> bytes:
        """All nonces are here: the root."""
        self.close()
        self.began_at = self._journal.sequence
        nonces = [seat.nonce for seat in self.seats]
        spec = self._spec
        self._root = deals.source_root(spec.deal, self._secret, spec.table_id, nonces)
        return self._root

    def resume(self, given: Slots) -> bytes:
        """Become what has these `slots`, where tuples may be plain ones; returns the root."""
        for name, value in given.items():
            setattr(self, name, value)
        self.abandoned = tuple([AbandonedSecret(*one) for one in self.abandoned])
        self.close()
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
            abandoned=self.abandoned,
            decks=self._spec.deal.decks,
        )


def _put_off(time: int, later: int) -> int:
    return FOREVER if time == FOREVER else time + later
