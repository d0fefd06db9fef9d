"""Bots in sandboxes: what they see, what they can reach, and what they cannot remember."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import Any

import pytest

from croupier_server.contest.entrant import read_entrant
from croupier_server.contest.isolation import CannotIsolate, Gate, Isolation, check, sandbox
from croupier_server.contest.ladder.spec import BadSpec, parse_spec
from tests.cli.test_ladder import exported, ladder, spec
from tests.e2e.programs import needs_programs, programs

# A bot that looks around when it starts, and leaves a mark wherever it can write.
PRYING = """
import os
import socket
import sys
from pathlib import Path

import croupier
from croupier.bots import load_bot

CONTEST = Path(__file__).parents[1] / "cup"
PLACES = ["/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), Path(__file__).parent, CONTEST]


def pry():
    marks = [Path(place) / "mark-of-a-prying-bot" for place in PLACES]
    print(*(f"REMEMBERS {mark.parent}\\n" for mark in marks if mark.exists()), end="")
    if CONTEST.exists():
        print("SEES", sorted(path.name for path in CONTEST.iterdir()))
    for mark in marks:
        try:
            mark.write_text("I was here")
        except OSError:
            pass
    if len([name for name in os.listdir("/proc") if name.isdigit()]) > 8:
        print("SEES PROCESSES")
    if [name for name in os.environ if "KEY" in name or "SECRET" in name]:
        print("SEES VARIABLES", sorted(os.environ))
    if os.environ["HOME"] == "/tmp":  # in a sandbox
        for place in ("/", "/dev", "/etc", "/run", "/run/croupier", "/usr"):
            try:
                (Path(place) / "mark-of-a-prying-bot").write_text("I was here")
                print("WRITES", place)
            except OSError:
                pass
    for fd in map(int, os.listdir("/proc/self/fd")):
        try:
            os.close(os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK))
            if fd > 2 and str(fd) != os.environ["CROUPIER_INVITES_FD"]:
                print("HOLDS", fd, os.readlink(f"/proc/self/fd/{fd}"))
        except OSError:
            pass
    if os.path.exists("/etc/shadow"):
        print("SEES PASSWORDS")
    if len(socket.if_nameindex()) > 1:
        print("SEES NETWORKS", socket.if_nameindex())


pry()


class Prying(croupier.Bot):
    matches = 0

    def __init__(self):
        self.greedy = load_bot("greedy")()
        Prying.matches += 1
        if Prying.matches > 1:
            print("REMEMBERS in its process")

    def decide(self, view, decision):
        return self.greedy.decide(view, decision)
"""

SPEC = """
name = "cup"
game = "pokex"
options = {{ max_deals = "1" }}
boards = {boards}
seed = 3
isolation = "{isolation}"
[[entrant]]
name = "prying"
bot = "../bots/prying.py:Prying"
[[entrant]]
name = "greedy"
bot = "greedy"
"""


def play(folder: Path, how: str, boards: int = 1) -> tuple[dict[str, Any], str]:
    """Play the contest; returns its export and what the prying bot printed."""
    bots, cup = folder / "bots", folder / "cup"
    bots.mkdir(exist_ok=True)
    cup.mkdir()
    (bots / "prying.py").write_text(PRYING)
    (cup / "contest.toml").write_text(SPEC.format(boards=boards, isolation=how))
    assert ladder("run", cup, "--quiet") == 0
    return exported(cup), (cup / "logs" / "0" / "prying.log").read_text()


@pytest.mark.more
@pytest.mark.attack
def test_a_bot_in_a_sandbox_sees_nothing_and_remembers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_ORGANISER", "x")
    found, printed = play(tmp_path, "bwrap")
    assert printed == ""
    assert [row["outcome"] for row in found["matches"]] == ["played"] * 2
    assert found["contest"]["isolation"] == "bwrap"


@pytest.mark.more
@pytest.mark.attack
def test_a_bot_without_a_sandbox_remembers(tmp_path: Path) -> None:
    found, printed = play(tmp_path, "off")
    assert "REMEMBERS in its process" in printed
    assert found["contest"]["isolation"] == "off"
    for mark in ("/tmp", "/var/tmp", "/dev/shm", Path.home()):
        (Path(mark) / "mark-of-a-prying-bot").unlink(missing_ok=True)


@pytest.mark.more
@needs_programs
def test_programs_in_other_languages_play_in_sandboxes(tmp_path: Path) -> None:
    go, node = (shlex.join(words) for words in programs(tmp_path))
    cup = tmp_path / "cup"
    bots = [{"name": "go", "bot": f"cmd:{go}"}, {"name": "node", "bot": f"cmd:{node}"}]
    spec(cup, boards=1, isolation="bwrap", entrant=bots)
    assert ladder("run", cup, "--quiet") == 0
    assert [row["outcome"] for row in exported(cup)["matches"]] == ["played"] * 2


def test_isolation_fails_loudly_without_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CannotIsolate, match="install bubblewrap"):
        check(Isolation.BWRAP)
    check(Isolation.OFF)


def test_isolation_fails_loudly_where_the_system_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no permissions' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(CannotIsolate, match="no permissions"):
        check(Isolation.BWRAP)


def test_isolated_bots_do_not_play_at_a_server_of_others() -> None:
    bots = [{"name": name, "bot": "greedy"} for name in "ab"]
    found = {"name": "x", "game": "pokex", "entrant": bots, "isolation": "bwrap"}
    parse_spec(found)
    with pytest.raises(BadSpec, match="remove server"):
        parse_spec(found | {"server": "127.0.0.1:7421"})


def test_a_bot_in_the_folder_of_the_contest_sees_only_its_own_file(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text("import croupier\nclass MyBot(croupier.Bot): ...\n")
    words = sandbox(read_entrant("a", f"{file}:MyBot"), tmp_path / "s", tmp_path, {})
    binds = {words[n + 1] for n, word in enumerate(words) if word == "--ro-bind-try"}
    assert str(file) in binds
    assert str(tmp_path) not in binds


def test_contests_are_hidden_whatever_path_leads_to_them(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    for name in ("own", "other"):
        (real / name).mkdir(parents=True)
        (real / name / "contest.toml").touch()
    (real / "bot.sh").touch(0o755)
    link.symlink_to(real)
    words = sandbox(read_entrant("a", f"cmd:{link}/bot.sh"), tmp_path / "s", real / "own", {})
    hidden = {words[n + 1] for n, word in enumerate(words) if word == "--tmpfs"}
    assert {f"{folder}/{name}" for folder in (real, link) for name in ("own", "other")} <= hidden


@pytest.mark.parametrize("place", [".", "bots"])
def test_a_home_folder_is_not_shown(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / place / "my_bot.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text("import croupier\nclass MyBot(croupier.Bot): ...\n")
    words = sandbox(read_entrant("a", f"{file}:MyBot"), tmp_path / "s", tmp_path / "cup", {})
    binds = {words[n + 1] for n, word in enumerate(words) if word == "--ro-bind-try"}
    assert str(tmp_path) not in binds
    assert str(file if place == "." else file.parent) in binds


async def test_a_gate_leads_to_one_server_and_its_socket_goes_with_it() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(shout, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Gate(f"127.0.0.1:{port}") as gate:
        reader, writer = await asyncio.open_unix_connection(gate.socket)
        writer.write(b"hello\n")
        assert await reader.read() == b"HELLO\n"
        writer.close()
    assert not gate.socket.parent.exists()
