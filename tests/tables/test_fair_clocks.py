"""Promise 5, Fair: of whatever happens to a seat it is charged its own time and nothing else.

A second reckoning, a millisecond at a time, runs beside the clocks: what it says that a seat has
used, was absent for and has lost to the server is what they must say, in any order of events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.clocks.decisions import DUE_GRACE_MS, Decision
from croupier_server.tables.clocks.timing import Timing
from croupier_server.tables.spec import ClockSpec, TimeoutPolicy

SEAT = 1
START_MS = 1_000_000
RECONNECT_MS = 40
RETRY_MS = 30

TIMES = st.integers(0, 120)
CLOCKS = st.builds(
    ClockSpec,
    base_ms=st.integers(0, 1_000),
    increment_ms=st.integers(0, 60),
    per_move_ms=st.integers(1, 200),
    max_strikes=st.integers(0, 3),
    on_timeout=st.sampled_from(TimeoutPolicy),
    disconnect_grace_ms=st.integers(0, 300),
)
WHAT = ["late", "late", "come", "go", "go", "ask", "ask", "answer", "wait", "crash", "drain"]
WHAT += ["stand", "go on", "go on", "go on later"]
STEPS = st.lists(st.tuples(TIMES, st.sampled_from(WHAT), TIMES), min_size=3, max_size=25)


@dataclass
class Reckoning:
    """What happens to one decision, a millisecond at a time.

    Attributes:
        starts_at: when its clock starts if the question is not sent before.
        runs_from: no clock runs before then, as seats were told to retry no sooner.
        free: what is left of the network's share, which is nobody's.
        since: used by its seat.
        before: used before the server stopped, as far as that is known.
        absent: forgiven, as the seat had no stream.
        lost: by the server.
    """

    starts_at: int
    runs_from: int = 0
    before: int = 0
    free: int = 0
    since: int = 0
    absent: int = 0
    lost: int = 0

    @property
    def used(self) -> int:
        """By its seat, in all."""
        return self.before + self.since

    def pass_ms(
        self, now: int, *, is_late: bool, is_gone: bool, grace: int, stands: bool = False
    ) -> None:
        """The millisecond from *now* on."""
        if stands or now < self.runs_from:
            self.starts_at += now < self.starts_at
            self.lost += 1
        elif now < self.starts_at:
            return
        elif self.free:
            self.free -= 1
        elif is_late:
            self.lost += 1
        elif is_gone and self.absent < grace:
            self.absent += 1
        else:
            self.since += 1

    def ask(self, now: int, network_ms: int) -> None:
        """The question is sent."""
        self.starts_at = min(self.starts_at, now)
        self.free = max(network_ms - self.since, 0)
        self.since = max(self.since - network_ms, 0)


@dataclass
class Bench:
    """A seat that is asked again and again, its clock, and the reckoning."""

    spec: ClockSpec
    sealed: bool = False
    now: int = START_MS
    is_gone: bool = True
    stands: bool = False
    charged: list[int] = field(default_factory=list)
    absences: list[int] = field(default_factory=list)
    answers: int = 0

    def __post_init__(self) -> None:
        self.grace = 0 if self.sealed else self.spec.disconnect_grace_ms
        self.left = self.spec.base_ms
        self.hidden = 0
        self.decisions: list[Decision | None] = [None, None]
        self.timing = Timing(self.spec, self.decisions)
        self.truth = Reckoning(self.now)
        self.open()

    @property
    def decision(self) -> Decision:
        decision = self.decisions[SEAT]
        assert decision is not None
        return decision

    @property
    def budget(self) -> int:
        return max(self.spec.per_move_ms + self.left - self.hidden, 0)

    def open(self) -> None:
        """The next decision, which is stored at once."""
        self.answers += 1
        self.decisions[SEAT] = Decision(SEAT, 1, self.answers, self.now, sealed=self.sealed)
        self.truth = Reckoning(self.now + DUE_GRACE_MS, self.truth.runs_from)
        self.open_window()
        self.timing.opened(self.answers)
        self.timing.stored(self.now)

    def open_window(self) -> None:
        """Sealed questions are asked in windows, which stay open until all have answered."""
        if self.sealed:
            self.timing.open_window()

    def step(self, milliseconds: int, what: str, network_ms: int) -> None:
        """Time goes by, and something happens."""
        is_late = what == "late" and not self.stands  # time that stands still is given back once
        since = self.now
        for _ in range(milliseconds):
            if not is_late and not self.stands and self.truth.used >= self.budget:
                self.time_out()
            self.truth.pass_ms(
                self.now,
                is_late=is_late,
                is_gone=self.is_gone,
                grace=self.grace,
                stands=self.stands,
            )
            self.now += 1
        if what == "late":
            self.timing.give_back(since, self.now)
        if not self.stands and self.truth.used >= self.budget:
            self.time_out()
        self.happen(what, network_ms)
        self.check()

    def happen(self, what: str, network_ms: int) -> None:
        """Something happens now."""
        if what == "stand":
            self.stands = True
            self.timing.stand(self.now)
        elif what in ("go on", "go on later"):
            if what == "go on later" and self.stands:
                self.truth.runs_from = max(self.truth.runs_from, self.now + RETRY_MS)
                self.timing.run_from(self.now + RETRY_MS)
            self.stands = False
            self.timing.go_on(self.now)
        elif what == "come":
            self.is_gone = False
            self.timing.here(SEAT, self.now)
        elif what == "go":
            self.is_gone = True
            self.timing.gone(SEAT, self.now)
        elif what == "ask" and self.decision.asked_ms is None:
            self.is_gone = False  # it was asked, so it is there
            self.timing.start(self.decision, self.now, network_ms)
            self.truth.ask(self.now, network_ms)
        elif what == "answer" and not self.stands:
            self.answer()
        elif what in ("crash", "drain"):
            self.restart(is_planned=what == "drain")

    def time_out(self) -> None:
        """The seat's time is up, and the clock knows."""
        assert self.timing.is_out(self.decision, self.now)
        assert self.timing.deadline <= self.now
        self.answer()

    def answer(self) -> None:
        """The decision is over: what it cost is what the seat used, bounded by what it had."""
        charged = self.timing.charge(self.decision, self.now)
        assert charged == min(self.truth.used, self.budget)
        assert self.decision.absent_ms == self.truth.absent
        self.charged.append(charged)
        self.absences.append(self.truth.absent)
        beyond = max(charged - self.spec.per_move_ms, 0)
        if self.sealed:
            self.hidden += beyond
        else:
            self.left += self.spec.increment_ms - beyond
        self.grace -= self.truth.absent
        self.open()

    def restart(self, *, is_planned: bool) -> None:
        """The server stops and starts again: what the log tells is charged again, in its order."""
        used = self.timing.used_before_stop(self.now) if is_planned else {}
        if is_planned:
            assert used == {self.decision.id: self.truth.used}
        number, sequence = len(self.charged), self.answers
        self.decisions = [None, None]
        self.timing = Timing(self.spec, self.decisions)
        for charged, absent in zip(self.charged, self.absences, strict=True):
            decision = Decision(SEAT, 1, 1, self.now, sealed=self.sealed)
            self.decisions[SEAT] = decision
            self.timing.set_used(decision, charged, absent, self.now)
            assert self.timing.charge(decision, self.now) == charged
        assert len(self.charged) == number
        self.decisions[SEAT] = Decision(SEAT, 1, sequence, self.now, sealed=self.sealed)
        self.open_window()
        self.now += 5_000
        self.timing.reopen(self.now, RECONNECT_MS, used)
        self.is_gone, self.stands = True, False
        self.truth = Reckoning(self.now + RECONNECT_MS, before=self.truth.used if is_planned else 0)

    def check(self) -> None:
        """What the clock shows is what is left, and it falls when the reckoning says."""
        used = min(self.truth.used, self.budget)
        assert self.timing.used_ms(self.decision, self.now) == self.truth.used
        assert self.timing.left_ms(self.decision, self.now) == self.budget - used
        shown = {seat: left for seat, left, _ in self.timing.shown(self.now)}
        beyond = 0 if self.sealed else max(used - self.spec.per_move_ms, 0)
        assert shown == {0: self.spec.base_ms, SEAT: self.left - beyond}
        assert self.timing.deadline > self.now
        if self.stands:
            assert self.timing.deadline == FOREVER
        else:
            self.check_deadline()

    def check_deadline(self) -> None:
        """If nothing else happens, time is out at the deadline and not before."""
        truth = Reckoning(**vars(self.truth))
        at = self.now
        while truth.used < self.budget:
            truth.pass_ms(at, is_late=False, is_gone=self.is_gone, grace=self.grace)
            at += 1
        assert self.timing.deadline == at


