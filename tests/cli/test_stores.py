"""``croupier backup``, ``restore`` and ``purge`` on the store of the settings."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from croupier_server.cli import run
from croupier_server.storage.base import AuditEntry, RecordEntry
from croupier_server.storage.beside import beside
from croupier_server.storage.opening import open_store
from tests.conformance.test_every_store import append, finish, match, row

ENDS = {"old": timedelta(days=40), "young": timedelta(hours=30), "new": timedelta(minutes=1)}
"""How long ago the matches of `store` ended."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store that the settings name, with a table and some records in it."""
    url = f"sqlite:{tmp_path / 'data' / 'croupier.db'}"
    monkeypatch.setenv("CROUPIER_STORE", url)

    async def fill() -> None:
        opened = await open_store(url)
        await append(opened, [row("live", 1)])
        now = datetime.now(UTC)
        for name, age in ENDS.items():
            await finish(opened, match(name, ended_ms=int((now - age).timestamp() * 1_000)))
        await opened.close()

    asyncio.run(fill())
    return url


def kept(store: str) -> list[str]:
    """Tables with records."""

    async def ask() -> list[RecordEntry]:
        async with beside(store) as opened:
            return await opened.records.since(0, 99)

    return [one.table_id for one in asyncio.run(ask())]


def audit(store: str) -> list[tuple[str, str, str, str]]:
    async def ask() -> list[AuditEntry]:
        async with beside(store) as opened:
            return [entry for _, entry in await opened.audit.newest(None, 9)]

    return [(one.action, one.subject, one.detail, one.outcome) for one in asyncio.run(ask())]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints that goes well."""
    assert run(arguments) == 0
    return capsys.readouterr().out.strip()


def test_records_older_than_a_span_are_purged(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(capsys, "purge", "--older-than", "41d") == "0 records deleted"
    assert printed(capsys, "purge", "--older-than", "30h") == "2 records deleted"
    assert kept(store) == ["new"]
    assert audit(store)[0] == ("purge", "records", "--older-than 30h", "OK")


def test_records_before_a_date_are_purged(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    day = (datetime.now(UTC) - timedelta(days=39)).date().isoformat()
    assert printed(capsys, "purge", "--before", day) == "1 record deleted"
    assert kept(store) == ["young", "new"]
    moment = (datetime.now(UTC) - timedelta(hours=29)).isoformat()
    assert printed(capsys, "purge", "--before", moment, "--store", store) == "1 record deleted"
    assert kept(store) == ["new"]


def test_a_backup_is_restored(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "backup"
    size = printed(capsys, "backup", str(file))
    assert size == f"{file}: {file.stat().st_size} bytes"
    printed(capsys, "purge", "--older-than", "0s")
    assert kept(store) == []
    assert printed(capsys, "restore", str(file), "--replace") == "restored, with 1 live table"
    assert kept(store) == list(ENDS)
    assert audit(store) == [("restore", str(file), "1 live table", "OK")]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["purge"], 2, "pass exactly one of --before and --older-than"),
        (
            ["purge", "--before", "2026-01-31", "--older-than", "3d"],
            2,
            "pass exactly one of --before",
        ),
        (
            ["purge", "--older-than", "3 days"],
            2,
            "--older-than: '3 days' must be a duration such as",
        ),
        (["purge", "--before", "yesterday"], 2, "--before: 'yesterday' must be a date such as"),
        (["purge", "--older-than", "3d", "--store", "memory:"], 1, "in memory"),
        (["purge", "--older-than", "3d", "--store", "postgresql://a:s3cret@127.0.0.1:1/x"], 1, ""),
        (["backup"], 2, "Missing argument"),
        (["backup", "x", "--store", "memory:"], 1, "cannot be backed up"),
        (
            ["backup", "x", "--store", "sqlite:no/such/store"],
            1,
            "there is no store in no/such/store",
        ),
        (["backup", "x", "--store", "mysql://x"], 2, "must be memory:"),
        (["backup", "no/such/folder/x"], 1, "No such file or directory"),
        (["backup", "x", "--store", "postgresql://a:s3cret@127.0.0.1:1/x"], 1, "PostgreSQL: "),
        (["restore", "no-such-file"], 1, "no-such-file: there is no such file"),
        (["restore", "README.md"], 1, "README.md: file is not a database"),
        (["restore", "x", "--store", "memory:"], 1, "cannot be restored"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str],
    status: int,
    words: str,
    store: str,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(root)
    assert run(arguments) == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert words in shown.err
    assert shown.err.startswith("croupier: ")
    assert shown.err.count("\n") == 1
    assert "s3cret" not in shown.err
    assert kept(store) == list(ENDS)
    assert not (root / "x").exists()


def test_a_backup_of_postgresql_that_cannot_be_reached_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "backup"
    assert run(["backup", str(file), "--store", "postgresql://127.0.0.1:1/none"]) == 1
    assert list(tmp_path.iterdir()) == []
    assert "PostgreSQL" in capsys.readouterr().err
