"""``croupier serve`` as a process that can be killed and comes back where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Final

COMMAND: Final = ("-m", "croupier_server", "serve")
ADDRESS: Final = "127.0.0.1"
_SECONDS: Final = 60
_FAULTS: Final = ("INTERNAL", "UNKNOWN", "DATA_LOSS")


class NotUp(Exception):
    """The server ended before it listened."""


def end_by_sigterm() -> None:
    """Let SIGTERM end this process as Ctrl-C does: with what it started."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def clean_environment() -> dict[str, str]:
    """This process's environment without settings of Croupier."""
    return {key: value for key, value in os.environ.items() if not key.startswith("CROUPIER_")}


class Server:
    """A server that keeps its store and its port.

    Args:
        store: URL of the store.
        log: file that its log is appended to.
        more: further arguments of ``croupier serve``.
        pythons: interpreters that run it, by turns from one start to the next.

    Attributes:
        port: 0 before it has listened for the first time.
        told: what it said when it began to listen: addresses and process id.
    """

    def __init__(
        self,
        store: str,
        log: Path,
        more: Sequence[str] = (),
        pythons: Sequence[str] = (sys.executable,),
    ) -> None:
        self._store = store
        self._log = log
        self._more = tuple(more)
        self._pythons = cycle(pythons)
        self._process: subprocess.Popen[bytes] | None = None
        self._announced: int | None = None
        self.port = 0
        self.told: dict[str, Any] = {}

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{ADDRESS}:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None and self._process.poll() is None

    def spawn(self) -> None:
        """Start the process; `listen` waits until it listens."""
        reading, writing = os.pipe()
        arguments = ["--port", str(self.port), "--announce-fd", str(writing)]
        arguments += ["--store", self._store, "--log-format", "json", *self._more]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [next(self._pythons), *COMMAND, *arguments],
                pass_fds=[writing],
                stdin=subprocess.DEVNULL,
                stderr=log,
                env=clean_environment(),
            )
        os.close(writing)
        self._announced = reading

    def listen(self) -> None:
        """Wait until it listens.

        Raises:
            NotUp: it ended instead.
        """
        assert self._announced is not None
        reading, self._announced = self._announced, None
        with os.fdopen(reading) as announced:
            line = announced.readline()
        if not line:
            raise NotUp(f"the server did not start, see {self._log}")
        self.told = json.loads(line)
        self.port = int(self.told["address"].rpartition(":")[2])

    def kill(self) -> None:
        """End it as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """End it in good order; its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        assert self._process is not None
        if self._announced is not None:
            os.close(self._announced)
            self._announced = None
        self._process.send_signal(number)
        return self._process.wait(_SECONDS)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.is_running:
            self.kill()


def faults_in(log: Path) -> list[str]:
    """Lines of a server's log that no server should write."""
    found = []
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("{") and not line.endswith("}"):
            continue  # cut off in the middle, as the process was killed
        try:
            words = json.loads(line)
        except ValueError:
            words = {"level": "error"}
        is_fault = words.get("level") in ("error", "critical") or words.get("code") in _FAULTS
        if is_fault or words.get("event") == "deal not resumed":
            found.append(line)
    return found
