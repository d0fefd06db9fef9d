"""The locks answer the dependencies that the two distributions declare."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.meta.sources import ROOT

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def project(path: str) -> dict[str, list[str]]:
    """Declared requirements by group; ``""`` is what everybody gets."""
    text = (ROOT / path / "pyproject.toml").read_text(encoding="utf-8")
    settings = tomllib.loads(text)
    declared: dict[str, list[str]] = {"": settings["project"]["dependencies"]}
    declared.update(settings["project"].get("optional-dependencies", {}))
    declared.update(settings.get("dependency-groups", {}))
    return declared


def pins(lock: str) -> dict[str, Version]:
    """Versions that a lock fixes, by name."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return {name.lower(): Version(version) for name, version in PIN.findall(text)}


def wanted(*lists: list[str]) -> Iterator[Requirement]:
    """Requirements of *lists* but for the SDK, which is in the same checkout."""
    for requirement in (Requirement(line) for lines in lists for line in lines):
        if requirement.name != "croupier":
            yield requirement


SERVER, SDK = project("."), project("clients/python")


@pytest.mark.parametrize(
    ("lock", "requirements"),
    [
        ("server.lock", [SERVER[""], SERVER["uvloop"], SERVER["web"], SDK[""]]),
        ("dev.lock", [SERVER[""], SERVER["uvloop"], SERVER["web"], SDK[""], SERVER["dev"]]),
        ("tools.lock", [SERVER["tools"]]),
    ],
)
def test_the_lock_answers_every_requirement(lock: str, requirements: list[list[str]]) -> None:
    pinned = pins(lock)
    for requirement in wanted(*requirements):
        version = pinned.get(requirement.name.lower())
        assert version is not None, f"{requirement.name} is not in {lock}: run `make lock`"
        assert version in requirement.specifier, f"{requirement} is {version} in {lock}"


def test_every_file_is_pinned_by_hash() -> None:
    for lock in sorted((ROOT / "requirements").glob("*.lock")):
        blocks = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
        assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_development_runs_what_the_server_lock_ships() -> None:
    server, dev = pins("server.lock"), pins("dev.lock")
    assert {name: dev.get(name) for name in server} == server


def test_the_sdk_asks_for_three_packages() -> None:
    names = sorted(Requirement(line).name for line in SDK[""])
    assert names == ["googleapis-common-protos", "grpcio", "protobuf"]
