"""Who reads what of a server's tables: streams of seats, spectators, the lobby, sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from croupier_server.errors import Exhausted, Reason
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.directory.boards import Boards
from croupier_server.tables.feeds.assignments import SeatAssignmentsFeed
from croupier_server.tables.feeds.feed import Feed, PublicFeed, SeatFeed
from croupier_server.tables.feeds.lobby import Encoded, LobbyFeed
from croupier_server.tables.match.table import Table, Watcher
from croupier_server.tables.match.updates import StreamEnd

SAME_CARDS: Final = (
    "you have sat at a table with the same cards; you can watch this one when the board is done"
)
"""What somebody is told who may not watch a table before all of its board have ended."""


_RETRY_MS: Final = 1_000

SEAT_STREAMS_MAX: Final = 64
"""Maximum number of streams of its own seats that a principal may have."""


class Live(Protocol):
    """A session, as far as its shard is concerned."""

    def beat(self) -> None:
        """A heartbeat is due."""
        ...

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """The session is to end."""
        ...


class Reader(Protocol):
    """A stream of which one principal may have so many."""

    @property
    def principal(self) -> str:
        """Who reads."""
        ...


def expect_few(principal: str, watching: Iterable[str], most: int, what: str) -> None:
    """Raise if *principal* is *most* times among those *watching*: it may not watch *what* again.

    Raises:
        Exhausted: TOO_MANY_STREAMS.
    """
    if sum(one == principal for one in watching) >= most:
        raise Exhausted(
            Reason.TOO_MANY_STREAMS,
            f"you already have {most} open streams of {what}, the maximum",
            metadata={"most": str(most)},
            retry_ms=_RETRY_MS,
        )


class Readers:
    """All streams of one server.

    Args:
        watchers_max: streams of the lobby, and of each table without a seat, that one principal
            may have; 0: any number.

    Attributes:
        encoded: what the lobby shows of each table.
        changes: how many changes of tables the lobby was told of.
    """

    __slots__ = ("_assignments", "_lobby", "_sessions", "_watchers_max", "changes", "encoded")

    def __init__(self, watchers_max: int = 0) -> None:
        self._watchers_max = watchers_max
        self.encoded = Encoded()
        self.changes = 0
        self._assignments: dict[str, dict[SeatAssignmentsFeed, None]] = {}
        self._lobby: dict[LobbyFeed, None] = {}
        self._sessions: dict[Live, None] = {}

    def attach(self, feed: SeatFeed) -> None:
        """Make *feed* the one stream of its seat."""
        watchers = feed.table.seat_watchers
        older = watchers[feed.seat]
        if older is not None:
            older.finish(StreamEnd.REPLACED, "a later stream of this seat took over")
        watchers[feed.seat] = feed
        if feed.sees_events:
            feed.table.has_event_watchers = True

    def expect_few_in_lobby(self, principal: str) -> None:
        """Raise if *principal* watches the lobby as often as it may.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
        """
        self._expect_few(principal, self._lobby, "the lobby")

    def expect_few_at(self, table: Table, principal: str) -> None:
        """Raise if *principal* watches *table* without a seat as often as it may.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
        """
        self._expect_few(principal, table.spectators, "this table")

    def _expect_few(self, principal: str, streams: Iterable[Reader], what: str) -> None:
        if self._watchers_max:
            names = (stream.principal for stream in streams)
            expect_few(principal, names, self._watchers_max, what)

    def add_spectator(self, feed: PublicFeed) -> None:
        """Let *feed* follow its table."""
        feed.table.spectators[feed] = None

    def add_lobby(self, feed: LobbyFeed) -> None:
        """Let *feed* follow the lobby."""
        self._lobby[feed] = None

    def add_assignments(self, feed: SeatAssignmentsFeed) -> None:
        """Let *feed* follow the seats of its principal.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
        """
        feeds = self._assignments.get(feed.principal, {})
        names = (one.principal for one in feeds)
        expect_few(feed.principal, names, SEAT_STREAMS_MAX, "your seats")
        self._assignments.setdefault(feed.principal, {})[feed] = None

    def add_session(self, session: Live) -> None:
        """Give *session* heartbeats, and its end when the server goes down."""
        self._sessions[session] = None

    def remove_session(self, session: Live) -> None:
        """*session* has ended."""
        self._sessions.pop(session, None)

    def forget(self, feed: Feed) -> None:
        """*feed* has ended."""
        if isinstance(feed, SeatFeed):
            watchers = feed.table.seat_watchers
            if watchers[feed.seat] is feed:
                watchers[feed.seat] = None
        elif isinstance(feed, PublicFeed):
            feed.table.spectators.pop(feed, None)
        elif isinstance(feed, LobbyFeed):
            self._lobby.pop(feed, None)
        elif isinstance(feed, SeatAssignmentsFeed):
            feeds = self._assignments.get(feed.principal, {})
            feeds.pop(feed, None)
            if not feeds:
                self._assignments.pop(feed.principal, None)

    def publish(self, table: Table) -> None:
        """Events of *table* have been stored: wake whoever has something to read."""
        watchers = table.seat_watchers
        fresh = table.match.fresh
        if fresh:
            for decision in fresh:
                watcher = watchers[decision.seat]
                if watcher is not None:
                    watcher.wake()
            if table.journal.committed == table.journal.sequence:
                fresh.clear()
        if table.spectators and table.delayed is None:
            self.publish_late(table)
        journal = table.journal
        if table.has_event_watchers or table.is_changed or journal.is_awaited:
            wakes_all = table.is_changed or journal.is_awaited
            journal.is_awaited = False
            for watcher in watchers:
                if watcher is not None and (watcher.sees_events or wakes_all):
                    watcher.wake()

    def publish_late(self, table: Table) -> None:
        """Spectators of *table* have something to read."""
        for spectator in table.spectators:
            spectator.wake()

    def bar(self, boards: Boards, table: Table) -> None:
        """Somebody has sat down at *table*, and may no longer watch its sisters."""
        barred = table.opening.sitters() - {LOCAL}
        for sister in boards.sisters(table) if barred else ():
            for watcher in sister.spectators:
                if watcher.principal in barred:
                    watcher.finish(StreamEnd.BOARD_CONFLICT, SAME_CARDS)

    def show(self, table: Table) -> None:
        """*table* came, or its seats or status changed: tell the lobby."""
        self._count(table)
        for feed in self._lobby:
            feed.show(table)

    def show_assignments(self, table: Table, principals: Iterable[str]) -> None:
        """Seats of *principals* at *table*, or its status, have changed."""
        for who in principals:
            for feed in self._assignments.get(who, ()):
                feed.show(table)

    def void(self, table: Table) -> None:
        """*table* was lost: tell the lobby."""
        self._count(table)
        for feed in self._lobby:
            feed.void(table)

    def _count(self, table: Table) -> None:
        self.changes += 1
        table.change = self.changes

    def beat(self, tables: Iterable[Table]) -> None:
        """Heartbeats are due at *tables*."""
        for table in tables:
            for watcher in watchers_of(table):
                watcher.beat()

    def beat_others(self) -> None:
        """Heartbeats are due on all streams that are not of one table."""
        for session in self._sessions:
            session.beat()
        for watching in self._lobby:
            watching.beat()
        for feeds in self._assignments.values():
            for feed in feeds:
                feed.beat()

    def finish(
        self, tables: Iterable[Table], reason: StreamEnd, detail: str, retry_after_ms: int
    ) -> None:
        """End every stream, those of *tables* among them."""
        for session in list(self._sessions):
            session.finish(reason, detail, retry_after_ms)
        for table in tables:
            for watcher in watchers_of(table):
                watcher.finish(reason, detail, retry_after_ms)
        for feed in list(self._lobby):
            feed.finish(reason, detail, retry_after_ms)
        for feeds in self._assignments.values():
            for of_seats in feeds:
                of_seats.finish(reason, detail, retry_after_ms)


def watchers_of(table: Table) -> Iterator[Watcher]:
    """Every stream of *table*."""
    for watcher in (*table.seat_watchers, *table.spectators):
        if watcher is not None:
            yield watcher
