"""Creating, running and showing tournaments."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Final

from croupier.v1 import table_pb2
from croupier.v1 import tournament_service_pb2 as pb
from croupier_server.arbiter import messages
from croupier_server.arbiter.tournaments import Live, Tournaments, expect_entrant
from croupier_server.contest.ladder.events import Event, State
from croupier_server.errors import Exhausted, InvalidRequest, Reason
from croupier_server.rpc.callers import waking_when_key_ends
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.requests import printable
from croupier_server.rpc.validate import malformed
from croupier_server.tables.caller import Caller

STREAMS_MAX: Final = 64
"""Streams of one principal."""

MISSED_MAX: Final = 10_000
"""Events that are sent after a disconnection; of more, a snapshot takes the place."""

_RETRY_MS: Final = 1_000


class TournamentService:
    """``croupier.v1.TournamentService``.

    Args:
        tournaments: all of them.
        pages: makes page tokens.
        heartbeat_ms: time between heartbeats on a stream.
        now_ms: the time.
        missed_max: see `MISSED_MAX`.
    """

    service = "croupier.v1.TournamentService"

    def __init__(
        self,
        tournaments: Tournaments,
        pages: PageTokens,
        heartbeat_ms: int,
        now_ms: Callable[[], int],
        missed_max: int = MISSED_MAX,
    ) -> None:
        self._tournaments = tournaments
        self._pages = pages
        self._heartbeat_s = heartbeat_ms / 1000
        self._now_ms = now_ms
        self._missed_max = missed_max
        self._streams: Counter[str] = Counter()
        self._is_draining = False
        self._watching: set[Live] = set()

    def drain(self) -> None:
        """End every stream with SERVER_DRAINING."""
        self._is_draining = True
        for live in self._watching:
            live.changed.send()

    # Changes -----------------------------------------------------------------------------------

    async def create_tournament(
        self, caller: Caller, request: pb.CreateTournamentRequest
    ) -> pb.CreateTournamentResponse:
        """A new tournament."""
        live = await self._tournaments.create(caller.principal, request.request_id, request.spec)
        return pb.CreateTournamentResponse(tournament=live.message())

    async def start_tournament(
        self, caller: Caller, request: pb.StartTournamentRequest
    ) -> pb.StartTournamentResponse:
        """Let it begin."""
        live = await self._tournaments.change(
            caller.principal, request.tournament_id, State.RUNNING, (State.CREATED,), ""
        )
        return pb.StartTournamentResponse(tournament=live.message())

    async def pause_tournament(
        self, caller: Caller, request: pb.PauseTournamentRequest
    ) -> pb.PauseTournamentResponse:
        """Let no further match begin."""
        why = printable("reason", request.reason)
        live = await self._tournaments.change(
            caller.principal, request.tournament_id, State.PAUSED, (State.RUNNING,), why
        )
        return pb.PauseTournamentResponse(tournament=live.message())

    async def resume_tournament(
        self, caller: Caller, request: pb.ResumeTournamentRequest
    ) -> pb.ResumeTournamentResponse:
        """Let it go on."""
        live = await self._tournaments.change(
            caller.principal, request.tournament_id, State.RUNNING, (State.PAUSED,), ""
        )
        return pb.ResumeTournamentResponse(tournament=live.message())

    async def cancel_tournament(
        self, caller: Caller, request: pb.CancelTournamentRequest
    ) -> pb.CancelTournamentResponse:
        """End it for good."""
        why = printable("reason", request.reason)
        allowed = (State.CREATED, State.RUNNING, State.PAUSED)
        live = await self._tournaments.change(
            caller.principal, request.tournament_id, State.CANCELLED, allowed, why
        )
        return pb.CancelTournamentResponse(tournament=live.message())

    # Reads -------------------------------------------------------------------------------------

    async def get_tournament(
        self, _caller: Caller, request: pb.GetTournamentRequest
    ) -> pb.GetTournamentResponse:
        """A tournament."""
        live = await self._tournaments.get(request.tournament_id)
        return pb.GetTournamentResponse(tournament=live.message())

    async def list_tournaments(
        self, _caller: Caller, request: pb.ListTournamentsRequest
    ) -> pb.ListTournamentsResponse:
        """A page of tournaments."""
        scope = f"tournaments/{request.state}"
        before = int(self._pages.cursor(scope, request.page_token) or "0")
        size = self._pages.size(request.page_size)
        answer = pb.ListTournamentsResponse()
        last = 0
        for number, found in self._tournaments.newest(before, request.state):
            if len(answer.tournaments) == size:
                answer.next_page_token = self._pages.token(scope, str(last))
                break
            answer.tournaments.append(found)
            last = number
        return answer

    async def get_standings(
        self, _caller: Caller, request: pb.GetStandingsRequest
    ) -> pb.GetStandingsResponse:
        """Who is ahead of whom."""
        live = await self._tournaments.get(request.tournament_id)
        contest = live.contest
        return pb.GetStandingsResponse(
            sequence=contest.last,
            counted_boards=contest.counted,
            standings=live.standings(),
            confidence=contest.spec.confidence,
        )

    async def list_pairings(
        self, _caller: Caller, request: pb.ListPairingsRequest
    ) -> pb.ListPairingsResponse:
        """A page of boards."""
        live = await self._tournaments.get(request.tournament_id)
        scope = f"pairings/{request.tournament_id}"
        start = int(self._pages.cursor(scope, request.page_token) or "0")
        end = min(start + self._pages.size(request.page_size), live.contest.scheduled)
        results = await live.results(start, end)
        contest = live.contest
        answer = pb.ListPairingsResponse(
            pairings=[
                messages.pairing(contest, board, results.get(board)) for board in range(start, end)
            ]
        )
        if end < contest.scheduled:
            answer.next_page_token = self._pages.token(scope, str(end))
        return answer

    async def get_cross_table(
        self, _caller: Caller, request: pb.GetCrossTableRequest
    ) -> pb.GetCrossTableResponse:
        """The pairs that have met."""
        contest = (await self._tournaments.get(request.tournament_id)).contest
        cells = messages.cross_table(contest)
        return pb.GetCrossTableResponse(sequence=contest.last, cells=cells)

    async def get_head_to_head(
        self, _caller: Caller, request: pb.GetHeadToHeadRequest
    ) -> pb.GetHeadToHeadResponse:
        """One entrant against another."""
        contest = (await self._tournaments.get(request.tournament_id)).contest
        expect_entrant(contest, "entrant", request.entrant)
        expect_entrant(contest, "opponent", request.opponent)
        if request.entrant == request.opponent:
            raise malformed([("opponent", "must differ from entrant")])
        return messages.head_to_head(contest, request.entrant, request.opponent)

    # Watching ----------------------------------------------------------------------------------

    async def watch_tournament(
        self, caller: Caller, request: pb.WatchTournamentRequest
    ) -> AsyncGenerator[pb.WatchTournamentResponse, None]:
        """What happens in a tournament. Nothing is queued: events are read from the log as fast as
        the client takes them."""
        live = await self._tournaments.get(request.tournament_id)
        position = request.after_sequence
        with self._slot(caller), self._watched(live):
            last = live.contest.last
            if position > last:
                raise InvalidRequest(
                    Reason.SEQUENCE_AHEAD,
                    f"after_sequence {position} lies beyond the last event, {last}; watch again "
                    "from 0",
                    field="after_sequence",
                )
            if position and last - position <= self._missed_max:
                yield pb.WatchTournamentResponse(
                    resumed=pb.TournamentResumed(after_sequence=position, sequence=last)
                )
            else:
                if position:
                    reset = table_pb2.Reset(reason=table_pb2.RESET_REASON_TOO_OLD)
                    yield pb.WatchTournamentResponse(reset=reset)
                snapshot = pb.TournamentSnapshot(
                    tournament=live.message(), standings=live.standings()
                )
                position = snapshot.tournament.sequence
                yield pb.WatchTournamentResponse(snapshot=snapshot)
            with waking_when_key_ends(caller, live.changed.send):
                while True:
                    changed = live.changed.next
                    async for event in _after(live, position):
                        position = event.number
                        yield pb.WatchTournamentResponse(event=messages.event(live.contest, event))
                        if self._is_draining:
                            break
                    if end := self._end(caller, live, position):
                        yield pb.WatchTournamentResponse(end=end)
                        return
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(self._heartbeat_s):
                            await changed.wait()
                        continue
                    beat = messages.heartbeat(live.contest.last, self._now_ms())
                    yield pb.WatchTournamentResponse(heartbeat=beat)

    def _end(self, caller: Caller, live: Live, position: int) -> table_pb2.StreamEnd | None:
        """Why a stream that has sent all up to *position* ends now, if it does."""
        if caller.key is not None and caller.key.fault:
            reason = table_pb2.STREAM_END_REASON_KEY_REVOKED
            return table_pb2.StreamEnd(reason=reason, detail=caller.key.fault)
        if self._is_draining:
            end = table_pb2.StreamEnd(reason=table_pb2.STREAM_END_REASON_SERVER_DRAINING)
            end.retry_after.FromMilliseconds(_RETRY_MS)
            return end
        if live.listed.summary and position >= live.contest.last:  # its last board is rated too
            return table_pb2.StreamEnd(reason=table_pb2.STREAM_END_REASON_TOURNAMENT_ENDED)
        return None

    @contextmanager
    def _slot(self, caller: Caller) -> Iterator[None]:
        """Counts a stream of *caller* while it lasts.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
        """
        who = caller.principal
        if self._streams[who] >= STREAMS_MAX:
            raise Exhausted(
                Reason.TOO_MANY_STREAMS,
                f"you already have {STREAMS_MAX} open streams of tournaments, the maximum",
                retry_ms=_RETRY_MS,
            )
        self._streams[who] += 1
        try:
            yield
        finally:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]

    @contextmanager
    def _watched(self, live: Live) -> Iterator[None]:
        """Notes that somebody watches *live*."""
        live.watchers += 1
        self._watching.add(live)
        try:
            yield
        finally:
            live.watchers -= 1
            if not live.watchers:
                self._watching.discard(live)


async def _after(live: Live, position: int) -> AsyncGenerator[Event, None]:
    """Events after *position* that the contest in memory has."""
    if position >= live.contest.last:
        return
    async for event in live.log.read(position):
        if event.number > live.contest.last:
            return
        yield event
