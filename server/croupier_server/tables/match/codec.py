"""The messages of the contract that tables read: frames of sessions and rows of the log.

What tables write is written by hand (``encode.py``, ``updates.py``); what they read is parsed here,
by the generated classes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeAlias

from google.protobuf.message import DecodeError

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier.v1.session_service_pb2 import (
    ChannelClose,
    ChannelMove,
    ChannelNonce,
    ChannelOpen,
    SessionRequest,
)
from croupier_server.errors import IllegalMove, MalformedMove
from croupier_server.games.base import EndReason, Move, Outcome, Seat, SeatOutcome
from croupier_server.storage.base import LogRow, Player
from croupier_server.tables.kept import Creation, Kept, load
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.spec import (
    AbortedBy,
    AbsencePolicy,
    Access,
    ClockSpec,
    DealKind,
    DealSource,
    SeatSpec,
    SpectatorDelay,
    StartMode,
    TableSpec,
    TimeoutPolicy,
    Visibility,
)
from croupier_server.wire.game import GameWire

__all__ = [
    "ChannelClose",
    "ChannelMove",
    "ChannelNonce",
    "ChannelOpen",
    "MoveMessage",
    "SessionRequest",
    "read_frame",
    "read_spec",
    "read_step",
]

MoveMessage: TypeAlias = game_pb2.Move
"""``croupier.v1.Move``."""


def read_frame(data: bytes) -> SessionRequest | None:
    """A frame of a client; None when the bytes are none."""
    try:
        return SessionRequest.FromString(data)
    except DecodeError:
        return None


# Steps ------------------------------------------------------------------------------------------


class Joined(NamedTuple):
    """Somebody sat down."""

    seat: Seat
    player: Player


class Left(NamedTuple):
    """Somebody left."""

    seat: Seat


class Filled(NamedTuple):
    """All sit; the hashes of their nonces, in seat order."""

    nonce_hashes: tuple[bytes, ...]


class NonceOpened(NamedTuple):
    """A seat opened its nonce."""

    seat: Seat


class NoShow(NamedTuple):
    """A seat withheld its nonce; the commitment to the secret that replaces the table's."""

    seat: Seat
    commitment: bytes


class TimedOut(NamedTuple):
    """A seat ran out of time; its strikes with this one."""

    seat: Seat
    strikes: int


class Ended(NamedTuple):
    """The match ended; *outcome* is what an operator decided, if one did. *aborted_by* is None for
    a match that nobody aborted, and for one that was aborted before records said by whom."""

    reason: EndReason
    seat: Seat | None
    detail: str
    outcome: Outcome | None = None
    aborted_by: AbortedBy | None = None


class Halted(NamedTuple):
    """A fault stopped the table."""


class Chance(NamedTuple):
    """A deck or a lot was put in."""

    outcome: tuple[int, ...]


class Moved(NamedTuple):
    """A seat moved, or gave a sealed answer; the times are those of ``MoveInput``."""

    seat: Seat
    decision_id: str
    move: Move
    timed_out: bool
    charged_ms: int
    asked_ms: int | None
    answered_ms: int
    absent_ms: int
    is_sealed: bool


class WindowClosed(NamedTuple):
    """A window closed."""


class Noted(NamedTuple):
    """The server put something down that no event tells."""

    fact: Kept


class Follows(NamedTuple):
    """The row follows from the one before: it was no input."""


Step: TypeAlias = (
    Joined
    | Left
    | Filled
    | NonceOpened
    | NoShow
    | TimedOut
    | Ended
    | Halted
    | Chance
    | Moved
    | WindowClosed
    | Noted
    | Follows
)
"""What a row of the log says was done."""


def read_step(row: LogRow, wire: GameWire) -> tuple[Step, int | None]:
    """What *row* says was done, and when; a note tells no time.

    Raises:
        ValueError: the row is none of ours.
    """
    try:
        if not (row.sequence or row.input):
            return Noted(load(row.kept)), None
        event = table_pb2.TableEvent.FromString(row.public)
        time = event.time.ToMilliseconds() if row.sequence else None
        if not row.input:
            return _event(event), time
        step = read_input(row.input, wire)
    except (DecodeError, IllegalMove, MalformedMove) as error:
        raise ValueError(f"row of event {row.sequence}: {error}") from error
    if isinstance(step, Moved) and step.is_sealed:
        time = step.answered_ms
    return step, time


def read_input(data: bytes, wire: GameWire) -> Step:
    """What an input was.

    Raises:
        DecodeError, MalformedMove, ValueError: it is none of ours.
    """
    message = record_pb2.Input.FromString(data)
    match message.WhichOneof("input"):
        case "chance":
            return Chance(tuple(message.chance.outcome))
        case "move":
            return _move(message.move, wire, is_sealed=False)
        case "answer":
            return _move(message.answer, wire, is_sealed=True)
        case "window":
            return WindowClosed()
        case _:
            raise ValueError("an input of no kind")


def _move(message: record_pb2.MoveInput, wire: GameWire, *, is_sealed: bool) -> Moved:
    return Moved(
        message.seat,
        message.decision_id,
        wire.move_code(message.move),
        message.timed_out,
        message.charged.ToMilliseconds(),
        message.asked_time.ToMilliseconds() if message.HasField("asked_time") else None,
        message.answered_time.ToMilliseconds(),
        message.absent.ToMilliseconds(),
        is_sealed,
    )


