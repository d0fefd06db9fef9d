"""Runs one program with bounded output, and ends it with everything that it has started.

A program of its own between a contest and a bot: ``python supervisor.py --log FILE --until-fd N
[--pass-fd N] [--memory-mb N] -- PROGRAM ARGUMENTS``. It writes what the program prints to the log,
of which the oldest part is dropped beyond a limit. The program has a lower priority than the
server, and is killed when it and its descendants use more memory than they may. When the descriptor
of ``--until-fd`` ends, because the contest has closed it or has died, however it died, the program
and its descendants are killed. SIGTERM is passed on to the program's group. The exit status, or the
signal, is the program's.

Uses the standard library alone and is run by its path, so that it starts quickly.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import re
import resource
import selectors
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

OUTPUT_MAX: Final = 10_000_000
"""Maximum bytes of a program's log."""

DROPPED: Final = "[croupier: {} bytes of output before this line were dropped]\n"
"""The first line of a log that was cut."""

TOO_LARGE: Final = "[croupier: memory limit of {} MB exceeded]\n"
"""The last line of the log of a program that used too much memory."""

NICENESS: Final = 5
"""How much lower than the server's the priority of a program is."""

NOT_RUN: Final = 127
"""Exit status if the program cannot be run, as in a shell."""

_LOOK_S: Final = 1.0
"""Time between two looks at the memory of a program."""

_CHUNK: Final = 1 << 16
_NOTE_MAX: Final = 100
_SET_CHILD_SUBREAPER: Final = 36


class BoundedLog:
    """A file that keeps the newest output, at most *most* bytes of it."""

    def __init__(self, path: Path, most: int = OUTPUT_MAX) -> None:
        # Opened for appending: processes of one entrant share a log.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        self._most = most
        first = self._file.read(_NOTE_MAX).partition(b"\n")[0] + b"\n"
        found = re.fullmatch(re.escape(DROPPED).replace(r"\{\}", "([0-9]+)").encode(), first)
        self._note = first if found else b""
        self._dropped = int(found[1]) if found else 0

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def write(self, data: bytes) -> None:
        """Add *data*, which is much smaller than the log may be."""
        if self._size() + len(data) > self._most:
            self._cut(self._most // 2)
        # A full disk loses output, but must not end the match.
        with contextlib.suppress(OSError):
            self._file.write(data)

    def _cut(self, left: int) -> None:
        """Drop all but the last *left* bytes."""
        with contextlib.suppress(OSError):
            start = max(self._size() - left, len(self._note))
            self._file.seek(start)
            rest = self._file.read()
            self._dropped += start - len(self._note)
            self._note = DROPPED.format(self._dropped).encode()
            self._file.truncate(0)
            self._file.write(self._note + rest)


class Supervisor:
    """One program, its output, and its descendants."""

    def __init__(self, program: Sequence[str], log: BoundedLog, pass_fds: Sequence[int]) -> None:
        """Start *program*.

        Raises:
            OSError: it cannot be run.
        """
        self._log = log
        self._status: int | None = None
        self._group = 0
        self._next_look = 0.0
        _adopt_orphans()
        self._output, writable = os.pipe()
        self._woken, waking = os.pipe()
        os.set_blocking(waking, False)
        os.set_blocking(self._output, False)
        signal.set_wakeup_fd(waking)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._signal(signal.SIGTERM))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for descriptor in pass_fds:
            os.set_inheritable(descriptor, True)
        self._group = os.posix_spawn(
            program[0],
            list(program),
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, writable, 1),
                (os.POSIX_SPAWN_DUP2, writable, 2),
            ],
            setpgroup=0,
            setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ],
        )
        for descriptor in (writable, *pass_fds):
            os.close(descriptor)

    def run(self, until_fd: int, memory_max: int = 0) -> int:
        """Wait until the program ends, *until_fd* does, or it uses more than *memory_max* bytes (0:
        any number); returns its status as `os.waitpid`."""
        with selectors.DefaultSelector() as selector:
            for descriptor in (until_fd, self._output, self._woken):
                selector.register(descriptor, selectors.EVENT_READ)
            while self._status is None:
                ready = [key.fd for key, _ in selector.select(_LOOK_S if memory_max else None)]
                if self._output in ready and not self._pump():
                    selector.unregister(self._output)
                if self._woken in ready:
                    os.read(self._woken, _CHUNK)
                    self._reap(os.WNOHANG)
                if until_fd in ready and not os.read(until_fd, 1):
                    break
                if memory_max and self._is_large(memory_max):
                    break
        self._end()
        while self._pump():
            pass
        assert self._status is not None
        return self._status

    def _is_large(self, memory_max: int) -> bool:
        """Whether the program and its descendants use more than *memory_max*, which the log tells;
        at most one look in `_LOOK_S`."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + _LOOK_S
        used = sum(map(_resident, _descendants(os.getpid())))
        if used <= memory_max:
            return False
        while self._pump():
            pass
        self._log.write(TOO_LARGE.format(memory_max // 1_000_000).encode())
        return True

    def _pump(self) -> bool:
        """Write some output to the log; False if there is none now."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        self._log.write(data)
        return bool(data)

    def _reap(self, how: int) -> bool:
        """Take the status of children that have ended; False if there are none left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, how)
                if pid == self._group:
                    self._status = status
                if how != os.WNOHANG or not pid:
                    return True
        return False

    def _signal(self, number: signal.Signals) -> None:
        """Send *number* to the group of the program, once it has been started."""
        if self._group:
            with contextlib.suppress(OSError):
                os.killpg(self._group, number)

    def _end(self) -> None:
        """Kill the program and its descendants, those in other groups too: orphans become children
        of this process, one generation after the other."""
        while True:
            self._signal(signal.SIGKILL)
            for pid in _children(os.getpid()):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not self._reap(0):
                return


def _children(parent: int) -> list[int]:
    """Children of the process *parent*; none where the system has no such list."""
    with contextlib.suppress(OSError):
        lists = [
            path.read_text("ascii") for path in Path(f"/proc/{parent}/task").glob("*/children")
        ]
        return [int(pid) for listed in lists for pid in listed.split()]
    return []


def _descendants(parent: int) -> Iterator[int]:
    for child in _children(parent):
        yield child
        yield from _descendants(child)


def _resident(pid: int) -> int:
    """Bytes of memory that a process has, if it is still there."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
        return int(pages) * resource.getpagesize()
    return 0


def _adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, where the system can do that."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status, or ends by the signal that the program ended by."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--until-fd", type=int, required=True)
    parser.add_argument("--pass-fd", type=int, action="append", default=[])
    parser.add_argument("--memory-mb", type=int, default=0)
    parser.add_argument("program", nargs="+")
    given = parser.parse_args(arguments)
    os.nice(NICENESS)
    os.set_inheritable(given.until_fd, False)  # a program that had it could hold it open
    try:
        supervisor = Supervisor(given.program, BoundedLog(given.log), given.pass_fd)
    except OSError as error:
        sys.stderr.write(f"cannot run {given.program[0]}: {error.strerror}\n")
        return NOT_RUN
    code = os.waitstatus_to_exitcode(supervisor.run(given.until_fd, given.memory_mb * 1_000_000))
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL has no handler to reset.
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
