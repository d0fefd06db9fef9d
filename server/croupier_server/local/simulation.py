"""`simulate`: a contest in this process, on the boards that `croupier play` would deal.

The same seed gives the same cards, and the same chance to the bots at each decision, as
``croupier play --seed``.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Awaitable, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message

from croupier.bot import Bot
from croupier.errors import UsageError
from croupier.games import FIRST
from croupier.options import OptionValue
from croupier.randomness import SeatRandom
from croupier.runner import make_bot
from croupier_server.bots.spec import parse_spec
from croupier_server.contest.boards import board, bot_seed
from croupier_server.contest.faults import Standing, fault_scores, stakes
from croupier_server.contest.pairing import Match as Planned
from croupier_server.contest.pairing import Pairing, round_robin, schedule, seatings
from croupier_server.contest.results import (
    MatchResult,
    Outcome,
    Tally,
    of_entrant,
)
from croupier_server.contest.statistics.intervals import VALUES_MIN
from croupier_server.games.base import Seat
from croupier_server.games.modules import MODULES
from croupier_server.local.match import (
    BotFailed,
    BotLike,
    ContestMatch,
    Wait,
    read_bot,
    read_rules,
)

BOARDS: Final = 100
"""Boards where no number is given."""


_HEAD: Final = ("bot", "matches", "won", "drawn", "lost", "faults", "score", "95% interval")


class Simulation(NamedTuple):
    """What came of a contest in this process; ``print`` shows it as tables.

    Attributes:
        game, ruleset, seed: what was played.
        options: all options, as text.
        names: of the bots; results name them by number.
        boards: how many boards each pair of bots was to play.
        results: of every match, as `croupier play` writes them.
    """

    game: str
    ruleset: str
    seed: int
    options: Mapping[str, str]
    names: tuple[str, ...]
    boards: int
    results: tuple[MatchResult, ...]

    def of(self, bot: str) -> Tally:
        """All matches of *bot*, by name, from its side.

        Raises:
            UsageError: no bot has this name.
        """
        return of_entrant(self._number(bot), self.results)

    def between(self, first: str, second: str) -> Tally:
        """The matches of two bots, by name, from the side of *first*.

        Raises:
            UsageError: no bot has one of these names.
        """
        own, other = self._number(first), self._number(second)
        met = Pairing(min(own, other), max(own, other))
        return of_entrant(own, [one for one in self.results if one.match.pairing == met])

    def _number(self, bot: str) -> int:
        if bot not in self.names:
            raise UsageError(f"there is no bot {bot!r}, but {', '.join(self.names)}")
        return self.names.index(bot)

    def __str__(self) -> str:
        what = MODULES[self.game].teller.score
        lines = [self._title(), ""]
        rows: list[tuple[str, ...]] = [
            ("bot", "matches", "won", "drawn", "lost", "faults", "score", "95% interval")
        ]
        rows += [(name, *_cells(self.of(name))) for name in self._ranked()]
        if len(self.names) > 2:
            rows.append(("",) * len(rows[0]))
            rows += [
                (f"{first} against {second}", *_cells(self.between(first, second)))
                for first, second in self._pairs()
            ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *cells in rows:
            shown = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            lines.append("  ".join((name.ljust(widths[0]), *shown)).rstrip())
        lines += ["", f"score: {what} per match; intervals by Student's t over boards"]
        details = {result.detail for result in self.results if result.detail}
        return "\n".join([*lines, *sorted(details)])

    def _repr_html_(self) -> str:
        """For notebooks."""
        return f"<pre>{escape(str(self))}</pre>"

    def _title(self) -> str:
        return (
            f"{MODULES[self.game].wire.title}, ruleset {self.ruleset}, {self.boards} boards, "
            f"seed {self.seed}; played in this process"
        )

    def _ranked(self) -> list[str]:
        """Names, the best first."""

        def mean(name: str) -> float:
            score = self.of(name).score
            return float("-inf") if score is None else score.mean

        return sorted(self.names, key=mean, reverse=True)

    def _pairs(self) -> list[tuple[str, str]]:
        pairs = round_robin(len(self.names))
        return [(self.names[pair.first], self.names[pair.second]) for pair in pairs]


def simulate(
    *bots: BotLike,
    game: str = FIRST,
    boards: int = BOARDS,
    ruleset: str = "",
    options: Mapping[str, OptionValue] | Message | None = None,
    seed: int | None = None,
) -> Simulation:
    """Play bots against each other in this process, without a server.

    Every pair of bots plays every board under all seatings of the two, as in `croupier play`, with
    the same cards, views, legal moves, ids and chance. There are no clocks. A bot that raises, or
    gives a move that is refused, loses the match as it would there.

    Args:
        bots: at least two: bots, their classes, or names of house bots or files, such as
            ``"greedy"`` and ``"my_bot.py:MyBot"``. Of a class every seat of a match gets a fresh
            one.
        game: its name.
        boards: for each pair of bots.
        ruleset: name of the ruleset; empty: the first of the game.
        options: as `croupier.run` takes them; None: those of the ruleset, with one deal a match.
        seed: of cards and bots; None: chosen by chance.

    Raises:
        UsageError: the arguments do not fit together; or a bot answers asynchronously and an
            event loop is running here.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise UsageError("an event loop is running here: use `await croupier.simulate_async(...)`")
    contest = _Contest(bots, game, boards, ruleset, options, seed)
    with asyncio.Runner() as runner:
        return contest.play(lambda found: runner.run(_awaited(found)))


