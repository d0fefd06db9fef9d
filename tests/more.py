"""Which cases of a test `make test` runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_of(cases: Iterable[Any]) -> list[Any]:
    """*cases*, of which all but the first are marked ``more``."""
    first, *others = cases
    return [first, *(pytest.param(case, marks=pytest.mark.more) for case in others)]
