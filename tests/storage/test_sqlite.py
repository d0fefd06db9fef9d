"""The file of a store: who may open it, what it survives, and what happens when it cannot be
written."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from croupier_server.storage import reading
from croupier_server.storage.base import (
    Deal,
    LogRow,
    Store,
    StoreError,
)
from croupier_server.storage.jobs import (
    Append,
    Committed,
    Finish,
    Job,
    StoreClosed,
    StoreTrouble,
)
from croupier_server.storage.log import StoredLog
from croupier_server.storage.opening import open_store
from croupier_server.storage.packing import pieces
from croupier_server.storage.sqlite import SqliteDatabase
from croupier_server.storage.sqlite_file import SqliteFile
from croupier_server.storage.writer import Writer
from tests.conformance.test_every_store import append, finish, match, row

HOLDER = """
import asyncio, sys
from croupier_server.storage.opening import open_store

async def hold():
    await open_store(sys.argv[1])
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    raise SystemExit

asyncio.run(hold())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "croupier.db"


def url(path: Path) -> str:
    return f"sqlite:{path}"


async def until(condition: Callable[[], object]) -> None:
    """Return when *condition* holds; what the loop hears from the writer makes it hold."""
    while not condition():  # noqa: ASYNC110 - there is no event that stands for it
        await asyncio.sleep(0.001)


# Opening ----------------------------------------------------------------------------------------


async def test_nobody_else_may_read_file_and_folder(path: Path) -> None:
    old = os.umask(0o022)
    try:
        store = await open_store(url(path))
        await append(store, [row("a", 1)])
    finally:
        os.umask(old)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes.pop("croupier.db") == 0o600
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await store.close()


async def test_a_file_has_one_server(path: Path) -> None:
    store = await open_store(url(path))
    with pytest.raises(StoreError) as error:
        await open_store(url(path))
    assert (
        str(error.value) == f"store: {path} is in use by process {os.getpid()}; only one server "
        "may use a file"
    )
    await store.close()
    again = await open_store(url(path))
    await again.close()


@pytest.mark.more
async def test_a_file_is_free_again_when_its_server_was_killed(path: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, url(path), stdin=pipe, stdout=pipe
    )
    assert holder.stdout is not None
    try:
        assert await holder.stdout.readline() == b"open\n"
        with pytest.raises(StoreError, match=f"in use by process {holder.pid};"):
            await open_store(url(path))
    finally:
        holder.kill()
        await holder.communicate()
    store = await open_store(url(path))
    await store.close()


def refused(path: Path) -> str:
    """Why *path* is not opened; nothing in it is changed by the attempt."""
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StoreError) as error:
        asyncio.run(open_store(url(path)))
    assert (path.read_bytes() if path.is_file() else b"") == before
    text = str(error.value)
    assert text.startswith(f"store: {path}")
    assert "\n" not in text
    return text


def test_what_is_no_database_is_refused_and_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"Dear diary, today I lost at cards. " * 500)
    assert "not a database" in refused(path)
    path.unlink()
    path.mkdir()
    assert "Is a directory" in refused(path)


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE records (title TEXT)")
        other.commit()
    assert "belongs to another program" in refused(path)


def test_a_file_of_a_later_version_is_refused(path: Path) -> None:
    SqliteFile(path, "process").close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
        raw.commit()
    assert "written by a later version of Croupier (schema 9999" in refused(path)


def test_a_damaged_file_is_refused_and_kept(path: Path) -> None:
    file = SqliteFile(path, "process")
    for number in range(1, 200):
        file.core.commit([appended([row("a", number, 4, b"x" * 200)])])
    file.close()
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\x5a" * 4096
    path.write_bytes(data)
    assert "is damaged" in refused(path)


@pytest.mark.parametrize("name", ["sqlite:", "mysql://x", "", "memory", "memory:x"])
async def test_a_store_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(StoreError, match=r"^store: "):
        await open_store(name)


