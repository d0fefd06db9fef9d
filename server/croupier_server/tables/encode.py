"""The messages of ``table.proto`` as bytes: the table itself, its events, and the log's inputs.

Written by hand, as every event is stored and sent in the same bytes. The tests build each message
with the generated classes too and compare.

Must not be put here: what a stream carries (``updates.py``), anything about one game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import starmap
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from croupier_server.games.base import EndReason, Outcome, Seat
from croupier_server.storage.base import Player
from croupier_server.tables.spec import (
    AbortedBy,
    ClockSpec,
    DealKind,
    DealSource,
    SpectatorDelay,
    Status,
    TableSpec,
)
from croupier_server.wire.encode import (
    TAGS,
    VARINTS,
    duration,
    field_blob,
    field_bytes,
    field_number,
    field_packed,
    field_signed,
    field_text,
    field_varint,
    timestamp,
    varint,
)

if TYPE_CHECKING:
    from croupier_server.tables.seats import SeatState

# Arms of TableEvent.
TABLE_CREATED: Final = 4
SEAT_JOINED: Final = 5
SEAT_LEFT: Final = 6
SEATS_FILLED: Final = 7
NONCE_OPENED: Final = 8
MATCH_STARTED: Final = 9
GAME: Final = 10
SEAT_TIMED_OUT: Final = 11
MATCH_ENDED: Final = 12
TABLE_HALTED: Final = 13
SEAT_NO_SHOW: Final = 16

SEATS: Final = tuple(field_number(1, seat) for seat in range(64))
"""``MoveInput.seat`` and ``SeatClock.seat`` by seat."""

_SHORT: Final = len(VARINTS)

PRIVATE_TAG: Final = b"\x7a"
"""Before the length of a ``TableEvent.private``."""

CHANCE_TAG: Final = TAGS[1]
"""Before the length of an ``Input`` of a deck or a lot: the one that answers no decision."""

WINDOW_INPUT: Final = field_bytes(4, b"")
"""``Input`` of a window that closed."""


def deal_source(source: DealSource) -> bytes:
    """Payload of ``DealSource``, secrets left out."""
    if source.kind is DealKind.BOARD:
        arm = field_text(1, source.board_id) + field_blob(3, source.commitment)
        arm += field_number(4, source.tables) + field_number(5, source.shared_principals)
    else:
        arm = b""
    return field_bytes(source.kind, arm)


def clock_spec(clock: ClockSpec) -> bytes:
    """Payload of ``ClockSpec``."""
    times = (clock.base_ms, clock.increment_ms, clock.per_move_ms, clock.window_ms)
    more = (clock.disconnect_grace_ms, clock.start_timeout_ms)
    return b"".join(
        (
            *(_duration(field, ms) for field, ms in enumerate(times, 1)),
            field_number(5, clock.max_strikes),
            field_number(6, clock.on_timeout),
            *(_duration(field, ms) for field, ms in enumerate(more, 7)),
        )
    )


def _duration(field: int, milliseconds: int) -> bytes:
    """A duration that is left out when it is zero."""
    return field_bytes(field, duration(milliseconds)) if milliseconds else b""


def spectator_delay(delay: SpectatorDelay | None) -> bytes:
    """``TableSpec.spectator_delay``."""
    if delay is None:
        return b""
    time = field_bytes(2, duration(delay.time_ms)) if delay.time_ms else b""
    return field_bytes(12, field_number(1, delay.decisions) + time)


def player(who: Player) -> bytes:
    """Payload of ``Player``."""
    return b"".join(
        (
            field_text(1, who.player_id),
            field_text(2, who.display_name),
            field_number(3, who.kind),
            field_text(4, who.version),
        )
    )


def seat_info(spec: TableSpec, seat: Seat, state: SeatState, *, show_nonce_hash: bool) -> bytes:
    """Payload of ``SeatInfo``."""
    return b"".join(
        (
            field_number(1, seat),
            field_number(2, spec.seats[seat].access),
            field_bytes(3, player(state.player)) if state.player is not None else b"",
            field_number(4, spec.teams[seat]),
            field_blob(5, state.nonce_hash) if show_nonce_hash else b"",
            field_number(6, state.epoch),
        )
    )


Fixed: TypeAlias = tuple[bytes, bytes]
"""What never changes of a ``Table``: fields 1 to 5, and 10 to 11."""


def table_spec(spec: TableSpec) -> bytes:
    """Payload of ``TableSpec``, secrets left out."""
    return b"".join(
        (
            field_number(1, spec.kind),
            field_text(2, spec.ruleset),
            field_bytes(3, spec.options_message),
            field_bytes(4, clock_spec(spec.clock)),
            field_bytes(5, deal_source(spec.deal)),
            field_number(6, spec.legal_mode),
            field_number(7, spec.absence),
            field_number(8, spec.rated),
            field_number(9, spec.shared_seats),
            field_number(10, spec.start_mode),
            field_number(11, spec.visibility),
            spectator_delay(spec.delay),
            field_text(13, spec.title),
        )
    )


def fixed_fields(spec: TableSpec) -> Fixed:
    """What never changes of a ``Table``."""
    first = b"".join(
        (
            field_text(1, spec.table_id),
            field_number(2, spec.epoch),
            field_bytes(3, table_spec(spec)),
            field_blob(4, spec.ruleset_hash),
            field_number(5, spec.rules_version),
        )
    )
    return first, field_text(10, spec.endpoint) + field_bytes(11, timestamp(spec.created_ms))


class Shown(NamedTuple):
    """What changes of a ``Table`` now and then.

    Attributes:
        status: where it stands.
        seats: payloads of `seat_info`, in order.
        commitment: to the table's secret (MATCH), else empty.
        result: payload of `match_result`, once it has ended.
    """

    status: Status
    seats: tuple[bytes, ...]
    commitment: bytes
    result: bytes | None


def table(fixed: Fixed, shown: Shown, sequence: int) -> bytes:
    """Payload of ``Table``.

    Args:
        fixed: from `fixed_fields`.
        shown: what changes now and then.
        sequence: number of its last event.
    """
    first, second = fixed
    status, seats, commitment, result = shown
    return b"".join(
        (
            first,
            field_number(6, status),
            *(field_bytes(7, seat) for seat in seats),
            field_blob(8, commitment),
            field_number(9, sequence),
            second,
            field_bytes(12, result) if result is not None else b"",
        )
    )


def match_result(
    reason: EndReason,
    outcome: Outcome | None,
    seat: Seat | None = None,
    detail: str = "",
    aborted_by: AbortedBy | None = None,
) -> bytes:
    """Payload of ``MatchResult``; without *outcome* the match does not count."""
    seats = [
        field_bytes(
            2, field_number(1, number) + field_signed(2, one.score) + field_number(3, one.place)
        )
        for number, one in enumerate(outcome.seats if outcome is not None else ())
    ]
    return b"".join(
        (
            field_number(1, reason),
            *seats,
            field_varint(3, seat) if seat is not None else b"",
            field_text(4, detail),
            field_number(5, aborted_by or 0),
        )
    )


@lru_cache(maxsize=8)
def stamp(now_ms: int) -> bytes:
    """``TableEvent.time`` with its tag. All events of a frame have the same, so it is kept."""
    return field_bytes(2, timestamp(now_ms))


def event(sequence: int, time: bytes, arm: int, payload: bytes) -> bytes:
    """Public part of a ``TableEvent``; *time* is from `stamp`."""
    return b"".join((b"\x08", varint(sequence), time, field_bytes(arm, payload)))


def event_clocks(clocks: Iterable[tuple[Seat, int, int | None]]) -> bytes:
    """``TableEvent.clocks``, as `Accounts.told` gives them."""
    return b"".join(starmap(_event_clock, clocks))


@lru_cache(maxsize=1024)
def _event_clock(seat: Seat, left_ms: int, move_left_ms: int | None) -> bytes:
    """One of ``TableEvent.clocks``. Cached, because most of them come up again."""
    runs = b""
    if move_left_ms is not None:
        runs = field_number(4, 1) + field_bytes(5, duration(move_left_ms))
    return field_bytes(14, SEATS[seat] + field_bytes(2, duration(left_ms)) + runs)


# Inputs -----------------------------------------------------------------------------------------


def chance_input(outcome: Sequence[int]) -> bytes:
    """``Input`` of a deck or a lot."""
    return field_bytes(1, field_packed(1, outcome))


@lru_cache(maxsize=64)
def _time(field: int, ms: int) -> bytes:
    """A point in time; moves that are answered in one frame share theirs."""
    return field_bytes(field, timestamp(ms))


def move_input(
    arm: int,
    seat: Seat,
    decision_id: str,
    move: bytes,
    *,
    timed_out: bool,
    charged_ms: int,
    asked_ms: int | None,
    answered_ms: int,
    absent_ms: int,
) -> bytes:
    """``Input`` of a move (*arm* 2) or a sealed answer (*arm* 3).

    Args:
        arm: of ``Input``.
        seat: who moved.
        decision_id: what was answered.
        move: a ``Move`` payload.
        timed_out: whether the clock moved in its place.
        charged_ms: time that it was charged.
        asked_ms: when the question was first sent; None: it never was.
        answered_ms: when the answer came in.
        absent_ms: time that it was not charged because it had no stream.
    """
    name = decision_id.encode()
    more = b"\x20\x01" if timed_out else b""
    if charged_ms:
        more += field_bytes(5, duration(charged_ms))
    if asked_ms is not None:
        more += _time(6, asked_ms)
    more += _time(7, answered_ms)
    if absent_ms:
        more += field_bytes(8, duration(absent_ms))
    head = SEATS[seat]
    size = varint(len(move))
    whole = len(head) + len(name) + len(size) + len(move) + len(more) + 3
    return b"".join(
        (
            TAGS[arm],
            VARINTS[whole] if whole < _SHORT else varint(whole),
            head,
            b"\x12",
            VARINTS[len(name)],
            name,
            b"\x1a",
            size,
            move,
            more,
        )
    )
