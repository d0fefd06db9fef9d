"""Chance for bots: random numbers that are a function of seed, table, seat and decision alone.

The same bot with the same seed makes the same choices at the same decision, whatever else runs
beside it and however often its connection was cut. Nothing here touches a global generator.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from hashlib import blake2b
from typing import Final, TypeVar

__all__ = ["DecisionRandom", "SeatRandom"]

T = TypeVar("T")

_WORD_BITS: Final = 64
_WORD_MASK: Final = (1 << _WORD_BITS) - 1
_BLOCK_WORDS: Final = 8
_RANGE: Final = 1 << _WORD_BITS


def _field(value: str) -> bytes:
    """*value* with its length in front, so that fields cannot run into each other."""
    payload = value.encode()
    return len(payload).to_bytes(4, "big") + payload


class SeatRandom:
    """The source of one seat's chance at one table; `at` gives that of a decision."""

    __slots__ = ("_base",)

    def __init__(self, seed: int | str, table_id: str, seat: int) -> None:
        fields = (str(seed), table_id, str(seat))
        self._base = blake2b(b"".join(map(_field, fields)), person=b"croupier.bot")

    def at(self, decision_id: str) -> DecisionRandom:
        """Random numbers of one decision."""
        return DecisionRandom(self._base, decision_id)


class DecisionRandom:
    """A small random generator with the calls that bots use, named as in the standard library.

    It draws from blake2b in counter mode, and from nothing while nobody asks. Integers are exactly
    uniform (rejection).

    Args:
        base: a hash of everything but the decision; it is copied.
        label: the decision.
    """

    __slots__ = ("_base", "_blocks", "_label", "_pool", "_words")

    def __init__(self, base: blake2b, label: str) -> None:
        self._base = base
        self._label = label
        self._words = 0
        self._blocks = 0

    def _refill(self) -> None:
        """Hash the next block of 64 bytes."""
        state = self._base.copy()
        state.update(self._label.encode())
        if self._blocks:
            state.update(b"\0" + self._blocks.to_bytes(8, "big"))
        self._blocks += 1
        self._pool = int.from_bytes(state.digest(), "big")
        self._words = _BLOCK_WORDS

    def _word(self) -> int:
        """The next 64 bits."""
        if not self._words:
            self._refill()
        self._words -= 1
        word = self._pool & _WORD_MASK
        self._pool >>= _WORD_BITS
        return word

    def random(self) -> float:
        """A number from 0 up to, not including, 1."""
        return (self._word() >> 11) * 2.0**-53

    def randrange(self, stop: int) -> int:
        """A whole number from 0 up to, not including, *stop*.

        Raises:
            ValueError: *stop* is below 1 or above 2**64.
        """
        if not 0 < stop <= _RANGE:
            raise ValueError(f"no number below {stop} to choose")
        limit = _RANGE - _RANGE % stop
        word = self._word()
        while word >= limit:
            word = self._word()
        return word % stop

    def choice(self, items: Sequence[T]) -> T:
        """One of *items*, each as likely as the others.

        Raises:
            IndexError: *items* is empty.
        """
        if not items:
            raise IndexError("nothing to choose from")
        return items[self.randrange(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put *items* in random order, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.randrange(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """*count* of *items* without repeats, in random order.

        Raises:
            ValueError: there are fewer.
        """
        if not 0 <= count <= len(items):
            raise ValueError(f"cannot take {count} of {len(items)}")
        rest = list(items)
        for place in range(count):
            other = place + self.randrange(len(rest) - place)
            rest[place], rest[other] = rest[other], rest[place]
        return rest[:count]