@pytest.mark.parametrize(("durability", "synchronous"), [("power", 2), ("process", 1)])
def test_durable_a_commit_waits_for_the_disk_where_it_should(
    path: Path, durability: str, synchronous: int
) -> None:
    """Promise 3: FULL is 2, NORMAL is 1."""
    file = SqliteFile(path, durability)  # type: ignore[arg-type]
    with file.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    assert file.core._raw.execute("PRAGMA synchronous").fetchone() == (synchronous,)
    file.close()


# Trouble ----------------------------------------------------------------------------------------


@contextmanager
def full_disk(store: Store, path: Path) -> Iterator[Callable[[], None]]:
    """No page more for the file, by SQLite's own means; gives what ends that."""
    raw: sqlite3.Connection = store.log._writer._core._core._raw  # type: ignore[attr-defined]

    def limit(pages: int) -> None:
        raw.execute(f"PRAGMA max_page_count={pages}")

    (pages,) = raw.execute("PRAGMA page_count").fetchone()
    limit(pages)
    yield lambda: limit(1 << 30)
    limit(1 << 30)


async def test_durable_what_finds_no_room_is_stored_once_there_is_some(path: Path) -> None:
    """Promise 3: a full disk loses nothing and doubles nothing."""
    store = await open_store(url(path))
    await append(store, [row("a", 1)])
    changes: list[str] = []
    store.log.watch(lambda: changes.append(store.log.trouble))
    done: list[object] = []
    big = b"x" * 50_000
    with full_disk(store, path) as end:
        for number in range(2, 6):
            rows = [row("a", number, 0, big)]
            store.log.append(rows, lambda error, n=number: done.append((n, error)))  # type: ignore[misc]
        await until(lambda: store.log.trouble)
        store.log.append([row("b", 1)], lambda error: done.append(("b", error)))
        await until(lambda: changes)
        assert store.log.trouble == f"{path}: database or disk is full"
        assert done == []
        assert [one.sequence for one in await store.log.read("a")] == [1]
        end()
        await until(lambda: len(done) == 5)
    assert done == [(2, None), (3, None), (4, None), (5, None), ("b", None)]
    assert changes == [f"{path}: database or disk is full", ""]
    assert store.log.trouble == ""
    assert [one.sequence for one in await store.log.read("a")] == [1, 2, 3, 4, 5]
    assert await store.log.read("b") == [row("b", 1)]
    await store.close()


async def test_a_record_that_finds_no_room_is_made_later(path: Path) -> None:
    store = await open_store(url(path))
    await append(store, [row("a", 1)._replace(public=b"\x08\x01", input=b"")])
    done: list[object] = []
    long = match("a")._replace(result=b"\x12" + bytes([0x80, 0x80, 4]) + b"x" * (1 << 16))
    with full_disk(store, path) as end:
        store.log.finish(long, done.append)
        await until(lambda: store.log.trouble)
        assert await store.records.get("a") is None
        assert await store.log.tables() == ["a"]
        end()
        await until(lambda: done)
    assert done == [None]
    assert await store.records.head() == 1
    assert await store.log.tables() == []
    await store.close()


async def test_what_finds_no_room_until_the_end_is_said_to_be_lost(path: Path) -> None:
    store = await open_store(url(path))
    await append(store, [row("a", 1)])
    done: list[Exception | None] = []
    with full_disk(store, path):
        store.log.append([row("a", 2, 0, b"x" * 50_000)], done.append)
        await until(lambda: store.log.trouble)
        store.log.append([row("a", 3)], done.append)
        await store.log.close()
    assert [type(error) for error in done] == [StoreClosed, StoreClosed]
    await store.shut()
    again = await open_store(url(path))
    assert [one.sequence for one in await again.log.read("a")] == [1]
    await again.close()


async def test_one_that_is_to_blame_harms_none_of_the_others(path: Path) -> None:
    store = await open_store(url(path))
    done: list[object] = []
    nameless = row("a", 1)._replace(table_id=None)  # type: ignore[arg-type]
    for one in (row("a", 1), nameless, row("a", 2)):
        store.log.append([one], lambda error: done.append(type(error)))
    await until(lambda: len(done) == 3)
    assert done[0] is done[2] is type(None)
    assert done[1] is not type(None)
    assert store.log.trouble == ""
    assert [one.sequence for one in await store.log.read("a")] == [1, 2]
    await store.close()


