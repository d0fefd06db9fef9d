"""The processes of a contest: a server if none is given, and one worker an entrant.

Every process is started in a process group of its own, so that Ctrl-C reaches this program alone,
which then stops what it started: by its id, politely first. Nothing else is ever stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from croupier.credentials import INVITE, VARIABLES, without_credentials
from croupier_server.contest import supervisor
from croupier_server.contest.entrant import Entrant
from croupier_server.contest.isolation import Gate, absolute, sandbox
from croupier_server.printable import printable

START_S = 30.0
"""A server that has not said where it listens after this time is given up."""

STOP_S = 5.0
"""Time that a process has to end after each kind of request to do so."""

INVITES_VARIABLE = "CROUPIER_INVITES_FD"
"""Environment variable that tells a bot program which descriptor its invitations come on."""


QUOTE_MAX: Final = 500
"""Characters of a bot's output that are quoted."""

_TAIL: Final = 8192
"""Bytes at the end of a log in which its last line is looked for."""

_OURS: Final = "CROUPIER_"
"""How variables with our settings begin."""


class ProcessFailed(Exception):
    """A process did not start, or ended too early; the text says which and why."""


class Child:
    """A process that we started. It ends when we do, however we end.

    Attributes:
        name: what to call it in messages.
        log: file that takes its output.
    """

    def __init__(
        self, name: str, process: asyncio.subprocess.Process, log: Path, lifeline: int
    ) -> None:
        """*lifeline* is our end of a pipe; the process ends at once when it is closed."""
        self.name = name
        self.log = log
        self._process = process
        self._lifeline = lifeline

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def ended(self) -> int:
        """Wait until it has ended and return its exit status, negative for a signal."""
        return await self._process.wait()

    async def stop(self, *, at_once: bool = False) -> None:
        """End it and what it started: ask, wait, then insist; or insist *at_once*. It may have
        ended already."""
        for request in (self._ask, self._let_go, self._kill)[at_once:]:
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    request()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(STOP_S):
                        await self._process.wait()
        self._let_go()

    def _ask(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def _let_go(self) -> None:
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _kill(self) -> None:
        self._process.kill()

    def epitaph(self, status: int) -> str:
        """One sentence on its end, with the last line that it wrote."""
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        last = last_line(self.log)
        return f"{self.name} {how}" + (f": {last}" if last else "")


def last_line(log: Path) -> str:
    """The last line with text in *log*, or nothing; printable, and not longer than `QUOTE_MAX`."""
    with contextlib.suppress(OSError), log.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - _TAIL, 0))
        lines = file.read(_TAIL).decode("utf-8", errors="replace").split("\n")
        line = next((line.strip() for line in reversed(lines) if line.strip()), "")
        shown = printable(line)
        return shown if len(shown) <= QUOTE_MAX else shown[: QUOTE_MAX - 3] + "..."
    return ""


async def start(
    name: str,
    arguments: Callable[[int], Sequence[str]],
    log: Path,
    *,
    pass_fds: Sequence[int] = (),
    environment: dict[str, str] | None = None,
    with_credentials: bool = False,
    is_server: bool = False,
) -> Child:
    """Start a process with nothing on its standard input and its own errors in *log*.

    It gets our environment with *environment* added, without the invite code of its user, and
    without credentials for servers unless it is to have them. A server of our own gets none of the
    settings of ours: *is_server*.

    Args:
        name: what to call it.
        arguments: its command line, from the number of the descriptor at whose end it has to end.
        log: takes its errors.
        pass_fds: further descriptors that it inherits.
        environment: variables to add.
        with_credentials: it may have our credentials for servers.
        is_server: it is a server.

    Raises:
        ProcessFailed: it cannot be run, or its log not be written.
    """
    try:
        errors = log.open("ab")
    except OSError as error:
        raise ProcessFailed(f"cannot write {log}: {error.strerror}") from None
    secret = (INVITE,) if with_credentials else VARIABLES
    inherited = without_credentials(os.environ, secret)
    if is_server:
        inherited = {name: value for name, value in inherited.items() if not name.startswith(_OURS)}
    # Nothing is written here: its end tells the process that we are gone, however we went.
    lifeline, held = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments(lifeline),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=(lifeline, *pass_fds),
            env={**inherited, **(environment or {})},
            process_group=0,
        )
    except BaseException as error:
        os.close(held)
        if isinstance(error, OSError):
            raise ProcessFailed(f"cannot start {name}: {error}") from None
        raise
    finally:
        errors.close()
        os.close(lifeline)
    return Child(name, process, log, held)


# The server -----------------------------------------------------------------------------------


_SERVE: Final = (
    *("-m", "croupier_server", "serve"),
    *("--port", "0", "--store", "memory:", "--auth", "none"),
)


