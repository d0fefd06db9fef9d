"""How the measuring process and the measured ones talk: marks.

A measured process prints one line of JSON when it is ready, then one *mark* (what it has done so
far) for every line that it reads from its standard input, and ends at the end of that input. What
happened between two marks is their difference.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Final, Self

_BYTES_ACKED: Final = 120
"""Place of ``tcpi_bytes_acked`` in Linux's ``struct tcp_info``; ``tcpi_bytes_received`` follows."""

_STOP_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Mark:
    """What a process has done since it began.

    Attributes:
        done: decisions, calls or items, by what is measured.
        forced: decisions that left no choice; they are not in ``done``.
        frames: batches that were received.
        time_s: a clock common to all processes of the machine.
        cpu_s: CPU time of the process.
        sent, received: bytes over TCP to and from the server; 0 where the system does not tell.
    """

    done: int
    forced: int
    frames: int
    time_s: float
    cpu_s: float
    sent: int
    received: int

    def since(self, earlier: Mark) -> Mark:
        """The difference."""
        return Mark(*(getattr(self, f) - getattr(earlier, f) for f in Mark.__slots__))


class Counter:
    """Counts in a measured process; plain attributes, changed where the work is done."""

    __slots__ = ("done", "forced", "frames")

    def __init__(self) -> None:
        self.done = self.forced = self.frames = 0

    def mark(self, port: int) -> Mark:
        """What was done until now; *port* is the server's."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        sent, received = tcp_bytes(port)
        return Mark(
            self.done,
            self.forced,
            self.frames,
            perf_counter(),
            usage.ru_utime + usage.ru_stime,
            sent,
            received,
        )


def tcp_bytes(port: int) -> tuple[int, int]:
    """Bytes that this process sent to and received from *port* over its open connections."""
    sent = received = 0
    folder = Path("/proc/self/fd")
    for entry in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError, struct.error):
            number = int(entry.name)
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.socket(fileno=os.dup(number)) as copy:
                if copy.getpeername()[1:2] != (port,):
                    continue
                info = copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                acked, got = struct.unpack_from("QQ", info, _BYTES_ACKED)
                sent, received = sent + acked, received + got
    return sent, received


def say(facts: Mapping[str, object]) -> None:
    """One line of JSON for the measuring process."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def answer_marks(counter: Counter, port: int, on_end: Callable[[], object]) -> None:
    """Say that this process is ready, and answer marks in a thread until the input ends."""

    def answer() -> None:
        for _ in sys.stdin:
            say(asdict(counter.mark(port)))
        on_end()

    say({"ready": True})
    threading.Thread(target=answer, daemon=True).start()


class Measured:
    """A measured process, seen from the measuring one; a context manager that stops it."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._command = [sys.executable, "-m", module, *arguments]
        self._process: subprocess.Popen[str]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(  # noqa: S603 - modules of this package
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            self.hello = self._line()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def mark(self) -> Mark:
        """What it has done until now."""
        assert self._process.stdin is not None
        self._process.stdin.write("mark\n")
        self._process.stdin.flush()
        return Mark(**self._line())

    def _line(self) -> dict[str, int]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise MeasureFailed(f"{' '.join(self._command[2:])} ended: {self._process.wait()}")
        found: dict[str, int] = json.loads(line)
        return found


class MeasureFailed(Exception):
    """A measured process ended too early; its own words are on standard error."""


def cpu_seconds(pid: int) -> float:
    """CPU time of another process so far, all its threads together.

    By the kernel's accounting in ticks of ten milliseconds, which is 1 % of a second.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """Resident memory of another process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def machine_busy_seconds() -> float:
    """CPU time that all processes of the machine have used so far."""
    fields = list(map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]))
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / os.sysconf("SC_CLK_TCK")
