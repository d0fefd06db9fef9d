"""A match of a thousand deals: what its last decision weighs, and how its record arrives."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.record.v1 import record_service_pb2 as pb
from croupier.record.v1.record_service_pb2_grpc import RecordServiceStub
from croupier.records import StreamedRecord, fetch_record, streamed_records
from croupier.v1 import game_pb2
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.record_service import RecordService
from croupier_server.rpc.validate import Requests
from croupier_server.storage.base import RecordEntry
from croupier_server.storage.memory import MemoryLog, MemoryRecords
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.feeds.snapshots import seat_results
from croupier_server.tables.shard.shard import GameEntry, Shard
from croupier_server.tables.spec import CreateTable, JoinTable, Status
from tests.rpc.calls import serving
from tests.tables.answering import submit
from tests.tables.world import FIXED, START_MS, asked, known_ids, known_secrets, now

DEALS = 1000
SOME = 20
"""So many deals at either end are compared: cards differ, and with them the lists of moves."""

DEFAULT_LIMIT = 4 << 20
"""Bytes of the longest message that gRPC takes unless it is told otherwise."""

VARINT_GROWTH = 2 * 1 + 4 * 2
"""The number of the deal, in the view and in its last result, takes one byte more, and so many
totals of the sides two more."""


class Long(NamedTuple):
    """A match of `DEALS` deals that has ended.

    Attributes:
        sizes: bytes of the largest decision of each deal, but for most of them in the middle.
        first: bytes of its first decision.
        last: bytes of its last decision.
        record: its record, as the store has it.
        records: the store.
    """

    sizes: list[int]
    first: int
    last: int
    record: RecordEntry
    records: MemoryRecords


def play(name: str, **overrides: str) -> Long:
    """A match of the game *name*, in which each answer is the first that is legal."""
    wire, log = WIRES_BY_NAME[name], MemoryLog()
    shard = Shard(
        clock=ManualClock(START_MS),
        secrets=known_secrets(),
        ids=known_ids(),
        log=log,
        games={wire.kind: GameEntry(GAMES[name], wire)},
    )
    request = CreateTable(wire.kind, deal=FIXED, overrides=overrides)
    table = shard.create_table(Caller(), request).table
    for _ in table.seats:
        shard.join(Caller(), JoinTable(table.spec.table_id))
    sizes: dict[int, int] = {}
    first = size = 0
    while table.status is Status.PLAYING:
        (decision,) = asked(table)
        deal = len(seat_results(table)) + 1
        if not SOME + 1 < deal <= DEALS - SOME:
            view = table.match.views.seat(table.match.state, decision.seat)
            size = len(table.match.decision_payload(decision, START_MS, view))
            first = first or size
            sizes[deal] = max(size, sizes.get(deal, 0))
        move = next(table.game.members(table.legal(decision.seat, decision.id)))
        submit(shard, table, decision.seat, decision.id, move)
    assert len(seat_results(table)) == DEALS
    record = now(log.records.get(table.spec.table_id))
    assert record is not None
    return Long(list(sizes.values()), first, size, record, log.records)


@pytest.mark.more
def test_a_decision_of_the_thousandth_deal_is_as_small_as_an_early_one() -> None:
    match = play("pokex", max_deals=str(DEALS), target="1000000")
    early, late = max(match.sizes[1:][:SOME]), max(match.sizes[-SOME:])
    print(f"\ndecisions: {match.first} bytes the first, {match.last} the last;")
    print(f"the largest of {SOME} deals: {early} bytes early, {late} late")
    assert late <= early + VARINT_GROWTH, (early, late)


@pytest.mark.more
async def test_a_record_that_is_longer_than_a_message_is_whole_when_it_arrives() -> None:
    """At a client with the limits that gRPC has by default, on both calls."""
    match = play("tongits", max_hands=str(DEALS))
    data = match.record.record
    assert len(data) > DEFAULT_LIMIT
    service = RecordService(match.records, PageTokens(bytes(32)), lambda: START_MS, 10_000)
    async with serving(Calls(Requests(1 << 20), 10).serve(service)) as channel:
        stub = RecordServiceStub(channel)
        got = await fetch_record(stub, pb.GetRecordRequest(table_id=match.record.table_id))
        asked_for = pb.StreamRecordsRequest(since=Timestamp())
        streamed = [found async for found in streamed_records(stub.StreamRecords(asked_for))]
    (one,) = streamed
    assert isinstance(one, StreamedRecord)
    sums = {sha256(copy).hexdigest() for copy in (data, got, one.data)}
    print(f"\ndecisions: {match.first} bytes the first, {match.last} the last;")
    print(f"record of {DEALS} deals: {len(data):,} bytes, SHA-256 {sums}")
    assert len(sums) == 1
    record = one.message
    assert record.SerializeToString() == data
    assert len(record.rows) > DEALS


def test_no_view_repeats_results() -> None:
    """Whatever the game: a field of results would grow with the match."""
    views = [game_pb2.PublicView.DESCRIPTOR, game_pb2.SeatView.DESCRIPTOR]
    seen: list[Descriptor] = []
    for view in views:
        if view in seen:
            continue
        seen.append(view)
        for field in view.fields:
            if field.message_type is not None:
                views.append(field.message_type)
                is_result = field.message_type.name.endswith("DealResult")
                assert not (is_result and field.is_repeated), field.full_name
    results = {one.name for one in seen if one.name.endswith("DealResult")}
    assert len(results) == len(GAMES)
