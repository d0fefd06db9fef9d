"""Playing from a seat: one call at a time, and one stream a table.

The seat follows from the ticket. Every write is answered after it has been stored, every refusal
told after that has been stored which it tells of, and every read shows stored events alone.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from croupier.v1 import play_service_pb2 as pb
from croupier.v1.session_service_pb2 import ChannelOpen
from croupier.v1.table_pb2 import MoveAccepted
from croupier_server.errors import (
    CroupierError,
    IllegalMove,
    InvalidRequest,
    MalformedMove,
    Reason,
)
from croupier_server.games import patterns
from croupier_server.games.base import Legal, Move, Seat
from croupier_server.rpc.at_tables import AtTables
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.errors import to_refusal
from croupier_server.rpc.interceptors import Calls, How, wrapped
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.tickets import seat_at
from croupier_server.tables.feeds import snapshots
from croupier_server.tables.match.table import Table
from croupier_server.tables.sessions.answers import answer
from croupier_server.tables.sessions.seats_stream import SeatsStream
from croupier_server.tables.shard.shard import Shard
from croupier_server.wire.encode import field_bytes, field_text
from croupier_server.wire.moves import LegalMode

MOVE_BYTES_MAX: Final = 1 << 12
"""Longest SubmitMoveRequest. It is read before it is known whether it costs a token."""

_DIGIT: Final = 15
"""The digit of a packed count that no card uses; in a move it holds the type."""


class PlayService(AtTables):
    """``croupier.v1.PlayService``.

    Args:
        shard, pages: see `AtTables`.
        calls: wraps the service.
    """

    service = "croupier.v1.PlayService"

    def __init__(self, shard: Shard, pages: PageTokens, calls: Calls) -> None:
        super().__init__(shard, pages)
        self._calls = calls

    async def watch_table(
        self, caller: Caller, request: pb.WatchTableRequest
    ) -> AsyncGenerator[bytes, None]:
        """The seat's stream."""
        async with self._shard.refusing:
            table, _ = seat_at(caller, self._shard.table, request.table_id)
            feed = self._shard.watch_seat(
                caller,
                table,
                epoch=request.table_epoch,
                after=request.after_sequence,
                mode=request.view_mode,
            )
        with while_key_lasts(caller, feed):
            async for update in feed:
                yield field_bytes(1, update)

    async def watch_tables(
        self, caller: Caller, request: pb.WatchTablesRequest
    ) -> AsyncGenerator[bytes, None]:
        """The streams of several seats."""
        _expect_numbers(request.opens)
        stream = SeatsStream(self._shard, caller, self._calls.refusal)
        with while_key_lasts(caller, stream):
            for opening in request.opens:
                await stream.open(opening)
            async for payload in stream:
                yield payload

    @wrapped(How(frequent=True, pays_itself=True, bytes_max=MOVE_BYTES_MAX))
    async def submit_move(
        self, caller: Caller, request: pb.SubmitMoveRequest
    ) -> pb.SubmitMoveResponse:
        """Answers a decision. Only a call that does so costs no token."""
        async with self._shard.refusing:
            sequence = self._answer(caller, request)
        await self._shard.committed()
        accepted = MoveAccepted(decision_id=request.decision_id, sequence=sequence)
        return pb.SubmitMoveResponse(accepted=accepted)

    def _answer(self, caller: Caller, request: pb.SubmitMoveRequest) -> int:
        shard, quota = self._shard, caller.quota
        try:
            table, seat = self._seat(caller, request.table_id)
            shard.expect_storing()
        except CroupierError:
            quota.spend()
            raise
        try:
            now = shard.now_ms()
            return answer(table, seat, request.decision_id, request.move, quota, now)
        finally:
            shard.done(table)

    @wrapped(How(frequent=True))
    async def check_move(
        self, caller: Caller, request: pb.CheckMoveRequest
    ) -> pb.CheckMoveResponse:
        """Judges a move. What is no answer to an open decision is refused as a call."""
        async with self._shard.refusing:
            table, seat = self._seat(caller, request.table_id)
            try:
                move = table.wire.move_code(request.move)
                table.check(seat, request.decision_id, move)
            except (IllegalMove, MalformedMove) as refusal:
                return pb.CheckMoveResponse(refusal=to_refusal(refusal))
        return pb.CheckMoveResponse(legal=True)

    @wrapped(How(frequent=True))
    async def get_legal_moves(self, caller: Caller, request: pb.GetLegalMovesRequest) -> bytes:
        """The legal moves as a decision that lists them has them."""
        async with self._shard.refusing:
            table, seat = self._seat(caller, request.table_id)
            legal = table.legal(seat, request.decision_id)
        return field_bytes(1, table.wire.legal_bytes(legal, LegalMode.FULL))

    @wrapped(How(frequent=True))
    async def list_legal_moves(self, caller: Caller, request: pb.ListLegalMovesRequest) -> bytes:
        """A page of legal moves."""
        decision_id = request.decision_id
        async with self._shard.refusing:
            table, seat = self._seat(caller, request.table_id)
            legal = table.legal(seat, decision_id)
        scope = f"legal/{table.spec.table_id}/{seat}/{decision_id}"
        cursor = self._pages.cursor(scope, request.page_token)
        size = self._pages.size(request.page_size)
        after = int(cursor, 16) if cursor else 0
        members = table.game.members(legal, after)
        kinds = dict(zip(legal.moves, legal.kinds, strict=True))
        reads = self._calls.reads
        page: list[bytes] = []
        last = 0
        for last in islice(members, size):
            if reads.is_over():
                await reads.turn(caller.flow, is_begun=True)
            move = table.wire.legal_move_bytes(last, _kind(legal, kinds, last))
            page.append(field_bytes(1, move))
        if next(members, None) is not None:
            page.append(field_text(2, self._pages.token(scope, f"{last:x}")))
        return b"".join(page)

    async def list_deal_results(self, caller: Caller, request: pb.ListDealResultsRequest) -> bytes:
        """A page of the results of the finished deals."""
        async with self._shard.refusing:
            table, _ = self._seat(caller, request.table_id)
        return await self._results(table, request, snapshots.seat_results)

    @wrapped(How(frequent=True))
    async def get_seat_view(self, caller: Caller, request: pb.GetSeatViewRequest) -> bytes:
        """The seat's view now, with its open decision."""
        async with self._shard.refusing:
            table, seat = self._seat(caller, request.table_id)
        await self._whole(table)
        return self._shown(table, partial(self._seat_view, seat))

    async def open_nonce(
        self, caller: Caller, request: pb.OpenNonceRequest
    ) -> pb.OpenNonceResponse:
        """Takes the seat's nonce."""
        async with self._shard.refusing:
            table, seat = self._seat(caller, request.table_id)
            self._shard.open_nonce(table, seat, request.nonce, request.next_nonce_hash)
        await self._shard.committed()
        return pb.OpenNonceResponse()

    async def concede(self, caller: Caller, request: pb.ConcedeRequest) -> pb.ConcedeResponse:
        """Gives the match up."""
        async with self._shard.refusing:
            table, seat = self._seat(caller, request.table_id)
            ended = self._shard.concede(table, seat)
        await self._shard.committed()
        return pb.ConcedeResponse(ended=ended)

    def _seat(self, caller: Caller, table_id: str) -> tuple[Table, Seat]:
        table, seat = seat_at(caller, self._shard.table, table_id)
        self._shard.heard_of(table, seat)
        return table, seat

    def _seat_view(self, seat: Seat, table: Table) -> bytes:
        """Payload of ``GetSeatViewResponse``."""
        now = self._shard.now_ms()
        answer = field_bytes(1, snapshots.seat_snapshot(table, seat, now))
        decision = table.match.open_decision(seat)
        if decision is not None:
            table.match.timing.start(decision, now, self._shard.limits.unary_grace_ms)
            self._shard.clock_started(table)
            payload = table.match.decision_payload(decision, now, None)
            answer += field_bytes(2, payload)
        return answer


def _expect_numbers(opens: Sequence[ChannelOpen]) -> None:
    """Raise unless every channel has a number of its own.

    Raises:
        InvalidRequest: MALFORMED_REQUEST, a channel is 0 or occurs twice.
    """
    seen = {0}
    for at, opening in enumerate(opens):
        if opening.channel in seen:
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST,
                f"channel {opening.channel} is given twice"
                if opening.channel
                else "channels are numbered from 1",
                field=f"opens[{at}].channel",
            )
        seen.add(opening.channel)


def _kind(legal: Legal, kinds: dict[Move, int], move: Move) -> int:
    """The kind of a legal move: as listed, or that of the first pattern that holds it."""
    listed = kinds.get(move)
    if listed is not None:
        return listed
    owner = patterns.owner(legal.patterns, move & ~_DIGIT)
    return legal.patterns[max(owner, 0)].kind
