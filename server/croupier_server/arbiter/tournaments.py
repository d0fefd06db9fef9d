"""The tournaments of an arbiter: each is a contest in a folder of its own, with its event log.

What an organiser wants is an order in that log, which whoever conducts the contest follows; while
nobody does, it is followed here. So the log alone says what a tournament is, and after a crash the
running ones go on where their logs end.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
from collections import ChainMap, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import structlog

from croupier.v1 import tournament_service_pb2 as pb
from croupier_server.arbiter import messages
from croupier_server.arbiter.ratings import Skill, meetings, rate
from croupier_server.arbiter.specs import Knows, read_spec
from croupier_server.arbiter.store import ArbiterStore, Listed
from croupier_server.contest.arena import ContestFailed
from croupier_server.contest.ladder.conductor import Limits, conduct
from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.events import Event, Kind, State, TableResult, read_table
from croupier_server.contest.ladder.log import ContestLog, LogError, TakenOver, open_log
from croupier_server.contest.ladder.opening import begin, load
from croupier_server.contest.ladder.spec import BadSpec
from croupier_server.contest.processes import ProcessFailed
from croupier_server.errors import (
    Conflict,
    CroupierError,
    Exhausted,
    NotAllowed,
    NotFound,
    Reason,
    Unavailable,
)
from croupier_server.rpc.validate import malformed

_log = structlog.get_logger(__name__)

LOG: Final = "contest.sqlite"
FOLDER: Final = "tournaments"

OWN_MAX: Final = 20
"""Tournaments of one organiser that have not ended."""

ALL_MAX: Final = 10_000
"""Tournaments of an arbiter, those that have ended included."""

RUNNING_MAX: Final = 8
"""Tournaments that are played at the same time; others wait for their turn."""

_LOADED_MAX: Final = 16
"""Tournaments that have ended and are kept in memory, as they were asked for."""

_ID_BYTES: Final = 10
_RETRY_MS: Final = 1_000
_PAUSE_MAX_S: Final = 60.0
_RATED_AT_ONCE: Final = 200
_TRIES: Final = 5

_AWAY: Final = "the server of tables cannot be played at; the arbiter tries again by itself"
_QUEUED: Final = "waits for the end of another tournament"


class Signal:
    """Wakes everybody who waits for the next change."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def next(self) -> asyncio.Event:
        """Set at the next change. To miss none, take it before you look at what may change."""
        return self._event

    def send(self) -> None:
        """Something has changed."""
        event, self._event = self._event, asyncio.Event()
        event.set()


class Live:
    """A tournament in memory.

    Attributes:
        listed: its place in the list.
        folder: holds its log, records and the output of house bots.
        log: its events.
        contest: as the log tells it.
        changed: sent whenever an event has been stored, and when `trouble` has changed.
        trouble: why it does not get on; empty while it does.
        is_conducted: somebody plays it, who follows its orders.
        task: plays it; None: nobody does.
        lock: held by whoever changes its state.
        watchers: streams that show it.
    """

    def __init__(self, listed: Listed, folder: Path, log: ContestLog, contest: Contest) -> None:
        self.listed = listed
        self.folder = folder
        self.log = log
        self.contest = contest
        self.changed = Signal()
        self.trouble = ""
        self.is_conducted = False
        self.task: asyncio.Task[None] | None = None
        self.lock = asyncio.Lock()
        self.watchers = 0
        self._rated = listed.rated
        self._seen = 0
        self._pending: dict[int, list[TableResult]] = {}
        self._rating = asyncio.Lock()
        self._standings: tuple[int, list[pb.Standing]] = (0, [])
        self._events: dict[int, int] = {}
        self._indexed = 0

    def message(self) -> pb.Tournament:
        """The tournament as it is now."""
        return messages.tournament(self.listed, self.contest, self.trouble)

    def standings(self) -> list[pb.Standing]:
        """Who is ahead of whom. It takes a while, so it is made once for each event."""
        if self._standings[0] != self.contest.last:
            self._standings = (self.contest.last, messages.standings(self.contest))
        return self._standings[1]

    async def results(self, start: int, end: int) -> dict[int, list[TableResult]]:
        """Results of the boards from *start* to before *end* that have ended."""
        async for event in self.log.read(self._indexed, (Kind.BOARD,)):
            self._events[event.body["board"]] = self._indexed = event.number
        wanted = {board for board in range(start, end) if board in self._events}
        found: dict[int, list[TableResult]] = {}
        if not wanted:
            return found
        first = min(self._events[board] for board in wanted)
        async for event in self.log.read(first - 1, (Kind.BOARD,)):
            board = event.body["board"]
            if board in wanted:
                found[board] = [read_table(table) for table in event.body["tables"]]
                if len(found) == len(wanted):
                    break
        return found

    def took(self, contest: Contest) -> None:
        """Something has been stored; *contest* is as it is now."""
        self.contest = contest
        self.changed.send()

    def has_trouble(self, trouble: str) -> None:
        """Say why it does not get on."""
        if trouble != self.trouble:
            self.trouble = trouble
            self.changed.send()

    def wants_play(self) -> bool:
        """Whether boards of it are to be played."""
        return self.contest.state is State.RUNNING and not self.contest.is_finished

    async def rate(self, ratings: Ratings, now_ms: int) -> None:
        """Rate the boards that count and have not been rated, in their order."""
        async with self._rating:
            async for event in self.log.read(self._seen, (Kind.BOARD,)):
                self._seen = event.number
                board = event.body["board"]
                if board >= self._rated:
                    self._pending[board] = [read_table(one) for one in event.body["tables"]]
            while self._rated < (until := min(self.contest.counted, self._rated + _RATED_AT_ONCE)):
                boards = [
                    (board, self._pending.get(board, [])) for board in range(self._rated, until)
                ]
                await ratings.add(self.listed.tournament, self.contest, boards, now_ms)
                for board in range(self._rated, until):
                    self._pending.pop(board, None)
                self._rated = until


