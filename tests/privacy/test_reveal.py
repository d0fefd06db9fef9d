"""Private: before the reveal nobody gets a record, whatever they hold: by id, in lists, in streams.

A match is revealed when it has ended, on a board when all its tables have, and where spectators are
late when they have seen the end.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest

from croupier.record.v1 import record_service_pb2 as pb
from croupier.records import StreamedRecord
from croupier.v1 import spectate_service_pb2, table_service_pb2
from croupier_server.games.base import Turn
from croupier_server.identity.keys import Scope, new_key
from croupier_server.storage.base import FinishedMatch, StoredKey
from croupier_server.storage.opening import open_store
from croupier_server.tables.directory import directory
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard import shard
from croupier_server.tables.spec import Status
from tests.rpc.calls import Metadata, Refusal, build
from tests.rpc.conftest import Running, server
from tests.rpc.players import TABLES, host_of, ticket_of
from tests.rpc.test_record import RECORDS
from tests.tables.answering import submit

SPECTATE = "croupier.v1.SpectateService/SpectateTable"
GAME = "spec { game: GAME_KIND_TONGITS shared_seats: true options { tongits { max_hands: 1 } } } "
FIXED = GAME + "spec { deal_source { fixed { seed: 7 } } }"
LATE = GAME + "spec { spectator_delay { time { seconds: 600 } } }"
BOARD_ROOT = bytes(range(32))
BOARD = (
    GAME
    + "seats { access: SEAT_ACCESS_RESERVED } " * 3
    + "spec {{ deal_source {{ board {{ board_id: 'b' root: '{root}' table_count: 2 "
    "shared_principals: true }} }} }}".format(root="".join(f"\\{byte:03o}" for byte in BOARD_ROOT))
)
KEYS = {
    "spectator": [Scope.SPECTATE],
    "player": [Scope.PLAY],
    "host": [Scope.HOST],
    "admin": [Scope.ADMIN],
    "everything": list(Scope),
}


LET_IN_NOWHERE = {"none": "UNAUTHENTICATED", "admin": "PERMISSION_DENIED"}
"""Credentials that no record is shown to at any time, and what they are told."""


class Keyed(NamedTuple):
    """A server that asks for keys, and the metadata of each key by what it is for."""

    running: Running
    keys: dict[str, Metadata]


@pytest.fixture
async def keyed(tmp_path: Path) -> AsyncIterator[Keyed]:
    """A server that asks for keys."""
    url = f"sqlite:{tmp_path / 'croupier.db'}"
    store = await open_store(url)
    keys: dict[str, Metadata] = {}
    for number, (name, scopes) in enumerate(KEYS.items(), 1):
        made = new_key(lambda size, number=number: bytes([number]) * size)  # type: ignore[misc]
        kept = StoredKey(made.key_id, name, frozenset(scopes), made.hash, 0)
        await store.keys.add(kept)
        keys[name] = (("authorization", f"Bearer {made.text}"),)
    await store.close()
    async with server(auth="keys", store=url) as running:
        yield Keyed(running, keys)


class Seated(NamedTuple):
    """A table with all that was given out for it."""

    table: Table
    credentials: dict[str, Metadata]


async def seat_all(keyed: Keyed, text: str) -> Seated:
    """A table with somebody on every seat, and who may ask for its record with what."""
    call, keys = keyed.running.call, keyed.keys
    made = await call.unary(
        f"{TABLES}/CreateTable",
        build(table_service_pb2.CreateTableRequest, text),
        table_service_pb2.CreateTableResponse,
        keys["host"],
    )
    name = made.table.table_id
    credentials = {"none": (), **keys, "host ticket": keys["host"] + host_of(made.host_ticket)}
    codes = {one.seat: one.code for one in made.invites}
    for seat in range(3):
        joining = table_service_pb2.JoinTableRequest(
            table_id=name, seat=seat, invite_code=codes.get(seat, "")
        )
        joined = await call.unary(
            f"{TABLES}/JoinTable", joining, table_service_pb2.JoinTableResponse, keys["player"]
        )
        credentials[f"seat {seat}"] = keys["player"] + ticket_of(joined.ticket)
        tickets = host_of(made.host_ticket) + ticket_of(joined.ticket)
        credentials[f"all of seat {seat}"] = keys["everything"] + tickets
    return Seated(keyed.running.app.shard.table(name), credentials)


async def play(keyed: Keyed, table: Table, moves: int = 1_000) -> None:
    """Play so many moves, or to the end."""
    shard = keyed.running.app.shard
    for _ in range(moves):
        if table.status is not Status.PLAYING:
            break
        decision = next(one for one in table.match.decisions if one is not None)
        legal = table.game.legal_moves(table.match.state, decision.seat)
        move = next(iter(table.game.members(legal)))
        submit(shard, table, decision.seat, decision.id, move)
    await shard.committed()


async def expect_hidden(keyed: Keyed, seated: Seated) -> None:
    """Every credential is told the same of the record as of one that was never there."""
    name = seated.table.spec.table_id
    for who, metadata in seated.credentials.items():
        there, nowhere = await ask(keyed, name, metadata), await ask(keyed, "no-table", metadata)
        assert there == nowhere, who
        wanted = LET_IN_NOWHERE.get(who, "NOT_FOUND")
        assert {refusal.reason for refusal in there} == {wanted}, who
        if who not in LET_IN_NOWHERE:
            assert name not in await listed(keyed, metadata), who
            assert name not in await streamed(keyed, metadata), who


async def expect_shown(keyed: Keyed, seated: Seated) -> None:
    """Whoever may watch may have the record."""
    name = seated.table.spec.table_id
    metadata, call = keyed.keys["spectator"], keyed.running.call
    following = pb.StreamRecordsRequest(follow=True)
    following.since.FromSeconds(1)
    async with aclosing(call.records(following, metadata)) as records:
        assert name in [one.info.table_id async for one in until(records, name)]
    assert (await call.record(name, metadata)).table.table_id == name
    assert name in await listed(keyed, metadata)
    assert name in await streamed(keyed, metadata)


async def until(
    records: AsyncGenerator[StreamedRecord, None], name: str
) -> AsyncIterator[StreamedRecord]:
    """Records as they come, to that of table *name*."""
    async for response in records:
        yield response
        if response.info.table_id == name:
            return


async def ask(keyed: Keyed, name: str, metadata: Metadata) -> list[Refusal]:
    call = keyed.running.call
    getting, verifying = pb.GetRecordRequest(table_id=name), pb.VerifyRecordRequest(table_id=name)
    return [
        await call.refused(f"{RECORDS}/GetRecord", getting, metadata),
        await call.refused(f"{RECORDS}/VerifyRecord", verifying, metadata),
    ]


async def listed(keyed: Keyed, metadata: Metadata) -> list[str]:
    answer = await keyed.running.call.unary(
        f"{RECORDS}/ListRecords", pb.ListRecordsRequest(), pb.ListRecordsResponse, metadata
    )
    return [record.table_id for record in answer.records]


async def streamed(keyed: Keyed, metadata: Metadata) -> list[str]:
    request = pb.StreamRecordsRequest()
    request.since.FromSeconds(1)
    return [found.info.table_id async for found in keyed.running.call.records(request, metadata)]


@pytest.mark.more
@pytest.mark.parametrize("text", [GAME, FIXED])
async def test_private_no_record_before_the_end(keyed: Keyed, text: str) -> None:
    seated = await seat_all(keyed, text)
    await expect_hidden(keyed, seated)
    await play(keyed, seated.table, 10)
    assert seated.table.game.turn(seated.table.match.state) is Turn.MOVE
    await expect_hidden(keyed, seated)
    await play(keyed, seated.table)
    await expect_shown(keyed, seated)


@pytest.mark.more
async def test_private_no_record_of_a_board_before_its_last_table_has_ended(keyed: Keyed) -> None:
    first, second = await seat_all(keyed, BOARD), await seat_all(keyed, BOARD)
    await play(keyed, first.table)
    assert first.table.status is Status.ENDED
    await play(keyed, second.table, 10)
    await expect_hidden(keyed, first)
    await expect_hidden(keyed, second)
    await play(keyed, second.table)
    await expect_shown(keyed, first)
    await expect_shown(keyed, second)


@pytest.mark.more
async def test_private_no_record_before_late_spectators_have_seen_the_end(keyed: Keyed) -> None:
    seated = await seat_all(keyed, LATE)
    await play(keyed, seated.table)
    assert seated.table.status is Status.ENDED
    await expect_hidden(keyed, seated)
    keyed.running.clock.advance(599_999)
    keyed.running.app.shard.tick()
    await expect_hidden(keyed, seated)
    keyed.running.clock.advance(1)
    keyed.running.app.shard.tick()
    await keyed.running.app.shard.committed()
    await expect_shown(keyed, seated)


# Sisters ------------------------------------------------------------------------------------------


async def test_private_whoever_sat_at_a_board_is_barred_from_its_other_tables(
    keyed: Keyed,
) -> None:
    """By account: without the ticket, with it, and with another key's scopes it is the same."""
    first, second = await seat_all(keyed, BOARD), await seat_all(keyed, BOARD)
    third = await seat_all(keyed, GAME)
    call, request = keyed.running.call, spectate_service_pb2.SpectateTableRequest
    for who in ("player", "seat 0", "seat 2"):
        # The player sits at both, so that each bars it from the other.
        for seated in (first, second):
            asking = request(table_id=seated.table.spec.table_id)
            refused = await call.refused(SPECTATE, asking, first.credentials[who])
            assert refused.reason == "BOARD_CONFLICT", who
            assert refused.code is grpc.StatusCode.PERMISSION_DENIED
    for seated, who in ((first, "spectator"), (second, "host"), (third, "player")):
        asking = request(table_id=seated.table.spec.table_id)
        answers = call.stream(
            SPECTATE, asking, spectate_service_pb2.SpectateTableResponse, keyed.keys[who]
        )
        async with aclosing(answers) as stream:
            assert (await anext(stream)).update.HasField("snapshot"), who


