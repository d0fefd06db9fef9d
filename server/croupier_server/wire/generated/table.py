"""Generated from ``croupier/v1/table.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, duration, framed, framed_time, unsigned, varint

EVENT: Final = {
    "sequence": b"\x08",
    "time": b"\x12",
    "ignorable": b"\x18",
    "table_created": b"\x22",
    "seat_joined": b"\x2a",
    "seat_left": b"\x32",
    "seats_filled": b"\x3a",
    "nonce_opened": b"\x42",
    "match_started": b"\x4a",
    "game": b"\x52",
    "seat_timed_out": b"\x5a",
    "match_ended": b"\x62",
    "table_halted": b"\x6a",
    "seat_no_show": b"\x82\x01",
    "clocks": b"\x72",
    "private_part": b"\x7a",
}
"""Tags of the fields of ``TableEvent``."""

UPDATE: Final = {
    "snapshot": b"\x0a",
    "resumed": b"\x12",
    "reset": b"\x1a",
    "event": b"\x22",
    "decision": b"\x2a",
    "nonce_wanted": b"\x32",
    "move_accepted": b"\x3a",
    "move_refused": b"\x42",
    "result": b"\x4a",
    "heartbeat": b"\x52",
    "end": b"\x5a",
}
"""Tags of the fields of ``TableUpdate``."""

DEAL_SOURCE: Final = {
    "match": b"\x0a",
    "board": b"\x12",
    "fixed": b"\x1a",
}
"""Tags of the fields of ``DealSource``."""


def board_deal(
    board_id: str,
    root: bytes,
    commitment: bytes,
    table_count: int,
    shared_principals: bool,
) -> bytes:
    """Payload of ``BoardDeal``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(part := board_id.encode())) < SHORT else varint(size)) if board_id else b""),
            (part if board_id else b""),
            (b"\x12" + (VARINTS[size] if (size := len(root)) < SHORT else varint(size)) if root else b""),
            root,
            (b"\x1a" + (VARINTS[size] if (size := len(commitment)) < SHORT else varint(size)) if commitment else b""),
            commitment,
            (b"\x20" + (VARINTS[table_count] if 0 < table_count < SHORT else unsigned(table_count)) if table_count else b""),
            (b"\x28" + b"\x01" if shared_principals else b""),
        )
    )


def clock_spec(
    base: int | None,
    increment: int | None,
    per_move: int | None,
    window_time: int | None,
    max_strikes: int,
    on_timeout: int,
    disconnect_grace: int | None,
    start_timeout: int | None,
) -> bytes:
    """Payload of ``ClockSpec``."""
    return b"".join(
        (
            (framed(b"\x0a", duration(base)) if base is not None else b""),
            (framed(b"\x12", duration(increment)) if increment is not None else b""),
            (framed(b"\x1a", duration(per_move)) if per_move is not None else b""),
            (framed(b"\x22", duration(window_time)) if window_time is not None else b""),
            (b"\x28" + (VARINTS[max_strikes] if 0 < max_strikes < SHORT else unsigned(max_strikes)) if max_strikes else b""),
            (b"\x30" + (VARINTS[on_timeout] if 0 < on_timeout < SHORT else unsigned(on_timeout)) if on_timeout else b""),
            (framed(b"\x3a", duration(disconnect_grace)) if disconnect_grace is not None else b""),
            (framed(b"\x42", duration(start_timeout)) if start_timeout is not None else b""),
        )
    )


def spectator_delay(
    decisions: int,
    time: int | None,
) -> bytes:
    """Payload of ``SpectatorDelay``."""
    return (b"\x08" + (VARINTS[decisions] if 0 < decisions < SHORT else unsigned(decisions)) if decisions else b"") + (framed(b"\x12", duration(time)) if time is not None else b"")