async def simulate_async(
    *bots: BotLike,
    game: str = FIRST,
    boards: int = BOARDS,
    ruleset: str = "",
    options: Mapping[str, OptionValue] | Message | None = None,
    seed: int | None = None,
) -> Simulation:
    """`simulate` for programs that have an event loop; same arguments, results and errors.

    The matches are played in a thread. An ``async def decide`` runs on the loop.
    """
    loop = asyncio.get_running_loop()
    contest = _Contest(bots, game, boards, ruleset, options, seed)

    def wait(found: Awaitable[Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(_awaited(found), loop).result()

    try:
        return await asyncio.to_thread(contest.play, wait)
    finally:
        contest.stopped.set()


async def _awaited(found: Awaitable[Any]) -> Any:
    return await found


class _Contest:
    """What is to be played; raises as `simulate`."""

    def __init__(
        self,
        bots: Sequence[BotLike],
        game: str,
        boards: int,
        ruleset: str,
        options: Mapping[str, OptionValue] | Message | None,
        seed: int | None,
    ) -> None:
        if len(bots) < 2:
            raise UsageError('a contest needs at least two bots, such as MyBot and "greedy"')
        if boards < 1:
            raise UsageError(f"boards must be at least 1, not {boards}")
        self.stopped = threading.Event()
        self._rules = read_rules(game, ruleset, options)
        self._stakes = stakes(self._rules.game, self._rules.options)
        self._boards = boards
        self._seed = secrets.randbits(53) if seed is None else seed
        self._bots = [read_bot(bot) for bot in bots]
        self._names = _names(bots)

    def play(self, wait: Wait) -> Simulation:
        """Play all matches; fewer if `stopped` is set."""
        rules = self._rules
        ways = seatings(rules.teams)
        results = []
        for planned in schedule(len(self._bots), self._boards * len(ways), rules.teams, True):
            if self.stopped.is_set():
                break
            results.append(self._play(planned, wait))
        return Simulation(
            game=rules.game.name,
            ruleset=rules.ruleset,
            seed=self._seed,
            options=rules.game.option_text(rules.options),
            names=self._names,
            boards=self._boards,
            results=tuple(results),
        )

    def _play(self, planned: Planned, wait: Wait) -> MatchResult:
        """One match."""
        rules = self._rules
        entrants = planned.players
        sources = [
            SeatRandom(bot_seed(self._seed, entrant, planned.board, planned.seating), "", seat)
            for seat, entrant in enumerate(entrants)
        ]
        root = board(self._seed, planned.board).root
        standing = Standing(self._stakes.start, 0)
        try:
            bots = [self._make(seat, entrant) for seat, entrant in enumerate(entrants)]
            match = ContestMatch(rules, root, bots, sources, wait)
            try:
                match.begin()
                match.run()
            finally:
                standing = Standing(match.scores, match.deals)
        except BotFailed as failed:
            at_fault = entrants[failed.seat]
            seats = [seat for seat, entrant in enumerate(entrants) if entrant == at_fault]
            scores = tuple(fault_scores(standing, seats, self._stakes))
            detail = self._why(at_fault, failed)
            return MatchResult(
                planned, "", scores, Outcome.CONCEDED, (at_fault,), "CONCEDED", detail
            )
        detail = ""
        try:
            match.end()
        except BotFailed as failed:  # the match counts all the same
            detail = self._why(entrants[failed.seat], failed)
        return MatchResult(planned, "", match.scores, Outcome.PLAYED, (), "FINISHED", detail)

    def _make(self, seat: Seat, entrant: int) -> Bot:
        try:
            return make_bot(self._bots[entrant])
        except Exception as error:
            raise BotFailed(seat, f"{type(error).__name__}: {error}") from error

    def _why(self, entrant: int, failed: BotFailed) -> str:
        return f"{self._names[entrant]}: {failed}"


def _names(bots: Sequence[BotLike]) -> tuple[str, ...]:
    """What to call *bots*; no two the same."""
    names: list[str] = []
    for bot in bots:
        name = _name(bot)
        number = 1 + sum(one.partition("#")[0] == name for one in names)
        names.append(name if number == 1 else f"{name}#{number}")
    return tuple(names)


def _name(bot: BotLike) -> str:
    if isinstance(bot, str):
        search = parse_spec(bot)
        return search.short_name if search else bot.rpartition(":")[2]
    own = getattr(bot, "name", "")
    return own or getattr(bot, "__name__", type(bot).__name__)


def _cells(tally: Tally) -> tuple[str, ...]:
    """A row of the table, but for the name."""
    faults = sum(tally.faults.values())
    counts = (tally.matches, tally.wins, tally.draws, tally.losses, faults)
    score = tally.score
    mean = "-" if score is None else f"{score.mean:+.2f}"
    interval = "-"
    if score is not None and score.low is not None and score.high is not None:
        interval = f"{score.low:+.2f} to {score.high:+.2f}"
    elif score is not None:
        interval = "too few boards" if score.values < VALUES_MIN else "no spread"
    return (*map(str, counts), mean, interval)
