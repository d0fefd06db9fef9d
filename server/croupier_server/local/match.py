"""`Match`: one match in this process, decision by decision.

Cards, decisions with their ids, views, legal moves and refusals are those of a table of a server
on the same board, so that a bot plays the same here and there.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy, deepcopy
from enum import IntEnum
from inspect import isawaitable
from typing import Any, Final, NamedTuple, Self, TypeAlias, TypeVar

from google.protobuf.message import Message

from croupier.bot import Bot, Decision
from croupier.errors import BotError, Refused, UsageError, from_refusal
from croupier.games import FIRST, GAMES
from croupier.legal import LegalMoves
from croupier.moves import Move
from croupier.options import OptionValue, options_message
from croupier.randomness import DecisionRandom, SeatRandom
from croupier.results import Result, make_result
from croupier.runner import make_bot
from croupier.v1 import game_pb2, table_pb2
from croupier.views import Memory, View
from croupier_server.bots.worker import load_any
from croupier_server.contest.boards import board
from croupier_server.errors import CroupierError
from croupier_server.games.base import AnyGame, Chance, ChanceKind, Seat, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.settings import new_options
from croupier_server.rpc.errors import to_refusal
from croupier_server.tables.clocks.decisions import FIRST_EPOCH, id_of
from croupier_server.tables.match.deals import Dealer, RootDealer
from croupier_server.wire.game import GameWire
from croupier_server.wire.moves import LegalMode

T = TypeVar("T")

BotLike: TypeAlias = Bot | Callable[[], Bot] | str
"""A bot for every seat, its class for a fresh one a seat, or a name as `croupier play` takes it."""

Wait: TypeAlias = Callable[[Awaitable[Any]], Any]
"""Waits for what a bot with an ``async def decide`` returned."""

REFUSALS_MAX: Final = 20
"""So often a bot may give another move at one decision."""

_TABLE_ID: Final = "local"
_OVER: Final = "the match is over"

_EVENTS_BEFORE: Final = 3
"""Events of a table before the first one of its game, beside one for each seat: it was created,
its seats were filled, and the match was started."""

_REFERENCES: Final[Callable[[object], int] | None] = getattr(sys, "getrefcount", None)


class BotFailed(BotError):
    """A bot raised, answered something that is no move, or gave refused moves until it was given
    up; the cause tells which.

    Attributes:
        seat: whose bot it was.
    """

    def __init__(self, seat: Seat, why: str) -> None:
        self.seat = seat
        super().__init__(f"seat {seat}: {why}")


class Rules(NamedTuple):
    """A game under one choice of options.

    Attributes:
        game: its rules.
        wire: its messages.
        ruleset: name of the ruleset.
        options: the game's own value.
        message: all of them as the contract writes them.
    """

    game: AnyGame
    wire: GameWire
    ruleset: str
    options: Any
    message: game_pb2.GameOptions

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players(self.options)

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of each seat."""
        return tuple(self.game.team(self.options, seat) for seat in range(self.players))


def read_rules(
    game: str, ruleset: str, options: Mapping[str, OptionValue] | Message | None
) -> Rules:
    """The rules that are asked for; without *options* a match has one deal.

    Raises:
        UsageError: there is no such game, ruleset or option.
    """
    asked = options_message(game, options)  # names the games that there are
    wire = WIRES_BY_NAME[game]
    rules = wire.rules
    ruleset = ruleset or rules.rulesets()[0]
    texts = wire.options_overrides(asked)
    if options is None:
        texts |= {spec.name: "1" for spec in rules.option_specs() if spec.name.startswith("max_")}
    try:
        found = new_options(rules, ruleset, texts)
    except CroupierError as error:
        raise UsageError(error.message) from None
    return Rules(rules, wire, ruleset, found, wire.options_message(found))


def read_bot(bot: BotLike) -> Bot | Callable[[], Bot]:
    """The bot, or what makes one.

    Raises:
        UsageError: there is no bot of this name.
    """
    return load_any(bot) if isinstance(bot, str) else bot