class Ratings:
    """Live ratings, one pool for each game and ruleset.

    Args:
        store: keeps them.
    """

    def __init__(self, store: ArbiterStore) -> None:
        self._store = store
        self._pools: dict[str, dict[str, Skill]] = {}
        self._lock = asyncio.Lock()

    async def add(
        self,
        tournament: str,
        contest: Contest,
        boards: list[tuple[int, list[TableResult]]],
        now_ms: int,
    ) -> None:
        """Rate *boards* of *tournament*, which follow those that have been rated."""
        pool = pool_of(contest.spec.game, contest.ruleset)
        async with self._lock:
            if pool not in self._pools:
                self._pools[pool] = await self._store.skills(pool)
            skills = self._pools[pool]
            new: dict[str, Skill] = {}
            known = ChainMap(new, skills)
            changes = []
            for board, results in boards:
                await asyncio.sleep(0)  # others get their turn between two boards
                changed: dict[str, Skill] = {}
                for meeting in meetings(contest, board, results) if results else []:
                    found = rate(meeting, lambda who: known.get(who, Skill()))
                    new.update(found)
                    changed |= found
                changes.append((board, changed))
            rated = boards[-1][0] + 1
            await self._store.rated(pool, tournament, changes, rated=rated, now_ms=now_ms)
            skills |= new


def pool_of(game: str, ruleset: str) -> str:
    """Name of the pool of ratings of a game and ruleset."""
    return f"{game}/{ruleset}"