def spec(
    game: int,
    ruleset: str,
    options: bytes | None,
    clock: bytes | None,
    deal_source: bytes | None,
    legal_mode: int,
    absence: int,
    rated: bool,
    shared_seats: bool,
    start_mode: int,
    visibility: int,
    spectator_delay: bytes | None,
    title: str,
) -> bytes:
    """Payload of ``TableSpec``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[game] if 0 < game < SHORT else unsigned(game)) if game else b""),
            (b"\x12" + (VARINTS[size] if (size := len(part := ruleset.encode())) < SHORT else varint(size)) if ruleset else b""),
            (part if ruleset else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(options)) < SHORT else varint(size)) if options is not None else b""),
            (options or b""),
            (b"\x22" + (VARINTS[size] if (size := len(clock)) < SHORT else varint(size)) if clock is not None else b""),
            (clock or b""),
            (b"\x2a" + (VARINTS[size] if (size := len(deal_source)) < SHORT else varint(size)) if deal_source is not None else b""),
            (deal_source or b""),
            (b"\x30" + (VARINTS[legal_mode] if 0 < legal_mode < SHORT else unsigned(legal_mode)) if legal_mode else b""),
            (b"\x38" + (VARINTS[absence] if 0 < absence < SHORT else unsigned(absence)) if absence else b""),
            (b"\x40" + b"\x01" if rated else b""),
            (b"\x48" + b"\x01" if shared_seats else b""),
            (b"\x50" + (VARINTS[start_mode] if 0 < start_mode < SHORT else unsigned(start_mode)) if start_mode else b""),
            (b"\x58" + (VARINTS[visibility] if 0 < visibility < SHORT else unsigned(visibility)) if visibility else b""),
            (b"\x62" + (VARINTS[size] if (size := len(spectator_delay)) < SHORT else varint(size)) if spectator_delay is not None else b""),
            (spectator_delay or b""),
            (b"\x6a" + (VARINTS[size] if (size := len(part := title.encode())) < SHORT else varint(size)) if title else b""),
            (part if title else b""),
        )
    )


def seat_clock(
    seat: int,
    remaining: int | None,
    strikes: int | None,
    running: bool,
    move_left: int | None,
) -> bytes:
    """Payload of ``SeatClock``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (framed(b"\x12", duration(remaining)) if remaining is not None else b""),
            (b"\x18" + (VARINTS[strikes] if strikes < SHORT else varint(strikes)) if strikes is not None and strikes >= 0 else b""),
            (b"\x20" + b"\x01" if running else b""),
            (framed(b"\x2a", duration(move_left)) if move_left is not None else b""),
        )
    )


def player(
    player_id: str,
    display_name: str,
    kind: int,
    version: str,
) -> bytes:
    """Payload of ``Player``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(part := player_id.encode())) < SHORT else varint(size)) if player_id else b""),
            (part if player_id else b""),
            (b"\x12" + (VARINTS[size] if (size := len(part := display_name.encode())) < SHORT else varint(size)) if display_name else b""),
            (part if display_name else b""),
            (b"\x18" + (VARINTS[kind] if 0 < kind < SHORT else unsigned(kind)) if kind else b""),
            (b"\x22" + (VARINTS[size] if (size := len(part := version.encode())) < SHORT else varint(size)) if version else b""),
            (part if version else b""),
        )
    )


def seat_info(
    seat: int,
    access: int,
    player: bytes | None,
    team: int,
    nonce_hash: bytes,
    seat_epoch: int,
) -> bytes:
    """Payload of ``SeatInfo``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x10" + (VARINTS[access] if 0 < access < SHORT else unsigned(access)) if access else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(player)) < SHORT else varint(size)) if player is not None else b""),
            (player or b""),
            (b"\x20" + (VARINTS[team] if 0 < team < SHORT else unsigned(team)) if team else b""),
            (b"\x2a" + (VARINTS[size] if (size := len(nonce_hash)) < SHORT else varint(size)) if nonce_hash else b""),
            nonce_hash,
            (b"\x30" + (VARINTS[seat_epoch] if 0 < seat_epoch < SHORT else unsigned(seat_epoch)) if seat_epoch else b""),
        )
    )


def created(
    table: bytes | None,
) -> bytes:
    """Payload of ``TableCreated``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(table)) < SHORT else varint(size)) if table is not None else b"") + (table or b"")


def seat_joined(
    seat: bytes | None,
) -> bytes:
    """Payload of ``SeatJoined``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(seat)) < SHORT else varint(size)) if seat is not None else b"") + (seat or b"")


