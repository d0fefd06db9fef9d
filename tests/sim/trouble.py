"""What goes wrong in a run: lines, loop, disk and the server itself, when the plan says.

Every time in which the server cannot do its work is told to the validators as an outage. Must not
be put here: clients that behave badly, which is their temper, and what is planned (``plan.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from croupier_server.tables.shard.upkeep import HANGS_MS
from tests.sim.chair import World
from tests.sim.disk import AnyDisk
from tests.sim.faults import Fault
from tests.sim.loop import START_MS, VirtualLoop
from tests.sim.machine import Machine
from tests.sim.network import Line
from tests.sim.promises.observed import Outage
from tests.sim.spindle import Crashed

_NOTICED_MS: Final = (0.0, 0.0, 500.0, 20_000.0)
"""How long it takes a side to notice that a connection is gone."""


class Trouble:
    """Carries the faults of a plan out.

    Args:
        world: the run.
        loop, lines, disk, machine: what goes wrong.
        rng: for what the plan leaves open.

    Attributes:
        steps_left: steps of the store until the server dies; 0: it does not.
    """

    def __init__(
        self,
        world: World,
        loop: VirtualLoop,
        lines: Sequence[Line],
        disk: AnyDisk,
        machine: Machine,
        rng: Random,
    ) -> None:
        self._world = world
        self._loop = loop
        self._lines = lines
        self._disk = disk
        self._machine = machine
        self._rng = rng
        self._dies_for_ms = 0
        self._slow_ms = 0.0
        self._full = 0
        self._is_draining = False
        self.steps_left = 0

    def plan(self, faults: Sequence[Fault]) -> None:
        """Have *faults* happen."""
        for fault in faults:
            self._world.later(fault.at_ms, self._begin, fault)

    def step(self, what: str) -> None:
        """A step of the store; the server may die at it."""
        if self.steps_left and self._machine.is_up:
            self.steps_left -= 1
            if not self.steps_left:
                self._crash(self._dies_for_ms)
                raise Crashed(what)

    def commit_ms(self) -> float:
        """What a slow disk adds to the next commit."""
        return self._rng.random() * self._slow_ms

    def _begin(self, fault: Fault) -> None:
        line = self._lines[fault.line]
        later = self._world.later
        match fault.kind:
            case "cut":
                line.cut(self._rng.choice(_NOTICED_MS), self._rng.choice(_NOTICED_MS))
            case "no route":
                line.is_up = False
                line.cut(0.0, self._rng.choice(_NOTICED_MS))
                later(fault.lasts_ms, setattr, line, "is_up", True)
            case "slow line":
                line.extra_ms += 300.0
                later(fault.lasts_ms, self._speed_up, line)
            case "busy":
                now = self._world.now_ms()
                self._loop.stall(fault.lasts_ms)
                self._world.see(Outage(now, self._world.now_ms(), fault.kind))
            case "slow disk":
                self._slow_ms = 800.0
                later(fault.lasts_ms, setattr, self, "_slow_ms", 0.0)
            case "full disk":
                self._full += 1
                self._disk.set_trouble("the disk is full")
                later(fault.lasts_ms, self._space_again)
            case "hung disk":
                self._disk.set_hanging(hangs=True)
                later(fault.lasts_ms, self._answers_again)
            case "crash":
                self._crash(fault.lasts_ms)
            case "crash at a step":
                self.steps_left = fault.step
                self._dies_for_ms = fault.lasts_ms
            case "drain":
                self._drain(fault.lasts_ms)

    def _speed_up(self, line: Line) -> None:
        line.extra_ms -= 300.0

    def _space_again(self) -> None:
        self._full -= 1
        if self._full:
            return
        noticed_ms, self._disk.noticed_ms = self._disk.noticed_ms, None
        self._disk.set_trouble("")
        if noticed_ms is not None:
            self._world.see(Outage(START_MS + noticed_ms, self._world.now_ms(), "full disk"))

    def _answers_again(self) -> None:
        shard, hung_ms = self._machine.shard, self._disk.hung_ms
        has_noticed = shard is not None and shard.upkeep.trouble
        self._disk.set_hanging(hangs=False)
        if hung_ms is not None and has_noticed:  # what was answered before that cost what it took
            since = START_MS + hung_ms + HANGS_MS
            self._world.see(Outage(since, self._world.now_ms(), "hung disk"))

    def _crash(self, down_ms: int) -> None:
        if self._machine.is_up:
            now = self._world.now_ms()
            self._machine.crash()
            for line in self._lines:
                line.cut(self._rng.random() * 50, 0.0)
            self._world.later(down_ms, self._start, now)

    def _drain(self, down_ms: int) -> None:
        if self._machine.is_up and not self._is_draining:
            self._is_draining = True
            now = self._world.now_ms()
            self._loop.create_task(self._machine.drain()).add_done_callback(
                lambda _: self._drained(now, down_ms)
            )

    def _drained(self, since: int, down_ms: int) -> None:
        self._is_draining = False
        for line in self._lines:  # calls of clients that did not read to their end in time
            line.cut(0.0, 0.0)
        self._world.later(down_ms, self._start, since)

    def _start(self, since: int) -> None:
        if self._machine.shard is not None:
            return  # something else had stopped it before, and started it
        self._machine.start()
        self._world.see(Outage(since, self._world.now_ms(), "down"))
