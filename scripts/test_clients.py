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


class Bot(NamedTuple):
    """A bot that plays one match.

    Attributes:
        name: which of the language's bots it is.
        transport: how it talks to the server.
        command: plays; address, game and number of house bots are added.
    """

    name: str
    transport: str
    command: tuple[str, ...]


class Client(NamedTuple):
    """A client in another language.

    Attributes:
        tools: programs that it needs.
        build: makes its bots, in the folder that it is given where its tools let it choose.
    """

    tools: tuple[str, ...]
    build: Callable[[Path], Sequence[Bot]]


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


def _go(out: Path) -> Sequence[Bot]:
    folder = ROOT / "clients" / "go"
    buf = str(Path(sys.executable).with_name("buf"))
    _run([buf, "generate", "../../protos"], folder)
    program = out / "go-tiny"
    _run(["go", "build", "-o", str(program), "./tiny"], folder)
    return [Bot("tiny", "watch", (str(program),))]


CLIENTS: Final = {
    "go": Client(("go",), _go),
}


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
        for bot in client.build(folder):
            for game, others in GAMES.items():
                said = _run([*bot.command, address, game, str(others)], folder)
                played = ENDED in said
                outcome = "a whole match" if played else said.strip()
                print(f"{name}: {bot.name} bot: {game} over {bot.transport}: {outcome}", flush=True)
                if not played:
                    return False
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{name}: {error}", error.stdout, sep="\n", flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
