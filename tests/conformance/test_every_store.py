"""What every store must do, written once and run on each of them.

A new store adds a line to `STORES`. A store may answer later: `append` and `finish` wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from croupier_server.storage.base import (
    NO_PRIVATE,
    AuditEntry,
    BoardTable,
    Deal,
    EndedRequest,
    FinishedMatch,
    KeyExists,
    LogRow,
    NoRows,
    Player,
    Reveal,
    Store,
    StoredDeal,
    StoredKey,
)
from croupier_server.storage.codec import read_record
from croupier_server.storage.opening import open_store
from tests.storage.postgres import Cluster

Place = Callable[[pytest.FixtureRequest], Awaitable[str]]
"""Makes room for an empty store: its URL."""


async def _memory(_: pytest.FixtureRequest) -> str:
    return "memory:"


async def _sqlite(request: pytest.FixtureRequest) -> str:
    folder: Path = request.getfixturevalue("tmp_path")
    return f"sqlite:{folder / 'croupier.db'}"


async def _postgresql(request: pytest.FixtureRequest) -> str:
    cluster: Cluster = request.getfixturevalue("cluster")
    return await cluster.create()


STORES: dict[str, Place] = {"memory": _memory, "sqlite": _sqlite, "postgresql": _postgresql}


@pytest.fixture(params=STORES)
async def url(request: pytest.FixtureRequest) -> str:
    return await STORES[request.param](request)


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    found = await open_store(url)
    yield found
    await found.close()


ONE = Deal(b"one", b"all of one")
TWO = Deal(b"two", b"all of two")


def row(
    table_id: str, sequence: int, private: int = 0, cause: bytes = b"", kept: bytes = b""
) -> LogRow:
    parts = {seat: b"private %d" % seat for seat in range(private)} or NO_PRIVATE
    public = b"public %d" % sequence if sequence else b""
    return LogRow(table_id, 1, sequence, public, parts, cause, kept)


async def append(store: Store, *batches: Sequence[LogRow]) -> list[int]:
    """Append *batches*; the order in which they were done."""
    done: list[int] = []
    finished = asyncio.get_running_loop().create_future()

    def is_done(number: int, error: Exception | None) -> None:
        assert error is None
        done.append(number)
        if len(done) == len(batches):
            finished.set_result(None)

    for number, batch in enumerate(batches):
        store.log.append(batch, lambda error, number=number: is_done(number, error))  # type: ignore[misc]
    await finished
    return done


def match(table_id: str, kind: int = 1, *, ended_ms: int = 1_700_000_000_000) -> FinishedMatch:
    return FinishedMatch(
        table_id=table_id,
        kind=kind,
        table=b"\x0a" + bytes([len(table_id)]) + table_id.encode() + b"\x10\x01",
        option_text={"b": "2", "a": "1"},
        reveal=Reveal(secret=b"s" * 32, nonces=(b"n" * 32, b""), root=b"r" * 32),
        result=b"\x08\x01",
        players=(Player("Ann", "ann", 2, "a/1"), Player("Bob")),
        ended_ms=ended_ms,
    )


async def finish(store: Store, *matches: FinishedMatch) -> list[str]:
    """Append a row of each match and finish it; tables that were done, in their order."""
    done: list[str] = []
    finished = asyncio.get_running_loop().create_future()

    def is_done(table_id: str, error: Exception | None) -> None:
        assert error is None
        done.append(table_id)
        if len(done) == len(matches):
            finished.set_result(None)

    for one in matches:
        name = one.table_id
        event = row(name, 1, kept=b"secret")._replace(public=b"\x08\x01")
        store.log.append([event], lambda _: None)
        store.log.finish(one, lambda error, name=name: is_done(name, error))  # type: ignore[misc]
    await finished
    return done


# Logs -------------------------------------------------------------------------------------------


async def test_rows_come_back_as_they_went_in(store: Store) -> None:
    rows = [
        row("a", 1, kept=b"secret"),
        row("a", 2, 3, b"input"),
        row("a", 0, 0, b"sealed"),
        row("a", 0, kept=b"note"),
        row("a", 3, 1, kept=b"more"),
    ]
    await append(store, rows)
    assert await store.log.read("a") == rows
    assert dict((await store.log.read("a"))[1].private) == {
        0: b"private 0",
        1: b"private 1",
        2: b"private 2",
    }


async def test_a_long_log_comes_back_as_it_went_in(store: Store) -> None:
    rows = [row("a", number, number % 5, b"input" * (number % 3)) for number in range(1, 1000)]
    rows[500:500] = [row("a", 0, 0, b"sealed"), row("a", 0, 0, b"", b"note")]
    await append(store, rows[:700], [row("b", 1)], rows[700:])
    found = await store.log.read("a")
    assert found == rows
    assert [dict(one.private) for one in found] == [dict(one.private) for one in rows]


async def test_batches_are_done_in_their_order(store: Store) -> None:
    batches = [[row("a", number)] for number in range(1, 30)]
    assert await append(store, *batches) == list(range(29))
    assert [one.sequence for one in await store.log.read("a")] == list(range(1, 30))


async def test_an_empty_batch_is_done_in_its_turn(store: Store) -> None:
    assert await append(store, [row("a", 1)], [], [row("a", 2)]) == [0, 1, 2]
    assert len(await store.log.read("a")) == 2


async def test_a_table_may_come_and_begin_deals_in_one_batch(store: Store) -> None:
    rows = [
        row("a", 1),
        row("a", 2)._replace(deal=ONE),
        row("b", 1),
        row("a", 3)._replace(deal=TWO),
    ]
    await append(store, rows[:2], rows[2:])
    found = await store.log.load("a")
    assert found is not None
    deals = (StoredDeal(2, b"one"), StoredDeal(3, b"two"))
    assert (found.deals, found.carried) == (deals, b"all of two")
    await append(store, [row("b", 2)._replace(deal=ONE), row("c", 1)._replace(deal=TWO)])
    for name, deal in (("a", TWO), ("b", ONE), ("c", TWO)):
        found = await store.log.load(name)
        assert found is not None
        assert found.carried == deal.carried


async def test_tables_do_not_mix(store: Store) -> None:
    await append(store, [row("b", 1), row("a", 1), row("b", 2)], [row("a", 2)])
    assert [one.sequence for one in await store.log.read("a")] == [1, 2]
    assert {one.table_id for one in await store.log.read("b")} == {"b"}
    assert list(await store.log.tables()) == ["b", "a"]
    assert list(await store.log.read("c")) == []


@pytest.mark.more
async def test_one_batch_may_be_of_very_many_tables(store: Store) -> None:
    names = [f"t{number:04}" for number in range(2_500)]
    await append(store, [row(name, 1, 2) for name in names])
    await append(store, [row(name, number) for number in (2, 3) for name in names])
    assert list(await store.log.tables()) == names
    for name in (names[0], names[999], names[1000], names[-1]):
        assert [one.sequence for one in await store.log.read(name)] == [1, 2, 3]


async def test_of_a_finished_match_nothing_is_left_but_its_record(store: Store) -> None:
    await append(store, [row("a", 1)._replace(deal=ONE), row("b", 1)])
    await finish(store, match("a"))
    assert list(await store.log.tables()) == ["b"]
    assert list(await store.log.read("a")) == []
    assert await store.log.load("a") is None
    await append(store, [row("a", 1)])
    again = await store.log.load("a")
    assert again is not None
    assert (again.deals, again.carried) == ((), b"")


async def test_a_table_with_fewer_than_two_deals_loads_whole(store: Store) -> None:
    rows = [row("a", 1, kept=b"first"), row("a", 2), row("a", 0, kept=b"note")]
    await append(store, [*rows, row("b", 1)])
    assert await store.log.load("a") == ("a", 1, rows[0], (), b"", rows)
    assert await store.log.load("c") is None
    more = [row("a", 3), row("a", 4)]
    await append(store, [more[0]._replace(deal=ONE), more[1]])
    deals = (StoredDeal(3, b"one"),)
    assert await store.log.load("a") == ("a", 1, rows[0], deals, ONE.carried, rows + more)


async def test_a_table_loads_from_the_last_deal_but_one(store: Store) -> None:
    rows = [row("a", number, kept=b"k%d" % number) for number in range(1, 10)]
    rows[4:4] = [row("a", 0, 0, b"sealed")]
    rows[1:1] = [row("a", 0, 0, b"sealed earlier")]
    marked = [
        one._replace(deal=Deal(b"[%d]" % one.sequence, b"all of %d" % one.sequence))
        if one.sequence in (2, 5, 7)
        else one
        for one in rows
    ]
    await append(store, [row("b", 1)._replace(deal=ONE)], *([one] for one in marked))
    deals = tuple(StoredDeal(number, b"[%d]" % number) for number in (2, 5, 7))
    assert await store.log.load("a") == ("a", 1, rows[0], deals, b"all of 7", rows[6:])
    await append(store, [row("a", 10)._replace(deal=TWO)])
    found = await store.log.load("a")
    assert found is not None
    assert [one.sequence for one in found.deals] == [2, 5, 7, 10]
    assert found.carried == TWO.carried
    assert [one.sequence for one in found.rows] == [7, 8, 9, 10]
    assert await store.log.read("a") == [*rows, row("a", 10)]


# Records ----------------------------------------------------------------------------------------


async def test_a_record_comes_back(store: Store) -> None:
    assert await finish(store, match("a")) == ["a"]
    found = await store.records.get("a")
    assert found is not None
    assert (found.position, found.table_id, found.kind, found.players) == (
        1,
        "a",
        1,
        (Player("Ann", "ann", 2, "a/1"), Player("Bob")),
    )
    assert (found.result, found.ended_ms, found.voided) == (b"\x08\x01", 1_700_000_000_000, False)
    read, rows = read_record(found.record)
    assert read.reveal == match("a").reveal
    assert [one.sequence for one in rows] == [1]
    assert b"secret" not in found.record
    assert await store.records.get("b") is None
    assert list(await store.log.tables()) == []
    assert await store.log.load("a") is None


async def test_a_match_is_finished_once(store: Store) -> None:
    await finish(store, match("a"))
    before = await store.records.get("a")
    done: list[Exception | None] = []
    store.log.finish(match("a", kind=2), done.append)
    store.log.finish(match("b"), done.append)
    await append(store, [])
    assert [type(error) for error in done] == [NoRows, NoRows]
    assert await store.records.get("a") == before
    assert await store.records.head() == 1


@pytest.mark.more
async def test_a_match_without_a_record_keeps_its_rows_and_harms_no_other(store: Store) -> None:
    bad = match("bad")._replace(option_text={"a": None})  # type: ignore[dict-item]
    told: dict[str, Exception | None] = {}
    done = asyncio.Event()

    def is_done(name: str, error: Exception | None) -> None:
        told[name] = error
        if len(told) == 4:
            done.set()

    for one in (match("a"), match("b"), bad, match("c")):
        name = one.table_id
        store.log.append([row(name, 1)._replace(public=b"\x08\x01")], lambda _: None)
        store.log.finish(one, lambda error, name=name: is_done(name, error))  # type: ignore[misc]
    await done.wait()
    assert [name for name, error in told.items() if error is not None] == ["bad"]
    assert await shown(store) == ["a", "b", "c"]
    assert list(await store.log.tables()) == ["bad"]
    await append(store, [row("bad", 2)])
    assert [one.sequence for one in await store.log.read("bad")] == [1, 2]


async def test_many_matches_may_end_at_once(store: Store) -> None:
    names = [f"t{number}" for number in range(40)]
    assert await finish(store, *map(match, names)) == names
    assert await shown(store) == names


async def test_notes_are_no_part_of_a_record(store: Store) -> None:
    await finish(store, match("a"))
    plain = await store.records.get("a")
    await append(store, [row("b", 0, kept=b"note")])
    await finish(store, match("b"))
    noted = await store.records.get("b")
    assert plain is not None
    assert noted is not None
    assert len(plain.record) == len(noted.record)


async def test_the_newest_come_first(store: Store) -> None:
    await finish(store, *(match(f"t{number}", 1 + number % 2) for number in range(1, 8)))
    records = store.records
    assert await records.head() == 7
    first = await records.newest(before=None, limit=3)
    assert [one.table_id for one in first] == ["t7", "t6", "t5"]
    assert {one.record for one in first} == {b""}
    rest = await records.newest(before=first[-1].position, limit=9)
    assert [one.table_id for one in rest] == ["t4", "t3", "t2", "t1"]
    found = await records.newest(before=None, limit=2, kind=2)
    assert [one.table_id for one in found] == ["t7", "t5"]
    assert await records.newest(before=1, limit=9) == []


async def test_a_follower_reads_on_from_its_place(store: Store) -> None:
    woken: list[int] = []
    records = store.records
    assert await records.head() == 0
    end = records.subscribe(lambda: woken.append(1))
    for number in range(1, 6):
        await finish(store, match(f"t{number}"))
    assert len(woken) == 5
    assert [one.position for one in await records.since(0, 2)] == [1, 2]
    assert [one.position for one in await records.since(2, 9)] == [3, 4, 5]
    assert b"" not in [one.record for one in await records.since(0, 9)]
    assert await records.since(5, 9) == []
    end()
    end()
    await finish(store, match("t6"))
    assert len(woken) == 5
    assert await records.head() == 6


async def shown(store: Store) -> list[str]:
    """Tables whose records are shown, oldest first."""
    return [one.table_id for one in await store.records.since(0, 99)]


async def test_a_board_is_revealed_with_its_last_table(store: Store) -> None:
    north = [match(f"n{number}")._replace(board=b"north", board_tables=3) for number in range(3)]
    south = match("s")._replace(board=b"south", board_tables=2)
    alone = match("a")._replace(board=b"alone", board_tables=1)
    assert await finish(store, *north[:2], south, alone) == ["n0", "n1", "s", "a"]
    assert await shown(store) == ["a"]
    assert await store.records.get("n0") is None
    assert await store.records.newest(before=None, limit=9, kind=2) == []
    assert list(await store.log.tables()) == []
    woken: list[int] = []
    store.records.subscribe(lambda: woken.append(1))
    await finish(store, north[2])
    assert await shown(store) == ["a", "n0", "n1", "n2"]
    assert woken == [1]
    assert await store.records.head() == 4


@pytest.mark.attack
async def test_a_match_that_never_began_leaves_no_record(store: Store) -> None:
    """But its call is known, and its board waits for another table in its place."""
    alone = match("a")._replace(leaves_record=False, request_key=b"ann's", request=b"one")
    board = match("n1")._replace(board=b"north", board_tables=2, sat=("ann",))
    never = board._replace(table_id="n2", leaves_record=False)
    assert await finish(store, alone, never) == ["a", "n2"]
    assert await shown(store) == []
    assert list(await store.log.tables()) == []
    known = [EndedRequest(b"ann's", b"one", "a", alone.ended_ms)]
    assert list(await store.log.ended_requests()) == known
    assert await store.log.board_tables() == []
    await finish(store, board)
    assert await shown(store) == []
    assert await store.log.board_tables() == [BoardTable(b"north", "n1", ("ann",), (), 2)]
    await finish(store, never._replace(table_id="n3"))
    assert await shown(store) == []
    await finish(store, board._replace(table_id="n4"))
    assert await shown(store) == ["n1", "n4"]
    assert await store.records.head() == 2
    assert await store.records.get("a") is await store.records.get("n2") is None


async def test_what_is_known_of_a_board_until_it_is_done(store: Store) -> None:
    """Who has sat at its tables that have ended is not forgotten with their rows, nor what they
    agree on."""
    one = match("n1")._replace(board=b"north", board_tables=3, sat=("ann", "bob"), watched=("eve",))
    one = one._replace(board_rated=True, board_shared=True)
    two = one._replace(table_id="n2", sat=(), watched=())
    other = match("s")._replace(board=b"south", board_tables=2, sat=("\0ev\u20ac",))
    alone = match("a")._replace(board=b"alone", board_tables=1, sat=("di",))
    await finish(store, one, other, two, alone)
    known = [
        BoardTable(b"north", "n1", ("ann", "bob"), ("eve",), 3, rated=True, shared=True),
        BoardTable(b"south", "s", ("\0ev\u20ac",), (), 2),
        BoardTable(b"north", "n2", (), (), 3, rated=True, shared=True),
    ]
    assert sorted(await store.log.board_tables()) == sorted(known)
    assert await store.records.purge(1 << 60) == 4
    assert sorted(await store.log.board_tables()) == sorted(known)
    await finish(store, two._replace(table_id="n3", sat=("cy",)))
    assert await store.log.board_tables() == known[1:2]
    assert await shown(store) == ["n3"]


async def test_calls_that_made_tables_are_known_when_those_have_ended(store: Store) -> None:
    first = match("a", ended_ms=5)._replace(request_key=b"ann's", request=b"one")
    held = match("n")._replace(board=b"north", board_tables=2, request_key=b"k", request=b"two")
    await finish(store, first, match("b"), held)
    known = [EndedRequest(b"ann's", b"one", "a", 5), EndedRequest(b"k", b"two", "n", held.ended_ms)]
    assert list(await store.log.ended_requests()) == known
    await store.records.purge(1 << 60)
    assert list(await store.log.ended_requests()) == known


@pytest.mark.more
async def test_a_match_that_is_put_away_again_is_one_table_of_its_board(store: Store) -> None:
    held = [
        match(name)._replace(board=b"north", board_tables=2, sat=(sat,))
        for name, sat in (("a", "ann"), ("a", "bob"), ("b", "cy"))
    ]
    await finish(store, *held[:2])
    assert await store.log.board_tables() == [BoardTable(b"north", "a", ("bob",), (), 2)]
    assert await shown(store) == []
    await finish(store, held[2])
    assert await shown(store) == ["a", "b"]


async def test_a_void_match_keeps_its_record(store: Store) -> None:
    """Who has read the record before is told so behind it, once; what was held back is not news."""
    held, last = (match(name)._replace(board=b"north", board_tables=2) for name in "hl")
    await finish(store, match("a"), match("b"), held)
    woken: list[int] = []
    store.records.subscribe(lambda: woken.append(1))
    for _ in range(2):
        assert await store.records.void("a")
        assert await store.records.void("h")
    assert not await store.records.void("never there")
    assert woken
    await finish(store, last)
    expected = [("a", True), ("b", False), ("h", True), ("l", False)]
    found = await store.records.since(0, 9)
    assert [(one.table_id, one.voided) for one in found if not one.is_voiding] == expected
    (voiding,) = (one for one in found if one.is_voiding)
    assert (voiding.table_id, voiding.voided, voiding.record) == ("a", True, b"")
    assert [one.position for one in found] == [1, 2, 3, 4, 5]
    assert await store.records.head() == 5
    assert await store.records.since(2, 1) == [voiding]
    assert await store.records.since(1, 2) == found[1:3]
    assert await store.records.since(3, 9) == found[3:]
    listed = await store.records.newest(before=None, limit=9)
    assert [(one.table_id, one.voided) for one in listed] == expected[::-1]


async def test_lists_may_leave_out_what_is_not_for_everybody(store: Store) -> None:
    private = match("p")._replace(readers=("ann",))
    await finish(store, match("a"), private, match("b"))
    newest = store.records.newest
    assert [one.table_id for one in await newest(before=None, limit=3)] == ["b", "p", "a"]
    public = await newest(before=None, limit=2, is_public=True)
    assert [one.table_id for one in public] == ["b", "a"]


async def test_an_id_that_no_table_can_have_has_no_record(store: Store) -> None:
    await finish(store, match("a"))
    for table_id in ("", "a\0", "\0", "a' OR 'a' = 'a", "\U0010ffff" * 64):
        assert await store.records.get(table_id) is None


async def test_old_records_are_purged(store: Store) -> None:
    await finish(
        store,
        match("a", ended_ms=1_000),
        match("b", ended_ms=2_000),
        match("h", ended_ms=1_500)._replace(board=b"north", board_tables=2),
        match("c", ended_ms=1_999),
    )
    assert await store.records.purge(2_000) == 3
    assert await shown(store) == ["b"]
    assert await store.records.purge(2_000) == 0
    await finish(store, match("l", ended_ms=2_000)._replace(board=b"north", board_tables=2))
    assert await shown(store) == ["b", "l"]
    await finish(store, match("d"))
    assert await store.records.head() == 5


# Keys and audit ---------------------------------------------------------------------------------


async def test_keys_come_back(store: Store) -> None:
    one = StoredKey("k1", "ann", frozenset({"play", "watch"}), b"hash", 1, None, None, "her bot")
    two = StoredKey("k2", "bob", frozenset(), b"other", 2, 99)
    before = await store.keys.version()
    await store.keys.add(one)
    await store.keys.add(two)
    assert list(await store.keys.all()) == [one, two]
    assert await store.keys.version() > before
    with pytest.raises(KeyExists):
        await store.keys.add(one._replace(principal="eve"))
    assert list(await store.keys.all()) == [one, two]


async def test_a_key_is_revoked_once(store: Store) -> None:
    await store.keys.add(StoredKey("k1", "ann", frozenset({"play"}), b"hash", 1))
    before = await store.keys.version()
    assert await store.keys.revoke("k1", 7)
    changed = await store.keys.version()
    assert changed > before
    assert [key.revoked_ms for key in await store.keys.all()] == [7]
    assert not await store.keys.revoke("k1", 8)
    assert not await store.keys.revoke("k2", 8)
    assert [key.revoked_ms for key in await store.keys.all()] == [7]
    assert await store.keys.version() == changed


async def test_the_audit_log_comes_back_newest_first(store: Store) -> None:
    entries = [
        AuditEntry(number, "ann", "AbortTable", f"t{number}", "why", "OK") for number in range(5)
    ]
    for entry in entries:
        await store.audit.add(entry)
    first = await store.audit.newest(None, 2)
    assert [entry for _, entry in first] == [entries[4], entries[3]]
    rest = await store.audit.newest(first[-1][0], 9)
    assert [entry for _, entry in rest] == entries[2::-1]
    assert list(await store.audit.newest(rest[-1][0], 9)) == []
