"""Who reads what of a server's tables: streams of seats, spectators, the lobby, sessions.

Must not be put here: what a stream carries (``feed.py``), and whether somebody may read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from croupier_server.tables.boards import Boards
from croupier_server.tables.feed import Feed, LobbyFeed, PublicFeed, SeatFeed
from croupier_server.tables.table import Table
from croupier_server.tables.updates import StreamEnd
from croupier_server.tables.watcher import Watcher

BARRED: Final = "you have sat at a table with the same cards"
"""What somebody is told who may not watch a table before all of its board have ended."""


class Live(Protocol):
    """A session, as far as its shard is concerned."""

    def beat(self) -> None:
        """A heartbeat is due."""
        ...

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """The session is to end."""
        ...


class Readers:
    """All streams of one server."""

    __slots__ = ("_lobby", "_sessions")

    def __init__(self) -> None:
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

    def add_spectator(self, feed: PublicFeed) -> None:
        """Let *feed* follow its table."""
        feed.table.spectators.append(feed)

    def add_lobby(self, feed: LobbyFeed) -> None:
        """Let *feed* follow the lobby."""
        self._lobby[feed] = None

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
            if feed in feed.table.spectators:
                feed.table.spectators.remove(feed)
        elif isinstance(feed, LobbyFeed):
            self._lobby.pop(feed, None)

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
        if table.delayed is None:
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
        """Somebody has sat down at *table*: whoever may no longer watch its sisters does not."""
        for sister in boards.sisters(table):
            for watcher in sister.spectators:
                if boards.may_not_watch(watcher.principal, sister):
                    watcher.finish(StreamEnd.BARRED, BARRED)

    def show(self, table: Table) -> None:
        """*table* came, or its seats or status changed: tell the lobby."""
        for feed in self._lobby:
            feed.show(table)

    def beat(self, tables: Iterable[Table]) -> None:
        """Heartbeats are due at *tables*."""
        for table in tables:
            for watcher in watchers_of(table):
                watcher.beat()

    def beat_sessions(self) -> None:
        """Heartbeats are due on all sessions."""
        for session in self._sessions:
            session.beat()

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


def watchers_of(table: Table) -> Iterator[Watcher]:
    """Every stream of *table*."""
    for watcher in (*table.seat_watchers, *table.spectators):
        if watcher is not None:
            yield watcher
