"""What the states of all games share: plain fields, which say how they are copied and compared.

The two classes of each game's ``state`` module are dataclasses over `Facts`: what everybody knows,
and the match with what is hidden. A field is declared once; a new one needs no other line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from operator import attrgetter
from typing import Any, Self


@cache
def _values_of(kind: Any) -> Callable[[object], tuple[Any, ...]]:
    """Reads what the constructor of a dataclass takes, in order."""
    return attrgetter(*[one.name for one in fields(kind) if one.init])


@cache
def _all_but(kind: Any, lasting: tuple[str, ...]) -> tuple[tuple[str, Any, Any], ...]:
    """The name of every other field of a dataclass, and its default or what makes it."""
    found = [one for one in fields(kind) if one.name not in lasting]
    return tuple([(one.name, one.default, one.default_factory) for one in found])


class Facts:
    """A dataclass that can be copied. Not generic, which mypyc refuses of a dataclass."""

    __slots__ = ()

    def copy(self) -> Self:
        """An independent copy. It shares everything but lists and other `Facts`."""
        kind: Any = type(self)
        values = _values_of(kind)(self)
        own = [one.copy() if isinstance(one, (list, Facts)) else one for one in values]
        found: Self = kind(*own)
        return found

    def reset(self, *lasting: str) -> None:
        """Give all fields but *lasting* their default values."""
        kind: Any = type(self)
        for name, value, make in _all_but(kind, lasting):
            setattr(self, name, value if make is MISSING else make())
