"""Fair: a seat is charged for the time that it took, no more and no less."""

from __future__ import annotations

from typing import Final, NamedTuple

from croupier.v1 import play_service_pb2
from tests.sim.promises.base import Promise
from tests.sim.promises.observed import (
    Answered,
    Closed,
    Ended,
    Refused,
    Seated,
    Shown,
    Told,
)
from tests.sim.promises.openings import Opening, Unfair
from tests.sim.promises.retold import Retold, Step
from tests.sim.promises.story import Outages, Place, Story

_AGAIN_MS: Final = 15_000
"""Most for which a server that was down lets clients come back before it counts anew."""


class _Spans(NamedTuple):
    """The bounds of what a decision took, in milliseconds, and how exact they are."""

    least: int
    most: int
    slack: int


class Fair(Promise):
    """What is charged lies between what the seat took, less what is granted for the network, and
    what it took at most; time in which the server did not work is nobody's. A match begins with
    every nonce that was promised, and whoever opens its own in time sits there until it does.

    Args:
        outages: see `Promise`.
        grace_ms: most that is granted for the network.
        slack_ms: how exact the observed times are, and how late a server may notice an outage.
        nonce_ms: how long nonces are waited for; 0: nobody knows.
    """

    def __init__(self, outages: Outages, grace_ms: int, slack_ms: int, nonce_ms: int = 0) -> None:
        super().__init__(outages)
        self._grace_ms = grace_ms
        self._slack_ms = slack_ms
        self._nonce_ms = nonce_ms
        self._prompt: dict[str, set[int]] = {}
        self._asked: dict[str, dict[str, int]] = {}
        self._answered: dict[str, dict[str, list[int]]] = {}
        self._absent: dict[str, set[int]] = {}
        self._filled: dict[tuple[str, int], int] = {}
        self._told_to_wait: dict[str, list[tuple[int, int, int]]] = {}

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        if seen.stream.seat is None:
            return
        at = seen.at_ms if seen.sent_ms is None else seen.sent_ms
        if seen.update.event.HasField("seats_filled"):
            self._filled.setdefault((story.table_id, seen.update.event.sequence), at)
        if seen.update.WhichOneof("update") == "decision":
            asked = self._asked.setdefault(story.table_id, {})
            asked.setdefault(seen.update.decision.decision_id, at)

    def shown(self, story: Story, seen: Shown) -> None:
        """See `Promise.shown`: a view asks the question too, nobody knows exactly when."""
        if seen.call == "GetSeatView":
            view = play_service_pb2.GetSeatViewResponse.FromString(seen.data)
            if view.HasField("decision"):
                asked = self._asked.setdefault(story.table_id, {})
                asked[view.decision.decision_id] = 0

    def answered(self, story: Story, seen: Answered) -> None:
        """See `Promise.answered`."""
        answered = self._answered.setdefault(story.table_id, {})
        answered.setdefault(seen.decision_id, []).append(seen.at_ms)

    def refused(self, story: Story, seen: Refused, reason: str, retry_ms: int) -> None:
        """See `Promise.refused`: who was told to wait for the store is not charged for it."""
        if reason == "STORE_UNAVAILABLE" and seen.decision_id and seen.seat is not None:
            spans = self._told_to_wait.setdefault(story.table_id, [])
            # The delay began when the server said so; the network may have taken all that it is
            # granted to bring that.
            spans.append((seen.seat, seen.at_ms, seen.at_ms + retry_ms - self._grace_ms))

    def closed(self, story: Story, place: Place, seen: Closed) -> None:
        """See `Promise.closed`."""
        if place.stream.seat is not None:
            self._absent.setdefault(story.table_id, set()).add(place.stream.seat)

    def seated(self, story: Story, seen: Seated) -> None:
        """See `Promise.seated`."""
        if seen.is_prompt:
            self._prompt.setdefault(story.table_id, set()).add(seen.seat)

    def _judge_opening(self, story: Story, told: Retold) -> None:
        """The match began as it should, or not at all."""
        try:
            opening = Opening(told, self._nonce_ms)
        except Unfair as error:
            self.fail(story, str(error))
        for seat in opening.freed & self._prompt.get(story.table_id, set()):
            self.fail(story, f"seat {seat} opens its nonce at once, and was freed for it")
        if not self._nonce_ms:
            return
        for number, until in opening.waits:
            # The wait begins when it is stored that all sit, and is known where a seat was told.
            since = self._filled.get((story.table_id, number))
            if since is None:
                continue
            # A server that came back just before that still lets clients come back.
            again = self.outages.count(since - _AGAIN_MS, until) * (self._nonce_ms + _AGAIN_MS)
            late = until - since - self.outages.within(since, until) - self._nonce_ms - again
            if late > self._slack_ms:
                self.fail(story, f"a nonce was waited for {late} ms longer than it may be")

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        self._judge_opening(story, told)
        clock = told.record.table.spec.clock
        base, increment = clock.base.ToMilliseconds(), clock.increment.ToMilliseconds()
        per_move = clock.per_move.ToMilliseconds()
        window = clock.window_time.ToMilliseconds()
        if not (base or increment or per_move):
            if any(step.charged_ms for step in told.steps):
                self.fail(story, "time was charged where there is no clock")
            return
        seats = len(told.record.table.seats)
        left, hidden, deal = [base] * seats, [0] * seats, 0
        grace = [clock.disconnect_grace.ToMilliseconds()] * seats
        for step in told.steps:
            if step.deal != deal:
                left = [max(one - more, 0) for one, more in zip(left, hidden, strict=True)]
                hidden, deal = [0] * seats, step.deal
            grace[step.seat] -= step.absent_ms
            if grace[step.seat] < 0:
                self.fail(story, f"seat {step.seat} is forgiven more absence than there is grace")
            is_sealed = not step.sequence
            if is_sealed and window:
                if step.charged_ms:
                    self.fail(story, "time was charged for a window of fixed length")
                continue
            budget = per_move + left[step.seat] - (hidden[step.seat] if is_sealed else 0)
            self._judge(story, told, step, max(budget, 0))
            beyond = max(step.charged_ms - per_move, 0)
            if is_sealed:
                hidden[step.seat] += beyond
            else:
                left[step.seat] += increment - beyond

    def _judge(self, story: Story, told: Retold, step: Step, budget: int) -> None:
        if step.charged_ms > budget:
            self.fail(
                story,
                f"{step.charged_ms} ms were charged for {step.decision_id}, {budget} were left",
            )
        took = self._took(story, told, step)
        if took is None:
            return
        if step.charged_ms > took.most + took.slack:
            self.fail(
                story,
                f"{step.charged_ms} ms were charged for {step.decision_id}, which took {took.most}",
            )
        wanted = min(took.least, budget) - took.slack
        if step.charged_ms < wanted:
            self.fail(
                story,
                f"{step.charged_ms} ms were charged for {step.decision_id}, "
                f"which took {took.least} beyond all grace",
            )

    def _took(self, story: Story, told: Retold, step: Step) -> _Spans | None:
        """The bounds of the time that a decision took; None: nothing is known of it."""
        due = told.times[int(step.decision_id.partition("-")[0])]
        asked = self._asked.get(story.table_id, {}).get(step.decision_id)
        until = step.at_ms
        if not step.sequence:
            came = self._answered.get(story.table_id, {}).get(step.decision_id, [])
            if not came or step.timed_out:
                return None
            until = max(came)
        is_there = step.seat not in self._absent.get(story.table_id, set())
        told_to_wait = self._told_to_wait.get(story.table_id, [])
        waits = [(since, upto) for seat, since, upto in told_to_wait if seat == step.seat]
        nobodys = Outages(self.outages.spans + waits)
        most = max(until - due, 0) - nobodys.within(due, until)
        least = 0
        if asked and is_there and step.sequence:
            late = self.outages.within(asked - 1_000, until)
            least = 0 if late else max(until - asked - step.absent_ms - self._grace_ms, 0)
        slack = self._slack_ms * (1 + self.outages.count(due, until))
        return _Spans(least, most, slack)

    def forget(self, story: Story) -> None:
        """See `Promise.forget`."""
        for kept in (
            self._asked,
            self._answered,
            self._absent,
            self._prompt,
            self._told_to_wait,
        ):
            kept.pop(story.table_id, None)
