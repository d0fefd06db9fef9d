"""Where boards are played: a server, and the processes of the entrants.

An arena is a client of the contract like any other. All tables of a board are played at the same
time, because the server releases their records when the last of them has ended. A match is over
when its record arrives. A match that an entrant spoils is stopped and lost by that entrant; a board
that the server spoils is played again. Everything that an arena starts is stopped in the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.clock import Clock
from croupier.connection import Backoff, is_lost, is_worth_waiting
from croupier.credentials import Credentials, encryption_advice
from croupier.errors import ConnectionFailed, UsageError, from_rpc_error
from croupier.record.v1 import record_pb2, record_service_pb2, record_service_pb2_grpc
from croupier.records import StreamedRecord, streamed_records
from croupier.v1 import (
    game_pb2,
    system_service_pb2,
    system_service_pb2_grpc,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
)
from croupier_server.contest import processes
from croupier_server.contest.boards import Board, board, bot_seed
from croupier_server.contest.entrant import Entrant
from croupier_server.contest.faults import Stakes, fault_scores, standing
from croupier_server.contest.isolation import SOCKET, Gate, Isolation
from croupier_server.contest.pairing import Match
from croupier_server.contest.players import RESTARTS_MAX, Players
from croupier_server.contest.processes import Child, ProcessFailed, Worker
from croupier_server.contest.results import MatchResult, Outcome
from croupier_server.contest.timing import thinking_times

Response = TypeVar("Response")

CALL_S: Final = 30.0
"""Deadline of every unary call."""

SEATS_S: Final = 120.0
"""Default of `Setting.seats_s`: a match whose seats are not all taken would never begin."""

TRIES: Final = 3
"""Maximum attempts at a board in which the server fails."""

PATIENCE_S: Final = 120.0
"""So long a server may be away, or refuse for a while, before the contest gives it up."""

_ENDED: Final = ("TABLE_CLOSED", "NOT_FOUND")
"""Reasons of refusals that tell of an ended table. The server forgets such tables in time, and a
bot can hasten that by ending tables of its own; the record of the match comes all the same."""

_TIMED_EVERY: Final = 4
"""Thinking times are taken from one board of so many: reading them costs as much as all else that
is done with a record."""

_AWAY: Final = "away for too long"
"""Detail of a match that was forfeited by a seat that was away."""

_AFTER_REFUSAL: Final = "after a refused move"
"""Detail of a match that was conceded by a seat whose last answer was refused."""

_CHANNEL: Final = (("grpc.max_receive_message_length", -1),)


Keep = Callable[[MatchResult, bytes], str]
"""Keeps the record of a match and returns its name, or nothing; `OSError` if it cannot."""


class ContestFailed(Exception):
    """The contest cannot continue at all; the text says why."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played, and by whom.

    Attributes:
        game: its name, such as ``tractor``.
        ruleset: name of the ruleset.
        options: options that override it.
        teams: team of each seat, from 0.
        entrants: the participants; matches refer to them by number.
        stakes: what a match is about.
        seed: determines the cards and the seeds of bots.
        clock: clock of every table; None: no clock.
        seats_s: a match whose seats are not all taken after this many seconds is abandoned.
        away_s: a seat that is away for this many seconds loses the match, on a server we start;
            other servers have their own setting for it. 0: it may be away, and its clock runs.
        isolation: isolation of bot processes; needs a server that we start.
        hidden: folder that isolated processes do not see.
        memory_mb: maximum memory of the process of a bot in megabytes; 0: no limit.
    """

    game: str
    ruleset: str
    options: game_pb2.GameOptions
    teams: tuple[int, ...]
    entrants: tuple[Entrant, ...]
    stakes: Stakes
    seed: int
    clock: Clock | None = None
    seats_s: float = field(default_factory=lambda: SEATS_S)
    away_s: float = 0
    isolation: Isolation = Isolation.OFF
    hidden: Path | None = None
    memory_mb: int = 0


@asynccontextmanager
async def arena(
    setting: Setting,
    folder: Path,
    address: str = "",
    *,
    keep: Keep,
    alone: set[int] | None = None,
) -> AsyncIterator[Arena]:
    """Open an arena on the server at *address*, or on a server that is started for it.

    Args:
        setting: what is played.
        folder: existing folder for logs.
        address: address of a server; empty: start one.
        keep: keeps the record of each match, and returns its name.
        alone: see `Arena`.

    Raises:
        ContestFailed: there is no server, or it rejects the first call.
        ProcessFailed: the server cannot be started.
    """
    async with AsyncExitStack() as stack:
        child = None
        credentials = Credentials.from_environment() if address else Credentials()
        if not address:
            log = folder / "server.log"
            flags = ("--away-ms", str(round(setting.away_s * 1000))) if setting.away_s else ()
            address, child = await stack.enter_async_context(processes.server(log, *flags))
        try:
            channel = credentials.channel(address, _CHANNEL)
        except UsageError as error:
            raise ContestFailed(str(error)) from None
        await stack.enter_async_context(channel)
        found = Arena(setting, folder, address, channel, keep, alone, is_own=child is not None)
        since = await found.server_time()
        await stack.enter_async_context(found.players)
        watchers = [found.read_records(since)]
        if child is not None:
            watchers.append(found.watch_server(child))
        for task in [asyncio.create_task(watcher) for watcher in watchers]:
            stack.push_async_callback(_cancel, task)
        yield found
        if found.broken:
            # Without their server the workers would try to reach it for a while yet.
            await found.stop_workers()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


class _Spoiled(Exception):
    """A match failed through no fault of an entrant; the text says how."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """The entrants at fault for a match that was not played to its end, and what they did."""

    outcome: Outcome
    entrants: tuple[int, ...]
    detail: str


class _Deal(NamedTuple):
    """The cards of a board as its tables are given them.

    Attributes:
        cards: cards of the board.
        tables: number of tables.
        attempt: secret-free text that tells this attempt at the board from others.
    """

    cards: Board
    tables: int
    attempt: str


@dataclass(slots=True)
class _Live:
    """A match under way.

    Attributes:
        match: the match.
        deal: the cards of its board.
        table_id: its table.
        host_ticket: the right to stop it.
        invites: to its seats.
        ended: its record; None where a match that never began has none.
        fault: of entrants, if any.
        workers: processes that were started for this match alone, each with the task that waits
            for its end.
        gates: the ways to the server from sandboxes.
    """

    match: Match
    deal: _Deal
    table_id: str
    host_ticket: str
    invites: Sequence[table_service_pb2.SeatInvite]
    ended: asyncio.Future[record_pb2.MatchRecord | None]
    fault: _Fault | None = None
    workers: list[tuple[Worker, asyncio.Task[None]]] = field(default_factory=list)
    gates: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def dismiss(self) -> None:
        """End the processes that were started for this match alone."""
        for _, attending in self.workers:
            attending.cancel()
        await asyncio.gather(*(worker.finish() for worker, _ in self.workers))
        await self.gates.aclose()

    def end(self, record: record_pb2.MatchRecord | None) -> None:
        """End the match with *record*, unless it has ended already."""
        if not self.ended.done():
            self.ended.set_result(record)

    def fail(self, why: str) -> None:
        """Spoil the match, unless it has ended already."""
        if not self.ended.done():
            self.ended.set_exception(_Spoiled(why))


class Arena:
    """A server and the processes of entrants, ready to play.

    Args:
        setting: what is played.
        folder: folder for the logs of entrants.
        address: address of the server.
        channel: channel to the server.
        keep: stores the record of each match.
        alone: entrants that get a process of their own for every match. None: nobody, and all
            matches of a process are lost when it exits. Otherwise an entrant whose process has
            exited is added, and its boards are played again, which shows the match that caused
            the exit.
        is_own: the server was started by us.

    Attributes:
        players: the processes that play all matches of an entrant.
        broken: why this cannot continue, or empty.
    """

    def __init__(
        self,
        setting: Setting,
        folder: Path,
        address: str,
        channel: grpc.aio.Channel,
        keep: Keep,
        alone: set[int] | None,
        *,
        is_own: bool,
    ) -> None:
        self.broken = ""
        self._setting = setting
        self._folder = folder
        self._address = address
        self._keep = keep
        self._alone = alone
        self._is_own = is_own
        self._system = system_service_pb2_grpc.SystemServiceStub(channel)
        self._tables = table_service_pb2_grpc.TableServiceStub(channel)
        self._records = record_service_pb2_grpc.RecordServiceStub(channel)
        self._kind = game_pb2.GameKind.Value(f"GAME_KIND_{setting.game.upper()}")
        self._live: dict[str, _Live] = {}
        self._crashes = 0
        restarts = RESTARTS_MAX if alone is None else 0
        self.players = Players(setting.entrants, self._start, self._died, restarts)

    # Entrants ----------------------------------------------------------------------------------

    async def _start(self, number: int) -> Worker:
        """Start a process of entrant *number*; raises `ProcessFailed` if that fails."""
        return await Worker.start(
            self._setting.entrants[number],
            self._log(number),
            with_credentials=not self._is_own,
            memory_mb=self._setting.memory_mb,
        )

    async def _start_for(self, live: _Live, number: int) -> Worker:
        """A process of entrant *number* for one match, or if it is isolated for one seat;
        `ProcessFailed` if there is none."""
        if self._setting.isolation is Isolation.OFF:
            worker = await self._start(number)
        else:
            gate = await live.gates.enter_async_context(Gate(self._address))
            worker = await Worker.start(
                self._setting.entrants[number],
                self._log(number),
                gate=gate,
                hidden=self._setting.hidden,
                memory_mb=self._setting.memory_mb,
            )
        attending = asyncio.create_task(self._attend(live, number, worker))
        live.workers.append((worker, attending))
        return worker

    async def _died(self, number: int, why: str) -> None:
        """The process that plays all matches of entrant *number* has ended."""
        if self.broken:
            return  # we stopped it ourselves, or it lost its server
        spoiled = [live for live in self._live.values() if number in live.match.players]
        if self._alone is None:
            fault = _Fault(Outcome.CRASHED, (number,), why)
            await asyncio.gather(*(self._blame(live, fault) for live in spoiled))
            return
        self._alone.add(number)
        self._crashes += 1
        for live in spoiled:
            live.fail(why)

    async def _attend(self, live: _Live, number: int, worker: Worker) -> None:
        """Wait for the end of a process that plays one match, which may be over by then."""
        why = worker.child.epitaph(await worker.child.ended())
        await self._blame(live, _Fault(Outcome.CRASHED, (number,), why))

    async def stop_workers(self) -> None:
        """Stop the processes of all entrants at once."""
        own = [worker for live in self._live.values() for worker, _ in live.workers]
        workers = (*self.players.workers(), *own)
        await asyncio.gather(*(one.child.stop(at_once=True) for one in workers))

    def _log(self, number: int) -> Path:
        return self._folder / f"{self._setting.entrants[number].file_name}.log"

    async def _blame(self, live: _Live, fault: _Fault) -> None:
        """Stop the table of a match because of *fault*. If its match has ended by then, its record
        decides, and *fault* is ignored."""
        is_first = live.fault is None
        live.fault = live.fault or fault
        if live.ended.done() or not is_first:
            return
        request = table_service_pb2.GetTableRequest(table_id=live.table_id)
        try:
            table = (await self._call(self._tables.GetTable, request)).table
            if table.status != table_pb2.TABLE_STATUS_ENDED:
                await self._abort(live.table_id, live.host_ticket, fault.outcome)
        except grpc.aio.AioRpcError as error:
            refused = from_rpc_error(error)
            if refused.reason not in _ENDED:
                live.fail(refused.message)
            return
        if table.status == table_pb2.TABLE_STATUS_OPEN:
            await self._replace_unbegun(live, fault)

    async def _replace_unbegun(self, live: _Live, fault: _Fault) -> None:
        """End a match that *fault* kept from beginning.

        The server releases the records of a board only when all its tables have begun and ended. So
        another table is started in the place of this one, and aborted. Nobody is invited to it, so
        nobody sees its cards.
        """
        try:
            made = await self._create(live.match, live.deal, for_players=False)
            for invite in made.invites:
                request = table_service_pb2.JoinTableRequest(
                    request_id=secrets.token_hex(16),
                    table_id=made.table.table_id,
                    invite_code=invite.code,
                )
                await self._call(self._tables.JoinTable, request)
            await self._abort(made.table.table_id, made.host_ticket, fault.outcome)
        except grpc.aio.AioRpcError as error:
            refused = from_rpc_error(error)
            if refused.reason == "BOARD_CONFLICT":
                return  # the match began at the last moment, and its record comes
            for other in self._live.values():
                if other is not live and other.match.board == live.match.board:
                    other.fail(refused.message)
        live.end(None)

    async def _call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Any, Response],
        request: Message,
        metadata: Sequence[tuple[str, str]] = (),
    ) -> Response:
        """Return the server's answer to a call that may be repeated; while the server is
        unavailable or busy, the call is retried for up to `PATIENCE_S`.

        Raises:
            grpc.aio.AioRpcError: the server rejects the call, or was unavailable for too long.
        """
        backoff = Backoff(self._address, PATIENCE_S)
        while True:
            try:
                return await method(request, timeout=CALL_S, metadata=metadata)
            except grpc.aio.AioRpcError as error:
                refused = from_rpc_error(error)
                if self.broken or not is_worth_waiting(refused):
                    raise
                try:
                    await backoff.pause(refused.message, refused.retry_after)
                except ConnectionFailed:
                    raise error from None

    # Watching ----------------------------------------------------------------------------------

    async def server_time(self) -> Timestamp:
        """Return the time of the server, after checking that it accepts our key.

        Raises:
            ContestFailed: there is no server, or it rejects our key.
        """
        try:
            info = await self._system.GetServerInfo(
                system_service_pb2.GetServerInfoRequest(), timeout=CALL_S
            )
            await self._tables.ListTables(
                table_service_pb2.ListTablesRequest(page_size=1), timeout=CALL_S
            )
        except grpc.aio.AioRpcError as error:
            refused = from_rpc_error(error)
            who = "no Croupier server answers at " if is_lost(refused) else ""
            what = refused.message
            if who:
                what += encryption_advice(what) or "; start one with `croupier serve`"
            if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                what += "; set CROUPIER_KEY_FILE to a file with a key of the scopes host and play"
            raise ContestFailed(f"{who}{self._address}: {what}") from None
        return info.server_time

    async def read_records(self, since: Timestamp) -> None:
        """Read records until cancelled; a broken stream is reopened, unless the server is
        unavailable for longer than `PATIENCE_S`."""
        request = record_service_pb2.StreamRecordsRequest(game=self._kind, since=since, follow=True)
        backoff = Backoff(self._address, PATIENCE_S)
        while True:
            call = self._records.StreamRecords(request)
            why = "it ended the stream of records"
            try:
                await call.wait_for_connection()
                backoff.succeeded()
                async for found in streamed_records(call):
                    backoff.succeeded()
                    if isinstance(found, StreamedRecord):
                        request.cursor = found.cursor
                        self._take(found.message)
            except grpc.aio.AioRpcError as error:
                refused = from_rpc_error(error)
                why = refused.message
                if not is_worth_waiting(refused):
                    break
            finally:
                call.cancel()
            try:
                await backoff.pause(why)
            except ConnectionFailed:
                break
        self._break(f"lost the server at {self._address}: {why}")

    async def watch_server(self, server: Child) -> None:
        """Fail the contest when the server that we started exits."""
        self._break(server.epitaph(await server.ended()))

    def _break(self, why: str) -> None:
        """Fail every match that has not ended, because the contest cannot continue."""
        self.broken = self.broken or why
        for live in self._live.values():
            live.fail(self.broken)

    def _take(self, record: record_pb2.MatchRecord) -> None:
        live = self._live.get(record.table.table_id)
        if live is not None:
            live.end(record)

    # Playing -----------------------------------------------------------------------------------

    async def play_board(
        self, matches: Sequence[Match], redeal: int = 0, tries: int = TRIES
    ) -> list[MatchResult]:
        """Play all *matches* of a board at the same time, and all again if the server fails in one.

        Args:
            matches: of one board.
            redeal: which cards of the board, see `boards.board`.
            tries: maximum attempts with these cards.

        Returns:
            Their results, in order; with the outcome `SERVER_FAULT` after the last attempt, or when
            the arena is `broken`.
        """
        failures = 0
        while True:
            crashes = self._crashes
            results = await self._try_board(matches, redeal)
            if all(one.outcome is not Outcome.SERVER_FAULT for one in results):
                return results
            failures += crashes == self._crashes
            if self.broken or failures == tries:
                return results

    async def _try_board(self, matches: Sequence[Match], redeal: int) -> list[MatchResult]:
        """Play *matches* at the same time, once; returns their results.

        The server releases the records of a board when all of its tables have ended. So nobody is
        invited before all tables exist: tables whose matches never begin do not count, and the next
        try may create others.
        """
        results: dict[int, MatchResult] = {}
        playable: list[Match] = []
        for match in matches:
            benched = [one for one in match.entrants if await self._is_benched(one)]
            if self.broken:
                results[match.number] = self._spoiled(match, "", self.broken)
            elif benched:
                why = self.players[benched[0]].benched
                fault = _Fault(Outcome.BENCHED, tuple(benched), why)
                results[match.number] = self._lost(match, "", fault, None)
            else:
                playable.append(match)
        cards = board(self._setting.seed, matches[0].board, redeal)
        deal = _Deal(cards, len(playable), secrets.token_hex(4))
        live: list[_Live] = []
        why = ""
        for match in playable:
            try:
                live.append(await self._make_table(match, deal))
            except grpc.aio.AioRpcError as error:
                why = f"no table: {from_rpc_error(error).message}"
                break
        for match in playable[len(live) :]:
            results[match.number] = self._spoiled(match, "", why)
        async with asyncio.TaskGroup() as tables:
            finishing = [tables.create_task(self._finish(one, live)) for one in live]
            for one in live:
                if why:
                    one.fail(why)
                else:
                    await self._invite(one)
        results |= {task.result().match.number: task.result() for task in finishing}
        return [results[match.number] for match in matches]

    async def _is_benched(self, number: int) -> bool:
        """Whether entrant *number* may no longer play."""
        if self._plays_alone(number):
            return False
        return not await self.players[number].ready()

    def _plays_alone(self, number: int) -> bool:
        if self._setting.isolation is not Isolation.OFF:
            return True
        return self._alone is not None and number in self._alone

    async def _finish(self, live: _Live, board_matches: Sequence[_Live]) -> MatchResult:
        """Wait for the record of a match under way, one of a board."""
        match = live.match
        try:
            record = await self._record(live)
        except _Spoiled as error:
            for other in board_matches:  # the board is void
                other.fail(str(error))
            with contextlib.suppress(grpc.aio.AioRpcError):
                await self._abort(live.table_id, live.host_ticket, str(error))
            return self._spoiled(match, live.table_id, str(error))
        except asyncio.CancelledError:
            with contextlib.suppress(grpc.aio.AioRpcError, TimeoutError):
                async with asyncio.timeout(processes.STOP_S):
                    await self._abort(live.table_id, live.host_ticket, "the contest was stopped")
            raise
        finally:
            del self._live[live.table_id]
            await live.dismiss()
        if record is None:
            assert live.fault is not None
            return self._lost(match, live.table_id, live.fault, None)
        return self._read(live, record)

    async def _record(self, live: _Live) -> record_pb2.MatchRecord | None:
        """Wait for the record of a match; None if the match never began.

        Raises:
            _Spoiled: the server has spoiled it.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._setting.seats_s):
                return await asyncio.shield(live.ended)
        request = table_service_pb2.GetTableRequest(table_id=live.table_id)
        try:
            table = (await self._call(self._tables.GetTable, request)).table
        except grpc.aio.AioRpcError:
            return await live.ended
        if table.status == table_pb2.TABLE_STATUS_OPEN:
            empty = [seat.seat for seat in table.seats if not seat.HasField("player")]
            missing = tuple(sorted({live.match.players[seat] for seat in empty}))
            names = " and ".join(self._setting.entrants[number].name for number in missing)
            why = (
                f"{names} did not take every seat within {self._setting.seats_s:.0f} s; "
                "a program must take all its seats at once"
            )
            if missing:
                await self._blame(live, _Fault(Outcome.ABSENT, missing, why))
        return await live.ended

    async def _make_table(self, match: Match, deal: _Deal) -> _Live:
        """Create the table of *match* with the cards of *deal*, and track it."""
        made = await self._create(match, deal)
        table_id = made.table.table_id
        ended = asyncio.get_running_loop().create_future()
        live = _Live(match, deal, table_id, made.host_ticket, made.invites, ended)
        self._live[table_id] = live
        if self.broken:
            live.fail(self.broken)
        return live

    async def _create(
        self, match: Match, deal: _Deal, *, for_players: bool = True
    ) -> table_service_pb2.CreateTableResponse:
        """Create a table for *match* with the cards of *deal*; if it is *for_players*, its
        seats are reserved for bots that dial in."""
        setting, cards = self._setting, deal.cards
        seated = [setting.entrants[number] for number in match.players]
        names = [entrant.name for entrant in seated]
        spec = table_pb2.TableSpec(
            game=self._kind,
            ruleset=setting.ruleset,
            options=setting.options,
            deal_source=table_pb2.DealSource(
                board=table_pb2.BoardDeal(
                    # Bots read it, so it must not tell the seed: the cards follow from that.
                    board_id=f"{cards.commitment.hex()[:16]}/{cards.board_id}/{deal.attempt}",
                    root=cards.root,
                    commitment=cards.commitment,
                    shared_principals=True,  # entrants play in processes that we keep apart
                    table_count=deal.tables,
                )
            ),
            clock=setting.clock.message() if setting.clock else None,
            shared_seats=True,
            absence=(
                table_pb2.ABSENCE_POLICY_FORFEIT
                if setting.away_s
                else table_pb2.ABSENCE_POLICY_UNSPECIFIED
            ),
            # Without keys a server cannot tell entrants from spectators, who see what is played.
            visibility=(
                table_pb2.VISIBILITY_UNLISTED if self._is_own else table_pb2.VISIBILITY_UNSPECIFIED
            ),
            title=f"{cards.board_id}: {' against '.join(dict.fromkeys(names))}",
        )
        seats = [
            table_service_pb2.SeatSpec(
                access=table_pb2.SEAT_ACCESS_RESERVED,
                player=table_pb2.Player(
                    display_name=one.name, player_id=one.player_id if for_players else ""
                ),
            )
            for one in seated
        ]
        request = table_service_pb2.CreateTableRequest(
            request_id=secrets.token_hex(16), spec=spec, seats=seats
        )
        return await self._call(self._tables.CreateTable, request)

    async def _invite(self, live: _Live) -> None:
        """Invite the entrants of a match to its table; the server notifies bots that dial in."""
        match, is_isolated = live.match, self._setting.isolation is not Isolation.OFF
        workers: dict[tuple[int, int], Worker | None] = {}
        for invite in live.invites:
            number = match.players[invite.seat]
            place = (number, invite.seat if is_isolated else 0)
            if place not in workers:
                workers[place] = await self._worker(live, number)
            worker = workers[place]
            if worker is not None:
                worker.invite(
                    address=f"unix:{SOCKET}" if is_isolated else self._address,
                    table_id=live.table_id,
                    seat=invite.seat,
                    invite_code=invite.code,
                    seed=bot_seed(self._setting.seed, number, match.board, match.seating),
                )
        for worker, _ in live.workers:
            worker.close()

    async def _worker(self, live: _Live, number: int) -> Worker | None:
        """The process of entrant *number* that plays a match; None if it has none. If it should
        have one, the match is stopped."""
        if self._setting.entrants[number].player_id:
            return None
        if self._plays_alone(number):
            try:
                return await self._start_for(live, number)
            except ProcessFailed as error:
                await self._blame(live, _Fault(Outcome.BENCHED, (number,), str(error)))
                return None
        if not await self.players[number].ready():
            fault = _Fault(Outcome.BENCHED, (number,), self.players[number].benched)
            await self._blame(live, fault)
        return self.players[number].worker

    async def _abort(self, table_id: str, host_ticket: str, why: str) -> None:
        """Abort the table of an abandoned match, if the server still responds.

        Raises:
            grpc.aio.AioRpcError: the server rejects the call or does not respond.
        """
        if self.broken:
            return
        request = table_service_pb2.AbortTableRequest(table_id=table_id, detail=why[:256])
        ticket = (("croupier-host-ticket", host_ticket),)
        await self._call(self._tables.AbortTable, request, ticket)

    # Results -----------------------------------------------------------------------------------

    def _read(self, live: _Live, record: record_pb2.MatchRecord) -> MatchResult:
        """Store *record* and return the result of its match."""
        found = self._judge(live, record)
        if live.match.board % _TIMED_EVERY == 0:
            found = found._replace(times=thinking_times(record, live.match.players))
        return keep_record(self._keep, found, record.SerializeToString())

    def _judge(self, live: _Live, record: record_pb2.MatchRecord) -> MatchResult:
        """Return the result of a match according to its record."""
        match, result = live.match, record.result
        reason = game_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_")
        if reason in ("FINISHED", "ADJUDICATED") and result.seats:
            scores = tuple(seat.score for seat in result.seats)
            return MatchResult(match, live.table_id, scores, Outcome.PLAYED, reason=reason)
        fault = self._fault(match, record) or live.fault
        if fault is None:
            why = f"a match ended as {reason}" + (f" ({result.detail})" if result.detail else "")
            found = self._spoiled(match, live.table_id, why)
        else:
            found = self._lost(match, live.table_id, fault, record)
        return found._replace(reason=reason)

    def _fault(self, match: Match, record: record_pb2.MatchRecord) -> _Fault | None:
        """Return the fault that *record* reports, if any."""
        result = record.result
        if not result.HasField("seat_at_fault"):
            return None
        number = match.players[result.seat_at_fault]
        # The log may still be growing, so it is named here and not read.
        by = f"by {self._setting.entrants[number].name}, see {self._log(number)}"
        if result.reason == game_pb2.END_REASON_CONCEDED:
            is_illegal = result.detail == _AFTER_REFUSAL
            outcome = Outcome.STRUCK_OUT if is_illegal else Outcome.CONCEDED
            why = f"{result.detail} " if is_illegal else ""
            return _Fault(outcome, (number,), f"a match was conceded {why}{by}")
        if result.reason == game_pb2.END_REASON_NO_SHOW:
            return _Fault(Outcome.ABSENT, (number,), f"the seats were not taken {by}")
        if result.reason != game_pb2.END_REASON_FORFEIT:
            return None
        why = f" ({result.detail})" if result.detail else ""
        outcome = Outcome.STRUCK_OUT
        if result.detail == _AWAY:
            outcome = Outcome.DISCONNECTED
        elif has_timed_out(record, result.seat_at_fault):
            outcome = Outcome.TIMED_OUT
        return _Fault(outcome, (number,), f"a match was forfeited{why} {by}")

    def _lost(
        self, match: Match, table_id: str, fault: _Fault, record: record_pb2.MatchRecord | None
    ) -> MatchResult:
        """The result of a match that ended by *fault*; *record* if it has begun."""
        # A side loses together: the partner of the bot at fault must not gain what the fault costs.
        lost = {
            match.teams[seat] for seat, one in enumerate(match.players) if one in fault.entrants
        }
        at_fault = [seat for seat, team in enumerate(match.teams) if team in lost]
        scores = None
        if len(at_fault) < len(match.teams):
            stakes = self._setting.stakes
            reached = standing(record or record_pb2.MatchRecord(), stakes)
            scores = tuple(fault_scores(reached, at_fault, stakes))
        return MatchResult(
            match, table_id, scores, fault.outcome, fault.entrants, detail=fault.detail
        )

    def _spoiled(self, match: Match, table_id: str, why: str) -> MatchResult:
        """The result of a match without a fault of an entrant."""
        return MatchResult(match, table_id, None, Outcome.SERVER_FAULT, detail=why)


def keep_record(keep: Keep, result: MatchResult, record: bytes) -> MatchResult:
    """Store *record* and return *result* with the name that *keep* returned."""
    try:
        return result._replace(record=keep(result, record))
    except OSError as error:
        # The result counts anyway: an entrant may have spoiled the folder.
        why = f"cannot write {error.filename}: {error.strerror}"
        return result._replace(detail=result.detail or why)


def has_timed_out(record: record_pb2.MatchRecord, seat: int) -> bool:
    """Whether *seat* has run out of time for a decision at least once."""
    for row in record.rows:
        played = getattr(row.input, row.input.WhichOneof("input") or "", None)
        if isinstance(played, record_pb2.MoveInput) and played.timed_out and played.seat == seat:
            return True
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.WhichOneof("event") == "seat_timed_out" and event.seat_timed_out.seat == seat:
            return True
    return False
