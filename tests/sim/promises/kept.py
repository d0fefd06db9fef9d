"""Durable: what a client has seen or was promised is in the record, once, whatever happened."""

from __future__ import annotations

from collections import Counter

from croupier.v1 import game_pb2
from tests.sim.promises.base import Promise
from tests.sim.promises.observed import (
    Acknowledged,
    Ended,
    Opened,
    Refused,
    Seated,
    Shown,
    Told,
)
from tests.sim.promises.retold import Retold
from tests.sim.promises.story import Outages, Place, Story

_NOT_NOW = frozenset(
    {
        "NOT_FOUND",
        "RATE_LIMITED",
        "SERVER_DRAINING",
        "STALE_DECISION",
        "STORE_UNAVAILABLE",
        "TABLE_CLOSED",
        "TABLE_QUARANTINED",
        "TABLE_RECOVERING",
        "TICKET_INVALID",
        "TICKET_SUPERSEDED",
    }
)
"""Refusals that say nothing of what became of an answer."""


class Durable(Promise):
    """Persist, then publish: nothing seen is lost, nothing acknowledged is lost or done twice, and
    tables go on."""

    def __init__(self, outages: Outages) -> None:
        super().__init__(outages)
        self._heads: dict[str, int] = {}
        self._results: dict[str, bytes] = {}
        self._missed: dict[str, Refused] = {}
        self._answers: dict[str, dict[tuple[int, str], Acknowledged]] = {}

    def _saw(self, story: Story, sequence: int) -> None:
        if sequence > self._heads.get(story.table_id, 0):
            self._heads[story.table_id] = sequence

    def opened(self, story: Story, place: Place, seen: Opened) -> None:
        """See `Promise.opened`."""
        place.head = self._heads.get(story.table_id, 0)

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        update = seen.update
        match update.WhichOneof("update"):
            case "event":
                self._saw(story, update.event.sequence)
            case "snapshot":
                snapshot = update.snapshot
                if place.stream.seat is not None and snapshot.sequence < place.head:
                    self.fail(
                        story,
                        f"a snapshot knows {snapshot.sequence} events, {place.head} had been seen",
                    )
                self._saw(story, snapshot.sequence)
            case "decision":
                self._saw(story, update.decision.sequence)
            case "heartbeat":
                self._saw(story, update.heartbeat.sequence)
            case "result":
                self._ended(story, update.result.SerializeToString(deterministic=True))

    def _ended(self, story: Story, result: bytes) -> None:
        if self._results.setdefault(story.table_id, result) != result:
            self.fail(story, "its match ended in two ways")

    def acknowledged(self, story: Story, seen: Acknowledged) -> None:
        """See `Promise.acknowledged`."""
        answers = self._answers.setdefault(story.table_id, {})
        before = answers.setdefault((seen.seat, seen.decision_id), seen)
        if before.move != seen.move:
            self.fail(story, f"decision {seen.decision_id} was acknowledged with two moves")
        if before.sequence != seen.sequence:
            self.fail(
                story,
                f"decision {seen.decision_id} was acknowledged as event {before.sequence}, "
                f"then as {seen.sequence}",
            )
        self._saw(story, seen.sequence)

    def seated(self, story: Story, seen: Seated) -> None:
        """See `Promise.seated`."""
        self._saw(story, 1)

    def refused(self, story: Story, seen: Refused, reason: str, retry_ms: int) -> None:
        """See `Promise.refused`: what was given out holds, also for those who come back."""
        if reason == "TABLE_HALTED":
            self.fail(story, "a fault stopped it")
        is_lost = reason in ("NOT_FOUND", "TICKET_INVALID") and seen.call != "GetRecord"
        if is_lost and seen.is_due and not story.is_recorded:
            self._missed.setdefault(story.table_id, seen)  # wrong unless it had ended by then
        before = self._answers.get(story.table_id, {}).get((seen.seat or 0, seen.decision_id))
        if before is not None and before.move == seen.move and reason not in _NOT_NOW:
            self.fail(
                story,
                f"the answer to {seen.decision_id} was acknowledged, and is refused with {reason} "
                "when it comes again",
            )
        if reason == "SEQUENCE_AHEAD" and seen.after <= self._heads.get(story.table_id, 0):
            self.fail(story, f"event {seen.after} was seen, and is called ahead")

    def shown(self, story: Story, seen: Shown) -> None:
        """See `Promise.shown`."""

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        rows = {row.sequence: row for row in told.rows if row.sequence}
        missed = self._missed.get(story.table_id)
        if missed is not None and missed.at_ms < told.times[len(rows)]:
            self.fail(story, f"{missed.call} did not know the table or the ticket any more")
        for number, public in story.public.items():
            if number not in rows:
                self.fail(story, f"event {number} was seen and is not in the record")
            if rows[number].public != public:
                self.fail(story, f"event {number} was seen otherwise than it is in the record")
        for (number, seat), private in story.private.items():
            if rows[number].private.get(seat, b"") != private:
                self.fail(
                    story, f"event {number} showed seat {seat} something that is not in the record"
                )
        head = self._heads.get(story.table_id, 0)
        if head > len(rows):
            self.fail(story, f"{head} events were seen, the record has {len(rows)}")
        if told.record.result.reason == game_pb2.END_REASON_HALTED:
            self.fail(story, "a fault stopped it")
        self._judge_answers(story, told)
        result = told.record.result.SerializeToString(deterministic=True)
        self._ended(story, result)

    def _judge_answers(self, story: Story, told: Retold) -> None:
        twice = Counter((step.seat, step.decision_id) for step in told.steps)
        for (_, decision_id), number in twice.items():
            if number > 1:
                self.fail(story, f"decision {decision_id} is answered {number} times in the record")
        steps = {(step.seat, step.decision_id): step for step in told.steps}
        for key, seen in self._answers.get(story.table_id, {}).items():
            step = steps.get(key)
            if step is None or step.timed_out:
                self.fail(
                    story, f"the answer to {seen.decision_id} was acknowledged and is not kept"
                )
            if step.move != told.canonical(seen.move) or step.sequence != seen.sequence:
                self.fail(
                    story,
                    f"the answer to {seen.decision_id} is kept as another than was acknowledged",
                )

    def forget(self, story: Story) -> None:
        """See `Promise.forget`."""
        for kept in (self._heads, self._results, self._answers):
            kept.pop(story.table_id, None)
