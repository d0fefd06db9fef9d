"""What a package offers is what it says it offers."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import croupier
from tests.meta.sources import ROOT, modules

SOURCES = {"server": "croupier_server", "clients/python": "croupier"}


def module_name(path: Path) -> str:
    """The dotted name of a module of the server or the SDK."""
    for folder, package in SOURCES.items():
        if path.is_relative_to(f"{folder}/{package}"):
            parts = path.relative_to(folder).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    raise AssertionError(f"{path} belongs to no package")


def exporting() -> list[str]:
    """Modules that have an ``__all__``."""
    folders = [f"{folder}/{package}" for folder, package in SOURCES.items()]
    return [
        module_name(path)
        for path, text in modules(*folders)
        if any(line.startswith(("__all__ =", "__all__:")) for line in text.splitlines())
    ]


@pytest.mark.parametrize("name", exporting())
def test_every_exported_name_is_there_once(name: str) -> None:
    module = importlib.import_module(name)
    names = list(module.__all__)
    assert len(names) == len(set(names))
    assert [missing for missing in names if not hasattr(module, missing)] == []
    assert [private for private in names if private.startswith("_") and private[1] != "_"] == []


def test_the_sdk_lists_every_public_name() -> None:
    public = {
        name
        for name, value in vars(croupier).items()
        if not name.startswith("_") and name != "annotations" and not isinstance(value, ModuleType)
    }
    assert public - set(croupier.__all__) == set()


def test_every_public_class_and_function_of_the_sdk_is_documented() -> None:
    silent = [
        name
        for name in croupier.__all__
        if (inspect.isclass(value := getattr(croupier, name)) or inspect.isroutine(value))
        and not inspect.getdoc(value)
    ]
    assert silent == []


def test_both_packages_are_typed() -> None:
    for folder, package in SOURCES.items():
        assert (ROOT / folder / package / "py.typed").is_file()
