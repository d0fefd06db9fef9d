"""What every store must do that outlives its server: written once and run on each of them."""

from __future__ import annotations

import asyncio
import sys

import pytest
from structlog.testing import capture_logs

from croupier_server.storage.base import (
    AuditEntry,
    BoardTable,
    EndedRequest,
    Store,
    StoredDeal,
    StoredKey,
    StoreError,
)
from croupier_server.storage.jobs import StoreClosed
from croupier_server.storage.opening import open_store
from tests.conformance.test_every_store import ONE, STORES, TWO, append, finish, match, row

SERVER = """
import asyncio, sys
from itertools import count
from croupier_server.storage.base import Deal
from croupier_server.storage.jobs import StoreClosed
from croupier_server.storage.opening import open_store
from tests.conformance.test_every_store import match, row

async def serve():
    store = await open_store(sys.argv[1])
    stored = await store.log.read("a")
    for number in count(stored[-1].sequence + 1 if stored else 1):
        acknowledge = lambda error, number=number: print(number, error, flush=True)
        batch = [row("b", 2 * number - 1, 2), row("a", number), row("b", 2 * number)]
        if number % 3 == 0:
            batch[1] = batch[1]._replace(deal=Deal(b"deal %d" % number, b"all of %d" % number))
        if number % 5 == 0:
            batch.append(row(f"m{number}", 1)._replace(public=b"\\x08\\x01"))
        store.log.append(batch, acknowledge)
        if number % 5 == 0:
            store.log.finish(match(f"m{number}"), acknowledge)
        await asyncio.sleep(0)

asyncio.run(serve())
"""
"""Plays for ever; says on standard output what it was told is stored."""


@pytest.fixture(params=[name for name in STORES if name != "memory"])
async def url(request: pytest.FixtureRequest) -> str:
    return await STORES[request.param](request)


async def open_again(url: str) -> Store:
    """The store, once its database has noticed that whoever held it is gone."""
    while True:
        try:
            return await open_store(url)
        except StoreError as error:
            if "another server holds" not in str(error):
                raise


@pytest.mark.more
async def test_durable_everything_is_there_when_a_store_is_opened_again(url: str) -> None:
    """Promise 3, with a close in between."""
    store = await open_store(url)
    rows = [row("a", 1, 2, b"input", b"kept"), row("a", 0, 0, b"sealed"), row("a", 2)]
    rows += [row("a", 3)]
    marked = [rows[0], rows[1], rows[2]._replace(deal=ONE), rows[3]._replace(deal=TWO)]
    await append(store, [*marked, row("b", 1)])
    board = match("n")._replace(board=b"north", board_tables=2, board_rated=True, sat=("ann",))
    await finish(store, match("m")._replace(request_key=b"key", request=b"call"), board)
    await store.records.void("m")
    key = StoredKey("k1", "ann", frozenset({"play"}), b"hash", 1)
    await store.keys.add(key)
    await store.keys.revoke("k1", 5)
    entry = AuditEntry(1, "ann", "AbortTable", "a", "why", "OK")
    await store.audit.add(entry)
    version, head = await store.keys.version(), await store.records.head()
    lineage = await store.records.lineage()
    await store.close()

    store = await open_store(url)
    assert await store.log.tables() == ["a", "b"]
    assert await store.log.read("a") == rows
    loaded = await store.log.load("a")
    assert loaded is not None
    assert loaded == (
        "a",
        1,
        rows[0],
        (StoredDeal(2, b"one"), StoredDeal(3, b"two")),
        b"all of two",
        rows[2:],
    )
    assert await store.records.head() == head == 2
    assert await store.records.lineage() == lineage
    shown = await store.records.since(0, 9)
    assert [(one.table_id, one.is_voiding) for one in shown] == [("m", False), ("m", True)]
    assert await store.keys.all() == [key._replace(revoked_ms=5)]
    assert await store.keys.version() == version
    assert [one for _, one in await store.audit.newest(None, 9)] == [entry]
    await append(store, [row("a", 4)])
    assert await store.log.board_tables() == [
        BoardTable(b"north", "n", ("ann",), (), 2, rated=True)
    ]
    known = EndedRequest(b"key", b"call", "m", match("m").ended_ms)
    assert await store.log.ended_requests() == [known]
    await finish(store, board._replace(table_id="n2"))
    assert [one.table_id for one in await store.records.since(2, 9)] == ["n", "n2"]
    assert await store.log.board_tables() == []
    await store.records.purge(1 << 60)
    await store.close()

    store = await open_store(url)
    assert [one.sequence for one in await store.log.read("a")] == [1, 0, 2, 3, 4]
    assert await store.records.head() == 4
    await finish(store, match("z"))
    assert await store.records.head() == 5
    await store.close()


