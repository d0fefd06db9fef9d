"""Tickets, host tickets and invite codes: made from 256 random bits, given out once, kept hashed.

A ticket is judged before anybody is told whether its table is there: whoever holds none gets the
very same answer for a table that never was and for one of somebody else.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection
from typing import Final

from croupier_server.errors import Conflict, InvalidRequest, NotAllowed, NotFound, Reason
from croupier_server.games.base import Seat
from croupier_server.identity.keys import HOUSE
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.match.deals import SECRET_BYTES
from croupier_server.tables.match.seats import SeatState, held_by, is_same, secret_hash, ticket_hash
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Access, JoinTable, Status, Visibility

_NO_HASH: Final = bytes(32)

Secrets = Callable[[int], bytes]
"""A source of random bytes, so many."""


def new_ticket(secrets: Secrets) -> str:
    """A ticket or an invite code."""
    return urlsafe_b64encode(secrets(SECRET_BYTES)).rstrip(b"=").decode()


FindTable = Callable[[str, Caller], Table]
"""Finds a table that a caller may see by its id, or raises `NotFound`."""


def seat_at(caller: Caller, find: FindTable, table_id: str) -> tuple[Table, Seat]:
    """The table of this id and the seat that *caller* holds there.

    Raises:
        NotAllowed: TICKET_INVALID, also where there is no such table, or TICKET_SUPERSEDED.
        Conflict: TABLE_CLOSED, the match ended a while ago; ``record_table_id`` in the metadata
            names its record. That tells no more than asking for the record.
    """
    try:
        table = find(table_id, caller)
    except NotFound as error:
        if "record_table_id" in error.metadata:
            raise Conflict(
                Reason.TABLE_CLOSED,
                "the match has ended; fetch its record",
                metadata=error.metadata,
            ) from None
        is_same(ticket_hash(caller.principal, caller.ticket), _NO_HASH)  # takes as long
        raise _no_seat() from None
    return table, seat_of(caller, table)


def seat_of(caller: Caller, table: Table) -> Seat:
    """The seat that *caller* holds at *table*.

    Raises:
        NotAllowed: TICKET_INVALID or TICKET_SUPERSEDED.
    """
    seat = held_seat(caller, table)
    if seat is None:
        raise _no_seat()
    return seat


RELIEVED: Final = (
    "a house bot plays for this seat, which was away; JoinTable with this ticket gives it back"
)
"""What the player of a seat is told that a house bot has taken over."""


def _no_seat() -> NotAllowed:
    return NotAllowed(
        Reason.TICKET_INVALID,
        "no valid ticket for a seat at this table; send the one that JoinTable returned as "
        "metadata croupier-ticket",
    )


def held_seat(caller: Caller, table: Table) -> Seat | None:
    """As `seat_of`, but None for no ticket and for one that never held a seat here.

    Raises:
        NotAllowed: TICKET_SUPERSEDED.
    """
    if not caller.ticket:
        return None
    ticket = ticket_hash(caller.principal, caller.ticket)
    seat = held_by(table.seats, ticket)
    if seat is not None:
        return seat
    if any(state.was_relieved_from(ticket) for state in table.seats):
        raise NotAllowed(Reason.TICKET_SUPERSEDED, RELIEVED)
    if any(state.was_held_by(ticket) for state in table.seats):
        raise NotAllowed(
            Reason.TICKET_SUPERSEDED, "the seat was joined again, so this ticket is no longer valid"
        )
    return None


def hosted(caller: Caller, find: FindTable, table_id: str) -> Table:
    """The table of this id, of which *caller* is the host.

    Raises:
        NotAllowed: PERMISSION_DENIED, also where there is no such table.
    """
    try:
        table = find(table_id, caller)
    except NotFound:
        table = None
    if not _has_host_ticket(caller, _NO_HASH if table is None else table.opening.host):
        table = None
    if table is None:
        raise NotAllowed(
            Reason.PERMISSION_DENIED,
            "send the host ticket that CreateTable returned as metadata croupier-host-ticket",
        )
    return table


def _has_host_ticket(caller: Caller, host: bytes) -> bool:
    """Whether *caller* has the host ticket with the hash *host*."""
    ticket = ticket_hash(caller.principal, caller.host_ticket)
    return is_same(ticket, host) and bool(caller.host_ticket)


def is_of(caller: Caller, table: Table) -> bool:
    """Whether *caller* is the host of *table*, or has held a seat there in this match: by its
    principal, or by a ticket where principals are not told apart."""
    opening = table.opening
    if caller.principal != LOCAL:
        return caller.principal in opening.sitters() | {opening.creation.principal}
    if _has_host_ticket(caller, opening.host):
        return True
    ticket = ticket_hash(caller.principal, caller.ticket)
    return bool(caller.ticket) and (
        held_by(table.seats, ticket) is not None
        or any(state.was_held_by(ticket) for state in table.seats)
    )


def proofs(caller: Caller) -> frozenset[str]:
    """What *caller* may prove its right to see a private table with: its principal where principals
    are told apart, and hashes of the secrets that it has sent."""
    who = caller.principal
    given = (
        secret_hash(caller.invite) if caller.invite else b"",
        ticket_hash(who, caller.ticket) if caller.ticket else b"",
        ticket_hash(who, caller.host_ticket) if caller.host_ticket else b"",
    )
    known = {f"secret {one.hex()}" for one in given if one}
    return frozenset(known if who == LOCAL else known | {f"principal {who}"})


def readers(table: Table) -> tuple[str, ...] | None:
    """Who may see *table* and its record, as `proofs` names them; None: everybody."""
    if table.spec.visibility is not Visibility.PRIVATE:
        return None
    opening = table.opening
    called = {seat.player_id for seat in table.spec.seats}
    who = called.union(opening.sitters(), {opening.creation.principal}) - {LOCAL, HOUSE, ""}
    hashes = {one for state in table.seats for one in state.secrets} | {opening.host}
    found = {f"principal {one}" for one in who} | {f"secret {one.hex()}" for one in hashes if one}
    return tuple(sorted(found))


def may_see(caller: Caller, allowed: Collection[str] | None) -> bool:
    """Whether *caller* is one of the `readers` that are *allowed*."""
    return allowed is None or not proofs(caller).isdisjoint(allowed)


def choose_seat(
    caller: Caller, table: Table, request: JoinTable, joins_max: int, *, is_veiled: bool = False
) -> Seat:
    """The seat that a request to join is for; of free ones the first that was not taken
    *joins_max* times before.

    Args:
        caller: who asks.
        table: the table.
        request: what is asked for.
        joins_max: how often a seat is given out.
        is_veiled: see `Table.seen_by`.

    Raises:
        InvalidRequest: there is no such seat, or not the one that ticket or invite code are for.
        NotAllowed: SEAT_RESERVED, TICKET_SUPERSEDED; TICKET_INVALID or PERMISSION_DENIED for a seat
            whose ticket the caller may not replace.
        Conflict: SEAT_TAKEN, TABLE_FULL, TABLE_STARTED, TABLE_CLOSED, TOO_MANY_JOINS.
        TableHalted: a fault stopped the table.
    """
    table.expect_seen_live(is_veiled=is_veiled)
    wanted = request.seat
    if request.replaces_ticket:
        _expect_own(caller, table, wanted)
    if wanted is not None and wanted >= len(table.seats):
        raise InvalidRequest(Reason.MALFORMED_REQUEST, "there is no such seat", field="seat")
    seat = wanted if request.replaces_ticket else _entitled_seat(caller, table, request)
    if seat is not None:
        table.expect_live()
        if wanted not in (None, seat):
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST, f"the ticket or code is for seat {seat}", field="seat"
            )
        if table.spec.rated and caller.principal != HOUSE:
            _expect_one_seat(caller, table, but=seat)
        if table.status is not Status.OPEN and not table.seats[seat].player:
            table.expect_open()
        return seat
    if wanted is not None and caller.principal not in (LOCAL, HOUSE):
        _expect_not_own(caller, table, wanted)
    table.expect_open(is_veiled=is_veiled)
    _expect_one_seat(caller, table)
    if wanted is None:
        return _free_seat(table, joins_max)
    if table.spec.seats[wanted].access is not Access.OPEN:
        raise NotAllowed(
            Reason.SEAT_RESERVED,
            "the seat is reserved; send its invite code, or call with the key it is reserved for",
            field="seat",
        )
    if table.seats[wanted].player:
        raise Conflict(Reason.SEAT_TAKEN, "the seat is taken", field="seat")
    return wanted


def _entitled_seat(caller: Caller, table: Table, request: JoinTable) -> Seat | None:
    """The seat that *caller* has a right to: by its ticket, by an invite code or by its key."""
    seat = _relieved_seat(caller, table)
    if seat is None:
        seat = held_seat(caller, table)
    if seat is None and request.invite_code:
        seat = _invited_seat(caller, table, request.invite_code)
    if seat is None:
        seat = _reserved_seat(caller, table, request.seat)
    return seat


def _reserved_seat(caller: Caller, table: Table, wanted: Seat | None) -> Seat | None:
    """The first free seat reserved for the key of *caller*; with *wanted* that seat alone."""
    if caller.principal == LOCAL:
        return None
    for seat, (spec, state) in enumerate(zip(table.spec.seats, table.seats, strict=True)):
        is_free = wanted in (None, seat) and not state.player
        if is_free and spec.player_id == caller.principal:
            return seat
    return None


def _expect_own(caller: Caller, table: Table, seat: Seat | None) -> None:
    """Raise unless the key of *caller* is enough to replace the ticket of *seat*.

    Where one principal may hold several seats, or sit at several tables with the same cards, only
    tickets keep its programs apart: there its key is enough for seats that the host gave to it.

    Raises:
        NotAllowed: PERMISSION_DENIED without keys, otherwise TICKET_INVALID.
    """
    if caller.principal == LOCAL:
        raise NotAllowed(
            Reason.PERMISSION_DENIED,
            "only a key can replace a ticket, and this server requires no keys",
            field="replace_ticket",
        )
    spec = table.spec
    if seat is None or seat >= len(spec.seats) or table.seats[seat].owner != caller.principal:
        raise NotAllowed(
            Reason.TICKET_INVALID, "your principal does not hold this seat", field="seat"
        )
    is_shared = spec.shared_seats or spec.deal.shared_principals
    if is_shared and spec.seats[seat].player_id != caller.principal:
        raise NotAllowed(
            Reason.TICKET_INVALID,
            "a principal may hold several seats here, so a key replaces the tickets only of seats "
            "that the host reserved for it; send the seat's ticket",
            field="seat",
        )


def _expect_not_own(caller: Caller, table: Table, seat: Seat) -> None:
    if table.seats[seat].owner == caller.principal:
        raise Conflict(
            Reason.SEAT_TAKEN,
            "you hold this seat; send its ticket, or set replace_ticket to get a new one",
            field="seat",
        )


def _relieved_seat(caller: Caller, table: Table) -> Seat | None:
    """The seat that a house bot has taken from *caller*."""
    for seat, state in enumerate(table.seats):
        if was_relieved(caller, state):
            return seat
    return None


def was_relieved(caller: Caller, state: SeatState) -> bool:
    """Whether a house bot has taken the seat from *caller*, who may have it back."""
    ticket = ticket_hash(caller.principal, caller.ticket)
    return bool(caller.ticket) and state.was_relieved_from(ticket)


def _invited_seat(caller: Caller, table: Table, code: str) -> Seat:
    invite = secret_hash(code)
    for seat, state in enumerate(table.seats):
        if state.is_invited_by(invite):
            if state.is_relieved_by(invite):
                _expect_missed(table, seat)
            elif state.owner not in ("", LOCAL, caller.principal):
                raise Conflict(
                    Reason.SEAT_TAKEN,
                    f"another player holds seat {seat} and has used this invite code",
                    field="invite_code",
                )
            elif table.spec.seats[seat].player_id not in ("", caller.principal):
                raise NotAllowed(
                    Reason.SEAT_RESERVED,
                    f"seat {seat} is reserved for another player; call with that player's key",
                    field="invite_code",
                )
            return seat
    raise NotAllowed(
        Reason.SEAT_RESERVED, "no seat of this table has this invite code", field="invite_code"
    )


def _expect_missed(table: Table, seat: Seat) -> None:
    """Raise unless a house bot that was sent for has *seat*, or its player is still away."""
    if table.seats[seat].relieved:
        return
    if not table.presence.is_missed(seat, table.match.decisions):
        raise Conflict(
            Reason.SEAT_TAKEN,
            "the player of this seat has returned; take another seat",
            field="seat",
        )


def _free_seat(table: Table, joins_max: int) -> Seat:
    free = [
        seat
        for seat, spec in enumerate(table.spec.seats)
        if spec.access is Access.OPEN and not table.seats[seat].player
    ]
    for seat in free:
        if table.seats[seat].epoch < joins_max:
            return seat
    if free:
        raise too_many_joins()
    if any(
        spec.access is Access.RESERVED and not table.seats[seat].player
        for seat, spec in enumerate(table.spec.seats)
    ):
        raise NotAllowed(
            Reason.SEAT_RESERVED,
            "all free seats are reserved; send an invite code, or the key that a seat is reserved "
            "for",
            field="invite_code",
        )
    raise Conflict(Reason.TABLE_FULL, "no seat is free")


def too_many_joins() -> Conflict:
    """What somebody is told who wants a seat that was taken as often as one may be."""
    return Conflict(
        Reason.TOO_MANY_JOINS,
        "this seat has been taken as often as a seat may be; take another one",
        field="seat",
    )


def _expect_one_seat(caller: Caller, table: Table, but: Seat | None = None) -> None:
    """A principal with a key of its own holds one seat, unless seats may be shared; an invite code
    gives it another one, unless the table is rated."""
    if table.spec.shared_seats or caller.principal == LOCAL:
        return
    for seat, state in enumerate(table.seats):
        if seat != but and state.owner == caller.principal:
            raise Conflict(Reason.SEAT_TAKEN, "you hold a seat at this table")
