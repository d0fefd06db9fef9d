"""The processes of a contest: started, spoken to, mourned and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from croupier.credentials import VARIABLES
from croupier_server.contest import processes
from croupier_server.contest.entrant import Entrant, read_entrants
from croupier_server.contest.processes import QUOTE_MAX, ProcessFailed, Worker, last_line, start
from croupier_server.contest.supervisor import DROPPED, OUTPUT_MAX, BoundedLog

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
    worker = await Worker.start(program(tmp_path, COPY), tmp_path / "log")
    await invite(worker, "t")
    await invite(worker, "u")
    worker.close()
    assert await worker.child.ended() == 0
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [TABLE, TABLE | {"table_id": "u"}]


async def test_the_end_of_invitations_ends_the_process(tmp_path: Path) -> None:
    worker = await Worker.start(program(tmp_path, COPY), tmp_path / "log")
    await worker.finish()
    assert await worker.child.ended() == 0


@pytest.mark.parametrize("with_credentials", [False, True])
async def test_a_program_gets_the_key_of_a_contest_and_never_an_invite_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_credentials: bool
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "x")
    text = f"import os\nprint(*(name for name in {VARIABLES} if name in os.environ))"
    shown = program(tmp_path, text)
    worker = await Worker.start(shown, tmp_path / "log", with_credentials=with_credentials)
    assert await worker.child.ended() == 0
    await worker.finish()
    kept = [name for name in VARIABLES if name != "CROUPIER_INVITE"] if with_credentials else []
    assert (tmp_path / "log").read_text().split() == kept


async def test_an_invitation_to_the_dead_is_lost(tmp_path: Path) -> None:
    worker = await Worker.start(program(tmp_path, "raise SystemExit(3)"), tmp_path / "log")
    assert await worker.child.ended() == 3
    for number in range(100):
        await invite(worker, f"t{number}")
    await worker.finish()


@pytest.mark.more
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
    worker = await Worker.start(program(tmp_path, stubborn), tmp_path / "log")
    with await asyncio.to_thread(held.open) as file:
        assert await asyncio.to_thread(file.readline) == "ready\n"
        await worker.finish()
        assert await worker.child.ended() == -9
        # The end of the file comes when nobody holds it any more.
        assert await asyncio.to_thread(file.read) == ""


@pytest.mark.attack
async def test_what_left_its_group_ends_with_us_too(tmp_path: Path) -> None:
    """A descendant in a session of its own, whose parent is gone, as a daemon has it."""
    held = tmp_path / "held"
    os.mkfifo(held)
    daemon = f"""
import os, signal
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
with open({str(held)!r}, "w") as file:
    file.write("ready\\n")
    file.flush()
    signal.pause()
"""
    starter = f"""
import signal, subprocess, sys
subprocess.run([sys.executable, "-c", {daemon!r}])
signal.pause()
"""
    worker = await Worker.start(program(tmp_path, starter), tmp_path / "log")
    with await asyncio.to_thread(held.open) as file:
        assert await asyncio.to_thread(file.readline) == "ready\n"
        worker.child._let_go()  # what the end of this process would do, however it came
        assert await worker.child.ended() == -9
        assert await asyncio.to_thread(file.read) == ""
    await worker.finish()


@pytest.mark.attack
async def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    holder = f"""
import signal
with open({str(held)!r}, "w") as file:
    file.write("ready\\n")
    file.flush()
    signal.pause()
"""
    starter = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", {holder!r}])
sys.stdin.read()
open({str(tmp_path / "asked")!r}).read()
"""
    os.mkfifo(tmp_path / "asked")
    worker = await Worker.start(program(tmp_path, starter), tmp_path / "log")
    with await asyncio.to_thread(held.open) as file:
        assert await asyncio.to_thread(file.readline) == "ready\n"
        await asyncio.to_thread((tmp_path / "asked").write_text, "go")
        assert await worker.child.ended() == 0
        assert await asyncio.to_thread(file.read) == ""
    await worker.finish()


