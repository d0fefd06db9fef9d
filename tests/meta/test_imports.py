"""Who may import whom: the contracts of ``pyproject.toml`` hold, and they bite.

The second half plants one forbidden import at a time in a toy tree of the same names and expects
the contract of that name to break: a contract that has silently come to match nothing fails here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PLANTED = {
    # contract: (module, the line that breaks it), ...
    "layers": [
        ("croupier_server.games.tractor.rules", "import croupier_server.tables.match.table"),
        ("croupier_server.tables.match.table", "import croupier_server.rpc.play_service"),
        ("croupier_server.rpc.play_service", "import croupier_server.contest.arena"),
        ("croupier_server.identity.keyring", "import croupier_server.tables.match.table"),
        ("croupier_server.errors", "import croupier_server.config"),
    ],
    "rooms": [
        ("croupier_server.tables.match.table", "import croupier_server.tables.feeds.feed"),
        ("croupier_server.tables.feeds.feed", "import croupier_server.tables.shard.shard"),
        ("croupier_server.tables.spec", "import croupier_server.tables.clocks.clock"),
    ],
    "games": [
        ("croupier_server.games.cards", "import croupier_server.games.patterns"),
        ("croupier_server.games.module", "import croupier_server.games.modules"),
    ],
    "pure": [
        ("croupier_server.games.base", "import time"),
        ("croupier_server.games.tractor.rules", "import random"),
        ("croupier_server.games.tractor.rules", "import google.protobuf"),
        ("croupier_server.games.tractor.rules", "import croupier.v1.table_pb2"),
        ("croupier_server.contest.pairing", "import secrets"),
    ],
    "table": [
        ("croupier_server.tables.match.table", "import asyncio"),
        ("croupier_server.games.tractor.wire", "import grpc"),
    ],
    "grpc": [
        ("croupier_server.tables.shard.shard", "import grpc"),
        ("croupier_server.identity.keyring", "import grpc"),
        ("croupier_server.storage.codec", "import grpc.aio"),
    ],
    "storage": [
        ("croupier_server.tables.shard.shard", "import croupier_server.storage.memory"),
        ("croupier_server.identity.keyring", "import croupier_server.storage.memory"),
        ("croupier_server.contest.arena", "import croupier_server.storage.codec"),
    ],
    "clients": [
        ("croupier_server.contest.arena", "import croupier_server.tables.match.table"),
        ("croupier_server.bots.search", "import croupier_server.rpc.play_service"),
    ],
    "arbiter": [
        ("croupier_server.arbiter.tournaments", "import croupier_server.tables.match.table"),
        ("croupier_server.arbiter.tournaments", "import croupier_server.rpc.play_service"),
    ],
    "stubs": [
        ("croupier_server.rpc.play_service", "import croupier.bot"),
        ("croupier_server.games.tractor.wire", "import croupier.record.v1.record_pb2"),
        ("croupier_server.tables.match.table", "import croupier.v1.table_pb2"),
        ("croupier_server.identity.rights", "import croupier.v1.table_pb2"),
        ("croupier_server.games.tractor.wire", "import croupier.bot"),
    ],
    "play": [("croupier.v1.table_pb2", "import croupier.record.v1.record_pb2")],
    "sdk": [("croupier.bot", "import croupier_server.games.base")],
}

ALLOWED = [
    ("croupier_server.arbiter.tournaments", "import croupier_server.tables.caller, grpc"),
    ("croupier_server.app", "import asyncio, grpc, croupier.bot, croupier_server.rpc.play_service"),
    ("croupier_server.rpc.play_service", "import grpc, croupier.v1.table_pb2"),
    ("croupier_server.rpc.record_service", "import croupier.record.v1.record_pb2"),
    ("croupier_server.storage.codec", "import croupier.record.v1.record_pb2"),
    ("croupier_server.storage.codec", "import croupier_server.games.tractor.wire"),
    ("croupier_server.games.tractor.wire", "import croupier.v1.table_pb2"),
    ("croupier_server.games.tractor.wire", "import croupier_server.games.tractor.rules"),
    ("croupier_server.tables.shard.shard", "import asyncio, croupier_server.storage.base"),
    ("croupier_server.tables.shard.shard", "import croupier_server.tables.feeds.feed"),
    ("croupier_server.identity.keyring", "import croupier_server.storage.base"),
    ("croupier_server.tables.caller", "import croupier_server.identity.keyring"),
    ("croupier_server.contest.arena", "import asyncio, croupier, croupier_server.storage.base"),
    ("croupier_server.games.modules", "import croupier_server.games.module"),
    ("croupier_server.games.tractor.teller", "import croupier.cards"),
    ("croupier_server.bots.search", "import croupier_server.games.tractor.rules, croupier.bot"),
    ("croupier.local", "import croupier_server.local"),
    ("croupier.pettingzoo", "import croupier_server.local.environment"),
]


def run_contracts(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the contracts of the ``pyproject.toml`` in *folder* on the packages found first there."""
    command = [
        str(Path(sys.executable).parent / "lint-imports"),
        "--no-cache",
        "--no-logo",
        *arguments,
    ]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    return subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )


def module_path(folder: Path, name: str) -> Path:
    """File of the module *name* in the toy tree; packages are made on the way."""
    path = folder.joinpath(*name.split("."))
    for parent in path.relative_to(folder).parents:
        if parent != Path():
            (folder / parent).mkdir(parents=True, exist_ok=True)
            (folder / parent / "__init__.py").touch()
    return path.with_suffix(".py")


@pytest.fixture
def toy(root: Path, tmp_path: Path) -> Path:
    """A tree of empty modules of every name that the cases use, under the real contracts."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert {c["id"] for c in settings["tool"]["importlinter"]["contracts"]} == set(PLANTED)
    (tmp_path / "pyproject.toml").write_text((root / "pyproject.toml").read_text(encoding="utf-8"))
    lines = [*ALLOWED, *(case for cases in PLANTED.values() for case in cases)]
    named = {
        "games.cards",
        "games.registry",
        "games.tractor.vectors",
        "contest.boards",
        "contest.pairing",
        *(
            f"rpc.{name}_service"
            for name in ("admin", "play", "record", "seat", "session", "spectate", "table")
        ),
    }  # by contracts, in full
    names = {f"croupier_server.{name}" for name in named} | {module for module, _ in lines}
    for _, line in lines:
        targets = line.removeprefix("import ").split(", ")
        names |= {target for target in targets if target.startswith("croupier") and "." in target}
    for name in sorted(names):
        module_path(tmp_path, name).touch()
    return tmp_path


@pytest.mark.more
def test_the_contracts_hold(root: Path) -> None:
    done = run_contracts(root)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_layers_allow_is_allowed(toy: Path) -> None:
    for name, line in ALLOWED:
        path = module_path(toy, name)
        path.write_text(path.read_text() + line + "\n")
    done = run_contracts(toy)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.more
@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_import_breaks(contract: str, toy: Path) -> None:
    for name, line in PLANTED[contract]:
        path = module_path(toy, name)
        path.write_text(line + "\n")
        done = run_contracts(toy, "--contract", contract)
        path.write_text("")
        assert done.returncode == 1, f"{name}: {line}\n{done.stdout}{done.stderr}"
        assert "BROKEN" in done.stdout


@pytest.mark.more
def test_every_module_imports_without_a_warning(root: Path) -> None:
    program = """
import importlib, pkgutil
import croupier, croupier_server
for package in (croupier, croupier_server):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