class FullLog:
    """A log that takes nothing, as where it shares a full disk with the store."""

    def error(self, *_: object, **_more: object) -> None:
        raise OSError("no space left on device")

    exception = error


async def test_a_thread_that_fails_ends_the_store_and_keeps_nobody_waiting(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await open_store(url(path))
    await append(store, [row("a", 1)])
    changes: list[str] = []
    done: list[object] = []
    store.log.watch(lambda: changes.append(store.log.trouble))
    monkeypatch.setattr("croupier_server.storage.writer._log", FullLog())
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    nameless = row("a", 2)._replace(table_id=None)  # type: ignore[arg-type]
    for one in (row("b", 1), nameless, row("b", 2)):
        store.log.append([one], lambda error: done.append(type(error)))
    await until(lambda: len(done) == 3)
    assert done[1:] == [OSError, OSError]
    assert type(store.log.gone) is OSError
    assert changes == ["the store's writer has failed: OSError"]
    store.log.append([row("b", 3)], lambda error: done.append(type(error)))
    assert done[3] is OSError
    await store.close()


# The core, without threads ----------------------------------------------------------------------


def ignore(_: Exception | None) -> None:
    """For jobs of which nobody hears."""


def appended(rows: Sequence[LogRow]) -> Append:
    return Append(pieces(rows), ignore)


def kept(file: SqliteFile) -> tuple[int, int, int]:
    """Rows of the tables of the log."""
    with file.engine.connect() as connection:
        return tuple(
            connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
            for name in ("live_tables", "log_pieces", "deals")
        )


def test_a_long_match_leaves_nothing_behind(path: Path) -> None:
    file = SqliteFile(path, "process")
    core = file.core
    for number in range(1, 1200):
        core.commit([appended([row("long", number), row("short", number)])])
    core.commit([appended([row("live", 1)])])
    jobs: list[Job] = [Finish(match("long"), ignore), Finish(match("short"), ignore)]
    assert core.commit(jobs).errors == [None, None]
    live, pieces_left, _ = kept(file)
    assert live == 1
    assert 1 < pieces_left < 2 * 1199
    assert core.sweep()
    file.close()
    file = SqliteFile(path, "process")
    while file.core.sweep():
        pass
    assert kept(file) == (1, 1, 0)
    file.close()


def test_numbers_are_not_used_again_while_they_matter(path: Path) -> None:
    file = SqliteFile(path, "process")
    for number in range(1, 700):
        file.core.commit([appended([row("a", number)])])
    file.core.commit([Finish(match("a"), ignore), appended([row("a", 1)])])
    file.close()
    file = SqliteFile(path, "process")
    file.core.commit([appended([row("b", 1), row("a", 2)])])
    while file.core.sweep():
        pass
    assert kept(file) == (2, 3, 0)
    file.close()


def test_a_transaction_that_fails_changes_nothing(path: Path) -> None:
    file = SqliteFile(path, "process")
    core = file.core
    core.commit([appended([row("a", 1), row("b", 1)])])
    before = kept(file)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    core._raw.execute("PRAGMA busy_timeout=1")
    jobs: list[Job] = [
        appended([row("c", 1)]),
        Finish(match("a"), ignore),
        Finish(match("b"), ignore),
    ]
    for batch in (jobs, [appended([row("a", 2)])]):
        with pytest.raises(StoreTrouble, match="locked"):
            core.commit(batch)
    blocker.execute("ROLLBACK")
    blocker.close()
    assert kept(file) == before
    assert core.commit(jobs).errors == [None, None, None]
    assert kept(file) == (1, 1, 0)
    file.close()


async def read(file: SqliteFile, name: str) -> list[int]:
    """Numbers of the events of a table."""
    database = SqliteDatabase(file.engine)
    try:
        return [one.sequence for one in await reading.read(database, name)]
    finally:
        await database.close()


@pytest.mark.more
def test_durable_a_power_cut_tears_only_what_was_not_acknowledged(
    path: Path, tmp_path: Path
) -> None:
    """Promise 3: whatever came to the disk of the last write, every batch before it is whole."""
    file = SqliteFile(path, "power")
    wal = path.with_name(path.name + "-wal")
    ends: list[int] = []
    for number in range(1, 13):
        file.core.commit([appended([row("a", number, 2), row("b", number, 0, b"x" * 5_000)])])
        ends.append(wal.stat().st_size)
    whole, log = path.read_bytes(), wal.read_bytes()
    file.close()
    assert ends == sorted(set(ends))
    assert ends[-1] == len(log)
    rng = random.Random(4)
    for case in range(40):
        cut = rng.randrange(ends[0], len(log) + 1)
        tail = bytes(rng.getrandbits(8) for _ in range(rng.randrange(9_000)))
        copy = tmp_path / f"cut {case}" / "croupier.db"
        copy.parent.mkdir()
        copy.write_bytes(whole)
        copy.with_name(wal.name).write_bytes(log[:cut] + tail)
        again = SqliteFile(copy, "power")
        acknowledged = sum(end <= cut for end in ends)
        for name in ("a", "b"):
            assert asyncio.run(read(again, name)) == list(range(1, acknowledged + 1))
        again.core.commit([appended([row("a", acknowledged + 1)])])
        again.close()


async def test_deals_go_with_their_table(path: Path) -> None:
    store = await open_store(url(path))
    await append(
        store, [row(name, 1)._replace(deal=Deal(b"one", b"all of it")) for name in ("a", "b")]
    )
    await finish(store, match("a"))
    await finish(store, match("b"))
    await store.close()
    file = SqliteFile(path, "power")
    assert kept(file) == (0, 0, 0)
    file.close()


async def test_a_log_without_an_event_is_read_as_it_is(path: Path) -> None:
    """No table can be made of it, which is for others to find out."""
    store = await open_store(url(path))
    note = row("a", 0)._replace(kept=b"a note")
    await append(store, [note])
    found = await store.log.load("a")
    assert found is not None
    assert found.first == note
    assert found.rows == [note]
    await store.close()


async def test_a_file_that_cannot_be_read_now_may_be_read_later(path: Path) -> None:
    store = await open_store(url(path))
    await append(store, [row("a", 1)])
    with closing(sqlite3.connect(path)) as beside:
        beside.execute("ALTER TABLE live_tables RENAME TO gone")
        with pytest.raises(OSError, match="no such table"):
            await store.log.load("a")
        beside.execute("ALTER TABLE gone RENAME TO live_tables")
    found = await store.log.load("a")
    assert found is not None
    await store.close()


class NoMemory:
    """A database that finds no memory to clear up with."""

    def __init__(self) -> None:
        self.committed = 0

    def commit(self, jobs: Sequence[Job]) -> Committed:
        self.committed += len(jobs)
        return Committed([None] * len(jobs))

    def check(self) -> None:
        """Memory has none."""

    def sweep(self) -> bool:
        raise MemoryError


async def test_durable_what_cannot_be_cleared_up_stops_no_commit() -> None:
    settled: list[Job] = []
    core = NoMemory()
    writer = Writer(core, lambda jobs, _: settled.extend(jobs), lambda: None)
    for number in range(3):
        writer.put(Finish(match("a"), ignore))
        await until(lambda number=number: len(settled) > number)  # type: ignore[misc]
    await writer.close()
    assert core.committed == 3


async def test_isolated_who_hears_of_a_commit_and_fails_keeps_nobody_else_from_it(
    path: Path,
) -> None:
    store = await open_store(url(path))
    told: list[str] = []

    def fail(_: Exception | None) -> None:
        told.append("a")
        raise RuntimeError("a fault")

    assert isinstance(store.log, StoredLog)
    jobs = [Append((), fail), Append((), lambda _: told.append("b"))]
    store.log._settle(jobs, Committed([None, None]))
    assert told == ["a", "b"]
    await store.close()