@pytest.mark.attack
async def test_output_is_bounded(tmp_path: Path) -> None:
    log = tmp_path / "log"
    flood = f"""
import os
for number in range(3 * {OUTPUT_MAX} // 100_000):
    os.write(1 + number % 2, b"%099999d\\n" % number)
print("the end")
"""
    worker = await Worker.start(program(tmp_path, flood), log)
    assert await worker.child.ended() == 0
    await worker.finish()
    kept = log.read_bytes()
    assert OUTPUT_MAX // 2 < len(kept) <= OUTPUT_MAX
    note, _, rest = kept.partition(b"\n")
    dropped = 3 * OUTPUT_MAX + len(b"the end\n") - len(rest)
    assert note + b"\n" == DROPPED.format(dropped).encode()
    assert last_line(log) == "the end"


@pytest.mark.attack
async def test_who_uses_too_much_memory_is_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    hog = """
import subprocess, sys, time
subprocess.run([sys.executable, "-c", "import time; hoard = b'x' * 200_000_000; time.sleep(3600)"])
"""
    worker = await Worker.start(program(tmp_path, hog), log, memory_mb=100)
    status = await worker.child.ended()
    assert status == -signal.SIGKILL
    assert worker.child.epitaph(status).endswith("[croupier: memory limit of 100 MB exceeded]")
    await worker.finish()


@pytest.mark.attack
async def test_two_processes_share_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first, second = BoundedLog(log), BoundedLog(log)
    for number in range(3):
        first.write(f"first {number}\n".encode())
        second.write(f"second {number}\n".encode())
    assert len(log.read_bytes().splitlines()) == 6
    first.close()
    second.close()


@pytest.mark.attack
async def test_an_epitaph_is_short_and_printable(tmp_path: Path) -> None:
    log = tmp_path / "log"
    line = "print('\\x1b[2J\\u202e' + 'x' * 1_000_000); raise SystemExit(1)"
    worker = await Worker.start(program(tmp_path, line), log)
    await worker.child.ended()
    last = last_line(log)
    assert len(last) == QUOTE_MAX
    log.write_text("so \x1b]0;title\x07 far\u202e")
    assert last_line(log) == "so \\x1b]0;title\\x07 far\\u202e"
    await worker.finish()


def test_a_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    """One file for all processes of an entrant, and one bound."""
    path = tmp_path / "log"
    for number in range(30):
        with closing(BoundedLog(path, 1000)) as log:
            log.write(b"%099d\n" % number)
        assert path.stat().st_size <= 1000
    note, *lines = path.read_text().splitlines()
    assert lines[-1] == f"{29:099}"
    assert note + "\n" == DROPPED.format(100 * 30 - 100 * len(lines))


async def test_an_epitaph_has_status_and_last_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    worker = await Worker.start(program(tmp_path, "print('so\\nlong\\n'); 1 / 0"), log)
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
        await start("ghost", lambda _: [str(tmp_path / "ghost")], tmp_path / "log")
    entrant = Entrant("ghost", "cmd:ghost", (str(tmp_path / "ghost"),))
    open_before = open_files()
    with pytest.raises(ProcessFailed, match="cannot start ghost"):
        await Worker.start(entrant, tmp_path / "log")
    assert open_files() == open_before


@pytest.mark.more
async def test_a_server_that_ends_at_once_is_mourned(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with pytest.raises(ProcessFailed, match=r"the server ended with status 2: .*--no-such-flag"):
        async with processes.server(log, "--no-such-flag"):
            raise AssertionError("it did start")


@pytest.mark.more
async def test_a_server_of_our_own_takes_no_settings_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are for the server that the operator runs."""
    monkeypatch.setenv("CROUPIER_CONFIG", str(tmp_path / "nowhere.toml"))
    monkeypatch.setenv("CROUPIER_ADMIN_PORT", "none")
    async with processes.server(tmp_path / "server.log") as (address, _):
        assert address.startswith("127.0.0.1:")
