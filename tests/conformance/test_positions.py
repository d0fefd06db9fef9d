"""Worked positions: every game has some for each kind it knows, and none of them is empty.

The files are ``tests/vectors/<game>*.json``. Some say ``expected``, and give ``groups`` of hands
that rank from best to worst; the others say ``expect``.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from croupier_server.games.modules import MODULES
from croupier_server.vectors import run_file, tally

Vector = dict[str, Any]


NAMES = [name for name, game in MODULES.items() if game.positions is not None]


def files(root: Path, name: str) -> list[Path]:
    return sorted((root / "tests/vectors").glob(f"{name}*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_position_passes(name: str, root: Path) -> None:
    """Those that were given and those of our own; each file has every kind of position."""
    kinds = set(importlib.import_module(f"croupier_server.games.{name}.vectors").KINDS)
    assert len(files(root, name)) > 1
    for file in files(root, name):
        results = run_file(file)
        assert [result for result in results if not result.passed] == []
        number = len(json.loads(file.read_text(encoding="utf-8"))["vectors"])
        assert tally(results) == (number, 0)
        assert {result.kind for result in results} == kinds


@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_expectation_fails(name: str, root: Path, tmp_path: Path) -> None:
    """No kind compares nothing: each expected value, changed, makes its position fail."""
    for file in files(root, name):
        content = json.loads(file.read_text(encoding="utf-8"))
        changed = [spoilt for vector in content["vectors"] for spoilt in spoil(vector)]
        assert len(changed) >= len(content["vectors"])
        path = tmp_path / file.name
        path.write_text(json.dumps(content | {"vectors": changed}), encoding="utf-8")
        passed = [result for result in run_file(path) if result.passed]
        assert passed == []


def spoil(vector: Vector) -> list[Vector]:
    """*vector* with one expected value changed, for each of them."""
    if "groups" in vector:
        return [vector | {"groups": vector["groups"][1:]}]
    key = "expect" if "expect" in vector else "expected"
    expected = vector[key]
    if not isinstance(expected, dict):
        return [vector | {key: "?"}]
    return [vector | {key: expected | {name: wrong(value)}} for name, value in expected.items()]


def wrong(value: object) -> object:
    """Another value, of the same type where there is one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [*value, value[0] if value else "2S"]
    if isinstance(value, dict):
        return {key: wrong(part) for key, part in value.items()}
    return 99 if value is None else f"{value}?"
