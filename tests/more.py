"""Which cases of a test `make test` runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_of(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """*cases*, of which all but the first *quick* are marked ``more``."""
    found = list(cases)
    return found[:quick] + [pytest.param(case, marks=pytest.mark.more) for case in found[quick:]]
