"""Generated from ``croupier/v1/table.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, duration, timestamp, varint

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
    found = b""
    if board_id:
        part = board_id.encode()
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if root:
        size = len(root)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + root
    if commitment:
        size = len(commitment)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + commitment
    if table_count:
        found += b"\x20" + (VARINTS[table_count] if 0 <= table_count < SHORT else varint(table_count))
    if shared_principals:
        found += b"\x28" + b"\x01"
    return found


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
    found = b""
    if base is not None:
        part = duration(base)
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if increment is not None:
        part = duration(increment)
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if per_move is not None:
        part = duration(per_move)
        size = len(part)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if window_time is not None:
        part = duration(window_time)
        size = len(part)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if max_strikes:
        found += b"\x28" + (VARINTS[max_strikes] if 0 <= max_strikes < SHORT else varint(max_strikes))
    if on_timeout:
        found += b"\x30" + (VARINTS[on_timeout] if 0 <= on_timeout < SHORT else varint(on_timeout))
    if disconnect_grace is not None:
        part = duration(disconnect_grace)
        size = len(part)
        found += b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if start_timeout is not None:
        part = duration(start_timeout)
        size = len(part)
        found += b"\x42" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def spectator_delay(
    decisions: int,
    time: int | None,
) -> bytes:
    """Payload of ``SpectatorDelay``."""
    found = b""
    if decisions:
        found = b"\x08" + (VARINTS[decisions] if 0 <= decisions < SHORT else varint(decisions))
    if time is not None:
        part = duration(time)
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


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
    found = b""
    if game:
        found = b"\x08" + (VARINTS[game] if 0 <= game < SHORT else varint(game))
    if ruleset:
        part = ruleset.encode()
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if options is not None:
        size = len(options)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + options
    if clock is not None:
        size = len(clock)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + clock
    if deal_source is not None:
        size = len(deal_source)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + deal_source
    if legal_mode:
        found += b"\x30" + (VARINTS[legal_mode] if 0 <= legal_mode < SHORT else varint(legal_mode))
    if absence:
        found += b"\x38" + (VARINTS[absence] if 0 <= absence < SHORT else varint(absence))
    if rated:
        found += b"\x40" + b"\x01"
    if shared_seats:
        found += b"\x48" + b"\x01"
    if start_mode:
        found += b"\x50" + (VARINTS[start_mode] if 0 <= start_mode < SHORT else varint(start_mode))
    if visibility:
        found += b"\x58" + (VARINTS[visibility] if 0 <= visibility < SHORT else varint(visibility))
    if spectator_delay is not None:
        size = len(spectator_delay)
        found += b"\x62" + (VARINTS[size] if size < SHORT else varint(size)) + spectator_delay
    if title:
        part = title.encode()
        size = len(part)
        found += b"\x6a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def seat_clock(
    seat: int,
    remaining: int | None,
    strikes: int | None,
    running: bool,
    move_left: int | None,
) -> bytes:
    """Payload of ``SeatClock``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if remaining is not None:
        part = duration(remaining)
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if strikes is not None and strikes >= 0:
        found += b"\x18" + (VARINTS[strikes] if 0 <= strikes < SHORT else varint(strikes))
    if running:
        found += b"\x20" + b"\x01"
    if move_left is not None:
        part = duration(move_left)
        size = len(part)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def player(
    player_id: str,
    display_name: str,
    kind: int,
    version: str,
) -> bytes:
    """Payload of ``Player``."""
    found = b""
    if player_id:
        part = player_id.encode()
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if display_name:
        part = display_name.encode()
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if kind:
        found += b"\x18" + (VARINTS[kind] if 0 <= kind < SHORT else varint(kind))
    if version:
        part = version.encode()
        size = len(part)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def seat_info(
    seat: int,
    access: int,
    player: bytes | None,
    team: int,
    nonce_hash: bytes,
    seat_epoch: int,
) -> bytes:
    """Payload of ``SeatInfo``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if access:
        found += b"\x10" + (VARINTS[access] if 0 <= access < SHORT else varint(access))
    if player is not None:
        size = len(player)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + player
    if team:
        found += b"\x20" + (VARINTS[team] if 0 <= team < SHORT else varint(team))
    if nonce_hash:
        size = len(nonce_hash)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + nonce_hash
    if seat_epoch:
        found += b"\x30" + (VARINTS[seat_epoch] if 0 <= seat_epoch < SHORT else varint(seat_epoch))
    return found


def created(
    table: bytes | None,
) -> bytes:
    """Payload of ``TableCreated``."""
    found = b""
    if table is not None:
        size = len(table)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + table
    return found


def seat_joined(
    seat: bytes | None,
) -> bytes:
    """Payload of ``SeatJoined``."""
    found = b""
    if seat is not None:
        size = len(seat)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + seat
    return found


def seat_left(
    seat: int,
) -> bytes:
    """Payload of ``SeatLeft``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    return found


