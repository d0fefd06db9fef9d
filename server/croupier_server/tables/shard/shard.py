"""The owner of a server's tables: one event loop, plain calls, persist then publish.

An input runs to completion; the rows that it leads to go to the store with those of everything
else done in the same frame, and readers are told once they are stored. There is no task, queue or
lock a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog

from croupier_server.errors import NotAllowed, Reason, Unavailable
from croupier_server.games.base import Seat
from croupier_server.storage.base import TableLog
from croupier_server.tables.caller import NOBODY, Caller
from croupier_server.tables.clocks.clock import Clock
from croupier_server.tables.directory import tickets
from croupier_server.tables.directory.directory import RECORDED_MAX, Directory
from croupier_server.tables.directory.house_seats import HouseSeat, HouseSeats
from croupier_server.tables.directory.reception import Created, Joined, Reception
from croupier_server.tables.durability import outages
from croupier_server.tables.durability.commits import Commits, Refusing, store_unavailable
from croupier_server.tables.durability.recovery import Recovery
from croupier_server.tables.feeds.assignments import SeatAssignmentsFeed
from croupier_server.tables.feeds.feed import Feed, PublicFeed, SeatFeed
from croupier_server.tables.feeds.lobby import LobbyFeed, Opening, Place, Seal
from croupier_server.tables.feeds.readers import SAME_CARDS, Readers, watchers_of
from croupier_server.tables.kept import Stopped
from croupier_server.tables.limits import Limits
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.match.deals import MakeDealer
from croupier_server.tables.match.delay import Delayed
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import ResetReason, StreamEnd
from croupier_server.tables.shard.upkeep import Upkeep
from croupier_server.tables.spec import Status, ViewMode

if TYPE_CHECKING:
    from croupier_server.storage.records import RecordStore

__all__ = ["Created", "GameEntry", "HouseSeat", "Joined", "Limits", "Shard"]

_log = structlog.get_logger(__name__)

_RETRY_MS: Final = 1_000


class Shard:
    """All tables of one server.

    Args:
        clock: the time.
        secrets: random bytes for tickets, codes and decks.
        ids: ids for tables; never the same one twice.
        log: where rows are stored before anybody sees what they say.
        games: by number of ``GameKind``.
        limits: what callers are held to.
        house: told of each house seat of a new table, once that is stored.
        dealer: makes a table's decks and lots from its root, in place of `deals.RootDealer`.
        endpoint: address that tables name as theirs; empty: the one that was asked.
        records: what the log makes of finished matches, to know of those of the last run.

    Attributes:
        directory: all tables.
        table: finds one by its id, or raises NotFound.
        list_tables: listed tables, newest first; see `Directory.listed`.
        create_table, start, abort, join, leave: see `Reception`.
        reception: makes tables, unless an operator wants none.
        readers: all streams.
        house: the seats of house bots.
        commits: collects what is done and hands it to the store.
        committed: await it before telling a client what was done.
        refusing: do within it what a client may be refused.
        upkeep: what happens by itself.
        clock_started: see `feed.Owner.clock_started`.
        now_ms, tick, heartbeat, loop_is_alive: see `Upkeep`.
        run: starts timers on the running loop.
        stop: stops timers.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        secrets: tickets.Secrets,
        ids: Callable[[], str],
        log: TableLog,
        games: Mapping[int, GameEntry],
        limits: Limits = Limits(),  # noqa: B008 - a value
        house: Callable[[HouseSeat], None] | None = None,
        dealer: MakeDealer | None = None,
        endpoint: str = "",
        records: RecordStore | None = None,
    ) -> None:
        self.limits = limits
        self._log = log
        self._records = records
        self.directory = Directory(log, limits.ended_max)
        self.table = self.directory.table
        self.list_tables = self.directory.listed
        self.readers = Readers(limits.watchers_max)
        self.house = HouseSeats(secrets, house, limits.relief_bot)
        self.upkeep = Upkeep(self, clock, log)
        self._timers = self.upkeep.timers
        self.clock_started = self._timers.schedule
        self.commits = Commits(
            log,
            publish=self._publish,
            lost=self._lose,
            failed=self.failed,
            deadline=self.clock_started,
        )
        self.committed = self.commits.committed
        self.refusing = Refusing(self.commits)
        self.now_ms = self.upkeep.now_ms
        self.tick = self.upkeep.tick
        self.heartbeat = self.upkeep.heartbeat
        self.loop_is_alive = self.upkeep.loop_is_alive
        self.run = self._timers.run
        self.stop = self._timers.stop
        self.reception = Reception(
            self,
            secrets=secrets,
            ids=ids,
            games=games,
            house=self.house,
            dealer=dealer,
            endpoint=endpoint,
        )
        self.create_table = self.reception.create_table
        self.start = self.reception.start
        self.abort = self.reception.abort
        self.join = self.reception.join
        self.leave = self.reception.leave
        self.recovery = Recovery(log, self.reception.surroundings(), self._take_up, self.now_ms)
        self.directory.recovery = self.recovery
        self._retry_after_ms = 0

    # Starting ------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Find out which tables the store has; `recover` takes them up."""
        self.directory.boards.go_on_from(await self._log.board_tables())
        if self._records is not None:
            newest = await self._records.newest(before=None, limit=RECORDED_MAX)
            self.directory.recorded((entry.table_id, entry.readers) for entry in reversed(newest))
        ended = await self._log.ended_requests()
        self.reception.go_on_from(await self.recovery.begin(), ended)

    async def recover(self) -> None:
        """Take up the tables of the store, while everything else goes on."""
        await self.recovery.run()

    def _take_up(self, table: Table) -> None:
        """*table* is here again, or not at all."""
        self.directory.add(table)
        try:
            self._go_on(table)
        except Exception:
            self.directory.drop(table)
            self._timers.forget(table)
            raise

    def _go_on(self, table: Table) -> None:
        """Let *table* be one of ours like any other."""
        self.reception.take_up(table)
        if table.status is not Status.ENDED:
            self.house.take_up(table)
            if self.upkeep.trouble:
                outages.stand_still(table, self.now_ms())
            self._timers.schedule(table)
        if table.delayed is not None and not table.delayed.is_over:
            self._publish_late(table, table.delayed)
        elif table.status is Status.ENDED:  # nobody had it put away before the server went down
            self._publish_seen(table)
        self._publish_assignments(table)

    # Play ----------------------------------------------------------------------------------------

    def open_nonce(self, table: Table, seat: Seat, nonce: bytes, next_hash: bytes = b"") -> None:
        """Take a seat's nonce, and the hash of its next one if it gives one.

        Raises:
            InvalidRequest: NONCE_MISMATCH, MALFORMED_REQUEST.
            Conflict: NONCE_NOT_EXPECTED, TABLE_CLOSED.
        """
        self.expect_storing()
        self.reception.open_nonce(table, seat, nonce, next_hash)
        self.done(table)

    def concede(self, table: Table, seat: Seat) -> bool:
        """Give the match up; returns whether that ended it.

        Raises:
            Conflict: TABLE_NOT_READY, TABLE_CLOSED.
        """
        self.expect_storing()
        ended = table.concede(seat, self.now_ms())
        self.done(table)
        return ended

    def done(self, table: Table) -> None:
        """Something happened at *table*: have it stored."""
        self.commits.touch(table)
        self.commits.flush()

    # Feeds ---------------------------------------------------------------------------------------

    def watch_seat(
        self, caller: Caller, table: Table, *, epoch: int, after: int, mode: int
    ) -> SeatFeed:
        """The stream of the seat that *caller* holds; the seat's older stream ends.

        Raises:
            NotAllowed: TICKET_INVALID, TICKET_SUPERSEDED.
            InvalidRequest: SEQUENCE_AHEAD.
            Unavailable: SERVER_DRAINING.
        """
        seat = tickets.seat_of(caller, table)
        self.expect_serving()
        feed = SeatFeed(
            self,
            table,
            seat,
            mode=ViewMode(mode or ViewMode.FULL),
            epoch=epoch,
            after=after,
            lag_max=self.limits.lag_max,
        )
        self.attach(feed)
        return feed

    def spectate(
        self, table: Table, *, epoch: int, after: int, caller: Caller = NOBODY
    ) -> PublicFeed:
        """A stream of what everybody may see; no ticket makes it see more, or sooner.

        Raises:
            NotAllowed: BOARD_CONFLICT.
            Exhausted: TOO_MANY_STREAMS.
            InvalidRequest: SEQUENCE_AHEAD.
            Unavailable: SERVER_DRAINING.
        """
        self._expect_free_to_watch(table, caller)
        self.readers.expect_few_at(table, caller.principal)
        self._count_as_watching(table, caller)  # SEQUENCE_AHEAD tells how far the table is
        feed = PublicFeed(
            self,
            table,
            epoch=epoch,
            after=after,
            lag_max=self.limits.lag_max,
            principal=caller.principal,
        )
        self.readers.add_spectator(feed)
        return feed

    def look_at(self, table: Table, caller: Caller = NOBODY) -> None:
        """Let *caller* see what spectators of *table* see, without a stream.

        Raises:
            NotAllowed: BOARD_CONFLICT.
            Unavailable: SERVER_DRAINING.
        """
        self._expect_free_to_watch(table, caller)
        self._count_as_watching(table, caller)

    def _expect_free_to_watch(self, table: Table, caller: Caller) -> None:
        if table.spec.deal.tables > 1:
            self.directory.expect_whole()
        if self.directory.boards.may_not_watch(caller.principal, table):
            raise NotAllowed(Reason.BOARD_CONFLICT, SAME_CARDS)
        self.expect_serving()

    def _count_as_watching(self, table: Table, caller: Caller) -> None:
        if self.directory.boards.watch(table, [caller.principal]):
            self.done(table)

    def watch_lobby(
        self,
        *,
        kind: int = 0,
        caller: Caller = NOBODY,
        follow: bool = True,
        after: Place | None = None,
        is_astray: bool = False,
        seal: Seal = lambda _: b"",
    ) -> LobbyFeed:
        """Listed tables that have not ended, then what changes.

        Args:
            kind: of tables of this game alone; 0: of all.
            caller: who watches.
            follow: whether the stream goes on after it has caught up.
            after: where an earlier stream was, to go on from there; None: begin anew.
            is_astray: the caller has a cursor, but it is not of this server's run.
            seal: makes cursors.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
            Unavailable: SERVER_DRAINING, TABLE_RECOVERING.
        """
        self.expect_serving()
        self.directory.expect_whole()
        self.readers.expect_few_in_lobby(caller.principal)
        feed = LobbyFeed(
            self,
            self.directory.behind,
            self.directory.newest,
            self.readers.encoded,
            partial(self.directory.boards.veils, caller=caller),
            opening=self._lobby_opening(after, is_astray=is_astray),
            seal=seal,
            follow=follow,
            kind=kind,
            principal=caller.principal,
        )
        self.readers.add_lobby(feed)
        return feed

    def watch_seats(self, caller: Caller, *, kind: int = 0) -> SeatAssignmentsFeed:
        """The seats of the principal of *caller*, then what changes.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
            Unavailable: SERVER_DRAINING, TABLE_RECOVERING.
        """
        self.expect_serving()
        self.directory.expect_whole()
        feed = SeatAssignmentsFeed(self, self.directory.assignments, caller.principal, kind=kind)
        self.readers.add_assignments(feed)
        return feed

    def _lobby_opening(self, after: Place | None, *, is_astray: bool) -> Opening:
        until, directory = self.readers.changes, self.directory
        if after is not None and after.change >= directory.forgotten:
            return Opening(after, until, directory.changed_since(after.change), is_resumed=True)
        reset = ResetReason.EPOCH if is_astray else None
        if after is not None:
            reset = ResetReason.TOO_OLD
        return Opening(Place(until, 0), until, reset=reset)

    def expect_serving(self) -> None:
        """Raise when the server is shutting down.

        Raises:
            Unavailable: SERVER_DRAINING.
        """
        if self._retry_after_ms:
            raise Unavailable(
                Reason.SERVER_DRAINING, "the server is shutting down", retry_ms=self._retry_after_ms
            )

    def expect_storing(self) -> None:
        """Raise when nothing may happen, as the server is shutting down or nothing can be stored.

        Raises:
            Unavailable: SERVER_DRAINING, STORE_UNAVAILABLE.
        """
        self.expect_serving()
        if self.upkeep.trouble:
            raise store_unavailable()

    # Publishing ----------------------------------------------------------------------------------

    def _publish(self, table: Table) -> None:
        """Events of *table* have been stored."""
        timing = table.match.timing
        if timing.unstored and timing.unstored <= table.journal.committed:
            timing.stored(self.now_ms())
            self._timers.schedule(table)
        self.readers.publish(table)
        if table.is_changed:
            self._publish_change(table)
        if table.delayed is not None:
            self._publish_late(table, table.delayed)

    def _publish_change(self, table: Table) -> None:
        """Seats or status of *table* have changed."""
        if table.journal.committed < table.journal.sequence:
            return  # once more when all of it is stored
        table.is_changed = False
        if table.opening.stored(self.now_ms()):
            self._timers.schedule(table)
        self.house.hand_out(table)
        self.readers.bar(self.directory.boards, table)
        self._publish_assignments(table)
        if table.delayed is None:
            self._publish_seen(table)

    def _publish_assignments(self, table: Table) -> None:
        """Tell principals of their seats at *table*."""
        self.readers.show_assignments(table, self.directory.assignments.update(table))

    def show_late(self, table: Table) -> None:
        """See `upkeep.Charge.show_late`."""
        if table.delayed is not None:
            self._publish_late(table, table.delayed)

    def _publish_late(self, table: Table, delayed: Delayed) -> None:
        """Show of *table* what is due by now."""
        before = delayed.shown
        if delayed.advance(table.journal, self.now_ms()):
            self.readers.publish_late(table)
            if delayed.shown is not before:
                self._publish_seen(table)
        self._timers.schedule(table)

    def _publish_seen(self, table: Table) -> None:
        """What everybody sees of seats and status of *table* has changed.

        A table that is shown late has not ended before that is shown: until then it is listed and
        its rows are kept, for its spectators and in place of its record.
        """
        changed = [table]
        if table.seen.status is Status.ENDED:
            self._timers.forget(table)
            self.reception.ended(table)
            archived = self.directory.archive(table)
            for table_id in archived.gone:
                self.reception.let_go(table_id)
            changed += (one for one in archived.unveiled if one is not table)
        for one in changed:
            if one.is_listed:
                self.readers.show(one)

    def _lose(self, table: Table, error: Exception) -> None:
        """Events of *table* could not be stored, so nobody may see them: the table is given up."""
        if self._log.gone is None:  # else all tables are lost, and one line says so
            _log.error("store failed", table_id=table.spec.table_id, error=type(error).__name__)
        if not self.directory.drop(table):
            return
        if table.is_listed:
            self.readers.void(table)
            self.directory.forgotten = table.change
        table.give_up()
        self._timers.forget(table)
        self.house.forget(table)
        self.reception.forget(table)
        self._publish_assignments(table)
        for watcher in list(watchers_of(table)):
            watcher.finish(StreamEnd.SERVER_DRAINING, "the store failed", _RETRY_MS)

    def failed(self, table: Table, fault: BaseException) -> None:
        """See `feed.Owner.failed`."""
        table.halt(fault, self.now_ms())
        self.done(table)

    def forget(self, feed: Feed) -> None:
        """See `feed.Owner.forget`."""
        self.readers.forget(feed)
        if isinstance(feed, SeatFeed):
            table, seat = feed.table, feed.seat
            self.heard_of(table, seat)
            if table.seat_watchers[seat] is None:
                table.match.timing.gone(seat, self.now_ms())

    def attach(self, feed: SeatFeed) -> None:
        """Let *feed* be the stream of its seat; an older one ends."""
        self.readers.attach(feed)
        feed.table.presence.is_back(feed.seat)
        feed.table.match.timing.here(feed.seat, self.now_ms())
        self._timers.schedule(feed.table)

    def miss(self, feed: SeatFeed) -> None:
        """Nothing comes from the reader of *feed*, whose line may be lost: its seat is absent."""
        table, seat = feed.table, feed.seat
        if table.seat_watchers[seat] is feed:
            table.match.timing.gone(seat, self.now_ms())

    def miss_no_more(self, feed: SeatFeed) -> None:
        """The reader of *feed* is there."""
        table, seat = feed.table, feed.seat
        if table.seat_watchers[seat] is feed:
            table.match.timing.here(seat, self.now_ms())
            self._timers.schedule(table)

    def heard_of(self, table: Table, seat: Seat) -> None:
        """*seat* was there until now, or made a call."""
        table.presence.is_back(seat)
        if table.presence.is_watched:
            table.presence.seen(seat, self.now_ms())
            self._timers.schedule(table)

    # The end -------------------------------------------------------------------------------------

    def drain(self, retry_after_ms: int = _RETRY_MS) -> None:
        """Let the server go down: nothing happens any more, what time was used is put down for the
        next start, every stream ends with SERVER_DRAINING."""
        self._retry_after_ms = max(retry_after_ms, 1)
        self.stop()
        now = self.now_ms()
        for table in self.directory:
            if table.status is Status.PLAYING:
                used = table.match.timing.used_before_stop(now)
                if any(used.values()):
                    table.journal.note(Stopped(tuple(used.items())))
                    self.commits.touch(table)
        self.commits.flush()
        self.readers.finish(
            self.directory,
            StreamEnd.SERVER_DRAINING,
            "the server is shutting down",
            retry_after_ms,
        )
