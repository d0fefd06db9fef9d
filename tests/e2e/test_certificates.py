"""What docs/operations.md tells an operator to type about certificates does what the page says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.serving import SECONDS, Served, clean_environment, served
from tests.e2e.test_tls import serial, served_serial
from tests.meta.sources import ROOT

FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORT = "7421"


def blocks() -> list[str]:
    """Every block of shell of the section, in order."""
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    section = page.partition("\n## Certificates\n")[2].partition("\n## ")[0]
    return FENCE.findall(section)


class Typing:
    """Somebody who types what the page says, in a folder of their own."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.server: Served | None = None
        self.did: list[str] = []

    def type(self, block: str) -> None:
        """A block: a server is started in place of the one before, all else is run."""
        words = shlex.split(block)
        if words[:2] == ["croupier", "serve"]:
            self._stack.close()
            flags = (*words[2:], "--log-format", "json", "--store", "sqlite:croupier.db")
            self.server = self._stack.enter_context(served(*flags))
            self.did.append("serve")
        elif self.server is not None and f":{PORT}" in block:
            asked = block.replace(f":{PORT}", ":" + self.server.address.rpartition(":")[2])
            assert shell(asked) == 0
            assert shell(without_the_last(asked)) == 1
            self.did.append("ask")
        elif self.server is not None and "mv " in block:
            self._renew(self.server, block)
        else:
            assert shell(block) == 0
            self.did.append("make")

    def _renew(self, server: Served, block: str) -> None:
        address = "127.0.0.1:" + server.address.rpartition(":")[2]
        before = served_serial(address, Path())
        assert before == serial(Path("cert.pem"))
        assert shell(block) == 0
        assert server.process.stderr is not None
        lines = (json.loads(line) for line in server.process.stderr)
        next(line for line in lines if line["event"] == "certificates reloaded")
        assert before != served_serial(address, Path()) == serial(Path("cert.pem"))
        self.did.append("renew")


def without_the_last(asked: str) -> str:
    """The same without the certificate that it shows, else without the authority that it trusts."""
    shows_nothing = re.sub(r" CROUPIER_CERT\S+", "", asked)
    return shows_nothing if shows_nothing != asked else asked.replace("CROUPIER_CA", "NOT_THIS")


def shell(block: str) -> int:
    """Exit status of a block."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        env=clean_environment(PATH=path),
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )
    return done.returncode


@pytest.mark.more
def test_certificates_are_made_told_of_and_renewed_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:
        operator = Typing(stack)
        for block in blocks():
            operator.type(block)
    assert operator.did == ["make", "make", "serve", "ask", "make", "serve", "ask", "renew"]
    assert Path("ca.key").stat().st_mode & 0o077 == 0
    assert Path("key.pem").stat().st_mode & 0o077 == 0
