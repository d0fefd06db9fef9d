"""Build the clients in other languages, and play a match of each game with each.

``make test-clients`` or ``python -m scripts.test_clients [LANGUAGE ...]``. House bots of one real
server on the loopback are the opponents. A language whose tools are missing is left out, but fails
where ``CI`` is set. The exit status is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from scripts.live.process import Server

ROOT: Final = Path(__file__).parents[1]
GAMES: Final = {"GAME_KIND_TRACTOR": 3, "GAME_KIND_TONGITS": 2, "GAME_KIND_POKEX": 3}
"""The games, with their house bots beside one client."""
_PATIENCE_S: Final = 600
ENDED: Final = "END_REASON_FINISHED"


class Client(NamedTuple):
    """A client in another language.

    Attributes:
        tools: programs that it needs.
        build: makes the program in a folder; returns the command that plays, to which address, game
            and number of house bots are added.
    """

    tools: tuple[str, ...]
    build: Callable[[Path], Sequence[str]]


def _run(command: Sequence[str], folder: Path) -> str:
    """What *command* printed.

    Raises:
        subprocess.CalledProcessError: it failed.
        subprocess.TimeoutExpired: it took ten minutes.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        text=True,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_PATIENCE_S,
    )
    return done.stdout


def _go(out: Path) -> Sequence[str]:
    folder = ROOT / "clients" / "go"
    buf = str(Path(sys.executable).with_name("buf"))
    _run([buf, "generate", "../../protos"], folder)
    program = out / "go-tiny"
    _run(["go", "build", "-o", str(program), "./tiny"], folder)
    return [str(program)]


CLIENTS: Final = {"go": Client(("go",), _go)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(CLIENTS)}")
    given = parser.parse_args(arguments).languages
    unknown = [name for name in given if name not in CLIENTS]
    if unknown:
        parser.error(f"no client in {unknown[0]!r}; there are {', '.join(CLIENTS)}")
    with TemporaryDirectory(prefix="croupier-clients-") as folder:
        server = Server("memory:", Path(folder, "server.log"))
        server.spawn()
        try:
            server.listen()
            passed = [_test(name, Path(folder), server.address) for name in given or CLIENTS]
        finally:
            server.stop()
            server.close()
    return 0 if all(passed) else 1


def _test(name: str, folder: Path, address: str) -> bool:
    """Play with one client; returns whether nothing failed."""
    client = CLIENTS[name]
    missing = [tool for tool in client.tools if shutil.which(tool) is None]
    if missing:
        print(f"{name}: left out, there is no {missing[0]}", flush=True)
        return not os.environ.get("CI")
    try:
        command = client.build(folder)
        for game, others in GAMES.items():
            said = _run([*command, address, game, str(others)], folder)
            if ENDED not in said:
                print(f"{name}: {game}: {said.strip()}", flush=True)
                return False
            print(f"{name}: {game}: a whole match", flush=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{name}: {error}", error.stdout, sep="\n", flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
