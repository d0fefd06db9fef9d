"""What a notation holds: who played what, by which rules, the inputs in order, and the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import CroupierError, InvalidRequest
from croupier_server.games.base import AnyGame, EndReason, Event, Move, Seat, SeatOutcome, Turn
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.storage.base import FinishedMatch, LogRow
from croupier_server.storage.codec import read_record


class NotationError(Exception):
    """A text that is no notation, or a match that the rules do not allow; the text says where."""


class Chance(NamedTuple):
    """A deck, front first, or a lot."""

    outcome: tuple[int, ...]


class Answer(NamedTuple):
    """A move of a seat; *by_clock* if the clock made it."""

    seat: Seat
    move: Move
    by_clock: bool


class Window(NamedTuple):
    """A sealed window and its answers as they came in; not *is_closed* if the match ended first."""

    answers: tuple[Answer, ...]
    is_closed: bool = True


Step: TypeAlias = Chance | Answer | Window
"""An input of the match."""


class Ending(NamedTuple):
    """How the match ended: see ``croupier.v1.MatchResult``."""

    reason: str
    seat: Seat | None
    detail: str
    seats: tuple[SeatOutcome, ...]


class MatchText(NamedTuple):
    """A match.

    Attributes:
        game: its name.
        ruleset: its name.
        options: those that differ from the ruleset, as text.
        table_id: of its table.
        players: names in seat order.
        steps: its inputs.
        ending: how it ended.
    """

    game: str
    ruleset: str
    options: Mapping[str, str]
    table_id: str
    players: tuple[str, ...]
    steps: tuple[Step, ...]
    ending: Ending

    @property
    def rules(self) -> AnyGame:
        """The rules of its game."""
        return GAMES[self.game]


class Moment(NamedTuple):
    """A step and what followed from it; *deal* and *attempt* are those of a deck."""

    step: Step
    events: list[Event]
    deal: int = 0
    attempt: int = 0


def play(match: MatchText) -> Iterator[Moment]:
    """Play the steps by the rules.

    Raises:
        NotationError: the rules do not allow one.
    """
    game = match.rules
    try:
        options = game.options(match.ruleset, match.options)
    except CroupierError as error:
        raise NotationError(error.message) from error
    if game.players(options) != len(match.players):
        raise NotationError(
            f"{len(match.players)} seats; the options require {game.players(options)}"
        )
    state = game.new(options)
    for number, step in enumerate(match.steps, 1):
        try:
            yield _play(game, state, step)
        except (CroupierError, NotationError) as error:
            raise NotationError(f"step {number}: {error}") from error
        except Exception as error:
            # A text comes from anybody: what the rules trip over is not allowed by them either.
            what = f"it does not fit the game ({type(error).__name__})"
            raise NotationError(f"step {number}: {what}") from error
    if match.ending.reason == EndReason.FINISHED.name:
        outcome = game.outcome(state)
        if outcome is None:
            raise NotationError(
                "the result says that the match is finished, but by the rules it continues"
            )
        if outcome.seats != match.ending.seats:
            raise NotationError("the result differs from the one by the rules")


def _play(game: AnyGame, state: object, step: Step) -> Moment:
    turn = game.turn(state)
    if isinstance(step, Chance):
        if turn is not Turn.CHANCE:
            raise NotationError("unexpected deck or lot")
        chance = game.chance(state)
        return Moment(step, game.apply_chance(state, step.outcome), chance.deal, chance.attempt)
    if isinstance(step, Answer):
        if turn is not Turn.MOVE:
            raise NotationError(f"unexpected move of seat {step.seat}")
        return Moment(step, game.apply(state, step.seat, step.move))
    if turn is not Turn.WINDOW:
        raise NotationError("answers, but no window is open")
    for answer in step.answers:
        game.check(state, answer.seat, answer.move)
    if not step.is_closed:
        return Moment(step, [])
    answers = {answer.seat: answer.move for answer in step.answers}
    if answers.keys() != set(game.to_act(state)) or len(answers) < len(step.answers):
        raise NotationError("a window in which other seats were asked")
    return Moment(step, game.close_window(state, answers))


def of_record(data: bytes) -> MatchText:
    """The match in a serialised ``Record``.

    Raises:
        RecordError: the bytes are no record, or were changed.
        NotationError: a record of a game that is unknown here, or of what no server writes.
    """
    match, rows = read_record(data)
    try:
        return _of_match(match, rows)
    except NotationError:
        raise
    except CroupierError as error:
        raise NotationError(f"not a record of this game: {error.message}") from error
    except Exception as error:
        # A record comes from anybody, and its hashes may be right all the same.
        raise NotationError(f"not a record of this game ({type(error).__name__})") from error


def _of_match(match: FinishedMatch, rows: Sequence[LogRow]) -> MatchText:
    table = table_pb2.Table.FromString(match.table)
    wire = WIRES.get(match.kind)
    if wire is None:
        raise NotationError(f"unknown game: {match.kind}")
    steps: list[Step] = []
    answers: list[Answer] = []
    for row in rows:
        cause = record_pb2.Input.FromString(row.input)
        kind = cause.WhichOneof("input")
        if kind == "chance":
            steps.append(Chance(tuple(cause.chance.outcome)))
        elif kind == "move":
            made = cause.move
            steps.append(Answer(made.seat, wire.move_code(made.move), made.timed_out))
        elif kind == "answer":
            made = cause.answer
            answers.append(Answer(made.seat, wire.move_code(made.move), made.timed_out))
        elif kind == "window":
            steps.append(Window(tuple(answers)))
            answers = []
    if answers:
        steps.append(Window(tuple(answers), is_closed=False))
    result = game_pb2.MatchResult.FromString(match.result)
    return MatchText(
        game=wire.name,
        ruleset=table.spec.ruleset,
        options=_differing(GAMES[wire.name], table.spec.ruleset, match.option_text),
        table_id=match.table_id,
        players=tuple(player.display_name for player in match.players),
        steps=tuple(steps),
        ending=Ending(
            game_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_"),
            result.seat_at_fault if result.HasField("seat_at_fault") else None,
            result.detail,
            tuple(SeatOutcome(seat.score, seat.place) for seat in result.seats),
        ),
    )


def _differing(game: AnyGame, ruleset: str, texts: Mapping[str, str]) -> dict[str, str]:
    """The fewest options of *texts* that make them of *ruleset*, as some follow from others."""
    found: dict[str, str] = {}
    while True:
        try:
            made = game.option_text(game.options(ruleset, found))
        except InvalidRequest:  # some go only together with others
            return dict(sorted(texts.items()))
        more = {name: text for name, text in texts.items() if made[name] != text}
        if not more:
            return dict(sorted(found.items()))
        found |= more
