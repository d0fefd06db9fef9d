"""Components: what a lead is made of, and the one way in which it is read (rule T-5).

Must not be put here: what a follower owes (`follow`), and who wins (`tricks`, `throws`).
"""

from __future__ import annotations

from typing import NamedTuple

from croupier_server.games.cards import Cards
from croupier_server.games.tractor.cards import Trumps


class Component(NamedTuple):
    """One unit of a lead: ``length`` tuples of ``width`` equal cards on neighbouring steps.

    Attributes:
        width: copies of each card; 1 for a single.
        length: number of tuples; 2 or more for a tractor.
        top: height of its highest card (`Trumps.height`).
        suit: printed suit of its highest card, which ranks equal off-suit rank cards.
        cards: its cards.
    """

    width: int
    length: int
    top: int
    suit: int
    cards: Cards

    @property
    def count(self) -> int:
        """Number of its cards."""
        return self.width * self.length


class Lead:
    """Cards led to a trick, as T-5.5 reads them. Immutable; made and shared by `read_lead`.

    Attributes:
        suit: effective suit.
        count: number of cards.
        cards: the cards.
        components: the components, largest first.
        is_throw: there are two or more components.
    """

    __slots__ = ("cards", "components", "count", "is_throw", "suit")

    def __init__(self, suit: int, cards: Cards, components: tuple[Component, ...]) -> None:
        self.suit = suit
        self.cards = cards
        self.components = components
        self.count = sum(component.count for component in components)
        self.is_throw = len(components) > 1


def read_lead(cards: Cards, trumps: Trumps) -> Lead:
    """*cards* as a lead, read as T-5.5 says.

    Raises:
        IllegalMove: MIXED_SUITS (T-5.4) if they are of more than one effective suit;
            WRONG_CARD_COUNT (T-5.1) if there are none.
    """
    raise NotImplementedError


def lead_kind(lead: Lead) -> int:
    """The `TractorMoveKind` of *lead*: LEAD_SINGLE, LEAD_PAIR, LEAD_TUPLE, LEAD_TRACTOR or
    LEAD_THROW."""
    raise NotImplementedError