@pytest.mark.more
@settings(max_examples=500)
@given(CLOCKS, STEPS)
def test_fair_a_seat_is_charged_its_own_time_and_nothing_else(
    spec: ClockSpec, steps: list[tuple[int, str, int]]
) -> None:
    """Not the network's, not the server's, not that of a restart; absences up to the grace."""
    bench = Bench(spec)
    for step in steps:
        bench.step(*step)
    assert all(charged >= 0 for charged in bench.charged)
    assert sum(bench.absences) <= spec.disconnect_grace_ms
    had = spec.base_ms + len(bench.charged) * (spec.increment_ms + spec.per_move_ms)
    assert sum(bench.charged) <= had


@pytest.mark.more
@settings(max_examples=200)
@given(CLOCKS, STEPS)
def test_fair_a_sealed_answer_costs_its_time_and_no_absence_is_forgiven(
    spec: ClockSpec, steps: list[tuple[int, str, int]]
) -> None:
    """A window that stays open longer because a seat is gone would tell that it was asked; and what
    was used in it is on no clock before the deal has ended."""
    bench = Bench(spec, sealed=True)
    for step in steps:
        bench.step(*step)
    assert not any(bench.absences)
    assert sum(bench.charged) <= spec.base_ms + len(bench.charged) * spec.per_move_ms


