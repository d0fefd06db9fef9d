"""Plays a schedule of matches: makes the tables, invites the entrants, collects the records.

A client of the contract like any other. All tables of a board are played at the same time, since
their records come when the last of them has ended; some boards are in flight at a time. A match is
over when its record comes. A match that an entrant spoils is stopped and lost by that entrant; one
that the server spoils is played again. Whatever happens, what was started is stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

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
from croupier_server.contest.boards import board, bot_seed
from croupier_server.contest.entrant import Entrant
from croupier_server.contest.faults import Stakes, fault_scores, standing
from croupier_server.contest.pairing import Match
from croupier_server.contest.players import Player
from croupier_server.contest.processes import Child, Worker
from croupier_server.contest.results import MatchResult, Outcome, match_score

Response = TypeVar("Response")

CALL_S: Final = 30.0
"""Deadline of every unary call."""

SEATS_S: Final = 120.0
"""A match whose seats are not all taken after this time is given up: it would never begin."""

TRIES: Final = 3
"""Maximum attempts at a match in which the server fails."""

PATIENCE_S: Final = 120.0
"""So long a server may be away, or refuse for a while, before the contest gives it up."""

_ENDED: Final = ("TABLE_CLOSED", "NOT_FOUND")
"""Reasons of refusals that tell of an ended table. The server forgets such tables in time, and a
bot can hasten that by ending tables of its own; the record of the match comes all the same."""

_CHANNEL: Final = (("grpc.max_receive_message_length", -1),)


class ContestFailed(Exception):
    """The contest cannot go on at all; the text says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play.

    Attributes:
        game: its name, such as ``tractor``.
        ruleset: name of the ruleset.
        options: options that differ from it.
        teams: team of each seat, from 0.
        entrants: who takes part; matches name them by number.
        stakes: what a match is about.
        seed: cards and bots follow from it.
        matches: the schedule.
        in_flight: tables at a time; one board at least.
        clock: of every table; None: none.
    """

    game: str
    ruleset: str
    options: game_pb2.GameOptions
    teams: tuple[int, ...]
    entrants: tuple[Entrant, ...]
    stakes: Stakes
    seed: int
    matches: tuple[Match, ...] = ()
    in_flight: int = 32
    clock: Clock | None = None


async def play(
    plan: Plan,
    folder: Path,
    report: Callable[[MatchResult], None],
    address: str = "",
) -> None:
    """Play *plan*; *report* is called with the result of every match as it comes.

    Records and logs go to *folder*, which exists. Without *address* a server is started for the
    time of the contest.

    Raises:
        ContestFailed: there is no server, or it does not take the first call.
        ProcessFailed: the server or an entrant cannot be started.
    """
    async with AsyncExitStack() as stack:
        child = None
        credentials = Credentials.from_environment() if address else Credentials()
        if not address:
            log = folder / "server.log"
            address, child = await stack.enter_async_context(processes.server(log))
        try:
            channel = credentials.channel(address, _CHANNEL)
        except UsageError as error:
            raise ContestFailed(str(error)) from None
        await stack.enter_async_context(channel)
        runner = _Runner(plan, folder, address, channel, report)
        since = await runner.server_time()
        for number in range(len(plan.entrants)):
            player = runner.player(number, with_credentials=child is None)
            runner.players.append(await stack.enter_async_context(player))
        watchers = [runner.read_records(since)]
        if child is not None:
            watchers.append(runner.watch_server(child))
        for task in [asyncio.create_task(watcher) for watcher in watchers]:
            stack.push_async_callback(_cancel, task)
        await runner.play_all()
        if runner.broken:
            # Without their server the workers would try to reach it for a while yet.
            await asyncio.gather(
                *(one.worker.child.stop() for one in runner.players if one.worker is not None)
            )


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


class _ServerFailed(Exception):
    """The server failed during a match; the text says how."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """The entrants at fault for a match that was not played to its end, and what they did."""

    outcome: Outcome
    entrants: tuple[int, ...]
    detail: str


@dataclass(slots=True)
class _Live:
    """A match under way.

    Attributes:
        match: which one.
        tables: how many tables its board was made for.
        table_id: its table.
        host_ticket: the right to stop it.
        invites: to its seats.
        ended: its record; None where a match that never began has none.
        fault: of entrants, if any.
    """

    match: Match
    tables: int
    table_id: str
    host_ticket: str
    invites: Sequence[table_service_pb2.SeatInvite]
    ended: asyncio.Future[record_pb2.MatchRecord | None]
    fault: _Fault | None = None

    def end(self, record: record_pb2.MatchRecord | None) -> None:
        """End the match with *record*, unless it has ended already."""
        if not self.ended.done():
            self.ended.set_result(record)

    def fail(self, why: str) -> None:
        """Fail the match by a fault of the server, unless it has ended already."""
        if not self.ended.done():
            self.ended.set_exception(_ServerFailed(why))


class _Runner:
    """The state of a contest under way.

    Attributes:
        players: the entrants, in their order.
        broken: why the contest cannot continue, or empty.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        address: str,
        channel: grpc.aio.Channel,
        report: Callable[[MatchResult], None],
    ) -> None:
        self.players: list[Player] = []
        self._plan = plan
        self._folder = folder
        self._address = address
        self._report = report
        self._system = system_service_pb2_grpc.SystemServiceStub(channel)
        self._tables = table_service_pb2_grpc.TableServiceStub(channel)
        self._records = record_service_pb2_grpc.RecordServiceStub(channel)
        self._kind = game_pb2.GameKind.Value(f"GAME_KIND_{plan.game.upper()}")
        self._live: dict[str, _Live] = {}
        self.broken = ""

    # Entrants ----------------------------------------------------------------------------------

    def player(self, number: int, *, with_credentials: bool) -> Player:
        """Entrant *number*, not started yet."""
        entrant = self._plan.entrants[number]

        async def start() -> Worker:
            seed = bot_seed(self._plan.seed, number, 0, 0)
            return await Worker.start(
                entrant, seed, self._log(number), with_credentials=with_credentials
            )

        async def died(why: str) -> None:
            fault = _Fault(Outcome.CRASHED, (number,), why)
            spoiled = [live for live in self._live.values() if number in live.match.pairing]
            await asyncio.gather(*(self._blame(live, fault) for live in spoiled))

        return Player(entrant, start, died)

    def _log(self, number: int) -> Path:
        return self._folder / f"{self._plan.entrants[number].file_name}.log"

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

        Its table is none of its board, and the records of the others would wait for it. So another
        table begins in its place and is aborted. Nobody is invited there, so nobody sees its cards.
        """
        try:
            made = await self._create(live.match, live.tables)
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
        """The server's answer to a call that may be repeated; while the server is away or busy, it
        is asked again for `PATIENCE_S`.

        Raises:
            grpc.aio.AioRpcError: the server refuses, or was away for too long.
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
        """The server's clock, from a server that lets us in.

        Raises:
            ContestFailed: there is no server, or it does not take our key.
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
                what += "; give --key-file with a key of the scopes host and play"
            raise ContestFailed(f"{who}{self._address}: {what}") from None
        return info.server_time

    async def read_records(self, since: Timestamp) -> None:
        """Take in records until cancelled; a stream that breaks is opened again, unless the server
        is away for `PATIENCE_S`."""
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
        """Notice when our own server ends."""
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

    async def play_all(self) -> None:
        """Play the whole schedule, some matches at a time."""
        boards: dict[int, list[Match]] = {}
        for match in self._plan.matches:
            boards.setdefault(match.board, []).append(match)
        waiting = iter(boards.values())

        async def lane() -> None:
            for matches in waiting:
                await self._play_board(matches)

        largest = max(map(len, boards.values()), default=1)
        async with asyncio.TaskGroup() as lanes:
            for _ in range(min(max(1, self._plan.in_flight // largest), len(boards))):
                lanes.create_task(lane())

    async def _play_board(self, matches: Sequence[Match]) -> None:
        """Play all *matches* of a board, and again those in which the server fails."""
        for attempt in range(TRIES):
            results = await self._try_board(matches)
            spoiled = [one for one in results if one.outcome is Outcome.SERVER_FAULT]
            is_last = self.broken or attempt + 1 == TRIES
            for result in results:
                if is_last or result.outcome is not Outcome.SERVER_FAULT:
                    self._report(result)
            if is_last or not spoiled:
                return
            matches = [one.match for one in spoiled]

    async def _try_board(self, matches: Sequence[Match]) -> list[MatchResult]:
        """Play *matches* at the same time, once; returns their results.

        The server gives out the records of a board when all of its tables have ended. So nobody is
        invited before all are there: tables whose matches never begin do not count, and the next
        try may make others.
        """
        results: list[MatchResult] = []
        playable: list[Match] = []
        for match in matches:
            for number in match.pairing:
                await self.players[number].ready()
            benched = tuple(one for one in match.pairing if self.players[one].benched)
            if self.broken:
                results.append(self._spoiled(match, "", self.broken))
            elif benched:
                why = self.players[benched[0]].benched
                fault = _Fault(Outcome.BENCHED, benched, why)
                results.append(self._lost(match, "", fault, None))
            else:
                playable.append(match)
        live: list[_Live] = []
        why = ""
        for match in playable:
            try:
                live.append(await self._make_table(match, len(playable)))
            except grpc.aio.AioRpcError as error:
                why = f"no table: {from_rpc_error(error).message}"
                break
        results += [self._spoiled(match, "", why) for match in playable[len(live) :]]
        async with asyncio.TaskGroup() as tables:
            finishing = [tables.create_task(self._finish(one)) for one in live]
            for one in live:
                if why:
                    one.fail(why)
                else:
                    await self._invite(one)
        return results + [task.result() for task in finishing]

    async def _finish(self, live: _Live) -> MatchResult:
        """Wait for the record of a match under way."""
        match = live.match
        try:
            record = await self._record(live)
        except _ServerFailed as error:
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
        if record is None:
            assert live.fault is not None
            return self._lost(match, live.table_id, live.fault, None)
        return self._read(live, record)

    async def _record(self, live: _Live) -> record_pb2.MatchRecord | None:
        """The record of a match, once it comes; None if it never began.

        Raises:
            _ServerFailed: the server has spoiled it.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SEATS_S):
                return await asyncio.shield(live.ended)
        request = table_service_pb2.GetTableRequest(table_id=live.table_id)
        try:
            table = (await self._call(self._tables.GetTable, request)).table
        except grpc.aio.AioRpcError:
            return await live.ended
        if table.status == table_pb2.TABLE_STATUS_OPEN:
            empty = [
                self._plan.teams[seat.seat] for seat in table.seats if not seat.HasField("player")
            ]
            missing = tuple(sorted({live.match.entrant_of_team(team) for team in empty}))
            names = " and ".join(self._plan.entrants[number].name for number in missing)
            why = (
                f"{names} did not take every seat within {SEATS_S:.0f} s; "
                "a program must take all its seats at once"
            )
            if missing:
                await self._blame(live, _Fault(Outcome.ABSENT, missing, why))
        return await live.ended

    async def _make_table(self, match: Match, tables: int) -> _Live:
        """Make the table of *match*, one of *tables* on its board."""
        made = await self._create(match, tables)
        table_id = made.table.table_id
        ended = asyncio.get_running_loop().create_future()
        live = _Live(match, tables, table_id, made.host_ticket, made.invites, ended)
        self._live[table_id] = live
        if self.broken:
            live.fail(self.broken)
        return live

    async def _create(self, match: Match, tables: int) -> table_service_pb2.CreateTableResponse:
        """Create a table for *match*, one of *tables* on its board."""
        plan = self._plan
        cards = board(plan.seed, match.board)
        numbers = [match.entrant_of_team(team) for team in plan.teams]
        names = [plan.entrants[number].name for number in numbers]
        spec = table_pb2.TableSpec(
            game=self._kind,
            ruleset=plan.ruleset,
            options=plan.options,
            deal_source=table_pb2.DealSource(
                board=table_pb2.BoardDeal(
                    # Bots read it, so it must not tell the seed: the cards follow from that.
                    board_id=f"{cards.commitment.hex()[:16]}/{cards.board_id}",
                    root=cards.root,
                    commitment=cards.commitment,
                    shared_principals=True,  # entrants play in processes that we keep apart
                    table_count=tables,
                )
            ),
            clock=plan.clock.message() if plan.clock else None,
            shared_seats=True,
            title=f"{cards.board_id}: {' against '.join(dict.fromkeys(names))}",
        )
        seats = [
            table_service_pb2.SeatSpec(
                access=table_pb2.SEAT_ACCESS_RESERVED, player=table_pb2.Player(display_name=name)
            )
            for name in names
        ]
        request = table_service_pb2.CreateTableRequest(
            request_id=secrets.token_hex(16), spec=spec, seats=seats
        )
        return await self._call(self._tables.CreateTable, request)

    async def _invite(self, live: _Live) -> None:
        """Invite the entrants of a match to its table."""
        match = live.match
        for number in match.pairing:
            player = self.players[number]
            if not await player.ready():
                fault = _Fault(Outcome.BENCHED, (number,), player.benched)
                await self._blame(live, fault)
        for invite in live.invites:
            number = match.entrant_of_team(self._plan.teams[invite.seat])
            worker = self.players[number].worker
            if worker is None:
                continue
            worker.invite(
                address=self._address,
                table_id=live.table_id,
                seat=invite.seat,
                invite_code=invite.code,
                seed=bot_seed(self._plan.seed, number, match.board, match.seating_number),
            )

    async def _abort(self, table_id: str, host_ticket: str, why: str) -> None:
        """Stop the table of a match that was given up, if the server still listens.

        Raises:
            grpc.aio.AioRpcError: the server refuses, or does not answer.
        """
        if self.broken:
            return
        request = table_service_pb2.AbortTableRequest(table_id=table_id, detail=why[:256])
        ticket = (("croupier-host-ticket", host_ticket),)
        await self._call(self._tables.AbortTable, request, ticket)

    # Results -----------------------------------------------------------------------------------

    def _read(self, live: _Live, record: record_pb2.MatchRecord) -> MatchResult:
        """Write *record* to the folder and read the result of its match from it."""
        plan, match = self._plan, live.match
        teams = range(len(match.seating))
        sides = "-".join(plan.entrants[match.entrant_of_team(t)].file_name for t in teams)
        name = f"{match.number + 1:04d}-board-{match.board + 1:04d}-{sides}.croupier"
        found = self._judge(live, record)
        try:
            (self._folder / name).write_bytes(record.SerializeToString())
        except OSError as error:
            # It counts all the same: an entrant may have spoiled the folder.
            why = f"cannot write {self._folder / name}: {error.strerror}"
            return found._replace(detail=found.detail or why)
        return found._replace(record=name)

    def _judge(self, live: _Live, record: record_pb2.MatchRecord) -> MatchResult:
        """The result of a match by its record."""
        plan, match, result = self._plan, live.match, record.result
        reason = game_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_")
        if reason in ("FINISHED", "ADJUDICATED") and result.seats:
            score = match_score([seat.score for seat in result.seats], plan.teams, match.seating)
            return MatchResult(match, live.table_id, score, Outcome.PLAYED, reason=reason)
        fault = self._fault(match, record) or live.fault
        if fault is None:
            why = f"a match ended as {reason}" + (f" ({result.detail})" if result.detail else "")
            found = self._spoiled(match, live.table_id, why)
        else:
            found = self._lost(match, live.table_id, fault, record)
        return found._replace(reason=reason)

    def _fault(self, match: Match, record: record_pb2.MatchRecord) -> _Fault | None:
        """The fault that *record* itself speaks of, if it does."""
        result = record.result
        if not result.HasField("seat_at_fault"):
            return None
        number = match.entrant_of_team(self._plan.teams[result.seat_at_fault])
        # The log may still be growing, so it is named here and not read.
        by = f"by {self._plan.entrants[number].name}, see {self._log(number)}"
        if result.reason == game_pb2.END_REASON_CONCEDED:
            return _Fault(Outcome.CONCEDED, (number,), f"a match was conceded {by}")
        if result.reason == game_pb2.END_REASON_NO_SHOW:
            return _Fault(Outcome.ABSENT, (number,), f"a match was not begun {by}")
        if result.reason != game_pb2.END_REASON_FORFEIT:
            return None
        why = f" ({result.detail})" if result.detail else ""
        outcome = Outcome.STRUCK_OUT
        if has_timed_out(record, result.seat_at_fault):
            outcome = Outcome.TIMED_OUT
        return _Fault(outcome, (number,), f"a match was forfeited{why} {by}")

    def _lost(
        self, match: Match, table_id: str, fault: _Fault, record: record_pb2.MatchRecord | None
    ) -> MatchResult:
        """The result of a match that ended by *fault*; *record* if it has begun."""
        plan = self._plan
        numbers = [match.entrant_of_team(team) for team in plan.teams]
        at_fault = [seat for seat, number in enumerate(numbers) if number in fault.entrants]
        score = None
        if len(at_fault) < len(numbers):
            reached = standing(record or record_pb2.MatchRecord(), plan.stakes)
            scores = fault_scores(reached, at_fault, plan.stakes)
            score = match_score(scores, plan.teams, match.seating)
        return MatchResult(
            match, table_id, score, fault.outcome, fault.entrants, detail=fault.detail
        )

    def _spoiled(self, match: Match, table_id: str, why: str) -> MatchResult:
        """The result of a match without a fault of an entrant."""
        return MatchResult(match, table_id, None, Outcome.SERVER_FAULT, detail=why)


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
