"""Plays a schedule of matches: makes the tables, invites the entrants, collects the records.

A client of the contract like any other. All tables of a board are played at the same time, since
their records come when the last of them has ended; some boards are in flight at a time. A match is
over when its record comes in. An entrant whose process ends takes its matches with it, with the
reason; the others go on. Whatever happens, what was started is stopped.

Must not be put here: what the results mean, and printing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.clock import Clock
from croupier.connection import is_lost
from croupier.credentials import Credentials
from croupier.errors import UsageError, from_rpc_error
from croupier.record.v1 import record_pb2, record_service_pb2, record_service_pb2_grpc
from croupier.records import record_bytes
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
from croupier_server.contest.pairing import Match
from croupier_server.contest.processes import Child, ProcessFailed, Worker
from croupier_server.contest.results import MatchResult, match_score

FAILED: Final = "FAILED"
"""`MatchResult.reason` of a match that the contest itself gave up."""

CALL_S: Final = 30.0
"""Deadline of every unary call."""

SEATS_S: Final = 120.0
"""A match whose seats are not all taken after this time is given up: it would never begin."""

_STREAM_ATTEMPTS: Final = 5
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
    seed: int
    matches: tuple[Match, ...] = ()
    in_flight: int = 32
    clock: Clock | None = None


async def play(
    plan: Plan,
    folder: Path,
    report: Callable[[MatchResult], None],
    address: str = "",
) -> list[MatchResult]:
    """Play *plan* and return one result a match, in the order of the schedule.

    Records and logs go to *folder*, which exists. Without *address* a server is started for the
    time of the contest. *report* hears of every result as it comes.

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
        for number, entrant in enumerate(plan.entrants):
            log = folder / f"{entrant.file_name}.log"
            seed = bot_seed(plan.seed, number, 0, 0)
            worker = await Worker.start(entrant, seed, log, with_credentials=child is None)
            runner.workers.append(worker)
            stack.push_async_exit(worker)
        watchers = [runner.read_records(since), *runner.watchers(child)]
        for task in [asyncio.create_task(watcher) for watcher in watchers]:
            stack.push_async_callback(_cancel, task)
        results = await runner.play_all()
        if runner.broken:
            # Without their server the workers would try to reach it for a while yet.
            await asyncio.gather(*(worker.child.stop() for worker in runner.workers))
        return results


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@dataclass(slots=True)
class _Live:
    """A match under way: its table, the right to stop it, and what ends the wait for its record."""

    match: Match
    table_id: str
    host_ticket: str
    ended: asyncio.Future[record_pb2.Record]


