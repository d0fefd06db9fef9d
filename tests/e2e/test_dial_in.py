"""A contest with bots that dial in: over TLS, with keys, at a server that runs already."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.programs import needs_programs, programs
from tests.e2e.serving import COMMAND, SECONDS, clean_environment, served
from tests.e2e.test_tls import Pki, new_key, tls_flags

WORKER = (sys.executable, "-m", "croupier.worker", "--bot", "{bot}", "--standby", "{address}")

SPEC = """
name = "cup"
game = "pokex"
options = {{ max_deals = "1" }}
form = "{form}"
boards = 4
seed = 3
server = {server}
start_seconds = {start}

[[entrant]]
name = "Ann"
player = "ann"

[[entrant]]
name = "Bob"
player = "bob"

[[entrant]]
name = "house"
bot = "greedy"
"""


class Cup:
    """Servers with keys, and what bots and the organiser need to reach them."""

    def __init__(self, keys: dict[str, str], *addresses: str, pki: Pki | None = None) -> None:
        self.pki = pki
        self.keys = keys
        self.addresses = addresses

    def environment(self, name: str) -> dict[str, str]:
        """That of a program with the key of *name*."""
        tls = {} if self.pki is None else {"CROUPIER_CA": str(self.pki.ca)}
        return clean_environment(CROUPIER_KEY=self.keys[name], **tls)

    @contextmanager
    def standing_by(self, name: str, bot: str, program: Sequence[str] = WORKER) -> Iterator[None]:
        """A bot with the key of *name*, in a process of its own for each server."""
        processes = []
        environment = self.environment(name)
        if self.pki is not None:
            environment["NODE_EXTRA_CA_CERTS"] = str(self.pki.ca)
        try:
            for address in self.addresses:
                words = [word.format(bot=bot, address=address) for word in program]
                processes.append(subprocess.Popen(words, env=environment))
            yield
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(SECONDS)

    def play(self, folder: Path, form: str, start: int = 60, *flags: str) -> dict[str, Any]:
        """Play the contest; returns its export."""
        folder.mkdir()
        server = json.dumps(self.addresses if len(self.addresses) > 1 else self.addresses[0])
        text = SPEC.format(form=form, server=server, start=start)
        (folder / "contest.toml").write_text(text)
        command = [*COMMAND[:-1], "ladder"]
        environment = self.environment("organiser")
        printed = ""
        for words in (["run", str(folder), "--quiet", *flags], ["export", str(folder)]):
            done = subprocess.run(
                [*command, *words], env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            printed = done.stdout
        found: dict[str, Any] = json.loads(printed)
        return found


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    pki = Pki(tmp_path / "pki")
    pki.issue("first")
    pki.put("first")
    store = f"sqlite:{tmp_path / 'croupier.db'}"
    # Before the server starts, which notices later ones within a second only.
    keys = {name: new_key(store, name, "play") for name in ("ann", "bob")}
    keys["organiser"] = new_key(store, "organiser", "host", "play")
    with served(*tls_flags(pki, store), "--auth", "keys") as server:
        yield Cup(keys, server.address, pki=pki)


@pytest.mark.more
@pytest.mark.parametrize("form", ["field", "independent"])
def test_bots_that_dial_in_are_called_to_their_tables(cup: Cup, form: str, tmp_path: Path) -> None:
    with ExitStack() as bots:
        for name in ("ann", "bob"):
            bots.enter_context(cup.standing_by(name, "greedy"))
        found = cup.play(tmp_path / "cup", form)
    assert all(row["outcome"] == "played" for row in found["matches"])
    kinds = {row["name"]: row["kind"] for row in found["entrants"]}
    assert kinds["Ann"] == kinds["Bob"] == "dial-in"


@pytest.mark.more
@needs_programs
def test_bots_in_go_and_typescript_are_called_to_their_tables(cup: Cup, tmp_path: Path) -> None:
    assert cup.pki is not None
    go, node = programs(tmp_path)
    ann = [*go, "{address}", str(cup.pki.ca)]
    with cup.standing_by("ann", "", ann), cup.standing_by("bob", "", [*node, "{address}"]):
        found = cup.play(tmp_path / "cup", "field")
    assert {row["outcome"] for row in found["matches"]} == {"played"}
    assert all(row["faults"] == {} for row in found["standings"])


@pytest.mark.more
def test_who_does_not_dial_in_loses_and_the_others_do_not(cup: Cup, tmp_path: Path) -> None:
    with cup.standing_by("ann", "greedy"):
        found = cup.play(tmp_path / "cup", "field", 5)
    faults = {row["entrant"]: row["faults"] for row in found["standings"]}
    assert faults == {0: {}, 1: {"no show": 4}, 2: {}}


@pytest.mark.more
def test_boards_are_spread_over_several_servers(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.db" for number in range(2)]
    store = f"sqlite:{files[0]}"
    keys = {name: new_key(store, name, "play") for name in ("ann", "bob")}
    keys["organiser"] = new_key(store, "organiser", "host", "play")
    shutil.copy(files[0], files[1])  # so the same keys open both
    with ExitStack() as stack:
        servers = [
            stack.enter_context(served("--store", f"sqlite:{file}", "--auth", "keys"))
            for file in files
        ]
        cup = Cup(keys, *(server.address for server in servers))
        for name in ("ann", "bob"):
            stack.enter_context(cup.standing_by(name, "greedy"))
        found = cup.play(tmp_path / "cup", "independent", 60, "--concurrency=2")
    assert all(row["outcome"] == "played" for row in found["matches"])
    assert len(found["matches"]) == 3 * 4
    held = 0
    for file in files:
        with closing(sqlite3.connect(file)) as database:
            held += database.execute("SELECT count(*) FROM records").fetchone()[0]
    assert held == 3 * 4
