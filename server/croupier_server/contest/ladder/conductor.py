"""Has the boards of a contest played, and writes its log.

One writer numbers the events, stores all pending ones in one transaction, and applies them to the
`Contest`. Events that follow from them, such as the next batch, are stored before anything else. A
board whose result was not stored is played again.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from croupier.clock import Clock
from croupier_server.contest.arena import TRIES, ContestFailed, Setting
from croupier_server.contest.faults import stakes
from croupier_server.contest.isolation import CannotIsolate, check
from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.corrections import CORRECTIONS
from croupier_server.contest.ladder.events import Body, Event, Kind, State, board_body
from croupier_server.contest.ladder.executor import HAND_S, Executor, Host, Job, Local, Work
from croupier_server.contest.ladder.log import ContestLog, LogError
from croupier_server.contest.ladder.opening import load
from croupier_server.contest.ladder.programs import build, programs, substitute
from croupier_server.contest.ladder.spec import BadSpec, Spec
from croupier_server.contest.pairing import Match
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
    """How much is played at the same time.

    Attributes:
        tables: maximum number of simultaneous tables; one board is always played whole.
        servers: number of servers.
        cores: cores of the machine that bots and servers share; 0: unknown, or several machines.
    """

    tables: int = 32
    servers: int = 1
    cores: int = 0


def setting_of(contest: Contest, folder: Path) -> Setting:
    """Return the setting for the arenas of *contest*.

    Raises:
        BadSpec: a bot cannot be started, or this system cannot isolate it as asked.
    """
    spec = contest.spec
    try:
        check(spec.isolation)
    except CannotIsolate as error:
        raise BadSpec(str(error)) from None
    game, wire = GAMES[spec.game], WIRES_BY_NAME[spec.game]
    options = new_options(game, spec.ruleset or game.rulesets()[0], spec.options)
    return Setting(
        game=spec.game,
        ruleset=spec.ruleset or game.rulesets()[0],
        options=wire.options_message(options),
        teams=contest.teams,
        entrants=(
            *programs(spec, folder),
            *(
                substitute(contest.substitute_name(number), one.bot, folder)
                for number, one in enumerate(contest.substitutes)
            ),
        ),
        stakes=stakes(game, options),
        seed=contest.seed,
        clock=_clock(spec),
        seats_s=spec.start_seconds,
        away_s=spec.clock.disconnect_grace,
        isolation=spec.isolation,
        hidden=folder.absolute(),
        memory_mb=spec.memory_mb,
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


class Thinking(NamedTuple):
    """How many ``bots`` may think at once, and on how many ``cores`` that no server uses."""

    bots: int
    cores: int


def for_a_clock(contest: Contest, limits: Limits) -> tuple[Limits, Thinking]:
    """The *limits* of a contest with a clock.

    One bot thinks at a table. More of them than free cores would take time from each other's
    clocks, so fewer tables are played at a time; but those of a board are played together.
    """
    running = len(contest.spec.servers)
    batch = contest.batches[-1].boards if contest.batches else contest.next_batch()
    board = max((len(contest.roster.tables(0, groups)) for groups in batch), default=1)
    servers = running or max(1, min(limits.servers, limits.cores // (1 + board)))
    free = limits.cores if running else limits.cores - servers
    tables = max(1, min(limits.tables, free))
    bots = max(tables, servers * board)
    return limits._replace(tables=tables, servers=servers), Thinking(bots, free)


async def conduct(
    contest: Contest,
    log: ContestLog,
    folder: Path,
    limits: Limits,
    watch: Callable[[Contest], None] = lambda _: None,
    executor: Executor | None = None,
) -> Contest:
    """Play *contest* to its end, until its organiser stops it, or until this is cancelled.

    Args:
        contest: the contest, as loaded from its *log*.
        log: log to which events are appended.
        folder: folder of the contest's file; records and logs of processes are stored there.
        limits: how much is played at the same time.
        watch: called with the contest whenever events have been stored.
        executor: where hosts run; None: on this machine.

    Returns:
        The contest as it is now; *contest* itself, unless there were corrections.

    Raises:
        BadSpec: a bot cannot be started.
        ContestFailed: servers fail repeatedly.
        LogError: the log fails, or another runner has taken over the contest.
        ProcessFailed: a server cannot be started.
    """
    # Every server that the contest names is played at.
    limits = limits._replace(servers=max(limits.servers, len(contest.spec.servers)))
    conductor = _Conductor(contest, log, folder, limits, watch, executor or Local())
    try:
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(conductor.write())
            await conductor.tell(Kind.RESUMED, conductor.resumed())
            await conductor.follow()
            follower = group.create_task(conductor.follow_orders())
            async with asyncio.TaskGroup() as hosts:
                for number in range(conductor.servers):
                    hosts.create_task(conductor.host(number))
            follower.cancel()
            writer.cancel()
    except* (ContestFailed, LogError, ProcessFailed) as group_error:
        error: BaseException = group_error
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
    return conductor.contest


@dataclass(slots=True)
class _Lane:
    """What a conductor knows of a host.

    Attributes:
        host: plays.
        job: what it was opened for.
        since: when it was ready, in seconds of the loop.
        boards: that it has played.
        tables: that it plays now.
    """

    host: Host
    job: Job
    since: float
    boards: int = 0
    tables: int = 0

    def boards_in(self, seconds: float) -> int:
        """How many boards it plays in *seconds*, rounded up."""
        time = asyncio.get_running_loop().time() - self.since
        return max(1, math.ceil(self.boards * seconds / max(time, seconds)))


class _Conductor:
    """The state of a contest in progress."""

    def __init__(
        self,
        contest: Contest,
        log: ContestLog,
        folder: Path,
        limits: Limits,
        watch: Callable[[Contest], None],
        executor: Executor,
    ) -> None:
        self.contest = contest
        self._log = log
        self._folder = folder
        self._asked = self._limits = limits
        self._thinking: Thinking | None = None
        self._watch = watch
        self._executor = executor
        self._alone = set(contest.alone)
        self._job = self._new_job()
        self._limit()
        self._under_way: set[int] = set()
        self._opening: set[asyncio.Task[None]] = set()
        self._spoiled: Counter[int] = Counter()
        self._changed = asyncio.Condition()
        self._waiting: asyncio.Queue[tuple[Kind, Body, asyncio.Future[None]]] = asyncio.Queue()

    def _new_job(self) -> Job:
        """What hosts that are opened from now on play."""
        contest = self.contest
        setting = setting_of(contest, self._folder)
        return Job(
            setting=setting,
            folder=self._folder / LOGS,
            servers=contest.spec.servers,
            keep=self._keep,
            records=contest.spec.records,
            alone=self._alone,
            builds=[build(bot) for bot in setting.entrants],
        )

    # The log -----------------------------------------------------------------------------------

    def resumed(self) -> Body:
        """Return the body of the event that records this runner in the log."""
        body: Body = {"builds": self._job.builds}
        return body | (self._thinking._asdict() if self._thinking else {})

    @property
    def servers(self) -> int:
        """Hosts to play at."""
        return self._limits.servers

    def _limit(self) -> None:
        """Set the limits to what was asked for, as far as the clock allows."""
        self._limits = self._asked
        here = any(bot.program for bot in self._job.setting.entrants)
        if self.contest.spec.clock.is_set and self._asked.cores and here:
            self._limits, self._thinking = for_a_clock(self.contest, self._asked)

    async def tell(self, kind: Kind, body: Body) -> None:
        """Store an event, and apply it."""
        told = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((kind, body, told))
        await told

    async def write(self) -> None:
        """Store events until cancelled, all pending ones in one transaction."""
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
            if self._is_done:
                for task in self._opening:  # a host that still waits for free cores is not needed
                    task.cancel()
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
        if any(event.kind is Kind.SUBSTITUTED for event in events):
            self._job = self._new_job()  # before a board of its bot can be taken

    async def follow_orders(self) -> None:
        """Apply orders of organisers until cancelled."""
        while True:
            await asyncio.sleep(ORDERS_S)
            await self.follow()

    async def follow(self) -> None:
        """Apply the new orders of organisers."""
        while orders := await self._log.orders(self.contest.last_order):
            for order in orders:
                body = {name: value for name, value in order.body.items() if name != "kind"}
                kind = Kind(order.body["kind"])
                if kind is Kind.TABLES:
                    self._asked = self._asked._replace(tables=body["tables"])
                    self._limit()
                if kind in CORRECTIONS and (why := self.contest.why_not_corrected(body["board"])):
                    kind, body = Kind.REFUSED, {"why": why}
                if kind is Kind.SUBSTITUTED:
                    try:
                        body["build"] = build(substitute("", body["bot"], self._folder))
                    except BadSpec as error:
                        kind, body = Kind.REFUSED, {"why": str(error)}
                await self.tell(kind, body | {"order": order.number})

    # Playing -----------------------------------------------------------------------------------

    async def host(self, number: int) -> None:
        """Play boards at host number *number*, which is started again if it fails, until nothing
        is left."""
        failures = 0
        while not self._is_done:
            before = self.contest.last
            try:
                why = await self._host_once(number)
            except ProcessFailed as error:
                why = str(error)
            if why:
                failures = 1 if self.contest.last > before else failures + 1
                if failures > FAILURES_MAX:
                    raise ContestFailed(why)

    async def _host_once(self, number: int) -> str:
        """Play at one host; returns why that ended early, or nothing."""
        task = asyncio.current_task()
        assert task is not None
        async with AsyncExitStack() as stack:
            self._opening.add(task)
            try:
                job = self._job
                host = await stack.enter_async_context(self._executor.host(number, job))
            finally:
                self._opening.discard(task)
            lane = _Lane(host, job, asyncio.get_running_loop().time())
            async with asyncio.TaskGroup() as playing:
                while hand := await self._take(lane):
                    playing.create_task(self._play(lane, hand))
        return host.broken

    async def _take(self, lane: _Lane) -> list[list[Match]]:
        """The boards to play next at a host, as their matches; none when none is to begin, the host
        is broken, or a bot has been substituted since it was opened."""
        async with self._changed:
            while not (self._is_done or lane.host.broken or lane.job is not self._job):
                room = self._limits.tables // self._limits.servers
                hand = self._hand(lane.boards_in(HAND_S), room // 4)
                tables = sum(map(len, hand))
                if hand and (not lane.tables or lane.tables + tables <= room):
                    self._under_way.update(matches[0].board for matches in hand)
                    lane.tables += tables
                    return hand
                await self._changed.wait()
        return []

    @property
    def _is_done(self) -> bool:
        """Whether no further board is to begin: none is left, or the organiser wants none."""
        return self.contest.is_over or self.contest.state is not State.RUNNING

    def _hand(self, boards: int, tables: int) -> list[list[Match]]:
        """The matches of the next *boards* at most, and not of more *tables*, unless one board has
        more: a host needs other hands while one of them waits for its last board."""
        hand: list[list[Match]] = []
        for board in islice(self.contest.to_play(besides=self._under_way), boards):
            matches = self.contest.tables(board)
            tables -= len(matches)
            if hand and tables < 0:
                break
            hand.append(matches)
        return hand

    async def _play(self, lane: _Lane, hand: list[list[Match]]) -> None:
        """Play the boards of *hand*; what the host fails in is to be played again."""
        try:
            async with asyncio.TaskGroup() as deals:
                work = [deals.create_task(self._deal(matches)) for matches in hand]
            found = await lane.host.play([task.result() for task in work])
            lane.boards += len(hand)
            for bot in sorted(self._alone - self.contest.alone):
                await self.tell(Kind.ALONE, {"bot": bot, "why": "its process ended"})
            async with asyncio.TaskGroup() as told:
                for results in found:
                    told.create_task(self._note(results, is_lost=bool(lane.host.broken)))
        finally:
            lane.tables -= sum(map(len, hand))
            self._under_way.difference_update(matches[0].board for matches in hand)
            with contextlib.suppress(asyncio.CancelledError):
                async with self._changed:
                    self._changed.notify_all()

    async def _deal(self, matches: list[Match]) -> Work:
        """The work that the board of *matches* is."""
        if not self._is_dialled(matches):
            return Work(matches, 0, TRIES)
        # Who dials in may remember the cards, so they never come again.
        board = matches[0].board
        redeal = self.contest.redeals.get(board, -1) + 1
        await self.tell(Kind.DEALT, {"board": board, "redeal": redeal})
        return Work(matches, redeal, 1)

    def _is_dialled(self, matches: list[Match]) -> bool:
        """Whether a bot that dials in plays one of *matches*."""
        return any(
            self._job.setting.entrants[bot].player_id for match in matches for bot in match.players
        )

    async def _note(self, results: list[MatchResult], *, is_lost: bool) -> None:
        """Store the *results* of a board, unless its host has failed, and perhaps *is_lost*."""
        board = results[0].match.board
        results = [self._of_house(one) for one in results]
        spoiled = [one for one in results if one.outcome is Outcome.SERVER_FAULT]
        if not spoiled:
            await self.tell(Kind.BOARD, board_body(board, [self._named(one) for one in results]))
        elif not is_lost:
            self._spoiled[board] += 1
            is_dialled = self._is_dialled([one.match for one in results])
            is_house = any(one.at_fault for one in spoiled)
            if not (is_dialled or is_house) or self._spoiled[board] == TRIES:
                raise ContestFailed(f"board {board + 1}: {spoiled[0].detail}")

    def _of_house(self, result: MatchResult) -> MatchResult:
        """*result*, as a fault of the runner if a bot of the house commits it: nobody wins or loses
        by that."""
        if any(self.contest.entrant_of(bot) is None for bot in result.at_fault):
            return result._replace(scores=None, outcome=Outcome.SERVER_FAULT)
        return result

    def _named(self, result: MatchResult) -> MatchResult:
        """*result* with a stall called so."""
        if result.outcome is Outcome.TIMED_OUT and not self.contest.spec.clock.is_set:
            return result._replace(outcome=Outcome.STALLED)
        return result

    def _keep(self, result: MatchResult, record: bytes) -> str:
        """Keep the record of a match; returns its path in the contest's folder."""
        match = result.match
        if not self.contest.spec.records.takes(result):
            return ""
        folder = f"{RECORDS}/{match.board // 1000:03d}"
        replays = self.contest.corrections.replays(match.board)
        again = f"-replay{replays}" if replays else ""
        name = f"{folder}/{match.board + 1:06d}-{match.number + 1}{again}.croupier"
        file = self._folder / name
        try:
            file.write_bytes(record)
        except FileNotFoundError:  # the first of its folder
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(record)
        return name