class _Runner:
    """The state of a contest under way.

    Attributes:
        workers: the entrants' processes, in their order.
        broken: why nothing can go on, or empty.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        address: str,
        channel: grpc.aio.Channel,
        report: Callable[[MatchResult], None],
    ) -> None:
        self.workers: list[Worker] = []
        self._plan = plan
        self._folder = folder
        self._address = address
        self._report = report
        self._system = system_service_pb2_grpc.SystemServiceStub(channel)
        self._tables = table_service_pb2_grpc.TableServiceStub(channel)
        self._records = record_service_pb2_grpc.RecordServiceStub(channel)
        self._kind = game_pb2.GameKind.Value(f"GAME_KIND_{plan.game.upper()}")
        self._live: dict[str, _Live] = {}
        self._down: dict[int, str] = {}
        self.broken = ""

    # Watching ----------------------------------------------------------------------------------

    async def server_time(self) -> Timestamp:
        """The server's clock, which also tells that there is a server.

        Raises:
            ContestFailed: there is none.
        """
        try:
            info = await self._system.GetServerInfo(
                system_service_pb2.GetServerInfoRequest(), timeout=CALL_S
            )
        except grpc.aio.AioRpcError as error:
            refused = from_rpc_error(error)
            who = "no Croupier server answers at " if is_lost(refused) else ""
            raise ContestFailed(f"{who}{self._address}: {refused.message}") from None
        return info.server_time

    async def read_records(self, since: Timestamp) -> None:
        """Take in records until cancelled; a stream that breaks is opened again a few times."""
        request = record_service_pb2.StreamRecordsRequest(game=self._kind, since=since)
        why = ""
        for attempt in range(_STREAM_ATTEMPTS):
            await asyncio.sleep(0.2 * (2**attempt - 1))
            call = self._records.StreamRecords(request)
            why = "it ended the stream of records"
            try:
                async for response in call:
                    self._take(response.record)
            except grpc.aio.AioRpcError as error:
                why = from_rpc_error(error).message
            finally:
                call.cancel()
        self._break(f"the server at {self._address} is gone: {why}")

    def watchers(self, server: Child | None) -> Iterator[Coroutine[None, None, None]]:
        """Coroutines that notice when a process ends that should not."""
        if server is not None:
            yield self._watch_server(server)
        for number, worker in enumerate(self.workers):
            yield self._watch_worker(number, worker)

    async def _watch_server(self, server: Child) -> None:
        self._break(server.epitaph(await server.ended()))

    async def _watch_worker(self, number: int, worker: Worker) -> None:
        why = worker.child.epitaph(await worker.child.ended())
        self._down[number] = why
        for live in list(self._live.values()):
            if number in live.match.pairing and not live.ended.done():
                live.ended.set_exception(ProcessFailed(why))

    def _break(self, why: str) -> None:
        """Nothing can go on: every match that has not ended fails."""
        self.broken = self.broken or why
        for live in self._live.values():
            if not live.ended.done():
                live.ended.set_exception(ProcessFailed(self.broken))

    def _take(self, record: record_pb2.Record) -> None:
        live = self._live.get(record.table.table_id)
        if live is not None and not live.ended.done():
            live.ended.set_result(record)

    # Playing -----------------------------------------------------------------------------------

    async def play_all(self) -> list[MatchResult]:
        """Play the whole schedule, some matches at a time."""
        boards: dict[int, list[Match]] = {}
        for match in self._plan.matches:
            boards.setdefault(match.board, []).append(match)
        waiting = iter(boards.values())
        results: list[MatchResult] = []

        def done(result: MatchResult) -> None:
            results.append(result)
            self._report(result)

        async def lane() -> None:
            for matches in waiting:
                await self._play_board(matches, done)

        largest = max(map(len, boards.values()), default=1)
        async with asyncio.TaskGroup() as lanes:
            for _ in range(min(max(1, self._plan.in_flight // largest), len(boards))):
                lanes.create_task(lane())
        return sorted(results, key=lambda result: result.match.number)

    async def _play_board(
        self, matches: Sequence[Match], done: Callable[[MatchResult], None]
    ) -> None:
        """Play all *matches* of a board. What stops one of them alone is its result, not an error;
        *done* hears of every one."""
        playable = []
        for match in matches:
            if why := self._obstacle(match):
                done(MatchResult(match, "", None, FAILED, why))
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
        for match in playable[len(live) :]:
            done(MatchResult(match, "", None, FAILED, why))
        for one in live:
            # Records of the board would wait for ever for a table that was not made, and a match
            # for an entrant that ended while its table was being made.
            if (hindrance := why or self._obstacle(one.match)) and not one.ended.done():
                one.ended.set_exception(ProcessFailed(hindrance))

        async def finish(one: _Live) -> None:
            done(await self._finish(one))

        async with asyncio.TaskGroup() as tables:
            for one in live:
                tables.create_task(finish(one))

    def _obstacle(self, match: Match) -> str:
        """Why *match* cannot be played, or nothing."""
        down = (self._down[number] for number in match.pairing if number in self._down)
        return self.broken or next(down, "")

    async def _finish(self, live: _Live) -> MatchResult:
        """Wait for the record of a match under way."""
        match = live.match
        try:
            record = await self._record(live)
        except ProcessFailed as error:
            await self._abort(live, str(error))
            return MatchResult(match, live.table_id, None, FAILED, str(error))
        except asyncio.CancelledError:
            await self._abort(live, "the contest was stopped")
            raise
        finally:
            del self._live[live.table_id]
        return self._read(match, record)

    async def _record(self, live: _Live) -> record_pb2.Record:
        """The record of a match, once it comes.

        Raises:
            ProcessFailed: an entrant ended, or did not take its seats.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SEATS_S):
                return await asyncio.shield(live.ended)
        request = table_service_pb2.GetTableRequest(table_id=live.table_id)
        with contextlib.suppress(grpc.aio.AioRpcError):
            table = (await self._tables.GetTable(request, timeout=CALL_S)).table
            if table.status == table_pb2.TABLE_STATUS_OPEN:
                teams = {self._plan.teams[seat.seat] for seat in table.seats if not seat.epoch}
                numbers = [live.match.entrant_of_team(team) for team in sorted(teams)]
                names = [self._plan.entrants[number].name for number in numbers]
                raise ProcessFailed(
                    f"{' and '.join(names)} did not take every seat within {SEATS_S:.0f} s; "
                    "a program plays all its seats at once"
                )
        return await live.ended

    async def _make_table(self, match: Match, tables: int) -> _Live:
        """Make the table of *match*, one of *tables* on its board, and invite its entrants."""
        plan = self._plan
        cards = board(plan.seed, match.board)
        numbers = [match.entrant_of_team(team) for team in plan.teams]
        names = [plan.entrants[number].name for number in numbers]
        request = table_service_pb2.CreateTableRequest(
            game=self._kind,
            ruleset=plan.ruleset,
            options=plan.options,
            seats=[
                table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_INVITED, player=name)
                for name in names
            ],
            deal_source=table_pb2.DealSource(
                board=table_pb2.BoardDeal(
                    board_id=f"{plan.seed}/{cards.board_id}",
                    root=cards.root,
                    commitment=cards.commitment,
                    shared_principals=True,  # entrants play in processes that we keep apart
                    tables=tables,
                )
            ),
            clock=plan.clock.message() if plan.clock else None,
            shared_seats=True,
            title=f"{cards.board_id}: {' against '.join(dict.fromkeys(names))}",
        )
        created = await self._tables.CreateTable(request, timeout=CALL_S)
        table_id = created.table.table_id
        ended = asyncio.get_running_loop().create_future()
        live = self._live[table_id] = _Live(match, table_id, created.host_ticket, ended)
        for seat, number in enumerate(numbers):
            self.workers[number].invite(
                address=self._address,
                table_id=table_id,
                seat=seat,
                invite_code=created.invite_codes[seat],
                seed=bot_seed(plan.seed, number, match.board, match.seating_number),
            )
        return live

    async def _abort(self, live: _Live, why: str) -> None:
        """Stop the table of a match that was given up, if the server still listens."""
        if self.broken:
            return
        request = table_service_pb2.AbortTableRequest(table_id=live.table_id, detail=why[:256])
        with contextlib.suppress(grpc.aio.AioRpcError):
            await self._tables.AbortTable(
                request,
                timeout=processes.STOP_S,
                metadata=(("croupier-host-ticket", live.host_ticket),),
            )

    def _read(self, match: Match, record: record_pb2.Record) -> MatchResult:
        """Keep *record* in the folder and read the result of *match* from it."""
        plan = self._plan
        teams = range(len(match.seating))
        sides = "-".join(plan.entrants[match.entrant_of_team(t)].file_name for t in teams)
        name = f"{match.number + 1:04d}-board-{match.board + 1:04d}-{sides}.croupier"
        try:
            (self._folder / name).write_bytes(record_bytes(record))
        except OSError as error:
            why = f"cannot write {self._folder / name}: {error.strerror}"
            return MatchResult(match, record.table.table_id, None, FAILED, why)
        result = record.result
        reason = game_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_")
        if result.reason != game_pb2.END_REASON_FINISHED:
            detail = self._unfinished(match, result, reason)
            return MatchResult(match, record.table.table_id, None, reason, detail, name)
        score = match_score([seat.score for seat in result.seats], plan.teams, match.seating)
        return MatchResult(match, record.table.table_id, score, reason, record=name)

    def _unfinished(self, match: Match, result: game_pb2.MatchResult, reason: str) -> str:
        """Why a match did not end by the rules: who is at fault, and where that may be told."""
        what = f"a match ended as {reason}"
        if result.detail:
            what += f" ({result.detail})"
        if not result.HasField("seat"):
            return what
        # The log may still be growing, so it is named here and not read.
        number = match.entrant_of_team(self._plan.teams[result.seat])
        log = self.workers[number].child.log
        return f"{what} by {self._plan.entrants[number].name}, see {log}"
