"""``croupier keys``: keys are made, listed and revoked in the store of the settings."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from croupier_server.cli import run
from croupier_server.identity.keys import key_hash
from croupier_server.storage.base import AuditEntry, StoredKey
from croupier_server.storage.beside import beside
from croupier_server.storage.opening import open_store

DAY_MS = 86_400_000
NO_KEY = "a" * 16


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store that the settings name; nothing is there yet."""
    url = f"sqlite:{tmp_path / 'data' / 'croupier.db'}"
    monkeypatch.setenv("CROUPIER_STORE", url)
    return url


def keys(store: str) -> list[StoredKey]:
    async def ask() -> list[StoredKey]:
        async with beside(store) as opened:
            return list(await opened.keys.all())

    return asyncio.run(ask())


def audit(store: str) -> list[AuditEntry]:
    async def ask() -> list[AuditEntry]:
        async with beside(store) as opened:
            return [entry for _, entry in await opened.audit.newest(None, 10)]

    return asyncio.run(ask())


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints that goes well."""
    assert run(["keys", *arguments]) == 0
    return capsys.readouterr().out.strip()


def fault(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = run(["keys", *arguments])
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.count("\n") == 1
    return status, found.err.strip()


def test_a_key_is_printed_once_and_only_its_hash_is_kept(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(
        capsys, "create", "ann", "--scope", "play", "--scope", "host", "--expires", "90d",
        "--note", "her laptop",
    )  # fmt: skip
    (key,) = keys(store)
    assert (key.principal, key.note) == ("ann", "her laptop")
    assert key.scopes == {"play", "host"}
    assert key.hash == key_hash(text)
    assert key.expires_ms == key.created_ms + 90 * DAY_MS
    path = Path(store.removeprefix("sqlite:"))
    secret = text.rpartition("_")[2].encode()
    for file in path.parent.iterdir():
        assert secret not in file.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret.decode() not in printed(capsys, "list", "--all", "--json")


def test_lists_show_the_good_keys_or_all(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ann", "bob"):
        printed(capsys, "create", name, "--scope", "spectate")
    ann, bob = keys(store)
    assert printed(capsys, "revoke", ann.key_id) == f"revoked {ann.key_id}"
    assert [line.split()[:3] for line in printed(capsys, "list").splitlines()] == [
        [bob.key_id, "good", "bob"]
    ]
    listed = json.loads(printed(capsys, "list", "--all", "--json"))
    assert [(key["principal"], key["state"], key["scopes"]) for key in listed] == [
        ("ann", "revoked", ["spectate"]),
        ("bob", "good", ["spectate"]),
    ]


@pytest.mark.more
def test_a_key_is_revoked_once(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "create", "ann", "--scope", "play")
    key_id = keys(store)[0].key_id
    printed(capsys, "revoke", key_id)
    for wrong in (key_id, NO_KEY):
        status, line = fault(capsys, "revoke", wrong)
        assert status == 1
        assert wrong in line


def test_private_a_key_that_is_named_itself_is_revoked_and_told_to_nobody(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = printed(capsys, "create", "ann", "--scope", "play")
    key_id = keys(store)[0].key_id
    assert printed(capsys, "revoke", whole) == f"revoked {key_id}"
    _, line = fault(capsys, "revoke", whole)
    assert whole not in line
    assert [one.subject for one in audit(store)] == [key_id] * 3


def test_a_store_that_is_not_there_is_not_made_to_be_looked_at(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    purge = ["purge", "--before", "2020-01-01"]
    for arguments in (["keys", "list"], ["keys", "revoke", NO_KEY], purge):
        assert run(arguments) == 1
        assert "there is no store in" in capsys.readouterr().err
    assert not Path(store.removeprefix("sqlite:")).exists()
    printed(capsys, "create", "ann", "--scope", "play")
    assert run(["keys", "list"]) == 0


def test_what_operators_do_is_written_down(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "create", "ann", "--scope", "play", "--expires", "12h")
    key_id = keys(store)[0].key_id
    printed(capsys, "revoke", key_id)
    fault(capsys, "revoke", NO_KEY)
    found = [(one.action, one.subject, one.detail, one.outcome) for one in audit(store)]
    assert found == [
        ("keys revoke", NO_KEY, "", "NOT_FOUND"),
        ("keys revoke", key_id, "", "OK"),
        ("keys create", key_id, "ann: play, for 12h", "OK"),
    ]
    assert all(one.principal.endswith("command line)") for one in audit(store))


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "local", "--scope", "play"),
        ("create", "a b", "--scope", "play"),
        ("create", "ann", "--scope", "root"),
        ("create", "ann"),
        ("create", "ann", "--scope", "play", "--expires", "soon"),
        ("create", "ann", "--scope", "play", "--expires", "0d"),
        ("create", "ann", "--scope", "play", "--note", "a\nb"),
        ("revoke",),
        ("revoke", "no id"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    store: str, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    status, _ = fault(capsys, *arguments)
    assert status == 2
    assert not Path(store.removeprefix("sqlite:")).exists()


@pytest.mark.parametrize(
    ("url", "expected"), [("memory:", 1), ("mysql://x", 2), ("sqlite:/dev/null/x/y", 1)]
)
def test_a_store_that_cannot_be_reached_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], url: str, expected: int
) -> None:
    status, line = fault(capsys, "list", "--store", url)
    assert status == expected
    assert line.startswith("croupier: store: ")


def test_a_database_of_another_version_is_left_alone(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import sqlite3

    printed(capsys, "create", "ann", "--scope", "play")
    with sqlite3.connect(store.removeprefix("sqlite:")) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0006'")
    raw.close()
    status, line = fault(capsys, "list")
    assert status == 1
    assert "an earlier version of Croupier, whose matches this one cannot continue" in line


async def test_keys_are_managed_while_a_server_holds_the_store(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'croupier.db'}"
    serving = await open_store(url)
    try:
        before = await serving.keys.version()
        arguments = ["create", "ann", "--scope", "play", "--store", url]
        assert await asyncio.to_thread(run, ["keys", *arguments]) == 0
        assert await serving.keys.version() > before
        (key,) = await serving.keys.all()
        assert await asyncio.to_thread(run, ["keys", "revoke", key.key_id, "--store", url]) == 0
        assert (await serving.keys.all())[0].revoked_ms is not None
    finally:
        await serving.close()
