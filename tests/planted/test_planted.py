"""The suite's own test: games and servers that are broken on purpose are caught by the right check.

Each patch in this folder breaks one thing. It is applied to a copy of the server, and the check
that it names has to fail on that copy, for the reason that it names; on an unbroken copy the same
check passes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from croupier_server.games.registry import GAMES
from tests.planted.patching import Planted, apply, read
from tests.sim.promises import Judge

PATCHES = {path.stem: read(path) for path in sorted(Path(__file__).parent.glob("*.patch"))}
PACKAGE = Path("server/croupier_server")


def copy_server(root: Path, to: Path) -> None:
    """A copy of the server's package under *to*."""
    shutil.copytree(root / PACKAGE, to / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))


def run_checks(root: Path, server: Path, *checks: str) -> subprocess.CompletedProcess[str]:
    """Run tests of the checkout against the server under *server*; without plugins, which take
    longer to load than most checks take."""
    paths = [server / "server", root / "clients/python", root]
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-x", "-c", os.devnull, "--rootdir", root),
            *("-p", "no:cacheprovider", "--import-mode=importlib", *checks),
        ],
        cwd=root,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_are_patches_of_every_game() -> None:
    """Three or more each; and between them they break every promise of the suite that hides."""
    for name in GAMES:
        assert sum(patch.startswith(f"{name}_") for patch in PATCHES) >= 3
    checks = {planted.caught_by.partition("[")[0] for planted in PATCHES.values()}
    assert len(checks) >= 6, "one check catches nearly everything: the others are not shown to"


def test_there_is_a_patch_of_every_promise() -> None:
    """Each is caught by the validator of its promise, whose name is the first word that it says."""
    judge = Judge(wait_max_ms=1, grace_ms=1, slack_ms=1)
    broken = [
        planted.says.split()[0] for name, planted in PATCHES.items() if name.startswith("promise_")
    ]
    assert len(broken) >= 10
    assert set(broken) == {promise.name for promise in judge.promises}
    assert all(
        name.startswith(f"promise_{planted.says.split()[0].lower()}_")
        for name, planted in PATCHES.items()
        if name.startswith("promise_")
    )


@pytest.mark.parametrize("planted", PATCHES.values(), ids=PATCHES)
def test_a_patch_still_applies(planted: Planted, root: Path, tmp_path: Path) -> None:
    """A game that has changed needs its patch written anew."""
    assert planted.hunks
    for hunk in planted.hunks:
        assert hunk.old != hunk.new
        (tmp_path / hunk.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / hunk.path, tmp_path / hunk.path)
    apply(planted, tmp_path)
    for hunk in planted.hunks:
        compile((tmp_path / hunk.path).read_text(encoding="utf-8"), str(hunk.path), "exec")


@pytest.mark.more
@pytest.mark.parametrize("planted", PATCHES.values(), ids=PATCHES)
def test_a_planted_bug_is_caught(planted: Planted, root: Path, tmp_path: Path) -> None:
    copy_server(root, tmp_path)
    apply(planted, tmp_path)
    done = run_checks(root, tmp_path, planted.caught_by)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert f"FAILED {planted.caught_by}" in done.stdout
    assert planted.says in done.stdout, done.stdout


@pytest.mark.more
def test_the_same_checks_pass_where_nothing_is_broken(root: Path, tmp_path: Path) -> None:
    copy_server(root, tmp_path)
    checks = sorted({planted.caught_by for planted in PATCHES.values()})
    done = run_checks(root, tmp_path, *checks)
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr
