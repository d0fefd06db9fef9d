"""Check that the server of this environment is compiled: ``python -m scripts.check_compiled``.

Each module that `hatch_build.modules` names must come from a library, and ``croupier --version``
must print ``compiled``. The exit status is 1 otherwise. ``pytest -p scripts.check_compiled`` runs
no test unless the modules that the tests import come from libraries.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

import pytest

import hatch_build

SERVER: Final = Path(__file__).parents[1] / "server"


def files() -> dict[str, str]:
    """Import all modules that a compiled wheel compiles; return their files by their names."""
    paths = [path.relative_to(SERVER) for path in hatch_build.modules(SERVER / "croupier_server")]
    names = [".".join(path.with_suffix("").parts) for path in paths]
    return {name: import_module(name).__file__ or "" for name in names}


def interpreted(found: dict[str, str]) -> list[str]:
    """The modules among *found* that do not come from a library."""
    return [name for name, file in found.items() if not file.endswith(tuple(EXTENSION_SUFFIXES))]


def pytest_sessionstart() -> None:
    """Refuse to test sources in place of what was compiled."""
    if pure := interpreted(files()):
        raise pytest.UsageError(f"not compiled: {', '.join(pure)}")


def main() -> int:
    """The command; returns the exit code."""
    found = files()
    pure = interpreted(found)
    shown = subprocess.run(
        [Path(sys.executable).with_name("croupier"), "--version"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    print(f"croupier {shown}: {len(found) - len(pure)} of {len(found)} modules are compiled")
    for name in pure:
        print(f"not compiled: {name}")
    return 1 if pure or not shown.endswith("(compiled)") else 0


if __name__ == "__main__":
    sys.exit(main())
