"""docs/operations.md and its examples say what the code does: every setting, number and event."""

from __future__ import annotations

import ast
import asyncio
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from croupier_server import app
from croupier_server.cli import COMMANDS
from croupier_server.config import PREFIX, Settings, load
from croupier_server.errors import Reason
from croupier_server.identity.rights import RIGHTS
from scripts.rights_matrix import OPERATORS
from tests.meta.sources import ROOT, modules

PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs/security.md").read_text(encoding="utf-8")
ALERTS = (ROOT / "docs/examples/alerts.yml").read_text(encoding="utf-8")
UNIT = (ROOT / "docs/examples/croupier.service").read_text(encoding="utf-8")
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
ONLY_IN_NEED = {"croupier_loop_stuck"}
"""Numbers that are there only when something is wrong."""


def table(heading: str) -> dict[str, list[str]]:
    """The table below *heading*: the other cells of each row by the first, which is code."""
    _, _, rest = PAGE.partition(f"\n## {heading}\n")
    section, _, _ = rest.partition("\n## ")
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return {cells[0].strip().strip("`"): [cell.strip() for cell in cells[1:]] for cells in rows}


def logged() -> Iterator[tuple[str, str]]:
    """Name and level of every event that the server logs, as it is written in the code."""
    for path, text in modules("server/croupier_server"):
        if "structlog" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = ast.unparse(node.func.value)
            if node.func.attr in LEVELS and ("_log" in owner or "get_logger" in owner):
                assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
                yield str(node.args[0].value), node.func.attr.replace("exception", "error")


def test_every_setting_is_in_the_table() -> None:
    assert list(table("Settings")) == list(Settings.model_fields)


def test_every_event_of_the_log_is_explained_with_its_levels() -> None:
    found: dict[str, set[str]] = {}
    for name, level in logged():
        found.setdefault(name, set()).add(level)
    told = {name: set(cells[0].split(", ")) for name, cells in table("The log").items()}
    assert told == found


@pytest.fixture
async def numbers(tmp_path: Path) -> dict[str, str]:
    """Kinds of the numbers that a server shows, by name."""
    settings = load(
        {
            "port": 0,
            "metrics_port": 0,
            "house_bots": False,
            "store": f"sqlite:{tmp_path / 'croupier.db'}",
        }
    )
    async with app.running(settings) as running:
        url = f"http://{running.operators.metrics}/metrics"
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
    return dict(re.findall(r"^# TYPE (\w+) (\w+)$", page, re.MULTILINE))


@pytest.mark.more
async def test_every_number_is_in_the_table(numbers: dict[str, str]) -> None:
    ours = {name: kind for name, kind in numbers.items() if name.startswith("croupier_")}
    ours = {name: kind for name, kind in ours.items() if not name.endswith("_created")}
    told = {name: cells[0] for name, cells in table("Metrics").items()}
    assert told == ours | dict.fromkeys(ONLY_IN_NEED, "gauge")


@pytest.mark.more
async def test_alerts_ask_for_numbers_that_there_are(numbers: dict[str, str]) -> None:
    asked = set(re.findall(r"\b(croupier_\w+)", ALERTS))
    families = {re.sub(r"_(?:bucket|sum|count)$", "", name) for name in asked}
    assert families <= numbers.keys() | ONLY_IN_NEED


def test_every_alert_is_explained() -> None:
    told = [name for name in table("Monitoring") if name.startswith("Croupier")]
    assert told == re.findall(r"^ +- alert: (\w+)$", ALERTS, re.MULTILINE)


@pytest.mark.more
async def test_numbers_that_the_page_names_are_there(numbers: dict[str, str]) -> None:
    named = set(re.findall(r"\b(croupier_[a-z_]+|process_[a-z_]+)\b", PAGE + SECURITY))
    families = {re.sub(r"_(?:bucket|sum|count)$", "", name) for name in named}
    assert families - {"croupier_server"} <= numbers.keys() | ONLY_IN_NEED


def test_methods_and_codes_that_alerts_ask_for_are_there() -> None:
    methods = re.findall(r'method=~?"([^"]+)"', ALERTS)
    paths = [*RIGHTS, *OPERATORS]
    assert [name for name in methods if not any(re.fullmatch(name, path) for path in paths)] == []
    codes = [code for found in re.findall(r'code=~?"([^"]+)"', ALERTS) for code in found.split("|")]
    assert methods
    assert [code for code in codes if code not in grpc.StatusCode.__members__] == []


def test_words_of_refusals_that_the_page_names_are_there() -> None:
    section = PAGE.partition("\n## Troubleshooting\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", section))
    assert named
    assert named <= {reason.value for reason in Reason}


def values(name: str) -> list[str]:
    """What the unit says for *name*, in order."""
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def test_the_unit_starts_what_there_is_with_settings_that_there_are() -> None:
    (start,) = values("ExecStart")
    program, command, *flags = start.split()
    assert (Path(program).name, flags) == ("croupier", [])
    assert command in COMMANDS
    names = {
        value.partition("=")[0].removeprefix(PREFIX).lower() for value in values("Environment")
    }
    assert names - {"config"} <= Settings.model_fields.keys()


def test_the_unit_does_not_start_a_server_again_that_has_lost_its_store() -> None:
    assert values("RestartPreventExitStatus") == [f"{app._SUPERSEDED} {app._FILES_REPLACED}"]


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "croupier.service"
    program = str(Path(sys.executable).with_name("croupier"))
    unit.write_text(UNIT.replace("/opt/croupier/bin/croupier", program))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if unit.name in line]
    assert (done.returncode, said) == (0, [])
