"""What a validator is: one promise, told of every observation, and of every record at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from tests.sim.promises import observed
from tests.sim.promises.observed import Broken
from tests.sim.promises.story import Outages, Place, Story

if TYPE_CHECKING:
    from tests.sim.promises.retold import Retold


class Promise:
    """A validator. Its name is that of its promise in ``docs/``.

    Args:
        outages: when the server could not do its work; filled as it is observed.

    It raises `Broken` from whatever it is told.
    """

    def __init__(self, outages: Outages) -> None:
        self.outages = outages

    @property
    def name(self) -> str:
        """The promise."""
        return type(self).__name__

    def fail(self, story: Story | None, what: str) -> NoReturn:
        """The promise is broken.

        Raises:
            Broken: always.
        """
        raise Broken(self.name, story.table_id if story is not None else "", what)

    def seated(self, story: Story, seen: observed.Seated) -> None:
        """Somebody has a seat."""

    def opened(self, story: Story, place: Place, seen: observed.Opened) -> None:
        """A stream was opened."""

    def told(self, story: Story, place: Place, seen: observed.Told) -> None:
        """An update came; *place* is where its stream stood before."""

    def closed(self, story: Story, place: Place, seen: observed.Closed) -> None:
        """A stream ended without a word."""

    def shown(self, story: Story, seen: observed.Shown) -> None:
        """A call showed something of a table."""

    def refused(self, story: Story, seen: observed.Refused, reason: str, retry_ms: int) -> None:
        """Something was refused, with the reason of its ErrorInfo and the delay of its RetryInfo,
        or 0."""

    def answered(self, story: Story, seen: observed.Answered) -> None:
        """An answer came to the server."""

    def acknowledged(self, story: Story, seen: observed.Acknowledged) -> None:
        """An answer was accepted."""

    def logged(self, seen: observed.Logged) -> None:
        """The server wrote a line into its log."""

    def recorded(self, story: Story, seen: observed.Ended, told: Retold) -> None:
        """The record of a table was given out; *told* is its match, told again."""

    def forget(self, story: Story) -> None:
        """The table's record was judged by all: what was kept of it may go."""
