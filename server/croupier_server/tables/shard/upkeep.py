"""What happens at tables by itself: time runs out, seats are away, heartbeats, idle tables."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import structlog

from croupier_server.games.base import EndReason
from croupier_server.storage.base import TableLog
from croupier_server.tables.clocks.clock import FOREVER, Clock
from croupier_server.tables.directory.directory import Directory
from croupier_server.tables.directory.house_seats import HouseSeats
from croupier_server.tables.durability import outages
from croupier_server.tables.durability.commits import RETRY_MS, Commits
from croupier_server.tables.feeds.readers import Readers
from croupier_server.tables.limits import Limits
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import AbsencePolicy, Status

_log = structlog.get_logger(__name__)

HEARTBEAT_SLICES: Final = 16
"""Heartbeats of an interval go out in so many parts, so that they do not all fall together."""

PERIOD_MS: Final = 20
"""Time between two signs of life of a loop that is not late."""

TOLERANCE_MS: Final = 10
"""A loop that is no later than this is not called late."""

PATIENCE_MS: Final = 1_000
"""When the store has been in trouble for so long, callers wait for it no longer."""

HANGS_MS: Final = 3_000
"""A store that has stored nothing for so long, with rows waiting, hangs. Busy ones take tens of
milliseconds for a commit, and a slow disk may take a second; but any commit counts, so that a long
queue is no hang. Much longer, and a hung store would cost clocks what it is to save them."""


AWAY: Final = "away for too long"
"""Detail of the forfeit of a seat that was absent, under the policy FORFEIT."""


class Charge(Protocol):
    """What upkeep looks after."""

    limits: Limits
    directory: Directory
    readers: Readers
    commits: Commits
    house: HouseSeats

    def show_late(self, table: Table) -> None:
        """Show of *table*, if it is shown late, what is due by now."""
        ...


class Upkeep:
    """Time, as the tables of a server have it.

    Args:
        charge: what it looks after.
        clock: the time.
        log: the store, which may be in trouble.

    Attributes:
        trouble: why nothing can be stored now, so that nothing may happen; empty when all is well.
            A store that hangs does not know it, and is in trouble here all the same.
        clock: the time.
        lag: notices when the loop is late.
        timers: deadlines of tables.
        late_ms: for how long the loop has been late, all in all.
    """

    def __init__(self, charge: Charge, clock: Clock, log: TableLog) -> None:
        self._charge = charge
        self._store = log
        self._trouble_ms: int | None = None
        self._hangs = ""
        self._awaited = 0
        self._awaited_ms = 0
        self.trouble = ""
        self.late_ms = 0
        self.clock = clock
        self.lag = Lag()
        limits = charge.limits
        self._idle = Idle(limits.idle_ms)
        self.timers = Timers(
            clock, self.tick, self.heartbeat, self.loop_is_alive, limits.heartbeat_ms
        )

        log.watch(self._store_changed)
        if log.trouble:
            self._store_changed()

    # Time that is nobody's -----------------------------------------------------------------------

    def now_ms(self) -> int:
        """The time; where the loop has been late, it was given back to running clocks."""
        now = self.clock.now_ms()
        if now > self.lag.noticed_from:
            since = self.lag.take(now)
            self.late_ms += now - since
            self._awaited_ms += now - since  # late is the loop; the store may have been in time
            if self._trouble_ms is None:
                self._give_back(since, now)
        return now

    def loop_is_alive(self) -> None:
        """To be called every `lag.PERIOD_MS`."""
        now = self.now_ms()
        self.lag.alive(now)
        self._watch_store(now)
        if self._trouble_ms is not None and now - self._trouble_ms >= PATIENCE_MS:
            self._charge.commits.give_up_waiting()

    def _watch_store(self, now: int) -> None:
        """Find out whether the store does nothing at all with what it was given."""
        commits = self._charge.commits
        if commits.waits_for != self._awaited:
            self._awaited, self._awaited_ms = commits.waits_for, now
        elif self._awaited and not self.trouble and now - self._awaited_ms >= HANGS_MS:
            self._hangs = f"it hangs: nothing stored for {(now - self._awaited_ms) / 1000:.0f} s"
            commits.moved = self._store_moves
            self._enter_trouble(self._hangs, self._awaited_ms, now)

    def _store_moves(self) -> None:
        """The store that hung has stored something."""
        self._hangs = ""
        self._store_changed()

    def _store_changed(self) -> None:
        """The store is in trouble, or no longer. Until it is back nothing is taken and no time
        runs out; what was held up is published when it is stored."""
        now = self.now_ms()
        why = self._store.trouble or self._hangs
        if why and why != self.trouble:
            self._enter_trouble(why, now, now)
        elif self.trouble and not why:
            self._leave_trouble(now)

    def _enter_trouble(self, why: str, since: int, now: int) -> None:
        """The store has been in trouble from *since* on, or for another reason than before."""
        self.trouble = why
        _log.error("store failing", why=why)
        if self._trouble_ms is None:
            self._trouble_ms = since
            for table in self._charge.directory:
                table.match.timing.give_back(since, now)
                outages.stand_still(table, now)

    def _leave_trouble(self, now: int) -> None:
        assert self._trouble_ms is not None
        since, self._trouble_ms = self._trouble_ms, None
        self.trouble = ""
        self._awaited_ms = now
        _log.info("store recovered", ms=now - since)
        self._idle.give_back(now - since)
        for table in self._charge.directory:  # those taken up meanwhile have had no timer yet
            outages.go_on(table, since, now, RETRY_MS)
            self.timers.schedule(table)

    def _give_back(self, since: int, now: int) -> None:
        self._idle.give_back(now - since)
        for table in self.timers.tables:
            outages.give_back(table, since, now)

    # What happens --------------------------------------------------------------------------------

    def tick(self) -> None:
        """Carry out what is due at tables whose time has come."""
        now = self.now_ms()
        commits = self._charge.commits
        due = self.timers.due(now)
        if self.trouble:
            return  # all of them are scheduled anew when the store is back
        for table in due:
            table.tick(now)
            self._act_on_absence(table, now)
            # At once and not with the commit: one may be under way for long, and what is due until
            # then is due again and again.
            self._charge.show_late(table)
            commits.touch(table)
        commits.flush()

    def _act_on_absence(self, table: Table, now: int) -> None:
        """Do what the table wants done about seats that are away."""
        for seat in table.away(now):
            if table.spec.absence is AbsencePolicy.FORFEIT:
                table.end(EndReason.FORFEIT, now, seat, AWAY)
                return
            table.presence.send_for(seat, table.seat_watchers, table.match.decisions, now)
            self._charge.house.relieve(table, seat)

    def heartbeat(self, part: int | None = None) -> None:
        """Send heartbeats to readers of all tables, or of one part of `HEARTBEAT_SLICES`, and stop
        those at which nothing happens any more."""
        charge = self._charge
        whole = part is None
        tables = [one for one in charge.directory if whole or one.number % HEARTBEAT_SLICES == part]
        now = self.now_ms()
        if not self.trouble:
            for table in self._idle.found(part, tables, now):
                table.abort("nothing happened for too long", now)
                charge.commits.touch(table)
            charge.commits.flush()
        charge.readers.beat(tables)
        if not part:
            charge.readers.beat_others()


class Idle:
    """Finds tables at which nothing has happened for *idle_ms*, looking now and then."""

    __slots__ = ("_given_ms", "_idle_ms", "_seen")

    def __init__(self, idle_ms: int) -> None:
        self._idle_ms = idle_ms
        self._given_ms = 0
        self._seen: dict[int | None, dict[int, tuple[int, int]]] = {}

    def give_back(self, ms: int) -> None:
        """For so long nothing could happen, so that it makes no table idle."""
        self._given_ms += ms

    def found(self, part: int | None, tables: Iterable[Table], now: int) -> list[Table]:
        """The idle ones among *tables*, which are all of *part* of a server's tables. One at which
        an operator has stopped play is not idle."""
        now -= self._given_ms
        before = self._seen.get(part, {})
        seen: dict[int, tuple[int, int]] = {}
        idle = []
        for table in tables:
            if table.status is Status.ENDED:
                continue
            sequence, since = before.get(table.number, (0, now))
            if sequence != table.journal.sequence or table.match.quarantined_ms is not None:
                sequence, since = table.journal.sequence, now
            seen[table.number] = sequence, since
            if now - since >= self._idle_ms:
                idle.append(table)
        self._seen[part] = seen
        return idle


class Timers:
    """Deadlines of tables, and heartbeats.

    Args:
        clock: the time.
        tick: called when a deadline has come.
        heartbeat: called with a number below `HEARTBEAT_SLICES`, for that part of the tables.
        alive: called every `PERIOD_MS`, if the loop is not late.
        heartbeat_ms: time between two heartbeats of a table.
    """

    def __init__(
        self,
        clock: Clock,
        tick: Callable[[], None],
        heartbeat: Callable[[int], None],
        alive: Callable[[], None],
        heartbeat_ms: int,
    ) -> None:
        self._clock = clock
        self._tick = tick
        self._heartbeat = heartbeat
        self._alive = alive
        self._slice_s = heartbeat_ms / 1000 / HEARTBEAT_SLICES
        self._slice = 0
        self._heap: list[tuple[int, int]] = []
        self._tables: dict[int, Table] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = FOREVER
        self._beat_timer: asyncio.TimerHandle | None = None
        self._alive_timer: asyncio.TimerHandle | None = None

    @property
    def tables(self) -> Iterable[Table]:
        """Tables that have wanted to be told the time; all with a running clock among them."""
        return self._tables.values()

    def schedule(self, table: Table) -> None:
        """Remember when *table* wants to be told the time, if it does."""
        deadline = table.deadline
        if deadline < table.scheduled_ms:
            table.scheduled_ms = deadline
            self._tables[table.number] = table
            heapq.heappush(self._heap, (deadline, table.number))
            self._set_timer()

    def forget(self, table: Table) -> None:
        """*table* has ended: let go of it, however far away its deadline was."""
        self._tables.pop(table.number, None)

    def due(self, now: int) -> list[Table]:
        """Tables whose deadline has come; each must be given to `schedule` afterwards."""
        found = []
        while self._heap and self._heap[0][0] <= now:
            at, number = heapq.heappop(self._heap)
            table = self._tables.get(number)
            if table is None or at != table.scheduled_ms:
                continue  # forgotten, or an earlier entry has been here since
            table.scheduled_ms = FOREVER
            if table.deadline <= now:
                found.append(table)
            else:
                self.schedule(table)
        return found

    def run(self) -> None:
        """Start on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._set_timer()
        self._beat_timer = self._loop.call_later(self._slice_s, self._beat)
        if self._clock.goes_by_itself:
            self._look_alive()

    def stop(self) -> None:
        """Call nothing any more."""
        self._loop = None
        for timer in (self._timer, self._beat_timer, self._alive_timer):
            if timer is not None:
                timer.cancel()

    def _set_timer(self) -> None:
        if self._loop is None or not self._heap or self._heap[0][0] >= self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._heap[0][0]
        wait = max(self._timer_at - self._clock.now_ms(), 0) / 1000
        self._timer = self._loop.call_later(wait, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self._timer_at = FOREVER
        try:
            self._tick()
        finally:
            self._set_timer()

    def _look_alive(self) -> None:
        if self._loop is not None:
            self._alive_timer = self._loop.call_later(PERIOD_MS / 1000, self._look_alive)
            self._alive()

    def _beat(self) -> None:
        if self._loop is not None:
            self._beat_timer = self._loop.call_later(self._slice_s, self._beat)
            self._slice = (self._slice + 1) % HEARTBEAT_SLICES
            self._heartbeat(self._slice)


class Lag:
    """How late the loop is: it is to call `alive` every `PERIOD_MS`.

    Attributes:
        noticed_from: when the loop is late, unless it calls before.
    """

    __slots__ = ("noticed_from",)

    def __init__(self) -> None:
        self.noticed_from = FOREVER

    def alive(self, now: int) -> None:
        """The loop has come round."""
        self.noticed_from = now + PERIOD_MS + TOLERANCE_MS

    def take(self, now: int) -> int:
        """Since when the loop has been late; what comes from now on counts anew."""
        since = self.noticed_from - TOLERANCE_MS
        self.noticed_from = now + TOLERANCE_MS
        return since