def seat_left(
    seat: int,
) -> bytes:
    """Payload of ``SeatLeft``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"")


def seats_filled(
    seats: Iterable[bytes],
) -> bytes:
    """Payload of ``SeatsFilled``."""
    return b"".join(
        (
            *[framed(b"\x0a", one) for one in seats],
        )
    )


def nonce_opened(
    seat: int,
) -> bytes:
    """Payload of ``NonceOpened``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"")


def seat_no_show(
    seat: int,
    commitment: bytes,
) -> bytes:
    """Payload of ``SeatNoShow``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(commitment)) < SHORT else varint(size)) if commitment else b""),
            commitment,
        )
    )


def seat_timed_out(
    seat: int,
    strikes: int,
) -> bytes:
    """Payload of ``SeatTimedOut``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[strikes] if 0 < strikes < SHORT else unsigned(strikes)) if strikes else b"")


def decision(
    decision_id: str,
    seat: int,
    kind: bytes | None,
    sequence: int,
    legal: bytes | None,
    view: bytes | None,
    time_left: int | None,
    sealed: bool,
    fallback: bytes | None,
    view_base: bytes | None,
    view_added: bytes | None,
) -> bytes:
    """Payload of ``Decision``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(part := decision_id.encode())) < SHORT else varint(size)) if decision_id else b""),
            (part if decision_id else b""),
            (b"\x10" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(kind)) < SHORT else varint(size)) if kind is not None else b""),
            (kind or b""),
            (b"\x20" + (VARINTS[sequence] if 0 < sequence < SHORT else unsigned(sequence)) if sequence else b""),
            (b"\x2a" + (VARINTS[size] if (size := len(legal)) < SHORT else varint(size)) if legal is not None else b""),
            (legal or b""),
            (b"\x32" + (VARINTS[size] if (size := len(view)) < SHORT else varint(size)) if view is not None else b""),
            (view or b""),
            (framed(b"\x3a", duration(time_left)) if time_left is not None else b""),
            (b"\x40" + b"\x01" if sealed else b""),
            (b"\x4a" + (VARINTS[size] if (size := len(fallback)) < SHORT else varint(size)) if fallback is not None else b""),
            (fallback or b""),
            (b"\x52" + (VARINTS[size] if (size := len(view_base)) < SHORT else varint(size)) if view_base is not None else b""),
            (view_base or b""),
            (b"\x5a" + (VARINTS[size] if (size := len(view_added)) < SHORT else varint(size)) if view_added is not None else b""),
            (view_added or b""),
        )
    )


def move_accepted(
    decision_id: str,
    sequence: int,
) -> bytes:
    """Payload of ``MoveAccepted``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(part := decision_id.encode())) < SHORT else varint(size)) if decision_id else b""),
            (part if decision_id else b""),
            (b"\x10" + (VARINTS[sequence] if 0 < sequence < SHORT else unsigned(sequence)) if sequence else b""),
        )
    )


def move_refused(
    decision_id: str,
    refusal: bytes | None,
) -> bytes:
    """Payload of ``MoveRefused``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(part := decision_id.encode())) < SHORT else varint(size)) if decision_id else b""),
            (part if decision_id else b""),
            (b"\x12" + (VARINTS[size] if (size := len(refusal)) < SHORT else varint(size)) if refusal is not None else b""),
            (refusal or b""),
        )
    )


def snapshot(
    table: bytes | None,
    sequence: int,
    seat_view: bytes | None,
    public_view: bytes | None,
    clocks: Iterable[bytes],
) -> bytes:
    """Payload of ``Snapshot``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(table)) < SHORT else varint(size)) if table is not None else b""),
            (table or b""),
            (b"\x10" + (VARINTS[sequence] if 0 < sequence < SHORT else unsigned(sequence)) if sequence else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(seat_view)) < SHORT else varint(size)) if seat_view is not None else b""),
            (seat_view or b""),
            (b"\x22" + (VARINTS[size] if (size := len(public_view)) < SHORT else varint(size)) if public_view is not None else b""),
            (public_view or b""),
            *[framed(b"\x2a", one) for one in clocks],
        )
    )


