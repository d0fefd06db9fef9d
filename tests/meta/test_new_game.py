"""A new game takes its own folders, a proto file, arms in ``game.proto``, and two entries.

`NEW_GAME` holds a small whole game. In a copy of the checkout it is added as a person would add it,
and then the conformance suite, the server, the bots of the SDK and the command line play it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.meta.sources import ROOT, committed

NEW_GAME = ROOT / "tests/meta/new_game"
GENERATOR = ROOT / ".tools/bin/python"
FILES_MAX = 12
"""Files that a new game may add or change, without generated ones and its tests."""
LINES_MAX = 500
"""Lines of all its own files that are neither empty nor comments."""

COPIED = ("server", "clients/python", "protos", "scripts", "tests", "pyproject.toml", "buf.yaml")
SUITE = ("tests/conformance", "tests/wire", "tests/clients/test_every_game.py")
OF_PEOPLE = "documented or goldens or playthrough or page or cited or row or round_trip"
"""Tests of the pages, goldens and tests that people write for a game."""
CONTRACT = "tests/meta/test_contract.py"
PAGE = "from scripts.gen_docs import rules_page; assert 'D-2.3' in rules_page('duel')"


def add_arms(text: str) -> str:
    """``game.proto`` with a game more: its number, and an arm in every oneof."""
    text = text.replace(
        'import "croupier/v1/cards.proto";',
        'import "croupier/v1/cards.proto";\nimport "croupier/v1/duel.proto";',
    )
    text = text.replace("GAME_KIND_POKEX = 3;", "GAME_KIND_POKEX = 3;\n  GAME_KIND_DUEL = 1000;")
    return re.sub(r"( +)Pokex(\w+) pokex = 3;", r"\g<0>\n\1Duel\2 duel = 1000;", text)


EDITS: dict[str, Callable[[str], str]] = {
    "protos/croupier/v1/game.proto": add_arms,
    "server/croupier_server/games/__init__.py": lambda text: text.replace(
        '"pokex")', '"pokex", "duel")'
    ),
    "clients/python/croupier/games.py": lambda text: text.replace(
        "from croupier import ", "from croupier import duel, "
    ).replace(".WORDS)", ".WORDS, duel.WORDS)"),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout that has the new game."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in committed():
        if path.as_posix().startswith(COPIED):
            (folder / path.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    shutil.copytree(NEW_GAME, folder, dirs_exist_ok=True)
    for name, edit in EDITS.items():
        before = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(edit(before), encoding="utf-8")
        assert edit(before) != before, f"{name} has no place for a new game"
    assert GENERATOR.exists(), "the generator is not installed; run `make proto-check`"
    run(folder, str(GENERATOR), "-m", "scripts.gen_protos")
    return folder


def run(folder: Path, *command: str) -> str:
    """Run *command* on the packages of the copy; what it printed."""
    paths = [folder / "server", folder / "clients/python", folder]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")
    }
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def croupier(folder: Path, *arguments: str) -> str:
    return run(folder, sys.executable, "-m", "croupier_server", *arguments)


def test_a_new_game_takes_few_files_and_lines() -> None:
    own = [path for path in committed() if (ROOT / path).is_relative_to(NEW_GAME)]
    lines = [
        line.strip()
        for path in own
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines()
    ]
    assert len(own) + len(EDITS) <= FILES_MAX
    assert sum(line != "" and not line.startswith(("#", "//")) for line in lines) < LINES_MAX


@pytest.mark.more
def test_the_conformance_suite_runs_on_a_new_game(checkout: Path) -> None:
    chosen = f"duel and not ({OF_PEOPLE})"
    suite = (*SUITE, "-k", chosen, "-m", "not slow")
    done = run(checkout, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suite)
    assert int(re.findall(r"(\d+) passed", done)[0]) > 100


@pytest.mark.more
def test_a_new_game_keeps_to_the_style_of_the_house(checkout: Path) -> None:
    own = [path.relative_to(NEW_GAME) for path in NEW_GAME.rglob("*.py")]
    sources = [str(checkout / path) for path in own]
    run(checkout, sys.executable, "-m", "ruff", "check", "--no-cache", *sources)
    run(checkout, sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *sources)
    run(checkout, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", CONTRACT)
    run(checkout, sys.executable, "-c", PAGE)


@pytest.mark.more
def test_bots_play_a_new_game_on_a_server(checkout: Path, tmp_path: Path) -> None:
    contest = ("play", "duel", "--bots", "random,greedy", "--boards", "1", "--seed", "1")
    croupier(checkout, *contest, "--out", str(tmp_path))
    record = str(next(tmp_path.glob("*.croupier")))
    assert "FINISHED" in croupier(checkout, "verify", record)
    assert "game duel" in croupier(checkout, "notation", record)
    assert "the match ends" in croupier(checkout, "replay", record)
    assert "D-2.3" in croupier(checkout, "rules", "duel")
