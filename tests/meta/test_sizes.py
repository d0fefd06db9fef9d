"""Modules and functions stay small enough to read."""

from __future__ import annotations

import ast

from tests.meta.sources import modules

MODULE_LINES = 500
FUNCTION_LINES = 60
PRODUCT = ("server", "clients", "scripts")


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the signature to the end, the docstring aside."""
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        assert first.end_lineno is not None
        lines -= first.end_lineno - first.lineno + 1
    return lines


def test_no_module_is_too_long() -> None:
    long = {
        str(path): count
        for path, text in modules(*PRODUCT, "tests")
        if (count := len(text.splitlines())) > MODULE_LINES
    }
    assert long == {}, f"over {MODULE_LINES} lines: two things live in one room"


def test_no_function_is_too_long() -> None:
    long = {
        f"{path}:{node.lineno} {node.name}": count
        for path, text in modules(*PRODUCT)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (count := code_lines(node)) > FUNCTION_LINES
    }
    assert long == {}, f"over {FUNCTION_LINES} lines without the docstring"


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path)
        for path, text in modules(*PRODUCT, "tests")
        if text.strip() and ast.get_docstring(ast.parse(text)) is None
    ]
    assert silent == []
