"""`Kept`: a table that is filled as it is used, up to a bound.

Listing and encoding the same moves, plays or events again and again is most of the work. The
first ones seen are nearly always the ones seen most, so nothing is ever thrown out, and memory is
bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(dict[K, V]):
    """``make(key)`` by key. The first *most* results are kept, later ones made anew each time.

    ``table[key]`` costs no call once the result is there, which is why this is a dictionary.
    """

    __slots__ = ("_make", "_most")

    def __init__(self, make: Callable[[K], V], most: int) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> V:
        found = self._make(key)
        if len(self) < self._most:
            self[key] = found
        return found
