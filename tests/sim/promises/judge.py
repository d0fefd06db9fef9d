"""Tells all validators of everything that is observed, and keeps what they share."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from croupier.v1 import errors_pb2, table_pb2
from tests.sim.promises import observed
from tests.sim.promises.alone import Isolated
from tests.sim.promises.base import Promise
from tests.sim.promises.hidden import Private
from tests.sim.promises.kept import Durable
from tests.sim.promises.observed import Broken, Observation
from tests.sim.promises.records import Verifiable
from tests.sim.promises.retold import Retold
from tests.sim.promises.story import Outages, Place, Story, split
from tests.sim.promises.streams import Gapless, Ordered, Resumable, Unique
from tests.sim.promises.times import Fair

_Detail = TypeVar("_Detail", bound=Message)


class Judge:
    """All validators together. What it is told must be in the order in which it happened.

    Args:
        wait_max_ms: an event is sent so soon to whoever reads at once; see `Isolated`.
        grace_ms: most that is granted for the network; see `Fair`.
        slack_ms: how exact the observed times are.
        nonce_ms: how long nonces are waited for; see `Fair`.

    Attributes:
        promises: the validators.
        stories: by table.
        records: matches whose records were judged.
        events: events that clients were told of.

    Every method raises `Broken`.
    """

    def __init__(
        self, *, wait_max_ms: int, grace_ms: int, slack_ms: int, nonce_ms: int = 0
    ) -> None:
        outages = Outages()
        self._outages = outages
        self.promises: tuple[Promise, ...] = (
            Ordered(outages),
            Unique(outages),
            Gapless(outages),
            Resumable(outages),
            Durable(outages),
            Private(outages),
            Fair(outages, grace_ms, slack_ms, nonce_ms),
            Isolated(outages, wait_max_ms),
            Verifiable(outages),
        )
        self.stories: dict[str, Story] = {}
        self.records = 0
        self.events = 0

    def story(self, table_id: str) -> Story:
        """What is known of a table."""
        found = self.stories.get(table_id)
        if found is None:
            found = self.stories[table_id] = Story(table_id)
        return found

    def see(self, seen: Observation) -> None:
        """Take one observation."""
        match seen:
            case observed.Told():
                self._told(seen)
            case observed.Opened():
                self._opened(seen)
            case observed.Closed():
                self._closed(seen)
            case observed.Outage():
                self._outages.add(seen)
            case observed.Logged():
                for promise in self.promises:
                    promise.logged(seen)
            case observed.Ended():
                self._ended(seen)
            case observed.Unrecorded():
                self._unrecorded(seen)
            case _:
                self._other(seen)

    def _other(
        self,
        seen: observed.Created
        | observed.Seated
        | observed.Shown
        | observed.Refused
        | observed.Answered
        | observed.Acknowledged,
    ) -> None:
        story = self.story(seen.table_id)
        match seen:
            case observed.Created():
                story.board_tables = seen.board_tables
            case observed.Seated():
                for promise in self.promises:
                    promise.seated(story, seen)
            case observed.Shown():
                for promise in self.promises:
                    promise.shown(story, seen)
            case observed.Refused():
                reason = reason_of(seen.status)
                retry_ms = retry_ms_of(seen.status)
                for promise in self.promises:
                    promise.refused(story, seen, reason, retry_ms)
            case observed.Answered():
                for promise in self.promises:
                    promise.answered(story, seen)
            case observed.Acknowledged():
                for promise in self.promises:
                    promise.acknowledged(story, seen)

    # Streams --------------------------------------------------------------------------------------

    def _opened(self, seen: observed.Opened) -> None:
        story = self.story(seen.stream.table_id)
        place = Place(seen.stream, seen.epoch, seen.after, seen.at_ms)
        story.places[seen.stream.number] = place
        for promise in self.promises:
            promise.opened(story, place, seen)

    def _closed(self, seen: observed.Closed) -> None:
        story = self.story(seen.stream.table_id)
        place = story.places[seen.stream.number]
        if not place.is_over:
            place.is_over = True
            for promise in self.promises:
                promise.closed(story, place, seen)

    def _told(self, seen: observed.Told) -> None:
        story = self.story(seen.stream.table_id)
        place = story.places[seen.stream.number]
        for promise in self.promises:
            promise.told(story, place, seen)
        update = seen.update
        match update.WhichOneof("update"):
            case "event":
                self._event(story, place, seen, update.event)
            case "snapshot":
                place.has_begun = True
                place.reset = 0
                place.position = update.snapshot.sequence
                story.epoch = place.epoch = update.snapshot.table.table_epoch
            case "resumed":
                place.has_begun = True
                place.position = update.resumed.after_sequence
            case "reset":
                place.reset = update.reset.reason
                place.position = 0
            case "decision":
                story.has_begun = True
                place.position = max(place.position, update.decision.sequence)
            case "end":
                place.is_over = True

    def _event(
        self, story: Story, place: Place, seen: observed.Told, event: table_pb2.TableEvent
    ) -> None:
        self.events += 1
        story.has_begun |= event.HasField("match_started")
        place.position = event.sequence
        public, private = split(event.SerializeToString(deterministic=True))
        story.public.setdefault(event.sequence, public)
        if seen.stream.seat is not None:
            story.private.setdefault((event.sequence, seen.stream.seat), private)

    # The end --------------------------------------------------------------------------------------

    def _ended(self, seen: observed.Ended) -> None:
        story = self.story(seen.table_id)
        if story.is_recorded:
            return
        story.is_recorded = True
        self.records += 1
        told = Retold(seen.record)
        for promise in self.promises:
            promise.recorded(story, seen, told)
        for promise in self.promises:
            promise.forget(story)
        story.public.clear()
        story.private.clear()

    def _unrecorded(self, seen: observed.Unrecorded) -> None:
        story = self.story(seen.table_id)
        if story.has_begun:
            raise Broken("Durable", story.table_id, "its match began and left no record")
        story.is_recorded = True
        for promise in self.promises:
            promise.forget(story)
        story.public.clear()
        story.private.clear()

    def finish(self) -> None:
        """The run is over: every table that was made has had to end."""
        for story in self.stories.values():
            if not story.is_recorded:
                raise Broken("Isolated", story.table_id, "its match never came to a record")


def status_of(refusal: errors_pb2.Refusal) -> bytes:
    """*refusal*, which came on a stream, as the serialised ``google.rpc.Status`` of a call."""
    status = status_pb2.Status(message=refusal.detail)
    reason = errors_pb2.ErrorReason.Name(refusal.reason).removeprefix("ERROR_REASON_")
    told = {"rule": refusal.rule, "clause": refusal.clause}
    info = error_details_pb2.ErrorInfo(
        reason=reason, metadata={key: value for key, value in told.items() if value}
    )
    status.details.add().Pack(info)
    if refusal.HasField("retry_after"):
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=refusal.retry_after))
    if refusal.HasField("accepted"):
        status.details.add().Pack(refusal)
    told_bytes: bytes = status.SerializeToString(deterministic=True)
    return told_bytes


def reason_of(status: bytes) -> str:
    """The reason of a serialised ``google.rpc.Status``, or nothing."""
    info = _detail(status, error_details_pb2.ErrorInfo())
    return info.reason if info is not None else ""


def retry_ms_of(status: bytes) -> int:
    """The retry delay of a serialised ``google.rpc.Status``, or 0."""
    retry = _detail(status, error_details_pb2.RetryInfo())
    return retry.retry_delay.ToMilliseconds() if retry is not None else 0


def _detail(status: bytes, found: _Detail) -> _Detail | None:
    """The first detail of the type of *found*, or None."""
    try:
        message = status_pb2.Status.FromString(status)
    except DecodeError:
        return None
    return next((found for detail in message.details if detail.Unpack(found)), None)