@pytest.mark.parametrize(
    ("steps", "absent"),
    [
        ([(30, "stand", 0), (100, "come", 0), (20, "go on", 0), (10, "wait", 0)], 30),
        ([(30, "stand", 0), (100, "go on", 0), (10, "wait", 0)], 40),
        ([(30, "wait", 0), (100, "late", 0), (10, "come", 0)], 40),
        ([(0, "stand", 0), (100, "go on", 0), (10, "come", 0)], 10),
    ],
)
def test_fair_grace_is_not_used_up_while_the_server_can_do_nothing(
    steps: list[tuple[int, str, int]], absent: int
) -> None:
    bench = Bench(ClockSpec(base_ms=500, disconnect_grace_ms=200))
    for step in [(10, "ask", 0), (50, "go", 0), *steps]:
        bench.step(*step)
    bench.timing.here(SEAT, bench.now)
    assert bench.decision.absent_ms == bench.truth.absent == absent
    assert bench.timing.accounts.grace[SEAT] == 200 - absent


def test_fair_an_absence_that_was_counted_in_part_is_not_counted_twice() -> None:
    bench = Bench(ClockSpec(base_ms=500, disconnect_grace_ms=200))
    for step in [(10, "ask", 0), (0, "go", 0), (30, "come", 0)]:
        bench.step(*step)
    assert bench.decision.absent_ms == 30
    bench.timing.set_used(bench.decision, 100, 70, bench.now)
    assert bench.timing.accounts.grace[SEAT] == 130