class _Question(Decision):
    """A decision of a match in this process, put together as far as the bot reads it."""

    __slots__ = ("_match", "_read", "_seat", "_sequence")

    def __init__(self, match: Match, seat: Seat) -> None:
        # Not the base's: its attribute `message` is made when it is read.
        self.table_id = match.table_id
        self._match: Match | None = match
        self._read: table_pb2.Decision | None = None
        self._seat = seat
        self._sequence = match.sequence
        self._source = match.sources[seat]
        self._random: DecisionRandom | None = None
        self._legal: LegalMoves | None = None
        self._list_legal = None

    @property
    def id(self) -> str:
        return id_of(self._sequence, self._seat, FIRST_EPOCH)

    @property
    def seat(self) -> int:
        return self._seat

    @property
    def kind(self) -> IntEnum:
        if self._match is None:
            return super().kind
        return self._match.kind(self._seat)

    @property
    def legal(self) -> LegalMoves:
        if self._legal is None:
            listed = self.message.legal if self._match is None else self._match.listed(self._seat)
            self._legal = LegalMoves(listed)
        return self._legal

    @property
    def time_left(self) -> float | None:
        return None

    @property
    def message(self) -> table_pb2.Decision:  # type: ignore[override]
        """The decision as the contract writes it."""
        if self._read is None:
            if self._match is None:
                raise RuntimeError("nobody read this decision while it was open")
            self._read = self._match.message(self._seat)
        return self._read

    def close(self, *, is_kept: bool) -> None:
        """The match goes on. Who has kept the decision will find it as it is now."""
        if is_kept and self._read is None:
            self._read = self.message
        self._match = None


