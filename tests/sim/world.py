"""One run: the plan of a seed carried out, everything that clients see told to the validators."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Final, TypeVar

import structlog
from google.protobuf.message import Message

from tests.sim.chair import Chair, Client
from tests.sim.disk import AnyDisk, Disk
from tests.sim.guests import Host, Joiner, Spectator
from tests.sim.house import House
from tests.sim.loop import START_MS, VirtualLoop
from tests.sim.machine import Machine
from tests.sim.network import Line
from tests.sim.plan import HOUSE, Plan, TablePlan
from tests.sim.promises.judge import Judge
from tests.sim.promises.observed import Broken, Logged, Observation, Told
from tests.sim.riders import WatchRider
from tests.sim.session_rider import SessionRider
from tests.sim.spindle import Crashed
from tests.sim.sqlite_disk import SqliteDisk
from tests.sim.trouble import Trouble

M = TypeVar("M", bound=Message)

HOURS_MAX: Final = 1
"""A run must be over after so many simulated hours; clients wait a quarter of one at most."""

_WAIT_MAX_MS: Final = 4_000
_SLACK_MS: Final = 30


@dataclass(frozen=True)
class Report:
    """What a run came to.

    Attributes:
        matches: that ended and were judged.
        events: that clients were told of.
        seconds: simulated.
        lives: how often the server was started.
        trace: a hash of everything that was observed; equal seeds give equal traces.
    """

    matches: int
    events: int
    seconds: float
    lives: int
    trace: str


class Run:
    """A run under way; see `tests.sim.chair.World`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rng = Random(f"run {plan.seed}")
        self._hosts: list[Host] = []
        self._plans: dict[str, TablePlan] = {}
        self.loop = VirtualLoop()
        self.loop.on_fault = self._fault
        self.judge = Judge(
            wait_max_ms=_WAIT_MAX_MS,
            grace_ms=max(plan.limits.network_grace_ms, plan.limits.unary_grace_ms),
            slack_ms=_SLACK_MS,
            nonce_ms=plan.limits.nonce_ms,
        )
        self.disk: AnyDisk = Disk(self.loop, self._commit_ms, self._step)
        if plan.on_sqlite:
            tears = Random(f"tears {plan.seed}")
            self.disk = SqliteDisk(self.loop, self._commit_ms, self._step, tears)
        secrets = Random(f"secrets {plan.seed}")
        self.machine = Machine(self.loop, self.disk, secrets, plan.limits)
        self.lines = [
            Line(self.loop, self.machine, partial(self._delay, *delay), plan.window)
            for delay in plan.delays
        ]
        self._host_line = Line(self.loop, self.machine, partial(self._delay, 5.0, 2.0), plan.window)
        self._house_line = Line(
            self.loop, self.machine, partial(self._delay, 0.0, 1.0), plan.window
        )
        self.house = self.machine.house = House(self, self._house_line, self._plans.get)
        self._trouble = Trouble(
            self,
            self.loop,
            [*self.lines, self._host_line],
            self.disk,
            self.machine,
            Random(f"trouble {plan.seed}"),
        )
        self._clients = [
            Client(f"client {number}", line, plan.tempers[number], plan.prompt[number])
            for number, line in enumerate(self.lines)
        ]
        self._sessions = [SessionRider(self, client) for client in self._clients]
        self._streams = 0
        self._trace = hashlib.sha256()
        self._failure: BaseException | None = None

    # What the parts of a run share ----------------------------------------------------------------

    def now_ms(self) -> int:
        """The time."""
        return START_MS + self.loop.micros // 1_000

    def see(self, seen: Observation) -> None:
        """Something was observed."""
        if isinstance(seen, Told):  # the message is in the bytes
            self._trace.update(b"%d %d %b" % (seen.at_ms, seen.stream.number, seen.data))
        else:
            self._trace.update(repr(seen).encode())
        self.judge.see(seen)

    def later(self, milliseconds: float, call: Callable[..., object], *arguments: object) -> None:
        """Have *call* called some time from now."""
        self.loop.call_later(milliseconds / 1000, call, *arguments)

    def exactly(self, message: type[M], data: bytes) -> M:
        """*data* as a message; it must hold nothing that the contract does not have."""
        found = message.FromString(data)
        found.DiscardUnknownFields()
        if found.SerializeToString(deterministic=True) != data:
            name = message.DESCRIPTOR.name
            raise Broken("Private", "", f"a {name} holds what the contract does not have")
        return found

    def next_stream(self) -> int:
        """A number that no other stream has."""
        self._streams += 1
        return self._streams

    def has_begun(self, table_id: str) -> bool:
        """Whether a stream told of the match of a table."""
        return self.judge.story(table_id).has_begun

    def has_ended(self, table_id: str) -> bool:
        """Whether the record of a table was given out."""
        story = self.judge.stories.get(table_id)
        return story is not None and story.is_recorded

    def _delay(self, least: float, more: float) -> float:
        return least + self.rng.random() * more

    def _commit_ms(self) -> float:
        low, high = self.plan.commit_ms
        return self.rng.uniform(low, high) + self._trouble.commit_ms()

    def _step(self, what: str) -> None:
        self._trouble.step(what)

    # The run --------------------------------------------------------------------------------------

    def play(self) -> Report:
        """Play everything to the end.

        Raises:
            Broken: a promise was broken.
            Exception: something else went wrong, which is a fault of ours.
        """
        try:
            with self._logged():
                self.loop.call_soon(self.machine.start)
                for table in self.plan.tables:
                    self.later(table.starts_at_ms, self._host, table)
                self._trouble.plan(self.plan.faults)
                for at_ms in self.plan.house_dies_ms:
                    self.later(at_ms, self.house.die)
                self._watch_over()
                self.loop.run_forever()
        finally:
            self._clear_away()
        if self._failure is not None:
            raise self._failure
        return Report(
            self.judge.records,
            self.judge.events,
            self.loop.time(),
            self.machine.lives,
            self._trace.hexdigest()[:16],
        )

    def _clear_away(self) -> None:
        """Let every task of the server unwind before the loop is gone."""
        self.loop.on_fault = None
        for line in (*self.lines, self._host_line, self._house_line):
            line.is_up = False
            line.cut(1e9, 1e9)
        self.machine.crash()
        for task in (left := asyncio.all_tasks(self.loop)):
            task.cancel()
        if left:
            self.loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self.loop.close()
        self.disk.throw_away()

    def _fault(self, error: BaseException) -> None:
        if not isinstance(error, Crashed) and self._failure is None:
            self._failure = error
            self.loop.stop()

    def _watch_over(self) -> None:
        """Stop when all is over, or when it takes too long."""
        is_over = len(self._hosts) == len(self.plan.tables) and all(
            host.is_over for host in self._hosts
        )
        if is_over:
            self.judge.finish()
            self.loop.stop()
        elif self.loop.time() > HOURS_MAX * 3_600:
            open_ = [host.table_id for host in self._hosts if not host.is_over]
            raise Broken("Isolated", ", ".join(open_), "its match does not end")
        else:
            self.later(1_000, self._watch_over)

    def _host(self, table: TablePlan) -> None:
        self._hosts.append(Host(self, self._host_line, table, partial(self._made, table)))

    def _made(self, table: TablePlan, table_id: str, codes: Mapping[int, str]) -> None:
        """A table is there: its players come, and those who watch."""
        self._plans[table_id] = table
        for seat, plan in enumerate(table.seats):
            if plan.client == HOUSE:
                continue
            chair = Chair(self, self._clients[plan.client], plan, table, table_id, seat)
            code = codes.get(seat, "")
            join = partial(Joiner, self, chair, code, self._seated, is_whole=table.is_whole)
            self.later(self.rng.random() * 500, join)
        for number in range(table.spectators):
            watch = partial(
                Spectator,
                self,
                self.rng.choice(self.lines),
                table_id,
                f"spectator {number}",
                is_slow=self.rng.random() < self.plan.slow_spectators,
                is_late=table.request.spec.HasField("spectator_delay"),
            )
            self.later(self.rng.random() * 10_000, watch)

    def _seated(self, chair: Chair) -> None:
        if chair.plan.in_session:
            self._sessions[chair.plan.client].add(chair)
        else:
            WatchRider(self, chair)

    @contextmanager
    def _logged(self) -> Iterator[None]:
        """Everything that the server logs, at every level, is observed too."""
        before = structlog.get_config()

        def keep(_logger: object, level: str, event: MutableMapping[str, Any]) -> str:
            event.pop("ms", None)
            self.see(Logged(self.now_ms(), f"{level} {event}"))
            raise structlog.DropEvent

        structlog.configure(
            processors=[keep],
            wrapper_class=structlog.make_filtering_bound_logger(0),
            cache_logger_on_first_use=False,
        )
        try:
            yield
        finally:
            structlog.configure(**before)
