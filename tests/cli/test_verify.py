"""`croupier verify` and `croupier record`."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import croupier
from croupier.bots import RandomBot
from croupier.client import Visibility
from croupier_server.bench.served import server
from croupier_server.cli import run
from tests.clients.arena import SHORT
from tests.verify.matches import Case, record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A true record."""
    path = tmp_path / "match.croupier"
    path.write_bytes(record(Case("pokex", "standard")))
    return path


@pytest.fixture
def changed(file: Path) -> Path:
    """One with a byte changed."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    path = file.with_name("changed.croupier")
    path.write_bytes(data)
    return path


def test_a_true_record_gets_ticks(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(file)]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == f"{file}: verified"
    assert [line.split()[:2] for line in lines][-1] == ["✓", "replay"]
    assert "✗" not in "".join(lines)


def test_one_wrong_record_is_enough(
    file: Path, changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(file), str(changed)]) == 1
    shown = capsys.readouterr().out
    assert f"{file}: verified" in shown
    assert f"{changed}: NOT verified\n  ✗ file" in shown


def test_what_was_changed_is_not_replayed(
    file: Path, changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(file)]) == 0
    capsys.readouterr()
    assert run(["replay", str(changed)]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)


def test_signs_are_words_where_the_terminal_has_no_ticks(
    changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    assert run(["verify", str(changed)]) == 1
    assert b"WRONG file" in out.buffer.getvalue()


def test_json_and_standard_input(
    changed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(changed.read_bytes())))
    assert run(["verify", "--json", "-"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["file"] == "-"
    assert found["verified"] is False
    assert [check["name"] for check in found["checks"]] == ["file"]


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(tmp_path / "none")]) == 2
    assert "cannot read" in capsys.readouterr().err


# Records of a server ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of its own."""
    with server() as (address, _):
        yield address


async def play(address: str, game: str, visibility: Visibility = "listed") -> tuple[str, str]:
    """Have a match played; the table's id, and an invite code of it."""
    async with croupier.Client(address) as client:
        made = await client.create_table(
            game,
            seats=["reserved"] * await client.players(game),
            options={SHORT[game]: 1},
            shared_seats=True,
            visibility=visibility,
        )
        tickets = [
            await client.join(made.table_id, seat=seat, invite=code, player=f"bot{seat}")
            for seat, code in made.invites.items()
        ]
        await asyncio.gather(*(client.play(RandomBot(), ticket) for ticket in tickets))
        return made.table_id, made.invites[0]


@pytest.mark.more
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_verifiable_a_record_comes_from_a_server(
    game: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = asyncio.run(play(address, game))
    out = tmp_path / "fetched.croupier"
    assert run(["record", table, "-o", str(out), "--server", address]) == 0
    assert run(["verify", str(out)]) == 0
    assert run(["verify", table, "--server", address]) == 0
    assert run(["record", "--server", address, "--limit", "1"]) == 0
    shown = capsys.readouterr().out
    assert f"{out}: verified" in shown
    assert f"{table}: verified" in shown
    (line,) = [line for line in shown.splitlines() if line.startswith(f"{table}  20")]
    assert f"  {game}  finished  bot0 " in line


@pytest.mark.more
def test_an_invite_code_shows_a_private_table(
    address: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CROUPIER_INVITE", raising=False)
    table, code = asyncio.run(play(address, "pokex", "private"))
    out = tmp_path / "private.croupier"
    looks = (
        ["watch", table, "--server", address],
        ["record", table, "-o", str(out), "--server", address],
        ["verify", table, "--server", address],
    )
    assert [run(look) for look in looks] == [2, 1, 1]
    assert not out.exists()
    monkeypatch.setenv("CROUPIER_INVITE", f"{code}\n")
    assert [run(look) for look in looks] == [0, 0, 0]
    assert run(["verify", str(out)]) == 0
    shown = capsys.readouterr()
    assert code not in shown.out + shown.err


@pytest.mark.more
def test_an_invite_code_that_cannot_be_one_is_one_line(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_INVITE", "a\nb")
    assert run(["watch", "any", "--server", address]) == 2
    allowed = "characters that are not allowed in an invite code"
    complaint = f"croupier: CROUPIER_INVITE contains {allowed}\n"
    assert capsys.readouterr().err == complaint


def test_tables_without_a_record(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["record", "none", "--server", address]) == 1
    assert run(["verify", "none", "--server", address]) == 1
    assert capsys.readouterr().err.count("has no such record") == 2
    assert run(["record", "none", "--server", "127.0.0.1:1"]) == 1
    assert "no Croupier server answers" in capsys.readouterr().err
