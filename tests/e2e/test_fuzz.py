"""A small run of `make fuzz`: every call of a real server gets what no client should send."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from scripts.fuzz import fuzz, methods


@pytest.mark.more
def test_isolated_no_input_harms_the_server_or_a_table_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = f"sqlite:{tmp_path / 'croupier.db'}"
    status = asyncio.run(fuzz(store, tmp_path, "small", seconds=120, inputs=1_500))
    printed = capsys.readouterr().out
    assert status == 0, printed
    rows = [line for line in printed.splitlines() if "Service/" in line]
    assert len(rows) == len(methods()) > 30
    for word in (" OK ", "INVALID_ARGUMENT", "PERMISSION_DENIED", "UNAUTHENTICATED"):
        assert sum(word in row for row in rows) > 5, printed