def _event(event: table_pb2.TableEvent) -> Step:
    match event.WhichOneof("event"):
        case "seat_joined":
            seat = event.seat_joined.seat
            who = seat.player
            player = Player(who.display_name, who.player_id, who.kind, who.version)
            return Joined(seat.seat, player)
        case "seat_left":
            return Left(event.seat_left.seat)
        case "seats_filled":
            return Filled(tuple(seat.nonce_hash for seat in event.seats_filled.seats))
        case "nonce_opened":
            return NonceOpened(event.nonce_opened.seat)
        case "seat_no_show":
            return NoShow(event.seat_no_show.seat, event.seat_no_show.commitment)
        case "seat_timed_out":
            return TimedOut(event.seat_timed_out.seat, event.seat_timed_out.strikes)
        case "match_ended":
            result = event.match_ended
            seat_at_fault = result.seat_at_fault if result.HasField("seat_at_fault") else None
            return Ended(
                EndReason(result.reason),
                seat_at_fault,
                result.detail,
                _adjudicated(result),
                AbortedBy(result.aborted_by) if result.aborted_by else None,
            )
        case "table_halted":
            return Halted()
        case _:
            return Follows()


def _adjudicated(result: game_pb2.MatchResult) -> Outcome | None:
    """What an operator decided; any other outcome follows from the log."""
    if result.reason != game_pb2.END_REASON_ADJUDICATED:
        return None
    return Outcome(tuple(SeatOutcome(seat.score, seat.place) for seat in result.seats))


# Tables -----------------------------------------------------------------------------------------


def read_spec(data: bytes, option_text: dict[str, str], entry: GameEntry) -> TableSpec:
    """What a table is for life, from its serialised ``Table`` as it was created.

    What the message does not tell (secrets) is left empty.

    Raises:
        InvalidRequest: options that this version does not know.
    """
    table = table_pb2.Table.FromString(data)
    spec = table.spec
    game = entry.game
    options = game.options(spec.ruleset, option_text)
    arm = spec.deal_source.WhichOneof("source")
    return TableSpec(
        table_id=table.table_id,
        epoch=table.table_epoch,
        kind=spec.game,
        ruleset=spec.ruleset,
        options=options,
        option_text=option_text,
        options_message=spec.options.SerializeToString(deterministic=True),
        ruleset_hash=table.ruleset_hash,
        rules_version=table.rules_version,
        seats=tuple(SeatSpec(Access(seat.access)) for seat in table.seats),
        teams=tuple(seat.team for seat in table.seats),
        deal=DealSource(
            DealKind[arm.upper()] if arm is not None else DealKind.MATCH,
            board_id=spec.deal_source.board.board_id,
            commitment=spec.deal_source.board.commitment,
            tables=spec.deal_source.board.table_count or 1,
            shared_principals=spec.deal_source.board.shared_principals,
        ),
        commitment=table.commitment,
        clock=read_clock(spec.clock),
        legal_mode=spec.legal_mode,
        absence=AbsencePolicy(spec.absence),
        rated=spec.rated,
        shared_seats=spec.shared_seats,
        start_mode=StartMode(spec.start_mode),
        visibility=Visibility(spec.visibility),
        title=spec.title,
        created_ms=table.create_time.ToMilliseconds(),
        endpoint=table.endpoint,
        delay=_delay(spec),
    )


def read_clock(clock: table_pb2.ClockSpec) -> ClockSpec:
    """The clock of a table."""
    return ClockSpec(
        clock.base.ToMilliseconds(),
        clock.increment.ToMilliseconds(),
        clock.per_move.ToMilliseconds(),
        clock.window_time.ToMilliseconds(),
        clock.max_strikes,
        TimeoutPolicy(clock.on_timeout or TimeoutPolicy.STRIKE),
        clock.disconnect_grace.ToMilliseconds(),
        clock.start_timeout.ToMilliseconds(),
    )


def time_of(row: LogRow) -> int:
    """When the event of *row* was."""
    return table_pb2.TableEvent.FromString(row.public).time.ToMilliseconds()


def created_table(row: LogRow) -> bytes:
    """The serialised ``Table`` in the row of its making.

    Raises:
        ValueError: it is another row.
    """
    try:
        event = table_pb2.TableEvent.FromString(row.public)
    except DecodeError as error:
        raise ValueError("the row of a table's making cannot be read") from error
    if not event.HasField("table_created"):
        raise ValueError("not the row of a table's making")
    return event.table_created.table.SerializeToString(deterministic=True)


def game_of(data: bytes) -> int:
    """Number of the game of a serialised ``Table``."""
    return table_pb2.Table.FromString(data).spec.game


def whole_spec(spec: TableSpec, creation: Creation) -> TableSpec:
    """*spec* of `read_spec` with what only the server knows of it."""
    held = creation.player_ids or ("",) * len(spec.seats)
    seats = zip(spec.seats, creation.players, creation.house_bots, held, strict=True)
    return replace(
        spec,
        seats=tuple(SeatSpec(seat.access, name, bot, who) for seat, name, bot, who in seats),
        deal=replace(spec.deal, root=creation.root, seed=creation.seed, decks=creation.decks),
    )


def _delay(spec: table_pb2.TableSpec) -> SpectatorDelay | None:
    if not spec.HasField("spectator_delay"):
        return None
    delay = spec.spectator_delay
    return SpectatorDelay(delay.decisions, delay.time.ToMilliseconds())
