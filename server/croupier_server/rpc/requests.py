"""From a checked request to the values that tables take.

What the rules on the fields cannot say is checked here: times that are none, text that cannot be
printed, an option of another game.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.v1 import table_pb2
from croupier.v1 import table_service_pb2 as pb
from croupier_server.errors import InvalidRequest
from croupier_server.games.modules import WIRES
from croupier_server.rpc.validate import malformed
from croupier_server.storage.base import Player
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    ClockSpec,
    CreateTable,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    SpectatorDelay,
    StartMode,
    TimeoutPolicy,
    Visibility,
)
from croupier_server.wire.moves import LegalMode

_REQUEST_ID_MIN: Final = 22
"""Characters that 128 random bits need, in base64 without padding."""
_NANOS_MAX: Final = 999_999_999
_NANOS_PER_MILLI: Final = 1_000_000
_SECONDS_MIN: Final = -62_135_596_800  # year 1
_SECONDS_MAX: Final = 253_402_300_799  # year 9999


def create_table(
    request: pb.CreateTableRequest, house_bots: Collection[str], *, is_keyless: bool
) -> CreateTable:
    """The request for a table.

    Args:
        request: as it came, checked.
        house_bots: names of the house bots that there are.
        is_keyless: principals are not told apart.

    Raises:
        InvalidRequest: ``field`` says where.
    """
    spec = request.spec
    overrides: dict[str, str] = {}
    if spec.HasField("options"):
        try:
            overrides = WIRES[spec.game].options_overrides(spec.options)
        except InvalidRequest as error:
            raise _in_spec(error, error.field) from None
    return CreateTable(
        kind=spec.game,
        ruleset=spec.ruleset,
        overrides=overrides,
        seats=tuple(
            _seat_spec(f"seats[{number}]", seat, house_bots, is_keyless=is_keyless)
            for number, seat in enumerate(request.seats)
        ),
        deal=_deal_source(spec.deal_source),
        clock=_clock_spec(spec.clock),
        legal_mode=spec.legal_mode or LegalMode.FULL,
        absence=AbsencePolicy(spec.absence or AbsencePolicy.WAIT),
        rated=spec.rated,
        shared_seats=spec.shared_seats,
        start_mode=StartMode(spec.start_mode or StartMode.AUTOMATIC),
        visibility=Visibility(spec.visibility or Visibility.LISTED),
        title=printable("spec.title", spec.title),
        delay=_delay(spec.spectator_delay),
        request_id=request.request_id,
    )


def with_arm(error: InvalidRequest, kind: int) -> InvalidRequest:
    """*error* with the path of an option as the request has it: games do not know their arm."""
    if error.field == "ruleset":
        return _in_spec(error, "ruleset")
    name = error.field.removeprefix("options.")
    return error if name == error.field else _in_spec(error, f"options.{WIRES[kind].name}.{name}")


def _in_spec(error: InvalidRequest, path: str) -> InvalidRequest:
    return InvalidRequest(error.reason, error.message, field=f"spec.{path}")


def expect_unguessable(caller: Caller, request_id: str) -> None:
    """Refuse a *request_id* that does not prove who repeats a call.

    All callers without a key are one principal, and a repeated call is answered with the secrets
    that the first one was given.

    Raises:
        InvalidRequest: it is too short to hold 128 random bits.
    """
    if caller.principal == LOCAL and 0 < len(request_id) < _REQUEST_ID_MIN:
        why = (
            f"{len(request_id)} characters; a caller without a key needs at least "
            f"{_REQUEST_ID_MIN}, made of 128 random bits, such as 32 random hexadecimal digits; "
            "or leave it out"
        )
        raise malformed([("request_id", why)])


def join_table(request: pb.JoinTableRequest) -> JoinTable:
    """The request for a seat.

    Raises:
        InvalidRequest: ``field`` says where.
    """
    if request.replace_ticket and not request.HasField("seat"):
        raise malformed([("seat", "not set; replace_ticket requires it")])
    return JoinTable(
        table_id=request.table_id,
        seat=request.seat if request.HasField("seat") else None,
        invite_code=request.invite_code,
        player=_player(request.player),
        nonce_hash=request.nonce_hash,
        request_id=request.request_id,
        replaces_ticket=request.replace_ticket,
    )


def printable(field: str, text: str) -> str:
    """*text*, which others will see on their screens.

    Raises:
        InvalidRequest: it holds control or other unprintable characters.
    """
    if text and not text.isprintable():
        raise malformed([(field, "only printable characters are allowed")])
    return text


def milliseconds(field: str, time: Duration) -> int:
    """A duration of a request, rounded up, so that what is not zero stays so.

    Raises:
        InvalidRequest: its parts are out of range or of different signs, or it is negative.
    """
    if not 0 <= time.nanos <= _NANOS_MAX or time.seconds < 0:
        raise malformed([(field, "must be a duration of zero or more")])
    return time.seconds * 1000 - (-time.nanos // _NANOS_PER_MILLI)


def since_ms(field: str, time: Timestamp) -> int:
    """A point in time of a request.

    Raises:
        InvalidRequest: it is none.
    """
    if not (0 <= time.nanos <= _NANOS_MAX and _SECONDS_MIN <= time.seconds <= _SECONDS_MAX):
        raise malformed([(field, "must be a valid timestamp")])
    return time.seconds * 1000 - (-time.nanos // _NANOS_PER_MILLI)


def _seat_spec(
    field: str, seat: pb.SeatSpec, house_bots: Collection[str], *, is_keyless: bool
) -> SeatSpec:
    access = Access(seat.access or Access.OPEN)
    if access is Access.HOUSE and seat.house_bot not in house_bots:
        there = ", ".join(sorted(house_bots)) or "none"
        why = f"there is no house bot {seat.house_bot!r}; there is: {there}"
        raise malformed([(f"{field}.house_bot", why)])
    if access is not Access.HOUSE and seat.house_bot:
        raise malformed([(f"{field}.house_bot", "only a house seat has a house bot")])
    player = seat.player
    if access is not Access.RESERVED and seat.HasField("player"):
        why = "only a seat with access RESERVED can be for a player"
        raise malformed([(f"{field}.player", why)])
    for name in ("kind", "version"):
        if getattr(player, name):
            why = "leave it out; whoever sits down says it"
            raise malformed([(f"{field}.player.{name}", why)])
    if player.player_id and is_keyless:
        why = "a seat can be reserved for a player_id only on a server that asks for keys"
        raise malformed([(f"{field}.player.player_id", why)])
    name = printable(f"{field}.player.display_name", player.display_name)
    return SeatSpec(access, name, seat.house_bot, player.player_id)


def _player(player: table_pb2.Player) -> Player:
    if player.player_id:
        raise malformed([("player.player_id", "must not be set; the server sets it from your key")])
    if player.kind == table_pb2.PLAYER_KIND_HOUSE:
        raise malformed([("player.kind", "HOUSE is for the house bots of the server")])
    name = printable("player.display_name", player.display_name)
    return Player(name, "", player.kind, printable("player.version", player.version))


def _deal_source(source: table_pb2.DealSource) -> DealSource:
    match source.WhichOneof("source"):
        case "board":
            board = source.board
            return DealSource(
                DealKind.BOARD,
                board_id=printable("spec.deal_source.board.board_id", board.board_id),
                root=board.root,
                commitment=board.commitment,
                tables=board.table_count or 1,
                shared_principals=board.shared_principals,
            )
        case "fixed":
            fixed = source.fixed
            return DealSource(
                DealKind.FIXED,
                seed=fixed.seed if fixed.HasField("seed") else None,
                decks=tuple(bytes(deck.cards) for deck in fixed.decks),
            )
        case _:
            return DealSource(DealKind.MATCH)


def _delay(delay: table_pb2.SpectatorDelay) -> SpectatorDelay | None:
    time_ms = milliseconds("spec.spectator_delay.time", delay.time)
    if not delay.decisions and not time_ms:
        return None
    return SpectatorDelay(delay.decisions, time_ms)


def _clock_spec(clock: table_pb2.ClockSpec) -> ClockSpec:
    return ClockSpec(
        base_ms=milliseconds("spec.clock.base", clock.base),
        increment_ms=milliseconds("spec.clock.increment", clock.increment),
        per_move_ms=milliseconds("spec.clock.per_move", clock.per_move),
        window_ms=milliseconds("spec.clock.window_time", clock.window_time),
        max_strikes=clock.max_strikes,
        on_timeout=TimeoutPolicy(clock.on_timeout or TimeoutPolicy.STRIKE),
        disconnect_grace_ms=milliseconds("spec.clock.disconnect_grace", clock.disconnect_grace),
        start_timeout_ms=milliseconds("spec.clock.start_timeout", clock.start_timeout),
    )