class Match:
    """One match in this process. It always waits for an answer, until it is over.

    Args:
        game: its name.
        bots: one for each seat; or one, or as many as there are teams, for all of them. None:
            nobody sits, and answers come by `play`.
        ruleset: name of the ruleset; empty: the first of the game.
        options: as `croupier.run` takes them; None: those of the ruleset, with one deal.
        seed, number: the board of this number, from 0, of the contest with this seed.

    Raises:
        UsageError: there is no such game, ruleset, option or bot, or the bots do not fit the seats.
    """

    def __init__(
        self,
        game: str = FIRST,
        bots: BotLike | Sequence[BotLike] | None = None,
        *,
        ruleset: str = "",
        options: Mapping[str, OptionValue] | Message | None = None,
        seed: int = 0,
        number: int = 0,
    ) -> None:
        rules = read_rules(game, ruleset, options)
        sources = [SeatRandom(seed, "", seat) for seat in range(rules.players)]
        dealer = RootDealer(board(seed, number).root)
        self._begin(rules, dealer, _seated(rules, bots), sources, wait_here)

    def _begin(
        self,
        rules: Rules,
        dealer: Dealer,
        bots: Sequence[Bot],
        sources: Sequence[SeatRandom],
        wait: Wait,
    ) -> None:
        self.rules = rules
        self.bots = bots
        self.sources = sources
        self.sequence = rules.players + _EVENTS_BEFORE
        self.table_id = _TABLE_ID
        self._dealer = dealer
        self._wait = wait
        self._state = rules.game.new(rules.options)
        self._views = rules.wire.views()
        self._memories: list[Memory] = [{} for _ in range(rules.players)]
        self._answers: dict[Seat, int] = {}
        self._decisions = [0] * rules.players
        self._go_on()

    # What is asked -------------------------------------------------------------------------------

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """Seats that have not answered yet; several where the answers are sealed. Empty: over."""
        return tuple(
            seat for seat in self.rules.game.to_act(self._state) if seat not in self._answers
        )

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._turn is Turn.OVER

    @property
    def scores(self) -> tuple[int, ...]:
        """Score of each seat by the deals that have ended."""
        return self.rules.game.standing(self._state)

    @property
    def deals(self) -> int:
        """How many deals have ended."""
        return len(self.rules.game.results(self._state))

    def view(self, seat: Seat) -> View:
        """What *seat* knows now."""
        words = GAMES[self.rules.game.name]
        return words.view(self._view_message(seat), self._memory(seat))

    def decision(self, seat: Seat | None = None) -> Decision:
        """What *seat*, or the only one that is to act, is asked.

        Raises:
            UsageError: it is asked nothing.
        """
        seat = self._asked(seat)
        return Decision(self.message(seat), self.table_id, self.sources[seat])

    def legal(self, seat: Seat | None = None) -> LegalMoves:
        """What *seat*, or the only one that is to act, may answer.

        Raises:
            UsageError: it is asked nothing.
        """
        return LegalMoves(self.listed(self._asked(seat)))

    def _asked(self, seat: Seat | None) -> Seat:
        asked = self.to_act
        if seat is None and len(asked) == 1:
            return asked[0]
        if seat is None or seat not in asked:
            seats = " and ".join(map(str, asked))
            raise UsageError(f"name a seat that is asked: {seats}" if asked else _OVER)
        return seat

    # Messages ------------------------------------------------------------------------------------

    def kind(self, seat: Seat) -> IntEnum:
        """What *seat* is asked."""
        rules = self.rules
        return GAMES[rules.game.name].decision_kind(rules.game.decision_kind(self._state, seat))

    def listed(self, seat: Seat) -> game_pb2.LegalMoves:
        """The legal moves of *seat* as the contract writes them."""
        game, wire = self.rules.game, self.rules.wire
        legal = game.legal_moves(self._state, seat)
        return game_pb2.LegalMoves.FromString(wire.legal_bytes(legal, LegalMode.FULL))

    def message(self, seat: Seat) -> table_pb2.Decision:
        """The decision of *seat* as the contract writes it."""
        game, wire, state = self.rules.game, self.rules.wire, self._state
        return table_pb2.Decision(
            decision_id=id_of(self.sequence, seat, FIRST_EPOCH),
            seat=seat,
            kind=game_pb2.DecisionKind.FromString(
                wire.decision_kinds[game.decision_kind(state, seat)]
            ),
            sequence=self.sequence,
            legal=self.listed(seat),
            view=game_pb2.SeatView.FromString(self._views.seat(state, seat)),
            fallback=wire.move_message(game.fallback(state, seat)),
            sealed=self._turn is Turn.WINDOW,
        )

    def _view_message(self, seat: Seat) -> Message:
        """The game's message of what *seat* knows."""
        message: Message = getattr(
            game_pb2.SeatView.FromString(self._views.seat(self._state, seat)), self.rules.game.name
        )
        return message

    def _memory(self, seat: Seat) -> Any:
        """What earlier views of *seat* have left."""
        words, memory = GAMES[self.rules.game.name], self._memories[seat]
        if words.view.memory is None:
            return None
        if words.name not in memory:
            memory[words.name] = words.view.memory()
        return memory[words.name]

    # Answers -------------------------------------------------------------------------------------

    def ask(self, bot: BotLike, seat: Seat | None = None) -> Move:
        """What *bot* would play for *seat*, or the only one that is to act; nothing is played.

        Raises:
            BotFailed: it raised, or gave no legal move.
            UsageError: the seat is asked nothing, or there is no bot of this name.
        """
        seat = self._asked(seat)
        asked = make_bot(read_bot(bot))
        asked.on_start(self.table(), seat)
        return self._ask(asked, seat)[0]

    def play(self, move: Move, seat: Seat | None = None) -> None:
        """Have *seat*, or the only one that is to act, answer with *move*.

        Raises:
            Refused: the rules forbid it; nothing has happened.
            UsageError: the seat is asked nothing.
        """
        seat = self._asked(seat)
        self._answer(seat, self._check(seat, move))

    def step(self) -> list[tuple[Seat, Move]]:
        """Ask the bots of all seats that are to act, and go on to the next decision.

        Raises:
            BotFailed: one of them raised, or gave no legal move; what others had answered to
                sealed questions is kept.
            UsageError: the match is over, or nobody sits.
        """
        if not self.bots or self.is_over:
            raise UsageError(_OVER if self.bots else "nobody sits at this match")
        answered = []
        for seat in self.to_act:
            move, code = self._ask(self.bots[seat], seat)
            self._decisions[seat] += 1
            answered.append((seat, move))
            self._answer(seat, code)
        return answered

    def run(self) -> tuple[int, ...]:
        """Play to the end; the scores of all seats. Raises what `step` raises."""
        while not self.is_over:
            self.step()
        return self.scores

    def clone(self) -> Self:
        """A match that stands where this one does, with the same bots and cards to come."""
        other = copy(self)
        other._part()  # noqa: SLF001 - its own
        return other

    def _part(self) -> None:
        """Have nothing more in common with the match that this one is a copy of."""
        self._state = self.rules.game.copy(self._state)
        self._views = self.rules.wire.views()
        self._memories = deepcopy(self._memories)
        self._answers = dict(self._answers)
        self._decisions = list(self._decisions)

    def begin(self) -> None:
        """Tell the bots of their seats; `BotFailed` if one raises."""
        self._tell("on_start", Bot.on_start, lambda seat: (self.table(), seat))

    def end(self) -> None:
        """Tell the bots how the match, which is over, has ended; `BotFailed` if one raises."""
        outcome = self.rules.game.outcome(self._state)
        assert outcome is not None
        message = game_pb2.MatchResult(reason=game_pb2.END_REASON_FINISHED)
        for seat, own in enumerate(outcome.seats):
            message.seats.add(seat=seat, score=own.score, place=own.place)

        def result(seat: Seat) -> tuple[Result]:
            bot = self.bots[seat]
            name = bot.name or type(bot).__name__
            return (make_result(message, self.table_id, seat, name, self._decisions[seat], b""),)

        self._tell("on_end", Bot.on_end, result)

    def _tell(self, name: str, unheard: object, facts: Callable[[Seat], tuple[Any, ...]]) -> None:
        """Call the method *name* of all bots that have one of their own."""
        for seat, bot in enumerate(self.bots):
            hook = getattr(bot, name)
            if getattr(hook, "__func__", None) is unheard:
                continue
            try:
                found = hook(*facts(seat))
                if isawaitable(found):
                    self._wait(found)
            except Exception as error:
                raise BotFailed(seat, f"{name}: {type(error).__name__}: {error}") from error

    def table(self) -> table_pb2.Table:
        """The table as a bot's `on_start` gets it."""
        return table_pb2.Table(
            table_id=self.table_id,
            spec=table_pb2.TableSpec(ruleset=self.rules.ruleset, options=self.rules.message),
            rules_version=self.rules.game.rules_version,
            seats=[
                table_pb2.SeatInfo(
                    seat=seat,
                    player=table_pb2.Player(display_name=bot.name or type(bot).__name__),
                )
                for seat, bot in enumerate(self.bots)
            ],
        )

    def _ask(self, bot: Bot, seat: Seat) -> tuple[Move, int]:
        """A legal answer of *bot*, and its number."""
        decision = _Question(self, seat)
        view = GAMES[self.rules.game.name].view.later(
            lambda: self._view_message(seat), self._memory(seat)
        )
        held = _references(view), _references(decision)
        try:
            move = self._settle(bot.decide(view, decision), seat)
            for _ in range(REFUSALS_MAX):
                try:
                    return move, self._check(seat, move)
                except Refused as error:
                    move = self._settle(bot.on_refused(view, decision, move, error), seat)
            return move, self._check(seat, move)
        except BotFailed:
            raise
        except Exception as error:
            why = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
            raise BotFailed(seat, why) from error
        finally:
            view.close(is_kept=_references(view) > held[0])
            decision.close(is_kept=_references(decision) > held[1])

    def _settle(self, answer: Move | Awaitable[Move], seat: Seat) -> Move:
        """The move that *answer* is, or will be; `BotFailed` if it is none."""
        move = self._wait(answer) if isawaitable(answer) else answer
        if not isinstance(move, Move):
            raise BotFailed(seat, f"{move!r} is no move of decision.legal")
        return move

    def _check(self, seat: Seat, move: Move) -> int:
        """The number of *move*, which is legal.

        Raises:
            Refused: it is not.
        """
        try:
            code = self.rules.wire.move_code(move.message)
            self.rules.game.check(self._state, seat, code)
        except CroupierError as error:
            raise from_refusal(to_refusal(error)) from None
        return code

    def _answer(self, seat: Seat, code: int) -> None:
        """Put in the answer of *seat*, and go on once nobody else is asked."""
        game, state = self.rules.game, self._state
        if self._turn is Turn.WINDOW:
            self._answers[seat] = code
            if len(self._answers) < len(game.to_act(state)):
                return
            events = game.close_window(state, self._answers)
            self._answers = {}
        else:
            events = game.apply_unchecked(state, seat, code)
        self.sequence += len(events)
        self._go_on()

    def _go_on(self) -> None:
        """Put in what comes by chance, and close windows in which nobody is asked."""
        game, state = self.rules.game, self._state
        while True:
            self._turn = game.turn(state)
            if self._turn is Turn.WINDOW and not game.to_act(state):
                events = game.close_window(state, {})
            elif self._turn is Turn.CHANCE:
                events = game.apply_chance(state, self._outcome(game.chance(state)))
            else:
                return
            self.sequence += len(events)

    def _outcome(self, wanted: Chance) -> Sequence[int]:
        if wanted.kind is ChanceKind.DECK:
            return self._dealer.deck(wanted.deal, wanted.attempt, wanted.cards)
        return [self._dealer.lot(wanted.deal, wanted.sides)]


