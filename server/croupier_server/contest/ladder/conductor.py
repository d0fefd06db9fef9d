"""Has the boards of a contest played, and keeps its log.

One writer gives events their numbers, stores all that have gathered in one transaction, and applies
them to the `Contest`; whatever follows from them, such as the next batch, is stored before anything
else. A board whose result was not stored has not been played: it is played again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from croupier.clock import Clock
from croupier_server.contest.arena import TRIES, Arena, ContestFailed, Setting, arena
from croupier_server.contest.faults import stakes
from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.corrections import CORRECTIONS
from croupier_server.contest.ladder.events import Body, Event, Kind, board_body
from croupier_server.contest.ladder.log import ContestLog, LogError
from croupier_server.contest.ladder.opening import load
from croupier_server.contest.ladder.programs import build, programs
from croupier_server.contest.ladder.spec import Records, Spec
from croupier_server.contest.processes import ProcessFailed
from croupier_server.contest.results import MatchResult, Outcome
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options

FAILURES_MAX: Final = 5
"""Servers in a row that may end before a board of theirs has ended."""

ORDERS_S: Final = 1.0
"""Time between two looks for orders of an organiser."""

RECORDS: Final = "records"
LOGS: Final = "logs"


class Limits(NamedTuple):
    """How much is played at a time.

    Attributes:
        tables: at a time, in all; one board at least.
        servers: processes that play.
    """

    tables: int = 32
    servers: int = 1


def setting_of(contest: Contest, folder: Path) -> Setting:
    """What the arenas of *contest* play.

    Raises:
        BadSpec: a bot cannot be started.
    """
    spec = contest.spec
    game, wire = GAMES[spec.game], WIRES_BY_NAME[spec.game]
    options = new_options(game, spec.ruleset or game.rulesets()[0], spec.options)
    return Setting(
        game=spec.game,
        ruleset=spec.ruleset or game.rulesets()[0],
        options=wire.options_message(options),
        teams=contest.teams,
        entrants=tuple(programs(spec, folder)),
        stakes=stakes(game, options),
        seed=contest.seed,
        clock=_clock(spec),
        seats_s=spec.start_seconds,
    )


def _clock(spec: Spec) -> Clock:
    """The clock of every table; without one, one that ends a match in which a bot has stalled."""
    clock = spec.clock
    if not clock.is_set:
        return Clock(per_move=spec.stall_seconds, on_timeout="forfeit")
    return Clock(
        per_move=clock.per_move,
        base=clock.base,
        increment=clock.increment,
        on_timeout=clock.on_timeout,
        max_strikes=clock.max_strikes,
        disconnect_grace=clock.disconnect_grace,
    )


async def conduct(
    contest: Contest,
    log: ContestLog,
    folder: Path,
    limits: Limits,
    watch: Callable[[Contest], None] = lambda _: None,
) -> Contest:
    """Play *contest* to its end, or until this is cancelled.

    Args:
        contest: as its *log* tells it.
        log: takes what happens.
        folder: where the file of the contest is; takes records and logs of processes.
        limits: how much is played at a time.
        watch: is called with the contest whenever something has been stored.

    Returns:
        The contest as it is now; *contest* itself, unless there were corrections.

    Raises:
        BadSpec: a bot cannot be started.
        ContestFailed: servers fail again and again.
        LogError: the log does, or another runner has taken the contest over.
        ProcessFailed: a server cannot be started.
    """
    conductor = _Conductor(contest, log, folder, limits, watch)
    try:
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(conductor.write())
            await conductor.tell(Kind.RESUMED, {"builds": conductor.builds})
            await conductor.follow()
            follower = group.create_task(conductor.follow_orders())
            async with asyncio.TaskGroup() as hosts:
                for number in range(limits.servers):
                    hosts.create_task(conductor.host(number))
            follower.cancel()
            writer.cancel()
    except* (ContestFailed, LogError, ProcessFailed) as group_error:
        error: BaseException = group_error
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
    return conductor.contest


class _Conductor:
    """The state of a contest under way."""

    def __init__(
        self,
        contest: Contest,
        log: ContestLog,
        folder: Path,
        limits: Limits,
        watch: Callable[[Contest], None],
    ) -> None:
        self.contest = contest
        self._log = log
        self._folder = folder
        self._limits = limits
        self._watch = watch
        self._setting = setting_of(contest, folder)
        self.builds = [build(bot) for bot in self._setting.entrants]
        self._alone = set(contest.alone)
        self._under_way: dict[int, int] = {}
        self._spoiled: Counter[int] = Counter()
        self._changed = asyncio.Condition()
        self._waiting: asyncio.Queue[tuple[Kind, Body, asyncio.Future[None]]] = asyncio.Queue()

    # The log -----------------------------------------------------------------------------------

    async def tell(self, kind: Kind, body: Body) -> None:
        """Store an event, and apply it."""
        told = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((kind, body, told))
        await told

    async def write(self) -> None:
        """Store events until cancelled, all that have gathered at a time."""
        while True:
            gathered = [await self._waiting.get()]
            while not self._waiting.empty():
                gathered.append(self._waiting.get_nowait())
            await self._store([(kind, body) for kind, body, _ in gathered])
            while self.contest.is_due:
                boards = [[list(group) for group in groups] for groups in self.contest.next_batch()]
                await self._store([(Kind.BATCH, {"boards": boards})])
            if self.contest.is_over and not self.contest.is_finished:
                verdict = self.contest.verdict.text if self.contest.verdict else ""
                await self._store([(Kind.FINISHED, {"verdict": verdict})])
            for _, _, told in gathered:
                if not told.done():
                    told.set_result(None)
            async with self._changed:
                self._changed.notify_all()
            self._watch(self.contest)

    async def _store(self, found: list[tuple[Kind, Body]]) -> None:
        first = self.contest.last + 1
        events = [Event(first + n, kind, body) for n, (kind, body) in enumerate(found)]
        await self._log.append(events)
        if any(event.kind in CORRECTIONS for event in events):
            self.contest = await load(self._log)
            return
        for event in events:
            self.contest.apply(event)

    async def follow_orders(self) -> None:
        """Do what organisers ask for, until cancelled."""
        while True:
            await asyncio.sleep(ORDERS_S)
            await self.follow()

    async def follow(self) -> None:
        """Do what organisers have asked for."""
        while orders := await self._log.orders(self.contest.last_order):
            for order in orders:
                body = {name: value for name, value in order.body.items() if name != "kind"}
                kind = Kind(order.body["kind"])
                if kind is Kind.TABLES:
                    self._limits = self._limits._replace(tables=body["tables"])
                if kind in CORRECTIONS and (why := self.contest.why_not_corrected(body["board"])):
                    kind, body = Kind.REFUSED, {"why": why}
                await self.tell(kind, body | {"order": order.number})

    # Playing -----------------------------------------------------------------------------------

    async def host(self, number: int) -> None:
        """Play boards at server number *number*, which is started again if it fails, until nothing
        is left."""
        failures = 0
        logs = self._folder / LOGS / str(number)
        await asyncio.to_thread(logs.mkdir, parents=True, exist_ok=True)
        while not self.contest.is_over:
            before = self.contest.last
            try:
                why = await self._host_once(number, logs)
            except ProcessFailed as error:
                why = str(error)
            if why:
                failures = 1 if self.contest.last > before else failures + 1
                if failures > FAILURES_MAX:
                    raise ContestFailed(why)

    async def _host_once(self, number: int, logs: Path) -> str:
        """Play at one server; returns why that ended early, or nothing."""
        server = self.contest.spec.server
        async with arena(self._setting, logs, server, keep=self._keep, alone=self._alone) as place:
            async with asyncio.TaskGroup() as playing:
                while (board := await self._take(number, place)) is not None:
                    playing.create_task(self._play(number, place, board))
            return place.broken

    async def _take(self, number: int, place: Arena) -> int | None:
        """The next board to play at *place*; None when nothing is left, or *place* is broken."""
        async with self._changed:
            while not self.contest.is_over and not place.broken:
                board = next(
                    (one for one in self.contest.to_play() if one not in self._under_way), None
                )
                if board is not None and self._has_room(number, board):
                    self._under_way[board] = number
                    return board
                await self._changed.wait()
        return None

    def _has_room(self, number: int, board: int) -> bool:
        """Whether server *number* may play *board* beside those that are under way there."""
        own = [one for one, where in self._under_way.items() if where == number]
        tables = sum(len(self.contest.tables(one)) for one in [*own, board])
        return not own or tables <= self._limits.tables // self._limits.servers

    async def _play(self, number: int, place: Arena, board: int) -> None:
        """Play *board*; if the server fails, it is to be played again."""
        matches = self.contest.tables(board)
        bots = {bot for match in matches for bot in match.players}
        is_dialled = any(self._setting.entrants[bot].player_id for bot in bots)
        redeal = 0
        try:
            if is_dialled:  # who dials in may remember the cards, so they never come again
                redeal = self.contest.redeals.get(board, -1) + 1
                await self.tell(Kind.DEALT, {"board": board, "redeal": redeal})
            results = await place.play_board(matches, redeal, 1 if is_dialled else TRIES)
            for bot in sorted(self._alone - self.contest.alone):
                await self.tell(Kind.ALONE, {"bot": bot, "why": "its process ended"})
            spoiled = [one for one in results if one.outcome is Outcome.SERVER_FAULT]
            if not spoiled:
                await self.tell(
                    Kind.BOARD, board_body(board, [self._named(one) for one in results])
                )
            elif not place.broken:
                self._spoiled[board] += 1
                if not is_dialled or self._spoiled[board] == TRIES:
                    raise ContestFailed(f"board {board + 1}: {spoiled[0].detail}")
        finally:
            del self._under_way[board]
            with contextlib.suppress(asyncio.CancelledError):
                async with self._changed:
                    self._changed.notify_all()

    def _named(self, result: MatchResult) -> MatchResult:
        """*result* with a stall called so."""
        if result.outcome is Outcome.TIMED_OUT and not self.contest.spec.clock.is_set:
            return result._replace(outcome=Outcome.STALLED)
        return result

    def _keep(self, result: MatchResult, record: bytes) -> str:
        """Keep the record of a match; returns its path in the contest's folder."""
        kept, match = self.contest.spec.records, result.match
        if kept is Records.NONE or (kept is Records.FAULTS and not result.at_fault):
            return ""
        folder = Path(RECORDS) / f"{match.board // 1000:03d}"
        replays = self.contest.corrections.replays(match.board)
        again = f"-replay{replays}" if replays else ""
        name = folder / f"{match.board + 1:06d}-{match.number + 1}{again}.croupier"
        (self._folder / folder).mkdir(parents=True, exist_ok=True)
        (self._folder / name).write_bytes(record)
        return str(name)
