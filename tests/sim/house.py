"""The house bots of a simulated server: one process, which dies with it, and at times alone.

What it is told of a seat is what `croupier_server.house` tells the real one, and a process that
follows another is told all of it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from croupier_server.tables.shard.shard import HouseSeat
from tests.sim.chair import Chair, Client, World
from tests.sim.guests import Joiner
from tests.sim.network import Line
from tests.sim.plan import TablePlan, Temper
from tests.sim.session_rider import SessionRider

_TEMPER: Final = Temper(think_ms=20)
_BACK_MS: Final = 300
_START_MS: Final = 1_000


class House:
    """Plays the seats that the server hands out.

    Args:
        world: the run.
        line: its connection.
        plan: finds the plan of a table whose host knows of it.

    Attributes:
        deaths: how often the process died alone.
    """

    def __init__(self, world: World, line: Line, plan: Callable[[str], TablePlan | None]) -> None:
        self._world = world
        self._client = Client("house", line, _TEMPER, is_prompt=False, is_house=True)
        self._plan = plan
        self._seats: dict[tuple[str, int], HouseSeat] = {}
        self._chairs: list[Chair] = []
        self._rider: SessionRider | None = None
        self.deaths = 0

    def sit(self, seat: HouseSeat) -> None:
        """The server hands *seat* out."""
        self._seats[seat.table_id, seat.seat] = seat
        if self._rider is not None:
            self._come(seat, self._rider)
        elif len(self._seats) == 1:
            self._world.later(self._world.rng.random() * _START_MS, self._start)

    def _start(self) -> None:
        """A process begins, and is told of every seat."""
        if self._rider is None and self._seats:
            self._rider = SessionRider(self._world, self._client)
            for seat in self._seats.values():
                self._come(seat, self._rider)

    def _come(self, seat: HouseSeat, rider: SessionRider) -> None:
        """Have a bot of the process that *rider* belongs to take *seat*."""
        if self._rider is not rider or self._world.has_ended(seat.table_id):
            return
        table = self._plan(seat.table_id)
        if table is None:
            self._world.later(_BACK_MS, self._come, seat, rider)
            return
        plan = replace(table.seats[seat.seat], has_nonce=True, in_session=True)
        chair = Chair(self._world, self._client, plan, table, seat.table_id, seat.seat)
        self._chairs.append(chair)
        # The match may have ended since the seat was handed out.
        Joiner(self._world, chair, seat.invite_code, rider.add, is_whole=False)

    def die(self) -> None:
        """The process is killed; another one follows."""
        if self._rider is None:
            return
        self.deaths += 1
        self._end()
        self._world.later(_BACK_MS + self._world.rng.random() * _START_MS, self._start)

    def stop(self) -> None:
        """The server is gone, and what it had handed out with it."""
        self._end()
        self._seats.clear()

    def _end(self) -> None:
        for chair in self._chairs:
            chair.is_done = True
        self._chairs.clear()
        self._rider = None
        self._client.line.cut(0.0, 0.0)
