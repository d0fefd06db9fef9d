"""``croupier serve`` as a process, for tests that need the real thing on a port of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

SECONDS = 300
COMMAND = (sys.executable, "-m", "croupier_server", "serve")


class Served(NamedTuple):
    """A server under test."""

    process: subprocess.Popen[str]
    address: str
    pid: int
    metrics: str = ""
    admin: str = ""
    web: str = ""

    def end(self) -> tuple[int, str]:
        """Its exit status and what it wrote to standard error."""
        _, text = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, text


def clean_environment(**changes: str) -> dict[str, str]:
    """This process's environment without settings of Croupier, but for a store in memory."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("CROUPIER_")}
    return kept | {"CROUPIER_STORE": "memory:"} | changes


@contextmanager
def served(*arguments: str) -> Iterator[Served]:
    """A server on a free port; killed at the end if it is still there."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", "--announce-fd", str(writing), *arguments],
        pass_fds=[writing],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
        text=True,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as announced:
            line = announced.readline()
        assert line, process.communicate(timeout=SECONDS)[1]
        told = json.loads(line)
        ports = (told.get(name, "") for name in ("metrics", "admin", "web"))
        yield Served(process, told["address"], told["pid"], *ports)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=SECONDS)