async def test_private_whoever_watched_a_board_gets_no_seat_at_its_other_tables(
    keyed: Keyed,
) -> None:
    first, everything = await seat_all(keyed, BOARD), keyed.keys["everything"]
    call, asking = keyed.running.call, spectate_service_pb2.SpectateTableRequest
    assert await call.is_answered(SPECTATE, asking(table_id=first.table.spec.table_id), everything)
    made = await call.unary(
        f"{TABLES}/CreateTable",
        build(table_service_pb2.CreateTableRequest, BOARD),
        table_service_pb2.CreateTableResponse,
        keyed.keys["host"],
    )
    joining = table_service_pb2.JoinTableRequest(
        table_id=made.table.table_id, invite_code=made.invites[1].code
    )
    refused = await call.refused(f"{TABLES}/JoinTable", joining, everything)
    assert refused.reason == "BOARD_CONFLICT"
    assert refused.code is grpc.StatusCode.PERMISSION_DENIED
    assert await call.is_answered(f"{TABLES}/JoinTable", joining, keyed.keys["player"])


# Planted leaks ------------------------------------------------------------------------------------


async def test_a_planted_record_of_half_a_board_is_caught(
    keyed: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is not told of the board, so that it shows each record at once."""
    monkeypatch.setattr(
        directory,
        "FinishedMatch",
        lambda **facts: FinishedMatch(**facts | {"board": b"", "board_tables": 1}),
    )
    first, second = await seat_all(keyed, BOARD), await seat_all(keyed, BOARD)
    await play(keyed, first.table)
    await play(keyed, second.table, 10)
    await expect_shown(keyed, first)
    with pytest.raises(AssertionError):
        await expect_hidden(keyed, first)


async def test_a_planted_record_of_an_end_that_is_not_shown_is_caught(
    keyed: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is made when the match ends, not when that is shown."""
    monkeypatch.setattr(Table, "seen", property(lambda table: table.shown))
    publish = shard.Shard._publish_change

    def at_once(self: shard.Shard, table: Table) -> None:
        publish(self, table)
        if table.status is Status.ENDED:
            self.directory.archive(table)

    monkeypatch.setattr(shard.Shard, "_publish_change", at_once)
    seated = await seat_all(keyed, LATE)
    await play(keyed, seated.table)
    await expect_shown(keyed, seated)
    with pytest.raises(AssertionError):
        await expect_hidden(keyed, seated)
