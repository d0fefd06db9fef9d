"""The messages of ``table.proto`` as bytes: the table itself, and the log's inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from croupier_server.games.base import EndReason, Outcome, Seat
from croupier_server.storage.base import Player
from croupier_server.tables.spec import (
    AbortedBy,
    ClockSpec,
    DealKind,
    DealSource,
    Status,
    TableSpec,
)
from croupier_server.wire.encode import framed, packed
from croupier_server.wire.generated import game, record
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.record import INPUT

if TYPE_CHECKING:
    from croupier_server.tables.match.seats import SeatState

_SOURCES: Final = {kind: messages.DEAL_SOURCE[kind.name.lower()] for kind in DealKind}

CHANCE_TAG: Final = INPUT["chance"]
"""Before the length of an ``Input`` of a deck or a lot: the one that answers no decision."""

WINDOW_INPUT: Final = framed(INPUT["window"], b"")
"""``Input`` of a window that closed."""


def deal_source(source: DealSource) -> bytes:
    """Payload of ``DealSource``, secrets left out."""
    arm = b""
    if source.kind is DealKind.BOARD:
        arm = messages.board_deal(
            board_id=source.board_id,
            root=b"",
            commitment=source.commitment,
            table_count=source.tables,
            shared_principals=source.shared_principals,
        )
    return framed(_SOURCES[source.kind], arm)


def clock_spec(clock: ClockSpec) -> bytes:
    """Payload of ``ClockSpec``; times that are zero are left out."""
    return messages.clock_spec(
        base=clock.base_ms or None,
        increment=clock.increment_ms or None,
        per_move=clock.per_move_ms or None,
        window_time=clock.window_ms or None,
        max_strikes=clock.max_strikes,
        on_timeout=clock.on_timeout,
        disconnect_grace=clock.disconnect_grace_ms or None,
        start_timeout=clock.start_timeout_ms or None,
    )


def player(who: Player) -> bytes:
    """Payload of ``Player``."""
    return messages.player(who.player_id, who.display_name, who.kind, who.version)


def seat_info(spec: TableSpec, seat: Seat, state: SeatState, *, show_nonce_hash: bool) -> bytes:
    """Payload of ``SeatInfo``."""
    return messages.seat_info(
        seat=seat,
        access=spec.seats[seat].access,
        player=player(state.player) if state.player is not None else None,
        team=spec.teams[seat],
        nonce_hash=state.nonce_hash if show_nonce_hash else b"",
        seat_epoch=state.epoch,
    )


Fixed: TypeAlias = tuple[bytes, bytes]
"""What never changes of a ``Table``: ``table_id`` to ``rules_version``, and ``endpoint`` to
``create_time``."""


def table_spec(spec: TableSpec) -> bytes:
    """Payload of ``TableSpec``, secrets left out."""
    delay = spec.delay
    return messages.spec(
        game=spec.kind,
        ruleset=spec.ruleset,
        options=spec.options_message,
        clock=clock_spec(spec.clock),
        deal_source=deal_source(spec.deal),
        legal_mode=spec.legal_mode,
        absence=spec.absence,
        rated=spec.rated,
        shared_seats=spec.shared_seats,
        start_mode=spec.start_mode,
        visibility=spec.visibility,
        spectator_delay=(
            None
            if delay is None
            else messages.spectator_delay(delay.decisions, delay.time_ms or None)
        ),
        title=spec.title,
    )


def fixed_fields(spec: TableSpec) -> Fixed:
    """What never changes of a ``Table``."""
    head = messages.table_head(
        table_id=spec.table_id,
        table_epoch=spec.epoch,
        spec=table_spec(spec),
        ruleset_hash=spec.ruleset_hash,
        rules_version=spec.rules_version,
    )
    return head, messages.table_tail(spec.endpoint, spec.created_ms)


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
    head, tail = fixed
    status, seats, commitment, result = shown
    state = messages.table_state(status, seats, commitment, sequence)
    return head + state + tail + messages.table_result(result)


def match_result(
    reason: EndReason,
    outcome: Outcome | None,
    seat: Seat | None = None,
    detail: str = "",
    aborted_by: AbortedBy | None = None,
) -> bytes:
    """Payload of ``MatchResult``; without *outcome* the match does not count."""
    outcomes = outcome.seats if outcome is not None else ()
    return game.match_result(
        reason=reason,
        seats=[
            game.seat_outcome(number, one.score, one.place) for number, one in enumerate(outcomes)
        ],
        seat_at_fault=seat,
        detail=detail,
        aborted_by=aborted_by or 0,
    )


# Inputs -----------------------------------------------------------------------------------------


def chance_input(outcome: Sequence[int]) -> bytes:
    """``Input`` of a deck or a lot."""
    # Cards and lots are small, and so encoded at once.
    numbers = bytes(outcome) if max(outcome) < 128 else outcome
    return framed(CHANCE_TAG, record.chance_input(packed(numbers)))