async def test_of_calls_that_made_tables_the_newest_are_kept(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("croupier_server.storage.records.ENDED_REQUESTS_MAX", 2)
    store = await open_store(url)
    for number in range(4):
        await finish(store, match(f"t{number}")._replace(request_key=b"%d" % number))
    assert [one.table_id for one in await store.log.ended_requests()] == ["t2", "t3"]
    await store.close()


async def test_what_comes_after_the_close_is_never_stored(url: str) -> None:
    store = await open_store(url)
    await append(store, [row("a", 1)])
    await store.log.close()
    errors: list[Exception | None] = []
    store.log.append([row("a", 2)], errors.append)
    store.log.finish(match("a"), errors.append)
    await asyncio.sleep(0)
    assert [type(error) for error in errors] == [StoreClosed] * 2
    assert store.log.gone is None
    await store.shut()
    store = await open_store(url)
    assert await store.log.read("a") == [row("a", 1)]
    await store.close()


async def test_isolated_rows_that_never_can_be_stored_harm_no_other_table(url: str) -> None:
    """Nothing comes behind them in the log of their own table, which goes on from there later."""
    store = await open_store(url)
    await append(store, [row("bad", 1), row("good", 1), row("ended", 1)])
    too_large = row("bad", 2)._replace(epoch=1 << 70, deal=ONE)
    rows = [[row("good", 2), row("new", 1)], [too_large], [row("bad", 3), row("good", 3)]]
    rows += [[row("bad", 4)], [row("good", 4)]]
    done: list[tuple[int, bool]] = []
    with capture_logs() as log:
        for number, batch in enumerate(rows):
            store.log.append(batch, lambda error, n=number: done.append((n, error is None)))  # type: ignore[misc]
        store.log.finish(match("bad"), lambda error: done.append((5, error is None)))
        await append(store, [row("good", 5)])
    assert done == [(0, True), (1, False), (2, True), (3, False), (4, True), (5, False)]
    assert store.log.trouble == ""
    assert store.log.gone is None
    assert [one["event"] for one in log] == ["not stored"]
    assert "public" not in str(log)
    await store.close()
    store = await open_again(url)
    found = await store.log.load("bad")
    assert found is not None
    assert ([one.sequence for one in found.rows], found.deals) == ([1], ())
    assert [one.sequence for one in await store.log.read("good")] == [1, 2, 3, 4, 5]
    assert await store.log.read("new") == [row("new", 1)]
    await append(store, [row("bad", 2)])
    assert [one.sequence for one in await store.log.read("bad")] == [1, 2]
    await store.close()


@pytest.mark.more
async def test_durable_what_was_acknowledged_survives_a_kill_in_mid_commit(url: str) -> None:
    """Promise 3: all of a batch or nothing of it, everything exactly once."""
    last = 0
    for acknowledged_at_least in (1, 40, 17):
        acknowledged = await play_and_kill(url, acknowledged_at_least)
        store = await open_again(url)
        last = await check(store, last, acknowledged)
        await store.close()


async def play_and_kill(url: str, lines: int) -> list[int]:
    """Numbers that a server said were stored, killed after it has said so many."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, url, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    told = [await server.stdout.readline() for _ in range(lines)]
    server.kill()
    rest, _ = await server.communicate()
    told += [line for line in rest.splitlines(keepends=True) if line.endswith(b"\n")]
    assert {line.split()[1] for line in told} == {b"None"}
    return [int(line.split()[0]) for line in told]


async def check(store: Store, before: int, acknowledged: list[int]) -> int:
    """See that no batch is torn, lost or doubled; the number of the last one."""
    a = [one.sequence for one in await store.log.read("a")]
    b = [one.sequence for one in await store.log.read("b")]
    last = a[-1]
    assert a == list(range(1, last + 1))
    assert b == list(range(1, 2 * last + 1))
    assert last >= max(acknowledged) >= before + 1
    loaded = await store.log.load("a")
    assert loaded is not None
    assert loaded.deals == tuple(
        StoredDeal(number, b"deal %d" % number) for number in range(3, last + 1, 3)
    )
    assert loaded.carried == (b"all of %d" % loaded.deals[-1].sequence if loaded.deals else b"")
    matches = [f"m{number}" for number in range(5, last + 1, 5)]
    records = [one.table_id for one in await store.records.since(0, 10_000)]
    live = [name for name in await store.log.tables() if name not in ("a", "b")]
    assert sorted(records + live) == sorted(matches)
    assert await store.records.head() == len(records)
    twice = [number for number in set(acknowledged) if acknowledged.count(number) == 2]
    assert {f"m{number}" for number in twice} <= set(records)
    return last