def seats_filled(
    seats: Iterable[bytes],
) -> bytes:
    """Payload of ``SeatsFilled``."""
    found = b""
    for one in seats:
        size = len(one)
        found += b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def nonce_opened(
    seat: int,
) -> bytes:
    """Payload of ``NonceOpened``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    return found


def seat_no_show(
    seat: int,
    commitment: bytes,
) -> bytes:
    """Payload of ``SeatNoShow``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if commitment:
        size = len(commitment)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + commitment
    return found


def seat_timed_out(
    seat: int,
    strikes: int,
) -> bytes:
    """Payload of ``SeatTimedOut``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if strikes:
        found += b"\x10" + (VARINTS[strikes] if 0 <= strikes < SHORT else varint(strikes))
    return found


def move_accepted(
    decision_id: str,
    sequence: int,
) -> bytes:
    """Payload of ``MoveAccepted``."""
    found = b""
    if decision_id:
        part = decision_id.encode()
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if sequence:
        found += b"\x10" + (VARINTS[sequence] if 0 <= sequence < SHORT else varint(sequence))
    return found


def move_refused(
    decision_id: str,
    refusal: bytes | None,
) -> bytes:
    """Payload of ``MoveRefused``."""
    found = b""
    if decision_id:
        part = decision_id.encode()
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if refusal is not None:
        size = len(refusal)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + refusal
    return found


def snapshot(
    table: bytes | None,
    sequence: int,
    seat_view: bytes | None,
    public_view: bytes | None,
    clocks: Iterable[bytes],
) -> bytes:
    """Payload of ``Snapshot``."""
    found = b""
    if table is not None:
        size = len(table)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + table
    if sequence:
        found += b"\x10" + (VARINTS[sequence] if 0 <= sequence < SHORT else varint(sequence))
    if seat_view is not None:
        size = len(seat_view)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + seat_view
    if public_view is not None:
        size = len(public_view)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + public_view
    for one in clocks:
        size = len(one)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def resumed(
    table_epoch: int,
    after_sequence: int,
    sequence: int,
) -> bytes:
    """Payload of ``Resumed``."""
    found = b""
    if table_epoch:
        found = b"\x08" + (VARINTS[table_epoch] if 0 <= table_epoch < SHORT else varint(table_epoch))
    if after_sequence:
        found += b"\x10" + (VARINTS[after_sequence] if 0 <= after_sequence < SHORT else varint(after_sequence))
    if sequence:
        found += b"\x18" + (VARINTS[sequence] if 0 <= sequence < SHORT else varint(sequence))
    return found


def reset(
    reason: int,
) -> bytes:
    """Payload of ``Reset``."""
    found = b""
    if reason:
        found = b"\x08" + (VARINTS[reason] if 0 <= reason < SHORT else varint(reason))
    return found


def nonce_wanted(
    nonce_hash: bytes,
) -> bytes:
    """Payload of ``NonceWanted``."""
    found = b""
    if nonce_hash:
        size = len(nonce_hash)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + nonce_hash
    return found


def heartbeat(
    sequence: int,
    clocks: Iterable[bytes],
    server_time: int | None,
) -> bytes:
    """Payload of ``Heartbeat``."""
    found = b""
    if sequence:
        found = b"\x08" + (VARINTS[sequence] if 0 <= sequence < SHORT else varint(sequence))
    for one in clocks:
        size = len(one)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if server_time is not None:
        part = timestamp(server_time)
        size = len(part)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def stream_end(
    reason: int,
    detail: str,
    retry_after: int | None,
    endpoint: str,
) -> bytes:
    """Payload of ``StreamEnd``."""
    found = b""
    if reason:
        found = b"\x08" + (VARINTS[reason] if 0 <= reason < SHORT else varint(reason))
    if detail:
        part = detail.encode()
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if retry_after is not None:
        part = duration(retry_after)
        size = len(part)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if endpoint:
        part = endpoint.encode()
        size = len(part)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def table_head(
    table_id: str,
    table_epoch: int,
    spec: bytes | None,
    ruleset_hash: bytes,
    rules_version: int,
) -> bytes:
    """``Table``: ``table_id`` to ``rules_version``."""
    found = b""
    if table_id:
        part = table_id.encode()
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if table_epoch:
        found += b"\x10" + (VARINTS[table_epoch] if 0 <= table_epoch < SHORT else varint(table_epoch))
    if spec is not None:
        size = len(spec)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + spec
    if ruleset_hash:
        size = len(ruleset_hash)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + ruleset_hash
    if rules_version:
        found += b"\x28" + (VARINTS[rules_version] if 0 <= rules_version < SHORT else varint(rules_version))
    return found


def table_state(
    status: int,
    seats: Iterable[bytes],
    commitment: bytes,
    sequence: int,
) -> bytes:
    """``Table``: ``status`` to ``sequence``."""
    found = b""
    if status:
        found = b"\x30" + (VARINTS[status] if 0 <= status < SHORT else varint(status))
    for one in seats:
        size = len(one)
        found += b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if commitment:
        size = len(commitment)
        found += b"\x42" + (VARINTS[size] if size < SHORT else varint(size)) + commitment
    if sequence:
        found += b"\x48" + (VARINTS[sequence] if 0 <= sequence < SHORT else varint(sequence))
    return found


def table_tail(
    endpoint: str,
    create_time: int | None,
) -> bytes:
    """``Table``: ``endpoint`` to ``create_time``."""
    found = b""
    if endpoint:
        part = endpoint.encode()
        size = len(part)
        found = b"\x52" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if create_time is not None:
        part = timestamp(create_time)
        size = len(part)
        found += b"\x5a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def table_result(
    result: bytes | None,
) -> bytes:
    """``Table``: ``result``."""
    found = b""
    if result is not None:
        size = len(result)
        found = b"\x62" + (VARINTS[size] if size < SHORT else varint(size)) + result
    return found


def decision_head(
    decision_id: str,
    seat: int,
    kind: bytes | None,
    sequence: int,
) -> bytes:
    """``Decision``: ``decision_id`` to ``sequence``."""
    found = b""
    if decision_id:
        part = decision_id.encode()
        size = len(part)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if seat:
        found += b"\x10" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if kind is not None:
        size = len(kind)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + kind
    if sequence:
        found += b"\x20" + (VARINTS[sequence] if 0 <= sequence < SHORT else varint(sequence))
    return found


def decision_rest(
    legal: bytes | None,
    view: bytes | None,
    time_left: int | None,
    sealed: bool,
    fallback: bytes | None,
) -> bytes:
    """``Decision``: ``legal`` to ``fallback``."""
    found = b""
    if legal is not None:
        size = len(legal)
        found = b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + legal
    if view is not None:
        size = len(view)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + view
    if time_left is not None:
        part = duration(time_left)
        size = len(part)
        found += b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if sealed:
        found += b"\x40" + b"\x01"
    if fallback is not None:
        size = len(fallback)
        found += b"\x4a" + (VARINTS[size] if size < SHORT else varint(size)) + fallback
    return found
