"""A store whose files are removed or replaced while it is open ends the server that has it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from croupier_server.app import StoreGone
from croupier_server.storage.base import FilesReplaced
from croupier_server.storage.jobs import Append, Committed, Job
from croupier_server.storage.sqlite_file import SqliteFile
from croupier_server.storage.writer import LOOK_S, Writer
from tests.e2e.serving import served
from tests.storage.test_sqlite import until

pytestmark = pytest.mark.fault


class Files:
    """A database whose files are there, until somebody says that they are not."""

    def __init__(self) -> None:
        self.are_there = True
        self.committed = 0

    def commit(self, jobs: Sequence[Job]) -> Committed:
        self.committed += len(jobs)
        return Committed([None] * len(jobs))

    def sweep(self) -> bool:
        return False

    def check(self) -> None:
        if not self.are_there:
            raise FilesReplaced("it was removed")


def remove(folder: Path) -> int:
    """Remove the store in *folder*; returns how many files that were."""
    files = list(folder.glob("croupier.db*"))
    for file in files:
        file.unlink()
    return len(files)


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", ".lock"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_another_now_is_noticed(tmp_path: Path, ending: str, how: str) -> None:
    file = SqliteFile(tmp_path / "croupier.db", "power")
    file.core.check()
    changed = tmp_path / f"croupier.db{ending}"
    if how == "removed":
        changed.unlink()
    else:
        (tmp_path / "new").write_bytes(changed.read_bytes())
        os.replace(tmp_path / "new", changed)  # noqa: PTH105 - what a person does with mv
    with pytest.raises(FilesReplaced, match=f"{changed.name} was {how} while the server had it"):
        file.core.check()
    file.close()


async def test_nothing_is_stored_in_files_that_are_gone() -> None:
    """A look a second, also between commits; what comes behind it is refused."""
    core, now, errors = Files(), [0.0], list[Exception | None]()
    writer = Writer(core, lambda _, done: errors.extend(done.errors), lambda: None, lambda: now[0])
    core.are_there = False
    writer.put(Append((), lambda _: None))
    await until(lambda: core.committed == 1)
    now[0] += LOOK_S
    writer.put(Append((), lambda _: None))
    await until(lambda: writer.gone)
    writer.put(Append((), lambda _: None))
    assert isinstance(writer.gone, FilesReplaced)
    assert writer.trouble == "it was removed"
    await until(lambda: len(errors) == 3)
    assert errors == [None, writer.gone, writer.gone]
    assert core.committed == 1
    await writer.close()


async def test_a_writer_with_nothing_to_do_looks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_server.storage.writer.LOOK_S", 0.0)
    core = Files()
    writer = Writer(core, lambda _jobs, _done: None, lambda: None)
    core.are_there = False
    await until(lambda: writer.gone)
    await writer.close()


@pytest.mark.more
async def test_the_server_drains_and_ends_with_a_status_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "croupier.db"
    flags = ("--store", f"sqlite:{file}", "--log-format", "json", "--log-level", "warning")
    with served(*flags) as server:
        remove(tmp_path)
        status, log = await asyncio.to_thread(server.end)
    assert status == 5, log
    lines = [json.loads(line) for line in log.splitlines()]
    (gone,) = [one for one in lines if one["event"] == "store lost"]
    assert gone["why"].endswith("was removed while the server had it open")
    assert gone["do"] == StoreGone(FilesReplaced()).do
    assert gone["status"] == 5
    assert remove(tmp_path) == 0  # nothing was written there again
