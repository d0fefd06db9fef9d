"""The processes of a contest: started, spoken to, mourned and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from croupier_server.contest import processes
from croupier_server.contest.entrant import Entrant, read_entrants
from croupier_server.contest.processes import ProcessFailed, Worker, last_line, start

TABLE = {"address": "127.0.0.1:1", "table_id": "t", "seat": 2, "invite_code": "secret", "seed": 5}

COPY = """
import os, sys
for line in os.fdopen(int(os.environ["CROUPIER_INVITES_FD"])):
    sys.stdout.write(line)
"""


def program(folder: Path, text: str) -> Entrant:
    """An entrant whose program is *text* in Python."""
    file = folder / "program.py"
    file.write_text(text)
    return read_entrants([f"cmd:{sys.executable} {file}", "random"])[0]


async def invite(worker: Worker, table_id: str) -> None:
    worker.invite(address="127.0.0.1:1", table_id=table_id, seat=2, invite_code="secret", seed=5)


async def test_any_program_reads_invitations_from_its_pipe(tmp_path: Path) -> None:
    worker = await Worker.start(program(tmp_path, COPY), 1, tmp_path / "log")
    await invite(worker, "t")
    await invite(worker, "u")
    worker.close()
    assert await worker.child.ended() == 0
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [TABLE, TABLE | {"table_id": "u"}]


async def test_the_end_of_invitations_ends_the_process(tmp_path: Path) -> None:
    worker = await Worker.start(program(tmp_path, COPY), 1, tmp_path / "log")
    await worker.finish()
    assert await worker.child.ended() == 0


async def test_an_invitation_to_the_dead_is_lost(tmp_path: Path) -> None:
    worker = await Worker.start(program(tmp_path, "raise SystemExit(3)"), 1, tmp_path / "log")
    assert await worker.child.ended() == 3
    for number in range(100):
        await invite(worker, f"t{number}")
    await worker.finish()


async def test_what_does_not_listen_is_killed_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "STOP_S", 0.2)
    held = tmp_path / "held"
    os.mkfifo(held)
    holder = f"""
import signal
with open({str(held)!r}, "w") as file:
    file.write("ready\\n")
    file.flush()
    signal.pause()
"""
    stubborn = f"""
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", {holder!r}])
signal.pause()
"""
    worker = await Worker.start(program(tmp_path, stubborn), 1, tmp_path / "log")
    with await asyncio.to_thread(held.open) as file:
        assert await asyncio.to_thread(file.readline) == "ready\n"
        await worker.finish()
        assert await worker.child.ended() == -9
        # The end of the file comes when nobody holds it any more.
        assert await asyncio.to_thread(file.read) == ""


async def test_an_epitaph_has_status_and_last_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    worker = await Worker.start(program(tmp_path, "print('so\\nlong\\n'); 1 / 0"), 1, log)
    status = await worker.child.ended()
    assert status == 1
    name = Path(sys.executable).name
    assert worker.child.epitaph(status) == (
        f"{name} ended with status 1: ZeroDivisionError: division by zero"
    )
    assert worker.child.epitaph(-9).startswith(f"{name} was ended by signal 9: ")
    await worker.finish()


def test_there_may_be_no_last_words(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n  \n")
    assert last_line(tmp_path / "empty") == ""
    assert last_line(tmp_path / "nowhere") == ""


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_program_that_cannot_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailed, match="cannot start ghost"):
        await start("ghost", [str(tmp_path / "ghost")], tmp_path / "log")
    entrant = Entrant("ghost", "cmd:ghost", (str(tmp_path / "ghost"),))
    open_before = open_files()
    with pytest.raises(ProcessFailed, match="cannot start ghost"):
        await Worker.start(entrant, 1, tmp_path / "log")
    assert open_files() == open_before


async def test_a_server_that_ends_at_once_is_mourned(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with pytest.raises(ProcessFailed, match=r"the server ended with status 2: .*--no-such-flag"):
        async with processes.server(log, "--no-such-flag"):
            raise AssertionError("it did start")


async def test_a_server_of_our_own_takes_no_settings_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are for the server that the operator runs."""
    monkeypatch.setenv("CROUPIER_CONFIG", str(tmp_path / "nowhere.toml"))
    monkeypatch.setenv("CROUPIER_ADMIN_PORT", "none")
    async with processes.server(tmp_path / "server.log") as (address, _):
        assert address.startswith("127.0.0.1:")
