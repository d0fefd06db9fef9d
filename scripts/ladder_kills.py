"""Kill a ladder and its server again and again, and compare what it exports with a quiet run.

    python -m scripts.ladder_kills --game pokex --kills 300

Kills come at random moments: of the ladder's process or of its server. The contest goes on with
`croupier ladder resume`. In the end the export must be the same, byte for byte, as that of the same
contest undisturbed at a concurrency of 1 and of 64, and no bot may be said to have crashed. Ends by
itself; the status is 1 if that does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from croupier_server.games import NAMES

_SHORT = {"tractor": "max_deals", "tongits": "max_hands", "pokex": "max_deals"}

SPEC = """
name = "kills"
game = "{game}"
options = {{ {option} = "1" }}
seed = {seed}
boards = {boards}
format = "{format}"
batch = 32
records = "faults"
stall_seconds = 600
start_seconds = 600
[[entrant]]
name = "greedy"
bot = "greedy"
[[entrant]]
name = "half"
bot = "half_greedy.py:HalfGreedy"
[[entrant]]
name = "random"
bot = "random"
[[entrant]]
name = "control"
bot = "greedy"
"""


def make(folder: Path, game: str, boards: int, seed: int, contest_format: str) -> Path:
    """A folder with the contest, not begun."""
    folder.mkdir()
    text = SPEC.format(
        game=game, option=_SHORT[game], boards=boards, seed=seed, format=contest_format
    )
    (folder / "contest.toml").write_text(text)
    shutil.copy("clients/python/examples/half_greedy.py", folder)
    return folder


def command(folder: Path, concurrency: int) -> list[str]:
    """What begins the contest in *folder*, or goes on with it."""
    verb = "resume" if (folder / "contest.sqlite").exists() else "run"
    return [
        *(sys.executable, "-m", "croupier_server", "ladder", verb, str(folder)),
        *("--concurrency", str(concurrency)),
    ]


def export(folder: Path) -> bytes:
    """What the contest in *folder* exports."""
    return subprocess.run(
        [sys.executable, "-m", "croupier_server", "ladder", "export", str(folder)],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def events(log: Path, kind: str) -> int:
    """How many events of *kind* a log has."""
    with closing(sqlite3.connect(log)) as database:
        query = "SELECT count(*) FROM contest_events WHERE kind = ?"
        return int(database.execute(query, (kind,)).fetchone()[0])


def quiet(folder: Path, concurrency: int) -> bytes:
    """The export of a run that nothing disturbs."""
    subprocess.run(command(folder, concurrency), check=True, stdout=subprocess.DEVNULL)
    return export(folder)


def server_of(pid: int) -> int | None:
    """The server that a ladder's process has started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in map(int, children):
            if b"serve" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                return child
    except OSError:
        pass
    return None


def disturbed(folder: Path, kills: int, chance: random.Random, longest: float) -> tuple[bytes, int]:
    """The export of a run with *kills*, and how many there were before it was over."""
    done = 0
    while True:
        process = subprocess.Popen(
            command(folder, chance.choice((1, 8, 64))),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while done < kills:
            try:
                process.wait(chance.uniform(0.2, longest))
                break
            except subprocess.TimeoutExpired:
                pass
            server = server_of(process.pid)
            if server is not None and chance.random() < 0.5:
                done += 1
                try:
                    os.kill(server, signal.SIGKILL)
                except OSError:
                    continue
            else:
                done += 1
                process.kill()
                break
        _, errors = process.communicate()
        if process.returncode == 0:
            return export(folder), done
        if process.returncode != -signal.SIGKILL and b"has not begun" not in errors:
            sys.stderr.write(errors.decode(errors="replace"))
            if b"resume" not in errors:
                raise SystemExit(1)
        if not (folder / "contest.sqlite").exists():
            continue


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=NAMES, action="append")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--boards", type=int, default=40, help="for each pair")
    parser.add_argument("--format", default="round-robin")
    parser.add_argument("--longest", type=float, default=4.0, help="seconds between two kills")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failed = False
    for game in given.game or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            exports = {}
            for concurrency in (1, 64):
                place = make(
                    Path(folder) / f"c{concurrency}", game, given.boards, given.seed, given.format
                )
                started = time.perf_counter()
                exports[f"concurrency {concurrency}"] = quiet(place, concurrency)
                took = time.perf_counter() - started
                print(f"{game}: concurrency {concurrency}: {took:.1f} s", flush=True)
            place = make(Path(folder) / "killed", game, given.boards, given.seed, given.format)
            chance = random.Random(given.seed)  # noqa: S311 - repeats the kills
            started = time.perf_counter()
            found, kills = disturbed(place, given.kills, chance, given.longest)
            took = time.perf_counter() - started
            exports[f"{kills} kills"] = found
            hashes = {name: hashlib.sha256(one).hexdigest()[:16] for name, one in exports.items()}
            same = len(set(hashes.values())) == 1
            accused = events(place / "contest.sqlite", "alone")
            failed |= not same or bool(accused)
            print(f"{game}: {kills} kills: {took:.1f} s; bots said to have crashed: {accused}")
            print(f"{game}: {'the same' if same else 'DIFFERENT'}: {hashes}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
