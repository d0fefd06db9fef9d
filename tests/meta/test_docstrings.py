"""Every module says what it is for, and the examples in docstrings run and give what they show."""

from __future__ import annotations

import ast
import doctest
import importlib

import pytest

from tests.meta.sources import modules
from tests.meta.test_exports import module_name


def with_examples() -> list[str]:
    """Modules of the server and the SDK that show an example."""
    folders = ("server/croupier_server", "clients/python/croupier")
    return [module_name(path) for path, text in modules(*folders) if ">>> " in text]


@pytest.mark.parametrize("name", with_examples())
def test_examples_are_true(name: str) -> None:
    options = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
    result = doctest.testmod(importlib.import_module(name), optionflags=options)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.more
def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path)
        for path, text in modules("server", "clients", "scripts", "tests")
        if text.strip() and ast.get_docstring(ast.parse(text)) is None
    ]
    assert silent == []
