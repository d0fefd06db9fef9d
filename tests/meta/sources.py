"""Which files the meta tests look at: those that git would commit, and which of them we wrote."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LEFT_BEHIND = {".git", ".venv", ".tools", ".peers", ".hypothesis", "__pycache__", "build", "dist"}
ENCODERS = "server/croupier_server/wire/generated"
GENERATED = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")


def is_left_behind(path: Path) -> bool:
    """Whether *path* lies in an environment, a cache or a build."""
    return any(
        part in LEFT_BEHIND or (part.startswith(".") and part.endswith("cache"))
        for part in path.parts
    )


@cache
def committed() -> tuple[Path, ...]:
    """Files that are tracked or would be added, relative to the checkout, sorted.

    Outside a git checkout (an unpacked copy) every file but what tools leave behind.
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [path.as_posix() for path in paths if not is_left_behind(path)]
    else:
        names = done.stdout.split("\0")
    return tuple(Path(name) for name in sorted(set(names)) if name and (ROOT / name).is_file())


def is_generated(path: Path) -> bool:
    """Whether *path* is made by ``make proto``."""
    return path.name.endswith(GENERATED) or path.is_relative_to(ENCODERS)


def texts() -> Iterator[tuple[Path, str]]:
    """Every committed text file with its text."""
    for path in committed():
        try:
            yield path, (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def modules(*folders: str) -> Iterator[tuple[Path, str]]:
    """Every Python module that we wrote below *folders* with its text."""
    for path, text in texts():
        written = path.suffix == ".py" and not is_generated(path)
        if written and any(path.is_relative_to(folder) for folder in folders):
            yield path, text
