"""What happens at tables by itself: time runs out, seats are away, heartbeats, idle tables.

Must not be put here: what time running out means to a table.
"""

from __future__ import annotations

from typing import Protocol

from croupier_server.games.base import EndReason
from croupier_server.tables import outages
from croupier_server.tables.clock import Clock
from croupier_server.tables.commits import Commits
from croupier_server.tables.directory import Directory
from croupier_server.tables.house_seats import HouseSeats
from croupier_server.tables.idle import Idle
from croupier_server.tables.lag import Lag
from croupier_server.tables.limits import Limits
from croupier_server.tables.readers import Readers
from croupier_server.tables.spec import Access, OnAbsence
from croupier_server.tables.table import Table
from croupier_server.tables.timers import HEARTBEAT_SLICES, Timers


class Charge(Protocol):
    """What upkeep looks after."""

    limits: Limits
    directory: Directory
    readers: Readers
    commits: Commits
    house: HouseSeats


class Upkeep:
    """Time, as the tables of a server have it.

    Args:
        charge: what it looks after.
        clock: the time.

    Attributes:
        clock: the time.
        lag: notices when the loop is late.
        timers: deadlines of tables.
    """

    def __init__(self, charge: Charge, clock: Clock) -> None:
        self._charge = charge
        self.clock = clock
        self.lag = Lag()
        limits = charge.limits
        self._idle = Idle(limits.idle_ms)
        self.timers = Timers(
            clock, self.tick, self.heartbeat, self.loop_is_alive, limits.heartbeat_ms
        )

    def now_ms(self) -> int:
        """The time; where the loop has been late, it was given back to running clocks."""
        now = self.clock.now_ms()
        if now > self.lag.noticed_from:
            since = self.lag.take(now)
            for table in self.timers.tables:
                outages.give_back(table, since, now)
        return now

    def loop_is_alive(self) -> None:
        """To be called every `lag.PERIOD_MS`."""
        self.lag.alive(self.now_ms())

    def tick(self) -> None:
        """Carry out what is due at tables whose time has come."""
        now = self.now_ms()
        commits = self._charge.commits
        for table in self.timers.due(now):
            table.tick(now)
            self._fill_house_seats(table)
            self._act_on_absence(table, now)
            commits.touch(table)
        commits.flush()

    def _fill_house_seats(self, table: Table) -> None:
        """Have another bot come where one withheld its nonce."""
        for seat in table.opening.freed:
            if table.spec.seats[seat].access is Access.HOUSE:
                self._charge.house.relieve(table, seat)
        table.opening.freed.clear()

    def _act_on_absence(self, table: Table, now: int) -> None:
        """Do what the table wants done about seats that are away."""
        for seat in table.away(now):
            if table.spec.on_absence is OnAbsence.FORFEIT:
                table.end(EndReason.FORFEIT, now, seat, "away for too long")
                return
            table.presence.grant(seat, now)
            self._charge.house.relieve(table, seat)

    def heartbeat(self, part: int | None = None) -> None:
        """Send heartbeats to readers of all tables, or of one part of `HEARTBEAT_SLICES`, and stop
        those at which nothing happens any more."""
        charge = self._charge
        whole = part is None
        tables = [one for one in charge.directory if whole or one.number % HEARTBEAT_SLICES == part]
        now = self.now_ms()
        for table in self._idle.found(part, tables, now):
            table.abort("nothing happened for too long", now)
            charge.commits.touch(table)
        charge.commits.flush()
        charge.readers.beat(tables)
        if not part:
            charge.readers.beat_sessions()
