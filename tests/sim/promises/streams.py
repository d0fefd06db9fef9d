"""Ordered, Unique, Gapless, Resumable: what a stream may carry, and how it begins and ends."""

from __future__ import annotations

from croupier.v1 import table_pb2
from tests.sim.promises.base import Promise
from tests.sim.promises.observed import Ended, Told
from tests.sim.promises.retold import Retold
from tests.sim.promises.story import Place, Story, split

_RESET = table_pb2.ResetReason
_END = table_pb2.StreamEndReason


class Ordered(Promise):
    """Events of a table are numbered 1, 2, 3 ...; a stream never goes back."""

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        update = seen.update
        match update.WhichOneof("update"):
            case "event" if update.event.sequence < place.position:
                self.fail(story, f"event {update.event.sequence} came behind {place.position}")
            case "heartbeat" if update.heartbeat.sequence < place.position:
                self.fail(
                    story,
                    f"a heartbeat tells of {update.heartbeat.sequence} behind {place.position}",
                )
            case "snapshot" if update.snapshot.sequence < place.position:
                self.fail(
                    story, f"a snapshot of {update.snapshot.sequence} came behind {place.position}"
                )


class Unique(Promise):
    """No stream tells an event twice, and an event is the same for everybody and for ever."""

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        if not seen.update.HasField("event"):
            return
        number = seen.update.event.sequence
        if number == place.position:
            self.fail(story, f"event {number} came twice on one stream")
        public, private = split(seen.update.event.SerializeToString(deterministic=True))
        if story.public.setdefault(number, public) != public:
            self.fail(story, f"event {number} differs from what was told before")
        seat = seen.stream.seat
        if seat is None:
            return
        if story.private.setdefault((number, seat), private) != private:
            self.fail(story, f"seat {seat} is told another private part of event {number}")


class Gapless(Promise):
    """No number is left out: not on a stream, not behind a snapshot, not before the end."""

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        update = seen.update
        if not place.stream.sees_events:
            return
        match update.WhichOneof("update"):
            case "event" if update.event.sequence > place.position + 1:
                self.fail(story, f"event {update.event.sequence} came behind {place.position}")
            case "heartbeat" if update.heartbeat.sequence > place.position:
                self.fail(
                    story,
                    f"a heartbeat tells of {update.heartbeat.sequence}, "
                    f"events came to {place.position}",
                )

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        numbers = [row.sequence for row in told.rows if row.sequence]
        if numbers != list(range(1, len(numbers) + 1)):
            self.fail(story, "the events of its record are not numbered 1, 2, 3 ...")


class Resumable(Promise):
    """A stream begins with a snapshot or goes on where it was asked to; a reset is announced and
    has its reason; every stream that the server ends says why."""

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        update = seen.update
        kind = update.WhichOneof("update")
        if place.is_over:
            self.fail(story, f"{kind} came behind the end of its stream")
        match kind:
            case "snapshot":
                self._snapshot(story, place, update.snapshot)
            case "resumed":
                self._resumed(story, place, update.resumed)
            case "reset":
                self._reset(story, place, update.reset)
            case "end" | "result" | "move_accepted" | "move_refused":
                pass
            case _ if not place.has_begun:
                self.fail(story, f"a stream begins with {kind}")
            case _ if place.reset:
                self.fail(story, f"{kind} came between a reset and its snapshot")

    def _snapshot(self, story: Story, place: Place, snapshot: table_pb2.Snapshot) -> None:
        if place.reset:
            return
        if place.has_begun:
            self.fail(story, "a snapshot came in mid-stream without a reset")
        if place.epoch and place.after:
            self.fail(
                story,
                f"a snapshot came without a reset, where {place.after} had been asked to go on",
            )

    def _resumed(self, story: Story, place: Place, resumed: table_pb2.Resumed) -> None:
        if place.has_begun or place.reset:
            self.fail(story, "a stream resumes that had begun")
        if not place.after or resumed.after_sequence != place.after:
            self.fail(story, f"a stream resumes after {resumed.after_sequence}, not {place.after}")
        if resumed.table_epoch != place.epoch:
            self.fail(story, f"a stream resumes in epoch {resumed.table_epoch}, not {place.epoch}")

    def _reset(self, story: Story, place: Place, reset: table_pb2.Reset) -> None:
        is_slow = reset.reason == _RESET.RESET_REASON_SLOW_CONSUMER
        if place.has_begun and not is_slow:
            self.fail(story, "a stream is reset in the middle, and not for its slow reader")
        if place.has_begun:
            return
        is_other_life = place.epoch not in (0, story.epoch) and story.epoch
        if reset.reason == _RESET.RESET_REASON_EPOCH and place.epoch == story.epoch:
            self.fail(story, f"a stream of epoch {place.epoch} is reset for its epoch")
        if reset.reason == _RESET.RESET_REASON_TOO_OLD and not place.after:
            self.fail(story, "a stream is reset as too old that asked for nothing")
        if is_slow and not is_other_life:
            self.fail(story, "a stream begins with a reset for a slow reader")
