"""A backup holds everything, and comes back to any kind of store with new lives for its tables."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import sqlite3
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from structlog.testing import capture_logs

from croupier_server.storage import postgres_session
from croupier_server.storage.backup import back_up
from croupier_server.storage.base import (
    AuditEntry,
    Deal,
    FinishedMatch,
    LogRow,
    Player,
    Reveal,
    Store,
    StoredKey,
    StoreError,
)
from croupier_server.storage.opening import open_store
from croupier_server.storage.restoring import restore
from tests.storage.postgres import Cluster

NOW_MS = 1_800_000_000_000
EPOCH = NOW_MS // 1_000

Place = Callable[[], Awaitable[str]]


@pytest.fixture
def places(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Place]:
    """Makes room for an empty store of a kind: its URL."""

    numbers = itertools.count()

    async def sqlite() -> str:
        return f"sqlite:{tmp_path / str(next(numbers)) / 'croupier.db'}"

    async def postgresql() -> str:
        cluster: Cluster = request.getfixturevalue("cluster")
        return await cluster.create()

    return {"sqlite": sqlite, "postgresql": postgresql}


KINDS = ("sqlite", "postgresql")


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    store = await open_store(url)
    try:
        yield store
    finally:
        await store.close()


def row(table_id: str, sequence: int) -> LogRow:
    return LogRow(table_id, 1, sequence, b"\x08\x01", {0: b"private"}, b"", b"kept")


def match(table_id: str, **changes: object) -> FinishedMatch:
    made = FinishedMatch(
        table_id=table_id,
        kind=1,
        table=b"\x10\x01",
        option_text={"a": "1"},
        reveal=Reveal(secret=b"s" * 32),
        result=b"\x08\x01",
        players=(Player("Ann"), Player("Бob", "bob")),
        ended_ms=1_700_000_000_000,
    )
    return made._replace(**changes)  # type: ignore[arg-type]


async def append(store: Store, *rows: LogRow) -> None:
    done = asyncio.get_running_loop().create_future()
    store.log.append(rows, lambda error: done.set_result(error))
    assert await done is None


async def finish(store: Store, one: FinishedMatch) -> None:
    await append(store, row(one.table_id, 1))
    done = asyncio.get_running_loop().create_future()
    store.log.finish(one, lambda error: done.set_result(error))
    assert await done is None


async def fill(store: Store) -> None:
    """Something of everything that a store keeps."""
    await append(
        store, row("a", 1), row("a", 2)._replace(deal=Deal(b"one", b"all of one")), row("b", 1)
    )
    await append(store, row("a", 3)._replace(deal=Deal(b"two", b"all of two")))
    await finish(store, match("over", request_key=b"key", request=b"request"))
    await finish(store, match("voided"))
    await store.records.void("voided")
    board = {"board": b"board", "board_tables": 2, "sat": ("ann", "bob"), "watched": ("cy",)}
    await finish(store, match("north", **board))
    await store.keys.add(StoredKey("k1", "ann", frozenset({"play"}), b"hash", 1))
    await store.keys.add(StoredKey("k2", "bob", frozenset(), b"other", 2, 9, 8, "his"))
    await store.audit.add(AuditEntry(3, "ann", "AbortTable", "t", "why", "OK"))


async def everything(store: Store) -> dict[str, object]:
    """All that a store tells of itself, epochs aside; held records are shown for it."""
    tables = {table_id: await store.log.load(table_id) for table_id in await store.log.tables()}
    found: dict[str, object] = {
        "tables": [one._replace(epoch=0) for one in tables.values() if one is not None],
        "early": await store.records.since(0, 99),
        "boards": list(await store.log.board_tables()),
        "requests": list(await store.log.ended_requests()),
        "keys": list(await store.keys.all()),
        "audit": list(await store.audit.newest(None, 99)),
    }
    await finish(store, match("south", board=b"board", board_tables=2, request_key=b"other"))
    assert len(await store.log.ended_requests()) == 2
    shown = await store.records.since(0, 99)
    return found | {"records": shown, "positions": [one.position for one in shown]}


async def test_the_numbers_of_rows_go_on(places: dict[str, Place], tmp_path: Path) -> None:
    """PostgreSQL gives them itself, and knows nothing of those that were put back."""
    here, there = await places["sqlite"](), await places["postgresql"]()
    async with opened(here) as store:
        await fill(store)
    await back_up(here, tmp_path / "backup", replace=False)
    await restore(tmp_path / "backup", there, replace=False, now_ms=NOW_MS)
    with capture_logs() as lines:
        async with opened(there) as store:
            await everything(store)
            await finish(store, match("more", board=b"other", board_tables=2, request_key=b"more"))
    assert [line for line in lines if line["log_level"] in ("warning", "error")] == []


@pytest.mark.more
@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
async def test_everything_comes_back(
    places: dict[str, Place], tmp_path: Path, source: str, target: str
) -> None:
    here, there = await places[source](), await places[target]()
    file = tmp_path / "backup"
    async with opened(here) as store:
        await fill(store)
        size = await back_up(here, file, replace=False)  # while it is served from
        before = await everything(store)
    assert size == file.stat().st_size
    assert await restore(file, there, replace=False, now_ms=NOW_MS) == 2
    async with opened(there) as store:
        for table_id in ("a", "b"):
            loaded = await store.log.load(table_id)
            assert loaded is not None
            assert (loaded.epoch, loaded.first.epoch) == (EPOCH, 1)
        assert await everything(store) == before
        await append(store, row("c", 1))
        assert list(await store.log.tables()) == ["a", "b", "c"]


@pytest.mark.more
@pytest.mark.parametrize("kind", KINDS)
async def test_every_restore_begins_new_lives(
    places: dict[str, Place], tmp_path: Path, kind: str
) -> None:
    """Also a second one of the same backup, and one that the clock is too early for."""
    url, file = await places[kind](), tmp_path / "backup"
    async with opened(url) as store:
        await append(store, row("a", 1))
        lineages = {await store.records.lineage()}
    await back_up(url, file, replace=False)
    epochs = []
    for now_ms in (NOW_MS, NOW_MS + 1_000, NOW_MS + 2_000):
        await restore(file, url, replace=True, now_ms=now_ms)
        async with opened(url) as store:
            loaded = await store.log.load("a")
            assert loaded is not None
            epochs.append(loaded.epoch)
            lineages.add(await store.records.lineage())
    assert len(lineages) == 1 + len(epochs)
    assert epochs == [EPOCH, EPOCH + 1, EPOCH + 2]
    again = tmp_path / "again"
    await back_up(url, again, replace=False)
    await restore(again, url, replace=True, now_ms=5_000)
    async with opened(url) as store:
        loaded = await store.log.load("a")
        assert loaded is not None
        assert loaded.epoch == EPOCH + 3


@pytest.mark.more
@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_there_is_replaced_only_if_told_so(
    places: dict[str, Place], tmp_path: Path, kind: str
) -> None:
    url, file = await places[kind](), tmp_path / "backup"
    async with opened(url) as store:
        await append(store, row("a", 1))
    await back_up(url, file, replace=False)
    async with opened(url) as store:
        await append(store, row("b", 1))
    with pytest.raises(StoreError, match="is not empty; pass --replace to overwrite it"):
        await restore(file, url, replace=False, now_ms=NOW_MS)
    async with opened(url) as store:
        assert list(await store.log.tables()) == ["a", "b"]
    await restore(file, url, replace=True, now_ms=NOW_MS)
    async with opened(url) as store:
        assert list(await store.log.tables()) == ["a"]
    with pytest.raises(StoreError, match="exists; pass --replace to overwrite it"):
        await back_up(url, file, replace=False)
    await back_up(url, file, replace=True)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_that_was_revoked_since_stays_revoked(
    places: dict[str, Place], tmp_path: Path, kind: str
) -> None:
    url, file = await places[kind](), tmp_path / "backup"
    async with opened(url) as store:
        for key_id in ("k1", "k2"):
            await store.keys.add(StoredKey(key_id, "ann", frozenset({"play"}), b"hash", 1))
        await back_up(url, file, replace=False)
        await store.keys.revoke("k2", 7)
        await store.keys.add(StoredKey("k3", "eve", frozenset({"play"}), b"hash", 1))
    await restore(file, url, replace=True, now_ms=NOW_MS)
    async with opened(url) as store:
        keys = [(key.key_id, key.revoked_ms) for key in await store.keys.all()]
    assert keys == [("k1", None), ("k2", 7)]


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_is_restored_while_a_server_holds_the_store(
    places: dict[str, Place], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(postgres_session, "HELD_S", 0)
    url, file = await places[kind](), tmp_path / "backup"
    async with opened(url) as store:
        await append(store, row("a", 1))
        await back_up(url, file, replace=False)
        with pytest.raises(StoreError, match=r"is in use by process|another server holds"):
            await restore(file, url, replace=True, now_ms=NOW_MS)
        await append(store, row("a", 2))
        assert len(await store.log.read("a")) == 2


@pytest.mark.more
@pytest.mark.parametrize("kind", KINDS)
async def test_a_backup_is_of_one_moment(
    places: dict[str, Place], tmp_path: Path, kind: str
) -> None:
    """Two tables get their rows together, so no backup has more of one than of the other."""
    url = await places[kind]()
    async with opened(url) as store:
        stop = asyncio.Event()

        async def play() -> None:
            sequence = 0
            while not stop.is_set():
                sequence += 1
                await append(store, row("a", sequence), row("b", sequence))

        playing = asyncio.create_task(play())
        for number in range(3):
            file = tmp_path / f"backup{number}"
            await asyncio.to_thread(asyncio.run, back_up(url, file, replace=False))
            there = await places["sqlite"]()
            await restore(file, there, replace=False, now_ms=NOW_MS)
            async with opened(there) as copy:
                rows = [await copy.log.read(table_id) for table_id in ("a", "b")]
            assert len(rows[0]) == len(rows[1])
        stop.set()
        await playing


async def test_files_are_for_our_eyes_only(places: dict[str, Place], tmp_path: Path) -> None:
    url, file, there = await places["sqlite"](), tmp_path / "backup", await places["sqlite"]()
    umask = os.umask(0)
    try:
        async with opened(url) as store:
            await append(store, row("a", 1))
        await back_up(url, file, replace=False)
        await restore(file, there, replace=False, now_ms=NOW_MS)
    finally:
        os.umask(umask)
    restored = Path(there.removeprefix("sqlite:"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, restored)] == [0o600, 0o600]
    assert stat.S_IMODE(restored.parent.stat().st_mode) == 0o700
    left = await asyncio.to_thread(lambda: list(tmp_path.glob("backup*")))
    assert left == [file]


async def test_a_backup_is_no_store(places: dict[str, Place], tmp_path: Path) -> None:
    """Whoever served from it would go on with the old lives of its tables."""
    url, file = await places["sqlite"](), tmp_path / "backup"
    async with opened(url):
        pass
    await back_up(url, file, replace=False)
    with pytest.raises(StoreError, match="is a backup; make a store of it with `croupier restore`"):
        await open_store(f"sqlite:{file}")


async def test_a_damaged_store_can_be_replaced(places: dict[str, Place], tmp_path: Path) -> None:
    url, file = await places["sqlite"](), tmp_path / "backup"
    async with opened(url) as store:
        await append(store, row("a", 1))
    await back_up(url, file, replace=False)
    path = Path(url.removeprefix("sqlite:"))
    await asyncio.to_thread(path.write_bytes, b"SQLite format 3\0" + b"but no pages" * 1_000)
    with pytest.raises(StoreError, match="not a database"):
        await restore(file, url, replace=False, now_ms=NOW_MS)
    await restore(file, url, replace=True, now_ms=NOW_MS)
    async with opened(url) as store:
        assert list(await store.log.tables()) == ["a"]


async def test_a_file_that_is_no_store_is_never_replaced(
    places: dict[str, Place], tmp_path: Path
) -> None:
    url, file, bot = await places["sqlite"](), tmp_path / "backup", tmp_path / "my_bot.py"
    async with opened(url):
        pass
    await back_up(url, file, replace=False)
    bot.write_text("import croupier\n")
    with pytest.raises(StoreError, match="is not a database"):
        await restore(file, f"sqlite:{bot}", replace=True, now_ms=NOW_MS)
    assert bot.read_text() == "import croupier\n"


async def test_what_is_no_backup_is_refused(places: dict[str, Place], tmp_path: Path) -> None:
    url, there, file = await places["sqlite"](), await places["sqlite"](), tmp_path / "backup"
    with pytest.raises(StoreError, match="there is no store in"):
        await back_up(url, file, replace=False)
    async with opened(url) as store:
        for sequence in range(1, 200):
            await append(store, row("a", sequence))
    await back_up(url, file, replace=False)
    broken = bytearray(file.read_bytes())
    middle = len(broken) // 2
    broken[middle : middle + 4_096] = b"x" * 4_096
    (tmp_path / "broken").write_bytes(broken)
    (tmp_path / "text").write_text("not a backup, but long enough to be taken for a file of pages")
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE mine (number INTEGER)")
    other.close()
    path = Path(url.removeprefix("sqlite:"))
    for name, words in (
        ("missing", "there is no such file"),
        ("broken", "damaged"),
        ("text", "not a database"),
        ("other", "is not a backup"),
        (str(path), "is not a backup"),
    ):
        with pytest.raises(StoreError, match=words):
            await restore(tmp_path / name, there, replace=True, now_ms=NOW_MS)
    assert not await asyncio.to_thread(Path(there.removeprefix("sqlite:")).exists)


async def test_what_is_said_of_a_store_of_a_later_version_names_the_store(
    places: dict[str, Place], tmp_path: Path
) -> None:
    url = await places["sqlite"]()
    async with opened(url):
        pass
    path = url.removeprefix("sqlite:")
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match=f"store: {re.escape(path)} written by a later version"):
        await back_up(url, tmp_path / "backup", replace=False)


async def test_a_backup_of_a_later_version_is_refused(
    places: dict[str, Place], tmp_path: Path
) -> None:
    url, there, file = await places["sqlite"](), await places["sqlite"](), tmp_path / "backup"
    async with opened(url):
        pass
    await back_up(url, file, replace=False)
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match="written by a later version of Croupier"):
        await restore(file, there, replace=True, now_ms=NOW_MS)
