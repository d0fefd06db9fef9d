"""Cards as a bot reads them: numbers that print as `7S`, and the text of hands.

A `Card` is an ``int`` equal to the contract's enum, so it can be compared, sorted, counted and put
into a message as it is. Ids rise in the documented order: spades 2..A, hearts, diamonds, clubs,
black joker, red joker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = [
    "BLACK_JOKER",
    "CARDS",
    "RED_JOKER",
    "Card",
    "parse_cards",
    "parse_rank",
    "pretty",
    "rank_text",
    "text",
    "to_cards",
]

_SUITS: Final = "SHDC"
_RANKS: Final = "23456789TJQKA"
_SYMBOLS: Final = {"S": "\u2660", "H": "\u2665", "D": "\u2666", "C": "\u2663"}
_NAMES: Final = ("", *(rank + suit for suit in _SUITS for rank in _RANKS), "BJ", "RJ")
_JOKERS: Final = 53
_POINTS: Final = {"5": 5, "T": 10, "K": 10}


class Card(int):
    """One card face, equal to its number on the wire (1..54).

    >>> Card.parse("TS"), Card.parse("TS") == 9, Card.parse("TS").points
    (TS, True, 10)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return _NAMES[self]

    __str__ = __repr__

    @property
    def text(self) -> str:
        """Rank then suit, such as ``7S`` or ``TH``; jokers are ``BJ`` and ``RJ``."""
        return _NAMES[self]

    @property
    def is_joker(self) -> bool:
        """Whether it is the black or the red joker."""
        return self >= _JOKERS

    @property
    def suit(self) -> str:
        """Printed suit, ``S``, ``H``, ``D`` or ``C``; of a joker the empty text."""
        return "" if self >= _JOKERS else _SUITS[(self - 1) // 13]

    @property
    def rank(self) -> int:
        """Printed rank, 2 to 14 with the ace high; 0 of a joker."""
        return 0 if self >= _JOKERS else (self - 1) % 13 + 2

    @property
    def points(self) -> int:
        """What it counts in Tractor: five 5, ten and king 10, others 0. Tong-its counts otherwise,
        see `croupier.tongits.card_points`."""
        return _POINTS.get(_NAMES[self][0], 0)

    @staticmethod
    def parse(name: str) -> Card:
        """The card written *name*.

        Raises:
            ValueError: it is the name of no card.
        """
        card = _BY_NAME.get(name.upper())
        if card is None:
            raise ValueError(f"{name!r} is not a card; write rank then suit (7S, TH), BJ or RJ")
        return card


CARDS: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(55))
"""Every card by its number; entry 0 is no card."""

BLACK_JOKER: Final = CARDS[53]
RED_JOKER: Final = CARDS[54]

_BY_NAME: Final = {name: CARDS[number] for number, name in enumerate(_NAMES) if number}


def to_cards(numbers: Iterable[int]) -> list[Card]:
    """Cards of the numbers that a message holds, in the same order."""
    every = CARDS
    return [every[number] for number in numbers]


def parse_cards(names: str) -> list[Card]:
    """Cards written as names between blanks.

    >>> parse_cards("RJ 7S 7S")
    [RJ, 7S, 7S]

    Raises:
        ValueError: a name is that of no card.
    """
    return [Card.parse(name) for name in names.split()]


def text(cards: Iterable[int]) -> str:
    """Cards as names between blanks, in the order given.

    >>> text([54, 6, 6])
    'RJ 7S 7S'
    """
    return " ".join(_NAMES[card] for card in cards)


def pretty(cards: Iterable[int]) -> str:
    """Cards for people, with suit symbols.

    >>> pretty(parse_cards("7S TH BJ"))
    '7♠ 10♥ BJ'
    """
    return " ".join(_pretty(_NAMES[card]) for card in cards)


def _pretty(name: str) -> str:
    if name[1] not in _SYMBOLS:
        return name
    return name[0].replace("T", "10") + _SYMBOLS[name[1]]


def parse_rank(rank: str | int) -> int:
    """A rank as a number from 2 to 14, from that number or its letter.

    >>> parse_rank("T"), parse_rank("10"), parse_rank("a"), parse_rank(7)
    (10, 10, 14, 7)

    Raises:
        ValueError: it is no rank.
    """
    word = str(rank).upper()
    if len(word) == 1 and word in _RANKS:
        return _RANKS.index(word) + 2
    if word.isdecimal() and 2 <= int(word) <= 14:
        return int(word)
    raise ValueError(f"{rank!r} is not a rank; write 2 to 9, T, J, Q, K or A")


def rank_text(rank: int) -> str:
    """The letter of a rank from 2 to 14.

    >>> rank_text(10), rank_text(14)
    ('T', 'A')
    """
    return _RANKS[rank - 2]
