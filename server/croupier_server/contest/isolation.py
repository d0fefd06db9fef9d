"""Isolation of seats: what the process of a bot may see and reach.

With `Isolation.BWRAP` every seat of every match gets its own process in a bubblewrap sandbox:
a read-only view of the system and of the bot's own code, empty temporary folders in memory that end
with it, no processes but its own, and no network but one Unix socket that leads to the server. So a
bot cannot remember a board from one seating to the next, talk to its partner, or look at the files
of the contest and of others.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from croupier_server.contest.entrant import Entrant

SCRATCH_BYTES: Final = 64 << 20
"""Size of each temporary folder of a sandbox."""

CONNECTIONS_MAX: Final = 8
"""Maximum number of simultaneous connections of a seat to the server."""

SOCKET: Final = "/run/croupier/server.sock"
"""Where a bot in a sandbox finds its server."""

_SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/group"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd", "/etc/ssl/certs"),
)

_TEMPORARY: Final = ("/tmp", "/var/tmp", "/dev/shm", "/run")  # noqa: S108 - never shown

CONTEST_FILE: Final = "contest.toml"
"""What a folder with a contest has in it."""

_NAMESPACES: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
)

_CHUNK: Final = 1 << 16


class Isolation(StrEnum):
    """How the processes of bots are isolated."""

    OFF = "off"
    """One process for all matches of an entrant, run as the user of the contest."""
    BWRAP = "bwrap"
    """A bubblewrap sandbox for each seat of each match."""


class CannotIsolate(Exception):
    """This system cannot isolate bots; the text says what is missing and what to do."""


def check(isolation: Isolation) -> None:
    """Check that *isolation* works here, by starting a sandbox.

    Raises:
        CannotIsolate: it does not work.
    """
    if isolation is Isolation.OFF:
        return
    if shutil.which("bwrap") is None:
        raise CannotIsolate(
            "isolation: the program bwrap is missing; install bubblewrap, or set isolation to off"
        )
    words = ["bwrap", *_NAMESPACES, *_binds(_SYSTEM), "--proc", "/proc", "--dev", "/dev", "true"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if done.returncode:
        why = done.stderr.strip().partition("\n")[0]
        raise CannotIsolate(
            f"isolation: this system does not allow bwrap to create a sandbox ({why}); allow "
            "unprivileged user namespaces, or set isolation to off"
        )


def sandbox(entrant: Entrant, socket: Path, hidden: Path, environment: dict[str, str]) -> list[str]:
    """Return the command prefix that runs the program of *entrant* in a sandbox.

    Args:
        entrant: the entrant whose program runs.
        socket: Unix socket that leads to the server.
        hidden: folder of which the program sees only its own file.
        environment: environment variables; it gets no others.
    """
    words = [shutil.which("bwrap") or "bwrap", *_NAMESPACES]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):  # noqa: S108 - those of the sandbox
        words += ["--size", str(SCRATCH_BYTES), "--tmpfs", folder]
    words += _binds((*_SYSTEM, *map(str, Path("/etc").glob("java-*"))))
    code = list(_code(entrant, hidden.resolve()))
    folders = [path for path in code if path.is_dir()]
    words += _binds(map(str, folders))
    contests = [one for folder in folders for one in _contests(folder, hidden.resolve())]
    for contest in contests:
        words += ["--tmpfs", str(contest)]
    words += _binds(str(path) for path in code if not path.is_dir())
    words += ["--ro-bind", str(socket), SOCKET, "--chdir", "/tmp"]  # noqa: S108
    for place in ("/", "/dev", *map(str, contests)):
        words += ["--remount-ro", place]  # else it is memory without a limit
    for name, value in {**_ENVIRONMENT, **environment}.items():
        words += ["--setenv", name, value]
    return [*words, "--"]


_ENVIRONMENT: Final = {
    "HOME": "/tmp",  # noqa: S108 - that of the sandbox
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TMPDIR": "/tmp",  # noqa: S108
}


def _binds(paths: Iterable[str]) -> Iterator[str]:
    """Options that show *paths*, those of them that exist."""
    for path in paths:
        yield from ("--ro-bind-try", path, path)


def _code(entrant: Entrant, hidden: Path) -> Iterator[Path]:
    """What *entrant* needs to run: Python, its program, and the files that its command names.

    Of a file its whole folder is shown, for the modules beside it, unless other things are in that
    folder: if it is *hidden* or another contest's, or has somebody's home folder or a temporary
    folder of the system in it.
    """
    program = Path(entrant.program[0])
    if program == Path(sys.executable):
        yield from (Path(sys.prefix), Path(sys.base_prefix))
        for package in ("croupier", "croupier_server"):
            found = find_spec(package)
            if found is not None and found.origin is not None:
                yield Path(found.origin).parents[1]
    for path in (program, program.resolve(), *map(Path, _named(entrant.program[1:]))):
        if not any(path.is_relative_to(folder) for folder in _SYSTEM):
            folder = path if path.is_dir() else path.parent
            yield path if _is_shared(folder.resolve(), hidden) else folder


def _is_shared(folder: Path, hidden: Path) -> bool:
    """Whether *folder* has more in it than the code of a bot."""
    if folder == hidden or (folder / CONTEST_FILE).exists():
        return True
    return any(place.is_relative_to(folder) for place in (Path.home(), *map(Path, _TEMPORARY)))


def _contests(folder: Path, hidden: Path) -> list[Path]:
    """Folders of contests in *folder*: *hidden*, and those that are directly in it."""
    real = folder.resolve()
    found = {file.parent for file in real.glob(f"*/{CONTEST_FILE}")}
    if hidden.is_relative_to(real):
        found.add(hidden)
    return sorted(folder / one.relative_to(real) for one in found)


def _named(arguments: Sequence[str]) -> Iterator[str]:
    """The paths among *arguments*: of files and folders, and of ``path/to/bot.py:Class``."""
    for argument in arguments:
        for path in (argument, argument.rpartition(":")[0]):
            if path and Path(path).exists():
                yield str(Path(path).resolve())


def absolute(arguments: Sequence[str]) -> list[str]:
    """*arguments* with absolute paths in place of those that exist, for another working folder."""
    found: list[str] = []
    for argument in arguments:
        path, colon, name = argument.rpartition(":")
        if "/" in argument and Path(argument).exists():
            found.append(str(Path(argument).resolve()))
        elif "/" in path and Path(path).exists():
            found.append(f"{Path(path).resolve()}{colon}{name}")
        else:
            found.append(argument)
    return found


class Gate:
    """A Unix socket that leads to the server at one address, for one seat."""

    def __init__(self, address: str) -> None:
        self._host, _, self._port = address.rpartition(":")
        self._folder = Path(tempfile.mkdtemp(prefix="croupier-"))
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.socket = self._folder / "server.sock"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._accept, self.socket)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._open) >= CONNECTIONS_MAX:
            writer.close()
            return
        self._open.add(task)
        try:
            with contextlib.suppress(OSError):
                own = await asyncio.open_connection(self._host.strip("[]"), int(self._port))
                try:
                    await _until_either_ends(_copy(reader, own[1]), _copy(own[0], writer))
                finally:
                    own[1].close()
        finally:
            writer.close()
            self._open.discard(task)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()


async def _until_either_ends(*copies: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.create_task(copy) for copy in copies]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