@asynccontextmanager
async def server(log: Path, *flags: str) -> AsyncIterator[tuple[str, Child]]:
    """A server of our own on the loopback: its address, and the process.

    Raises:
        ProcessFailed: it ended, or said nothing, before it listened.
    """
    readable, writable = os.pipe()

    def arguments(lifeline: int) -> Sequence[str]:
        fds = ("--announce-fd", str(writable), "--until-fd", str(lifeline))
        return [sys.executable, *_SERVE, *fds, *flags]

    try:
        child = await start("the server", arguments, log, pass_fds=(writable,), is_server=True)
    except BaseException:
        os.close(readable)
        raise
    finally:
        os.close(writable)
    try:
        yield await _announced(readable, child), child
    finally:
        await child.stop()


async def _announced(descriptor: int, child: Child) -> str:
    """The address that the server *child* writes on *descriptor* once it listens."""
    try:
        line = await _read_line(descriptor)
    except TimeoutError:
        raise ProcessFailed(f"the server did not start within {START_S:.0f} s") from None
    if not line:
        status = await child.ended()
        raise ProcessFailed(child.epitaph(status))
    return str(json.loads(line)["address"])


async def _read_line(descriptor: int) -> bytes:
    """The first line that comes on *descriptor*, which is closed; empty at its end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    file = os.fdopen(descriptor, "rb", 0)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    try:
        async with asyncio.timeout(START_S):
            return await reader.readline()
    finally:
        transport.close()


# Workers --------------------------------------------------------------------------------------


_SUPERVISOR: Final = (sys.executable, "-I", "-S", supervisor.__file__)


class Worker:
    """The process of one entrant, and the pipe that takes its invitations.

    It runs under a `supervisor`, which bounds its output and ends it when we end.

    An invitation is one line of JSON: ``address``, ``table_id``, ``seat``, ``invite_code`` and
    ``seed``. The end of the pipe asks the process to finish its matches and end.
    """

    def __init__(self, entrant: Entrant, child: Child, invites: asyncio.WriteTransport) -> None:
        self.entrant = entrant
        self.child = child
        self._invites = invites
        self._lines: list[str] = []

    @classmethod
    async def start(
        cls,
        entrant: Entrant,
        log: Path,
        *,
        with_credentials: bool = False,
        gate: Gate | None = None,
        hidden: Path | None = None,
        memory_mb: int = 0,
    ) -> Worker:
        """Start the process of *entrant*.

        Args:
            entrant: whose program it is.
            log: takes its output.
            with_credentials: it may have our credentials for servers.
            gate: leads to the server from a sandbox; None: it runs in none.
            hidden: folder that is not seen in a sandbox.
            memory_mb: megabytes of memory that it may use; 0: any number.

        Raises:
            ProcessFailed: its program cannot be run.
        """
        if shutil.which(entrant.program[0]) is None:
            raise ProcessFailed(
                f"cannot start {entrant.name}: there is no program {entrant.program[0]}"
            )
        readable, writable = os.pipe()
        told = {INVITES_VARIABLE: str(readable)}

        def arguments(lifeline: int) -> Sequence[str]:
            fds = ("--until-fd", str(lifeline), "--pass-fd", str(readable))
            own = entrant.arguments(readable)
            if gate is not None:
                walls = sandbox(entrant, gate.socket, hidden or log.parent, told)
                own = [*walls, own[0], *absolute(own[1:])]
            limit = ("--memory-mb", str(memory_mb))
            return [*_SUPERVISOR, "--log", str(log), *fds, *limit, "--", *own]

        try:
            child = await start(
                entrant.name,
                arguments,
                log,
                pass_fds=(readable,),
                environment=told,
                with_credentials=with_credentials,
            )
        except BaseException:
            os.close(writable)
            raise
        finally:
            os.close(readable)
        file = os.fdopen(writable, "wb", 0)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, file)
        return cls(entrant, child, transport)

    def invite(
        self, *, address: str, table_id: str, seat: int, invite_code: str, seed: int
    ) -> None:
        """Send an invitation. To a process that has ended it is lost."""
        line = {
            "address": address,
            "table_id": table_id,
            "seat": seat,
            "invite_code": invite_code,
            "seed": seed,
        }
        if not self._lines:  # those of a board are written together
            asyncio.get_running_loop().call_soon(self._flush)
        self._lines.append(json.dumps(line))

    def _flush(self) -> None:
        """Write the invitations that have gathered."""
        if self._lines and not self._invites.is_closing():
            self._invites.write("\n".join([*self._lines, ""]).encode())
        self._lines.clear()

    def close(self) -> None:
        """No more invitations."""
        self._flush()
        self._invites.close()

    async def finish(self) -> None:
        """Close the pipe, wait a little, and stop the process if it is still there."""
        self.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self.child.ended()
        await self.child.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let it finish after a contest that went to its end; otherwise stop it at once."""
        if kind is None:
            await self.finish()
        else:
            self.close()
            await self.child.stop()