def resumed(
    table_epoch: int,
    after_sequence: int,
    sequence: int,
) -> bytes:
    """Payload of ``Resumed``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[table_epoch] if 0 < table_epoch < SHORT else unsigned(table_epoch)) if table_epoch else b""),
            (b"\x10" + (VARINTS[after_sequence] if 0 < after_sequence < SHORT else unsigned(after_sequence)) if after_sequence else b""),
            (b"\x18" + (VARINTS[sequence] if 0 < sequence < SHORT else unsigned(sequence)) if sequence else b""),
        )
    )


def reset(
    reason: int,
) -> bytes:
    """Payload of ``Reset``."""
    return (b"\x08" + (VARINTS[reason] if 0 < reason < SHORT else unsigned(reason)) if reason else b"")


def nonce_wanted(
    nonce_hash: bytes,
) -> bytes:
    """Payload of ``NonceWanted``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(nonce_hash)) < SHORT else varint(size)) if nonce_hash else b"") + nonce_hash


def heartbeat(
    sequence: int,
    clocks: Iterable[bytes],
    server_time: int | None,
) -> bytes:
    """Payload of ``Heartbeat``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[sequence] if 0 < sequence < SHORT else unsigned(sequence)) if sequence else b""),
            *[framed(b"\x12", one) for one in clocks],
            (framed_time(b"\x1a", server_time) if server_time is not None else b""),
        )
    )


def stream_end(
    reason: int,
    detail: str,
    retry_after: int | None,
    endpoint: str,
) -> bytes:
    """Payload of ``StreamEnd``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[reason] if 0 < reason < SHORT else unsigned(reason)) if reason else b""),
            (b"\x12" + (VARINTS[size] if (size := len(part := detail.encode())) < SHORT else varint(size)) if detail else b""),
            (part if detail else b""),
            (framed(b"\x1a", duration(retry_after)) if retry_after is not None else b""),
            (b"\x22" + (VARINTS[size] if (size := len(part := endpoint.encode())) < SHORT else varint(size)) if endpoint else b""),
            (part if endpoint else b""),
        )
    )


def table_head(
    table_id: str,
    table_epoch: int,
    spec: bytes | None,
    ruleset_hash: bytes,
    rules_version: int,
) -> bytes:
    """``Table``: ``table_id`` to ``rules_version``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(part := table_id.encode())) < SHORT else varint(size)) if table_id else b""),
            (part if table_id else b""),
            (b"\x10" + (VARINTS[table_epoch] if 0 < table_epoch < SHORT else unsigned(table_epoch)) if table_epoch else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(spec)) < SHORT else varint(size)) if spec is not None else b""),
            (spec or b""),
            (b"\x22" + (VARINTS[size] if (size := len(ruleset_hash)) < SHORT else varint(size)) if ruleset_hash else b""),
            ruleset_hash,
            (b"\x28" + (VARINTS[rules_version] if 0 < rules_version < SHORT else unsigned(rules_version)) if rules_version else b""),
        )
    )


def table_state(
    status: int,
    seats: Iterable[bytes],
    commitment: bytes,
    sequence: int,
) -> bytes:
    """``Table``: ``status`` to ``sequence``."""
    return b"".join(
        (
            (b"\x30" + (VARINTS[status] if 0 < status < SHORT else unsigned(status)) if status else b""),
            *[framed(b"\x3a", one) for one in seats],
            (b"\x42" + (VARINTS[size] if (size := len(commitment)) < SHORT else varint(size)) if commitment else b""),
            commitment,
            (b"\x48" + (VARINTS[sequence] if 0 < sequence < SHORT else unsigned(sequence)) if sequence else b""),
        )
    )


def table_tail(
    endpoint: str,
    create_time: int | None,
) -> bytes:
    """``Table``: ``endpoint`` to ``create_time``."""
    return b"".join(
        (
            (b"\x52" + (VARINTS[size] if (size := len(part := endpoint.encode())) < SHORT else varint(size)) if endpoint else b""),
            (part if endpoint else b""),
            (framed_time(b"\x5a", create_time) if create_time is not None else b""),
        )
    )


def table_result(
    result: bytes | None,
) -> bytes:
    """``Table``: ``result``."""
    return (b"\x62" + (VARINTS[size] if (size := len(result)) < SHORT else varint(size)) if result is not None else b"") + (result or b"")