class Tournaments:
    """All tournaments of an arbiter.

    Args:
        store: has the list of them.
        folder: holds a folder for each.
        server: address of the server of tables.
        tables: at a time, for each tournament.
        knows: tells the principals.
        now_ms: the time.
    """

    def __init__(
        self,
        store: ArbiterStore,
        folder: Path,
        server: str,
        tables: int,
        knows: Knows,
        now_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._folder = folder / FOLDER
        self._server = server
        self._limits = Limits(tables)
        self._knows = knows
        self._now_ms = now_ms
        self._ratings = Ratings(store)
        self._listed: dict[str, Listed] = {}
        self._live: dict[str, Live] = {}
        self._ended: OrderedDict[str, Live] = OrderedDict()
        self._logs: dict[str, AsyncExitStack] = {}
        self._creating = asyncio.Lock()
        self._loading = asyncio.Lock()
        self._turns = asyncio.Semaphore(RUNNING_MAX)

    # Life --------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Read the list, and go on with what was running."""
        for listed in await self._store.tournaments():
            self._listed[listed.tournament] = listed
            if not listed.summary:
                live = self._live[listed.tournament] = await self._load(listed)
                if live.wants_play() or messages.is_ended(live.contest):
                    self._play(live)

    async def close(self) -> None:
        """Stop playing; what is in progress is played again at the next start."""
        tasks = [live.task for live in self._live.values() if live.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for stack in self._logs.values():
            await stack.aclose()

    async def _load(self, listed: Listed) -> Live:
        folder = self._folder / listed.tournament
        stack = AsyncExitStack()
        opening = open_log(f"sqlite:{folder / LOG}", listed.tournament)
        log = await stack.enter_async_context(opening)
        self._logs[listed.tournament] = stack
        return Live(listed, folder, log, await load(log))

    # What is asked -----------------------------------------------------------------------------

    async def get(self, tournament: str) -> Live:
        """The tournament with this id.

        Raises:
            NotFound: there is none.
        """
        live = self._live.get(tournament)
        if live is not None:
            return live
        async with self._loading:
            if tournament in self._ended:
                self._ended.move_to_end(tournament)
                return self._ended[tournament]
            if tournament not in self._listed:
                raise NotFound(Reason.NOT_FOUND, f"there is no tournament {tournament!r}")
            try:
                live = await self._load(self._listed[tournament])
            except LogError as error:
                raise _unavailable(error) from None
            self._keep(live)
            return live

    def _keep(self, live: Live) -> None:
        """Keep a tournament that has ended, and forget the one that was asked for least lately."""
        self._ended[live.listed.tournament] = live
        while len(self._ended) > _LOADED_MAX:
            forgotten, _ = self._ended.popitem(last=False)
            task = asyncio.create_task(self._logs.pop(forgotten).aclose())
            task.add_done_callback(lambda _: None)

    def newest(self, before: int, state: int) -> Iterator[tuple[int, pb.Tournament]]:
        """Numbers and messages of tournaments with numbers below *before* (0: all), the newest
        first; of those in *state*, or in any if it is 0."""
        for listed in reversed(self._listed.values()):
            if before and listed.number >= before:
                continue
            live = self._live.get(listed.tournament)
            found = live.message() if live else pb.Tournament.FromString(listed.summary)
            if not state or found.state == state:
                yield listed.number, found

    # What organisers do ------------------------------------------------------------------------

    async def create(self, organiser: str, request_id: str, asked: pb.TournamentSpec) -> Live:
        """A new tournament, or the one that the same request has created.

        Raises:
            Conflict: REQUEST_ID_REUSED.
            Exhausted: TOO_MANY_TOURNAMENTS.
            InvalidRequest: the spec describes none, see `read_spec`.
        """
        digest = hashlib.sha256(asked.SerializeToString(deterministic=True)).hexdigest()
        async with self._creating:
            for listed in self._listed.values() if request_id else ():
                if (listed.organiser, listed.request) == (organiser, request_id):
                    if listed.request_hash != digest:
                        why = "the request_id was used before with another spec; send a new one"
                        raise Conflict(Reason.REQUEST_ID_REUSED, why, field="request_id")
                    return await self.get(listed.tournament)
            self._expect_room(organiser)
            spec = read_spec(asked, self._server, self._knows)
            name = secrets.token_hex(_ID_BYTES)
            folder = self._folder / name
            await asyncio.to_thread(folder.mkdir, parents=True)
            try:
                async with open_log(f"sqlite:{folder / LOG}", name, create=True) as log:
                    contest = await begin(spec, log, folder)
                    body = {"state": State.CREATED.value, "why": ""}
                    await log.append([Event(contest.last + 1, Kind.STATE, body)])
            except BadSpec as error:
                raise malformed([("spec", str(error))]) from None
            except LogError as error:
                raise _unavailable(error) from None
            # Last, so that what is listed is whole.
            listed = await self._store.add(
                Listed(0, name, organiser, request_id, digest, self._now_ms())
            )
            live = await self._load(listed)
            self._listed[name] = listed
            self._live[name] = live
            return live

    def _expect_room(self, organiser: str) -> None:
        own = sum(one.listed.organiser == organiser for one in self._live.values())
        if own >= OWN_MAX:
            raise Exhausted(
                Reason.TOO_MANY_TOURNAMENTS,
                f"you have {own} tournaments that have not ended, the maximum; cancel one",
            )
        if len(self._listed) >= ALL_MAX:
            raise Exhausted(
                Reason.TOO_MANY_TOURNAMENTS,
                f"this arbiter has {ALL_MAX} tournaments, the maximum; its operator may start one "
                "in another folder",
            )

    async def change(
        self, organiser: str, tournament: str, wanted: State, allowed: tuple[State, ...], why: str
    ) -> Live:
        """Have a tournament be in the state *wanted*.

        Args:
            organiser: who asks.
            tournament: its id.
            wanted: the state.
            allowed: states in which this may be asked for.
            why: the reason, for people.

        Raises:
            Conflict: TOURNAMENT_STATE.
            NotAllowed: PERMISSION_DENIED, it is another organiser's.
            NotFound: there is none.
        """
        live = await self.get(tournament)
        if live.listed.organiser != organiser:
            raise NotAllowed(
                Reason.PERMISSION_DENIED, "only the organiser of a tournament may change it"
            )
        async with live.lock:
            self._expect_state(live, allowed)
            try:
                if wanted is State.CANCELLED and live.task is not None:
                    live.task.cancel()
                    await asyncio.gather(live.task, return_exceptions=True)
                await self._order(live, wanted, why)
            except LogError as error:
                raise _unavailable(error) from None
            if wanted is not State.CANCELLED:  # it may have ended meanwhile
                self._expect_state(live, (wanted,))
            self._play(live)
        return live

    def _expect_state(self, live: Live, allowed: tuple[State, ...]) -> None:
        contest = live.contest
        if contest.state in allowed and not messages.is_ended(contest):
            return
        word = messages.word_of(messages.state_of(contest))
        raise Conflict(
            Reason.TOURNAMENT_STATE,
            f"the tournament is {word}; this needs {' or '.join(one.name for one in allowed)}",
            metadata={"state": word},
        )

    async def _order(self, live: Live, wanted: State, why: str) -> None:
        """Order a state, and wait until the log has it."""
        await live.log.order({"kind": Kind.STATE.value, "state": wanted.value, "why": why})
        while True:
            changed = live.changed.next
            if not live.is_conducted or live.contest.state is wanted:
                break
            await changed.wait()
        is_late = live.contest.is_finished and wanted is not State.CANCELLED
        if live.contest.state is not wanted and not is_late:
            await self._follow(live)

    async def _follow(self, live: Live) -> None:
        """Follow the orders for a tournament that nobody plays."""
        for _ in range(_TRIES):
            contest = live.contest
            orders = await live.log.orders(contest.last_order)
            events = [
                Event(
                    contest.last + place,
                    Kind.STATE,
                    {
                        "state": order.body["state"],
                        "why": order.body["why"],
                        "order": order.number,
                    },
                )
                for place, order in enumerate(orders, 1)
            ]
            try:
                if events:
                    await live.log.append(events)
            except TakenOver:  # what was being stored when its conductor was stopped
                live.took(await load(live.log))
                continue
            for event in events:
                contest.apply(event)
            live.took(contest)
            return
        raise LogError("the log changes too fast")

    # Playing -----------------------------------------------------------------------------------

    def _play(self, live: Live) -> None:
        """Have somebody play *live*, if it is to be played, or end it."""
        if live.task is None and (live.wants_play() or messages.is_ended(live.contest)):
            live.task = asyncio.create_task(
                self._conduct(live), name=f"tournament {live.listed.tournament}"
            )

    async def _conduct(self, live: Live) -> None:
        """Play *live* until it ends or is stopped."""
        rating = asyncio.create_task(self._rate_along(live))
        pause_s = 0.0
        try:
            while True:
                while live.wants_play():
                    if pause_s:
                        await asyncio.sleep(pause_s)
                        # Something may have been stored that was not applied.
                        live.took(await load(live.log))
                    failed = await self._conduct_once(live)
                    pause_s = min(max(1.0, 2 * pause_s), _PAUSE_MAX_S) if failed else 0.0
                await live.rate(self._ratings, self._now_ms())
                if live.wants_play():
                    continue  # it was resumed meanwhile
                if messages.is_ended(live.contest):
                    await self._end(live)
                return
        except (CroupierError, LogError) as error:
            _log.error("tournament stopped", id=live.listed.tournament, error=str(error))
            live.has_trouble("the arbiter cannot store what happens; its operator has to act")
        finally:
            live.task = None
            rating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await rating

    async def _conduct_once(self, live: Live) -> bool:
        """Play *live* until it ends, is stopped, or cannot go on; returns whether it cannot go on.

        Raises:
            LogError: its log fails.
        """
        if self._turns.locked():
            live.has_trouble(_QUEUED)
        async with self._turns:
            if not live.wants_play():
                return False
            live.is_conducted = True
            live.has_trouble("")
            try:
                await conduct(live.contest, live.log, live.folder, self._limits, live.took)
            except (BadSpec, ContestFailed, ProcessFailed) as error:
                _log.warning("tournament waits", id=live.listed.tournament, error=str(error))
                live.has_trouble(_AWAY)
                return True
            finally:
                live.is_conducted = False
                live.changed.send()
        return False

    async def _rate_along(self, live: Live) -> None:
        """Rate boards as they count, until cancelled."""
        while True:
            changed = live.changed.next
            try:
                await live.rate(self._ratings, self._now_ms())
            except (CroupierError, LogError) as error:
                _log.warning("boards not rated yet", id=live.listed.tournament, error=str(error))
            await changed.wait()

    async def _end(self, live: Live) -> None:
        """Note that *live* has ended."""
        listed = live.listed._replace(summary=live.message().SerializeToString())
        await self._store.end(listed.tournament, listed.summary)
        self._listed[listed.tournament] = live.listed = listed
        self._live.pop(listed.tournament, None)
        self._keep(live)
        live.changed.send()


def expect_entrant(contest: Contest, field: str, entrant: int) -> None:
    """Refuse an index that no entrant has.

    Raises:
        InvalidRequest: MALFORMED_REQUEST.
    """
    count = len(contest.spec.entrants)
    if entrant >= count:
        raise malformed([(field, f"must be 0 to {count - 1}, not {entrant}")])


def _unavailable(error: LogError) -> Unavailable:
    return Unavailable(
        Reason.STORE_UNAVAILABLE,
        f"the tournament's log cannot be written: {error}; retry",
        retry_ms=_RETRY_MS,
    )
