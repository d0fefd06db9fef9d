"""Isolated: a client that stalls, floods, lies or vanishes costs only itself, and matches end."""

from __future__ import annotations

from typing import NamedTuple

from croupier.v1 import game_pb2, table_pb2
from tests.sim.promises.base import Promise
from tests.sim.promises.observed import RELIEF, Ended, Refused, Seated, Told
from tests.sim.promises.retold import Retold
from tests.sim.promises.story import Outages, Place, Story

_END = game_pb2.EndReason
_SUPERSEDED = table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED


class _Asked(NamedTuple):
    """When a question was first sent, and when the stream that it came on was opened."""

    sent_ms: int
    opened_ms: int


class _PutOut(NamedTuple):
    """A stream that ended as its seat was taken, and the last event that it had told of."""

    seat: int
    position: int


class Isolated(Promise):
    """Whoever plays promptly and honestly neither waits for another's reader nor loses by it.

    Args:
        outages: see `Promise`.
        wait_max_ms: an event is sent to whoever reads at once so soon after it happened, and so is
            a question; outages left out.
    """

    def __init__(self, outages: Outages, wait_max_ms: int) -> None:
        super().__init__(outages)
        self._wait_max_ms = wait_max_ms
        self._seats: dict[str, dict[int, Seated]] = {}
        self._asked: dict[str, dict[str, _Asked]] = {}
        self._put_out: dict[str, list[_PutOut]] = {}

    def seated(self, story: Story, seen: Seated) -> None:
        """See `Promise.seated`."""
        self._seats.setdefault(story.table_id, {})[seen.seat] = seen

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        update, stream = seen.update, seen.stream
        if update.end.reason == _SUPERSEDED and stream.seat is not None and not stream.is_relief:
            out = _PutOut(stream.seat, place.position)
            self._put_out.setdefault(story.table_id, []).append(out)
        if seen.sent_ms is None or not stream.is_prompt:
            return
        if update.HasField("decision"):
            asked = self._asked.setdefault(story.table_id, {})
            asked.setdefault(update.decision.decision_id, _Asked(seen.sent_ms, place.opened_ms))
        if not update.HasField("event"):
            return
        if update.event.seat_joined.seat.player.display_name.startswith(RELIEF):
            self._expect_away(story, update.event.seat_joined.seat.seat)
        since = max(update.event.time.ToMilliseconds(), place.opened_ms)
        waited = seen.sent_ms - since - self.outages.within(since, seen.sent_ms)
        if waited > self._wait_max_ms:
            self.fail(
                story, f"event {update.event.sequence} was sent {waited} ms after it happened"
            )

    def _expect_away(self, story: Story, number: int) -> None:
        seat = self._seats.get(story.table_id, {}).get(number)
        if seat is not None and seat.is_prompt:
            self.fail(story, f"seat {number} answers in time, and a house bot was given its place")

    def refused(self, story: Story, seen: Refused, reason: str, retry_ms: int) -> None:
        """See `Promise.refused`: whatever a client sends, the server does not trip over it."""
        if reason == "INTERNAL":
            self.fail(story, f"{seen.call} was answered with INTERNAL")

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        for decision_id, asked in self._asked.get(story.table_id, {}).items():
            due = told.times[int(decision_id.partition("-")[0])]
            since = max(due, asked.opened_ms)
            waited = asked.sent_ms - since - self.outages.within(since, asked.sent_ms)
            if waited > self._wait_max_ms:
                self.fail(story, f"{decision_id} was asked {waited} ms after it could have been")
        self._judge_relief(story, told)
        result = told.record.result
        seats = self._seats.get(story.table_id, {})
        window = told.record.table.spec.clock.window_time.ToMilliseconds()
        for step in told.steps:
            seat = seats.get(step.seat)
            if not step.sequence and 0 < window < self._wait_max_ms:
                continue  # a window so short may close before a question has come
            if step.timed_out and seat is not None and seat.is_prompt:
                self.fail(story, f"seat {step.seat} answers in time, and time ran out for it")
        named = result.seat_at_fault
        at_fault = seats.get(named) if result.HasField("seat_at_fault") else None
        if at_fault is not None and at_fault.is_prompt and at_fault.is_honest:
            reason = _END.Name(result.reason)
            self.fail(story, f"seat {named} is said to be at fault: {reason}")
        is_whole = len(seats) == len(told.record.table.seats)
        are_good = all(one.is_prompt and one.is_honest for one in seats.values())
        if is_whole and are_good and result.reason != game_pb2.END_REASON_FINISHED:
            reason = _END.Name(result.reason)
            self.fail(story, f"all played to the end, and it ended with {reason}")

    def _judge_relief(self, story: Story, told: Retold) -> None:
        """Where a turn cannot wait for ever, a house bot puts nobody out who has a stream."""
        clock = told.record.table.spec.clock
        if not (clock.base.ToMilliseconds() or clock.per_move.ToMilliseconds()):
            return
        joins = []
        for row in told.rows:
            if row.sequence:
                event = table_pb2.TableEvent.FromString(row.public)
                if event.HasField("seat_joined"):
                    joins.append((row.sequence, event.seat_joined.seat))
        for out in self._put_out.get(story.table_id, ()):
            after = (one for number, one in joins if number > out.position and one.seat == out.seat)
            joined = next(after, None)
            if joined is not None and joined.player.display_name.startswith(RELIEF):
                self.fail(story, f"seat {out.seat} had a stream, and a house bot took its place")

    def forget(self, story: Story) -> None:
        """See `Promise.forget`."""
        self._put_out.pop(story.table_id, None)
        self._seats.pop(story.table_id, None)
        self._asked.pop(story.table_id, None)
