"""Fixtures for tests of tables."""

from __future__ import annotations

import pytest

from croupier_server.tables.durability import recovery


class Unforgiving:
    """Takes the place of a log in which a warning would be easily overlooked."""

    def warning(self, event: str, **facts: object) -> None:
        """Halt the table that it is about."""
        raise AssertionError(event, facts)

    def info(self, event: str, **facts: object) -> None:
        """Nothing to complain of."""

    error = info


@pytest.fixture
def deals_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deal that cannot be resumed halts its table, though its log would do."""
    monkeypatch.setattr(recovery, "_log", Unforgiving())
