"""How `search` is named in text: ``search``, ``search:ms=N`` or ``search:iterations=N``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

NAME: Final = "search"
FORMS: Final = "search, search:ms=N or search:iterations=N"
MS_DEFAULT: Final = 50
"""Milliseconds for a decision where the name says nothing else."""

_SPEC: Final = re.compile(r"search(?::(ms|iterations)=([1-9][0-9]{0,6}))?")


class SearchSpec(NamedTuple):
    """What to spend on a decision: milliseconds, or if it is not 0 a number of playouts."""

    ms: int
    iterations: int

    @property
    def short_name(self) -> str:
        """What it is called in results.

        >>> SearchSpec(20, 0).short_name, SearchSpec(0, 200).short_name
        ('search@20ms', 'search@200')
        """
        if self.iterations:
            return f"{NAME}@{self.iterations}"
        return NAME if self.ms == MS_DEFAULT else f"{NAME}@{self.ms}ms"


def parse_spec(spec: str) -> SearchSpec | None:
    """What *spec* says, or None if it does not name this bot.

    >>> parse_spec("search:iterations=200"), parse_spec("greedy")
    (SearchSpec(ms=0, iterations=200), None)
    """
    found = _SPEC.fullmatch(spec)
    if found is None:
        return None
    unit, number = found.groups()
    if unit == "iterations":
        return SearchSpec(0, int(number))
    return SearchSpec(int(number or MS_DEFAULT), 0)
