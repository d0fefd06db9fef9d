"""The owner of a server's tables: one event loop, plain calls, persist then publish.

An input runs to completion; the rows that it leads to go to the store with those of everything
else done in the same frame, and readers are told once they are stored. There is no task, queue or
lock a table.

Must not be put here: rules, messages of the contract, gRPC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import structlog

from croupier_server.errors import (
    Exhausted,
    InvalidRequest,
    NotAllowed,
    Reason,
    Unavailable,
)
from croupier_server.games.base import EndReason, Move, Seat
from croupier_server.storage.base import TableLog
from croupier_server.tables import deals, tickets
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.clock import Clock
from croupier_server.tables.commits import Commits
from croupier_server.tables.creation import GameEntry, make_spec
from croupier_server.tables.directory import Directory
from croupier_server.tables.feed import Feed, LobbyFeed, PublicFeed, SeatFeed
from croupier_server.tables.house_seats import HouseSeat, HouseSeats
from croupier_server.tables.idempotency import Answers
from croupier_server.tables.idle import Idle
from croupier_server.tables.lag import Lag
from croupier_server.tables.limits import Limits
from croupier_server.tables.match import FOREVER
from croupier_server.tables.readers import Readers, watchers_of
from croupier_server.tables.results import Accepted, Created, Joined, Made, Sat
from croupier_server.tables.seats import secret_hash
from croupier_server.tables.spec import (
    CreateTable,
    JoinTable,
    OnAbsence,
    Status,
    ViewMode,
)
from croupier_server.tables.table import MakeDealer, Table
from croupier_server.tables.timers import HEARTBEAT_SLICES, Timers
from croupier_server.tables.updates import StreamEnd

__all__ = ["Accepted", "Created", "GameEntry", "HouseSeat", "Joined", "Limits", "Shard"]

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

    Attributes:
        directory: all tables.
        table: finds one by its id, or raises NotFound.
        list_tables: listed tables, newest first; see `Directory.listed`.
        readers: all streams.
        commits: collects what is done and hands it to the store.
        committed: await it before telling a client what was done.
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
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._lag = Lag()
        self._idle = Idle(limits.idle_ms)
        self._secrets = secrets
        self._ids = ids
        self._games = games
        self._house = HouseSeats(secrets, house, limits.relief_bot)
        self._dealer: MakeDealer = dealer or (lambda _, root: deals.RootDealer(root))
        self._endpoint = endpoint
        self.directory = Directory(log, limits.ended_max)
        self.table = self.directory.table
        self.list_tables = self.directory.listed
        self._number = 0
        self.readers = Readers()
        self._created: Answers[CreateTable, Made] = Answers(limits.requests_max)
        self._joined: Answers[JoinTable, Sat] = Answers(limits.requests_max)
        self._retry_after_ms = 0
        self._timers = Timers(
            clock, self.tick, self.heartbeat, self.loop_is_alive, limits.heartbeat_ms
        )
        self.commits = Commits(
            log, publish=self._publish, lost=self._lose, deadline=self._timers.schedule
        )
        self.committed = self.commits.committed

    # Tables --------------------------------------------------------------------------------------

    def create_table(self, caller: Caller, request: CreateTable) -> Created:
        """Make a table; *caller* becomes its host.

        Raises:
            InvalidRequest: ``field`` says where.
            NotAllowed: a rated table without a key.
            Conflict: REQUEST_ID_REUSED.
            Exhausted: TOO_MANY_TABLES.
            Unavailable: SERVER_DRAINING.
        """
        now = self.now_ms()
        before = self._created.find(caller.principal, request.request_id, request, now)
        if before is not None:
            return Created(self.table(before.table_id), before.host_ticket, before.invite_codes)
        self.expect_serving()
        if self.directory.live >= self.limits.tables_max:
            raise Exhausted(
                Reason.TOO_MANY_TABLES, "the server holds no more tables", retry_ms=_RETRY_MS
            )
        if request.rated and caller.principal == LOCAL:
            raise NotAllowed(Reason.PERMISSION_DENIED, "a rated table needs keys", field="rated")
        entry = self._games.get(request.kind)
        if entry is None:
            raise InvalidRequest(Reason.UNKNOWN_GAME, "no such game here", field="game")
        secret = self._secrets(deals.SECRET_BYTES)
        spec = make_spec(
            entry,
            request,
            table_id=self._ids(),
            secret=secret,
            now=now,
            endpoint=self._endpoint,
        )
        self._number += 1
        table = Table(
            spec,
            entry.game,
            entry.wire,
            secret=secret,
            make_dealer=self._dealer,
            outbox=self.commits.outbox,
            number=self._number,
            away_ms=self._away_ms(spec.on_absence),
        )
        self.directory.add(table)
        host_ticket = tickets.new_ticket(self._secrets)
        table.host = secret_hash(host_ticket)
        created = Created(table, host_ticket, self._house.invite(table))
        made = Made(spec.table_id, host_ticket, created.invite_codes)
        self._created.keep(caller.principal, request.request_id, request, made, now)
        self._done(table)
        return created

    def _away_ms(self, on_absence: OnAbsence) -> int:
        is_minded = on_absence is OnAbsence.FORFEIT or (
            on_absence is OnAbsence.HOUSE_BOT and self._house.is_open
        )
        return self.limits.away_ms if is_minded else FOREVER

    # Seats ---------------------------------------------------------------------------------------

    def join(self, caller: Caller, request: JoinTable) -> Joined:
        """Take a seat, or take it again, which supersedes its ticket and ends its streams.

        Raises:
            NotFound: no such table.
            CroupierError: see `tickets.choose_seat`.
            Conflict: REQUEST_ID_REUSED.
        """
        now = self.now_ms()
        before = self._joined.find(caller.principal, request.request_id, request, now)
        table = self.table(request.table_id)
        if before is not None:
            return Joined(table, before.seat, before.ticket, before.epoch)
        seat = tickets.choose_seat(caller, table, request)
        self.expect_serving()
        table.join(seat, request.player, request.nonce_hash, now)
        state = table.seats[seat]
        if not state.is_relieved_by(secret_hash(request.invite_code)):
            state.relief = b""  # its player is back
        ticket = tickets.new_ticket(self._secrets)
        state.hold(caller.principal, secret_hash(ticket))
        watcher = table.seat_watchers[seat]
        if watcher is not None:
            watcher.finish(StreamEnd.TICKET_SUPERSEDED, "the seat was joined again")
        if table.is_full and table.status is Status.OPEN and not table.spec.manual_start:
            table.start(now, self.limits.nonce_ms)
        joined = Joined(table, seat, ticket, state.epoch)
        sat = Sat(seat, ticket, state.epoch)
        self._joined.keep(caller.principal, request.request_id, request, sat, now)
        self._done(table)
        return joined

    def leave(self, caller: Caller, table_id: str) -> None:
        """Leave a seat before the start.

        Raises:
            NotFound: no such table.
            NotAllowed: TICKET_INVALID, TICKET_SUPERSEDED.
            Conflict: TABLE_STARTED, TABLE_CLOSED.
        """
        table = self.table(table_id)
        seat = tickets.seat_of(caller, table)
        table.leave(seat, self.now_ms())
        table.seats[seat].retire()
        watcher = table.seat_watchers[seat]
        if watcher is not None:
            watcher.finish(StreamEnd.CLIENT_CLOSED, "the seat was left")
        self._done(table)

    def start(self, caller: Caller, table_id: str) -> Table:
        """Start a table by hand.

        Raises:
            NotFound: no such table.
            NotAllowed: PERMISSION_DENIED.
            Conflict: TABLE_NOT_READY, TABLE_STARTED, TABLE_CLOSED.
        """
        table = self.table(table_id)
        tickets.expect_host(caller, table)
        table.start(self.now_ms(), self.limits.nonce_ms)
        self._done(table)
        return table

    def abort(self, caller: Caller, table_id: str, detail: str) -> Table:
        """Stop a table; its match does not count.

        Raises:
            NotFound: no such table.
            NotAllowed: PERMISSION_DENIED.
            Conflict, TableHalted: it has ended.
        """
        table = self.table(table_id)
        tickets.expect_host(caller, table)
        table.abort(detail, self.now_ms())
        self._done(table)
        return table

    # Play ----------------------------------------------------------------------------------------

    def submit(self, table: Table, seat: Seat, decision_id: str, move: Move) -> Accepted:
        """Answer a decision.

        Raises:
            CroupierError: see `Table.submit`.
        """
        try:
            return Accepted(decision_id, table.submit(seat, decision_id, move, self.now_ms()))
        finally:
            self._done(table)

    def refuse_unreadable(self, table: Table, seat: Seat, decision_id: str) -> None:
        """Count an answer that could not be read among the refusals of its decision."""
        table.refuse_unreadable(seat, decision_id, self.now_ms())
        self._done(table)

    def open_nonce(self, table: Table, seat: Seat, nonce: bytes) -> None:
        """Take a seat's nonce.

        Raises:
            InvalidRequest: NONCE_MISMATCH.
            Conflict: NONCE_NOT_EXPECTED, TABLE_CLOSED.
        """
        table.open_nonce(seat, nonce, self.now_ms())
        self._done(table)

    def concede(self, table: Table, seat: Seat) -> bool:
        """Give the match up; returns whether that ended it.

        Raises:
            Conflict: TABLE_NOT_READY, TABLE_CLOSED.
        """
        ended = table.concede(seat, self.now_ms())
        self._done(table)
        return ended

    def _done(self, table: Table) -> None:
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
        self.readers.attach(feed)
        return feed

    def spectate(self, table: Table, *, epoch: int, after: int) -> PublicFeed:
        """A stream of what everybody may see.

        Raises:
            InvalidRequest: SEQUENCE_AHEAD.
            Unavailable: SERVER_DRAINING.
        """
        self.expect_serving()
        feed = PublicFeed(self, table, epoch=epoch, after=after, lag_max=self.limits.lag_max)
        self.readers.add_spectator(feed)
        return feed

    def watch_lobby(self, *, kind: int = 0) -> LobbyFeed:
        """Listed tables that have not ended, then what changes.

        Raises:
            Unavailable: SERVER_DRAINING.
        """
        self.expect_serving()
        present = [
            table
            for table in self.directory
            if table.shown.status is not Status.ENDED
            and table.is_listed
            and kind in (0, table.spec.kind)
        ]
        feed = LobbyFeed(self, present, kind)
        self.readers.add_lobby(feed)
        return feed

    def expect_serving(self) -> None:
        """Raise when the server is going down.

        Raises:
            Unavailable: SERVER_DRAINING.
        """
        if self._retry_after_ms:
            raise Unavailable(
                Reason.SERVER_DRAINING, "the server is going down", retry_ms=self._retry_after_ms
            )

    # Publishing ----------------------------------------------------------------------------------

    def _publish(self, table: Table) -> None:
        """Events of *table* have been stored."""
        self.readers.publish(table)
        if table.is_changed:
            self._publish_change(table)

    def _publish_change(self, table: Table) -> None:
        """Seats or status of *table* have changed."""
        if table.journal.committed < table.journal.sequence:
            return  # once more when all of it is stored
        table.is_changed = False
        if table.is_listed:
            self.readers.show(table)
        self._house.hand_out(table)
        if table.status is Status.ENDED:
            self._timers.forget(table)
            self.directory.archive(table)

    def _lose(self, table: Table, error: Exception) -> None:
        """Events of *table* could not be stored, so nobody may see them: the table is given up."""
        _log.error("store failed", table_id=table.spec.table_id, error=type(error).__name__)
        if not self.directory.drop(table):
            return
        table.give_up()
        self._timers.forget(table)
        self._house.forget(table)
        self._created.forget(lambda made: made.table_id == table.spec.table_id)
        for watcher in list(watchers_of(table)):
            watcher.finish(StreamEnd.SERVER_DRAINING, "the store failed", _RETRY_MS)

    def failed(self, table: Table, fault: BaseException) -> None:
        """See `feed.Owner.failed`."""
        table.halt(fault, self.now_ms())
        self._done(table)

    def forget(self, feed: Feed) -> None:
        """See `feed.Owner.forget`."""
        self.readers.forget(feed)
        if isinstance(feed, SeatFeed):
            self.heard_of(feed.table, feed.seat)

    def heard_of(self, table: Table, seat: Seat) -> None:
        """*seat* was there until now, or made a call."""
        if table.presence.is_watched:
            table.presence.seen(seat, self.now_ms())
            self._timers.schedule(table)

    def clock_started(self, table: Table) -> None:
        """See `feed.Owner.clock_started`."""
        self._timers.schedule(table)

    # Time ----------------------------------------------------------------------------------------

    def now_ms(self) -> int:
        """The time; where the loop has been late, it was given back to running clocks."""
        now = self._clock.now_ms()
        if now > self._lag.noticed_from:
            since = self._lag.take(now)
            for table in self._timers.tables:
                table.match.give_back(since, now)
        return now

    def loop_is_alive(self) -> None:
        """To be called every `lag.PERIOD_MS`."""
        self._lag.alive(self.now_ms())

    def tick(self) -> None:
        """Carry out what is due at tables whose time has come."""
        now = self.now_ms()
        for table in self._timers.due(now):
            table.tick(now)
            self._act_on_absence(table, now)
            self.commits.touch(table)
        self.commits.flush()

    def _act_on_absence(self, table: Table, now: int) -> None:
        """Do what the table wants done about seats that are away."""
        for seat in table.away(now):
            if table.spec.on_absence is OnAbsence.FORFEIT:
                table.end(EndReason.FORFEIT, now, seat, "away for too long")
                return
            table.presence.grant(seat, now)
            self._house.relieve(table, seat)

    def heartbeat(self, part: int | None = None) -> None:
        """Send heartbeats to readers of all tables, or of one part of `HEARTBEAT_SLICES`, and stop
        those at which nothing happens any more."""
        whole = part is None
        tables = [one for one in self.directory if whole or one.number % HEARTBEAT_SLICES == part]
        now = self.now_ms()
        for table in self._idle.found(part, tables, now):
            table.abort("nothing happened for too long", now)
            self._done(table)
        self.readers.beat(tables)
        if not part:
            self.readers.beat_sessions()

    def run(self) -> None:
        """Start timers on the running loop."""
        self._timers.run()

    def stop(self) -> None:
        """Stop timers."""
        self._timers.stop()

    # The end -------------------------------------------------------------------------------------

    def drain(self, retry_after_ms: int = _RETRY_MS) -> None:
        """End every stream with SERVER_DRAINING and take no new ones."""
        self._retry_after_ms = max(retry_after_ms, 1)
        self.readers.finish(
            self.directory,
            StreamEnd.SERVER_DRAINING,
            "the server is going down",
            retry_after_ms,
        )
