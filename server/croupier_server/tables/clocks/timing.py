"""The clocks of a table's open decisions: since when each runs, what stops it, when time is out.

A decision's clock starts when the frame that asks it is written, at the latest `DUE_GRACE_MS` after
what it stands on was stored. Time that is not the seat's is taken out by moving that start: what
the network takes, time in which the server was late or away, and, as long as the table's grace for
it lasts, time in which the seat has no stream. Sealed decisions have no such grace: an open window
that lasts longer when somebody is gone would tell that this seat was asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.tables.clocks.accounts import Accounts
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.clocks.decisions import DUE_GRACE_MS, Decision
from croupier_server.tables.spec import ClockSpec

_TRIPS_MAX: Final = 8
_HERE: Final = FOREVER
"""Since when a seat has been gone that is not."""


class RoundTrips:
    """What the network takes from a session's client and back: the smallest of the last eight
    heartbeats that it echoed. A client that echoes late once gains nothing by it."""

    __slots__ = ("_awaited", "_sent_ms", "_trips")

    def __init__(self) -> None:
        self._awaited = 0
        self._sent_ms = 0
        self._trips: deque[int] = deque(maxlen=_TRIPS_MAX)

    def sent(self, heartbeat: int, now: int) -> None:
        """The heartbeat of this number, from 1, is being written."""
        self._awaited = heartbeat
        self._sent_ms = now

    def echoed(self, heartbeat: int, now: int) -> None:
        """The client gave *heartbeat* back; only the last one, and only once, says anything."""
        if heartbeat == self._awaited != 0:
            self._awaited = 0
            self._trips.append(now - self._sent_ms)

    @property
    def is_measured(self) -> bool:
        """Whether the client has echoed a heartbeat."""
        return bool(self._trips)

    def network_ms(self, otherwise: int) -> int:
        """The smallest, or *otherwise* before there is any."""
        return min(self._trips, default=otherwise)


class Timing:
    """The clocks of one table.

    Args:
        spec: the table's clock.
        decisions: by seat, the open one; shared with the match, which changes it.

    Attributes:
        is_timed: a seat's time can run out.
        accounts: what the seats have left.
        deadline: when time is out for somebody, or a window closes; or `FOREVER`.
        unstored: number of the event that what was opened last stands on, until `stored` is called
            for it; else 0.
    """

    __slots__ = (
        "_decisions",
        "_gone_ms",
        "_has_grace",
        "_runs_from_ms",
        "_spec",
        "_stands_ms",
        "_window_is_open",
        "_window_until",
        "accounts",
        "deadline",
        "is_timed",
        "unstored",
    )

    def __init__(self, spec: ClockSpec, decisions: Sequence[Decision | None]) -> None:
        self._spec = spec
        self._decisions = decisions
        self._gone_ms = [0] * len(decisions)
        self._has_grace = spec.is_timed and spec.disconnect_grace_ms > 0
        self._stands_ms = FOREVER
        self._runs_from_ms = 0
        self._window_is_open = False
        self._window_until = FOREVER
        self.is_timed = spec.is_timed
        self.accounts = Accounts(spec, len(decisions))
        self.deadline = FOREVER
        self.unstored = 0

    # Starting and stopping -----------------------------------------------------------------------

    def open_window(self) -> None:
        """A sealed window has been opened; its time starts when that is stored."""
        self._window_is_open = True
        self._window_until = FOREVER

    def close_window(self) -> None:
        """The window is over."""
        self._window_is_open = False
        self._window_until = FOREVER

    def opened(self, sequence: int) -> None:
        """Decisions or a window have come behind event *sequence*; once that is stored `stored` is
        to be called, and their time starts. None is open that has come before."""
        if self.is_timed or (self._window_is_open and self._spec.window_ms):
            self.unstored = sequence
        self.deadline = FOREVER

    def stored(self, now: int) -> None:
        """What has been opened is stored, so that its seats may be asked."""
        now = self._time(now)
        self.unstored = 0
        if self._window_is_open and self._spec.window_ms and self._window_until == FOREVER:
            self._window_until = now + self._spec.window_ms
        for decision in self._decisions:
            if decision is not None and decision.clock_from_ms == FOREVER:
                decision.clock_from_ms = now + DUE_GRACE_MS
        self.set_deadline()

    def start(self, decision: Decision, now: int, network_ms: int) -> None:
        """The question is being sent: its clock runs from when it can have arrived.

        Args:
            decision: the decision; if it was sent before, nothing changes.
            now: the time.
            network_ms: what the network takes for question and answer.
        """
        if decision.asked_ms is None:
            decision.asked_ms = now
            if self.is_timed:
                now = self._time(now)
                self.here(decision.seat, now)
                decision.clock_from_ms = min(now, decision.clock_from_ms) + network_ms
                self.set_deadline()

    def here(self, seat: Seat, now: int) -> None:
        """*seat* has a stream, or was asked by a call."""
        if self._has_grace:
            self._settle(self._decisions[seat], self._time(now))
            self._gone_ms[seat] = _HERE
            self.set_deadline()

    def gone(self, seat: Seat, now: int) -> None:
        """*seat* has no stream any more."""
        if self._has_grace and self._gone_ms[seat] == _HERE:
            self._gone_ms[seat] = self._time(now)
            self.set_deadline()

    def stand(self, now: int) -> None:
        """All clocks stand from *now* until `go_on`; if they stand already, nothing changes."""
        self._stands_ms = min(now, self._stands_ms)
        self.set_deadline()

    def run_from(self, at_ms: int) -> None:
        """Keep clocks that are paused by `stand` paused until *at_ms*, even if `go_on` comes
        before."""
        if self._stands_ms != FOREVER:
            self._skip_to(at_ms)
            self._runs_from_ms = max(self._runs_from_ms, at_ms)

    def go_on(self, now: int) -> None:
        """Resume the clocks that `stand` paused."""
        if self._stands_ms != FOREVER:
            self._skip_to(now)
            self._stands_ms = FOREVER
            self.set_deadline()

    def _time(self, now: int) -> int:
        """The time as clocks have it: it stops while they are paused."""
        return max(min(now, self._stands_ms), self._runs_from_ms)

    def _skip_to(self, at_ms: int) -> None:
        """Nobody is charged for the time from when clocks were paused to *at_ms*."""
        skipped_ms = at_ms - self._time(at_ms)
        if skipped_ms <= 0:
            return
        for decision in self._decisions:
            if decision is not None:
                decision.due_ms += skipped_ms
                if decision.clock_from_ms != FOREVER:
                    decision.clock_from_ms += skipped_ms
        self._gone_ms = [at if at == _HERE else at + skipped_ms for at in self._gone_ms]
        if self._window_until != FOREVER:
            self._window_until += skipped_ms

    def give_back(self, since: int, now: int) -> None:
        """Nobody is charged for the time from *since* to *now*, in which the server was late. Where
        clocks stand, `go_on` gives it back."""
        since, now = self._time(since), self._time(now)
        if now <= since:
            return
        for decision in self._decisions:
            if decision is not None:
                self._settle(decision, since)
                decision.due_ms += max(now - max(since, decision.due_ms), 0)
                if decision.clock_from_ms < now:
                    decision.clock_from_ms += now - max(since, decision.clock_from_ms)
        for seat, gone_ms in enumerate(self._gone_ms):
            if gone_ms != _HERE:
                self._gone_ms[seat] = max(gone_ms, now)
        if self._window_until != FOREVER:
            opened_ms = self._window_until - self._spec.window_ms
            self._window_until += max(now - max(since, opened_ms), 0)
        self.set_deadline()

    def reopen(self, now: int, grace_ms: int, used: Mapping[str, int]) -> None:
        """The server was away and goes on *now*; nobody has a stream yet.

        Clocks stand until their question is sent again, at the latest for *grace_ms*; a fixed
        window begins anew behind that.

        Args:
            now: the time.
            grace_ms: how long seats are given to come back.
            used: by decision id, milliseconds that are known to have been used before.
        """
        self._gone_ms = [now] * len(self._gone_ms)
        for decision in self._decisions:
            if decision is not None:
                decision.asked_ms = None
                decision.before_ms = used.get(decision.id, decision.before_ms)
                decision.due_ms = decision.clock_from_ms = now + grace_ms
        if self._window_is_open and self._spec.window_ms:
            self._window_until = now + grace_ms + self._spec.window_ms
        self.unstored = 0
        self.set_deadline()

    # What was used -------------------------------------------------------------------------------

    def charge(self, decision: Decision, now: int) -> int:
        """Charge an answer to *decision*; returns what it is charged.

        A fixed window costs nobody any time.
        """
        is_fixed = decision.sealed and self._spec.window_ms
        if not self.is_timed or is_fixed:
            return 0
        now = self._time(now)
        self._settle(decision, now)
        used = decision.used_ms(now)
        return self.accounts.charge(decision.seat, used, sealed=decision.sealed)

    def set_used(self, decision: Decision, used_ms: int, absent_ms: int, now: int) -> None:
        """Let the clock of *decision* have run for *used_ms*, beside an absence, for a replay."""
        self._gone_ms[decision.seat] = _HERE
        self.accounts.grace[decision.seat] -= absent_ms - decision.absent_ms
        decision.absent_ms = absent_ms
        decision.before_ms = 0
        decision.clock_from_ms = now - used_ms

    def used_ms(self, decision: Decision, now: int) -> int:
        """Time of its own that the seat of *decision* has had for it."""
        now = self._time(now)
        return decision.used_ms(now - self._absent_ms(decision, now))

    def left_ms(self, decision: Decision, now: int) -> int | None:
        """Time that is left for *decision*; None: no limit."""
        if decision.sealed and self._spec.window_ms:
            if self._window_until == FOREVER:
                return self._spec.window_ms
            return max(self._window_until - self._time(now), 0)
        if not self.is_timed:
            return None
        budget = self.accounts.budget_ms(decision.seat, sealed=decision.sealed)
        return max(budget - self.used_ms(decision, now), 0)

    def used_before_stop(self, now: int) -> dict[str, int]:
        """By id of each open decision what of its time was used; for `reopen`."""
        if not self.is_timed:
            return {}
        found = {}
        for decision in self._decisions:
            if decision is not None and decision.answer is None:
                found[decision.id] = self.used_ms(decision, now)
        return found

    def is_out(self, decision: Decision, now: int) -> bool:
        """Whether time is out for *decision*."""
        return now >= self._expiry(decision)

    def shown(self, now: int) -> Iterator[tuple[Seat, int, int]]:
        """Clocks as everybody may see them: seat, milliseconds left, strikes."""
        decision = self._running
        if decision is None:
            return self.accounts.shown(None, 0)
        return self.accounts.shown(decision.seat, self.used_ms(decision, now))

    def running(self, now: int) -> tuple[Seat, int] | None:
        """The seat whose clock runs for everybody to see, and milliseconds left of its time for the
        move."""
        decision = self._running
        if decision is None:
            return None
        return decision.seat, max(self._spec.per_move_ms - self.used_ms(decision, now), 0)

    @property
    def _running(self) -> Decision | None:
        """The decision whose clock everybody may see."""
        if not self.is_timed or self._window_is_open:
            return None
        return next((one for one in self._decisions if one is not None), None)

    def set_deadline(self) -> None:
        """Work `deadline` out anew: decisions or clocks have changed."""
        self.deadline = FOREVER
        if self._stands_ms != FOREVER:
            return
        if self._window_is_open and self._spec.window_ms:
            self.deadline = self._window_until
        elif self.is_timed:
            for decision in self._decisions:
                if decision is not None and decision.answer is None:
                    self.deadline = min(self.deadline, self._expiry(decision))

    def _expiry(self, decision: Decision) -> int:
        seat = decision.seat
        budget = self.accounts.budget_ms(seat, sealed=decision.sealed)
        expiry = decision.clock_from_ms + budget - decision.before_ms
        if self._has_grace and not decision.sealed and self._gone_ms[seat] != _HERE:
            expiry += self.accounts.grace[seat]
        return expiry

    def _absent_ms(self, decision: Decision, now: int) -> int:
        """Time since the last `_settle` that is not charged because the seat is gone."""
        if not self._has_grace or decision.sealed:
            return 0
        since = max(self._gone_ms[decision.seat], decision.clock_from_ms)
        return min(max(now - since, 0), self.accounts.grace[decision.seat])

    def _settle(self, decision: Decision | None, now: int) -> None:
        """Take what the seat of *decision* was gone for up to *now* out of its time, and out of its
        grace."""
        if decision is None:
            return
        absent = self._absent_ms(decision, now)
        if absent:
            seat = decision.seat
            self.accounts.grace[seat] -= absent
            decision.absent_ms += absent
            decision.clock_from_ms += absent
            self._gone_ms[seat] = max(self._gone_ms[seat], now)