class ContestMatch(Match):
    """A match of a contest.

    Args:
        rules: of the contest.
        root: of its board, which gives the cards.
        bots: of each seat.
        sources: of the chance of each seat's bot.
        wait: waits for bots that answer asynchronously.
    """

    def __init__(
        self,
        rules: Rules,
        root: bytes,
        bots: Sequence[Bot],
        sources: Sequence[SeatRandom],
        wait: Wait,
    ) -> None:
        self._begin(rules, RootDealer(root), bots, sources, wait)


def _seated(rules: Rules, bots: BotLike | Sequence[BotLike] | None) -> list[Bot]:
    """A bot for every seat, or none."""
    if bots is None:
        return []
    given = [bots] if isinstance(bots, str | Bot) or callable(bots) else list(bots)
    teams = rules.teams
    if len(given) == 1:
        given *= len(teams)
    elif len(given) == len(set(teams)):
        given = [given[team] for team in teams]
    if len(given) != len(teams):
        raise UsageError(f"{len(given)} bots do not fit {len(teams)} seats")
    return [make_bot(read_bot(bot)) for bot in given]


def wait_here(found: Awaitable[T]) -> T:
    """What *found* gives, on a loop of its own.

    Raises:
        UsageError: a loop is running here.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise UsageError("an event loop is running here: use `await croupier.simulate_async(...)`")

    async def wait() -> T:
        return await found

    return asyncio.run(wait())


def _references(kept: object) -> int:
    """How many hold *kept*; without such a count it is taken for kept."""
    return 0 if _REFERENCES is None else _REFERENCES(kept)
