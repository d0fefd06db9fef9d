"""The order of the cards in a deal of Tractor, read from the view."""

from __future__ import annotations

from collections.abc import Iterable

from croupier.cards import Card, to_cards
from croupier.tractor.moves import Suit
from croupier.v1 import tractor_pb2

__all__ = ["Order"]


class Order:
    """T-4: the effective suit and the strength of every card, once trumps are fixed.

    Attributes:
        suit_of: number of the effective suit (`Suit`) by card number; 0 for no card.
        strength_of: strength within the effective suit by card number; equal numbers tie.
    """

    __slots__ = ("_suits", "strength_of", "suit_of")

    def __init__(self, suits: Iterable[tractor_pb2.TractorSuitOrder]) -> None:
        self.suit_of = [0] * 55
        self.strength_of = [0] * 55
        self._suits: dict[int, tuple[Card, ...]] = {}
        for suit in suits:
            number = int(suit.suit)
            self._suits[number] = tuple(to_cards(suit.cards))
            for card, strength in zip(suit.cards, suit.strengths, strict=True):
                self.suit_of[card] = number
                self.strength_of[card] = strength

    def suit(self, card: int) -> Suit:
        """Effective suit of *card*."""
        return Suit(self.suit_of[card])

    def strength(self, card: int) -> int:
        """Strength of *card* within its effective suit; higher wins, equal ones tie."""
        return self.strength_of[card]

    def is_trump(self, card: int) -> bool:
        """Whether *card* is a trump."""
        return self.suit_of[card] == Suit.TRUMPS

    def cards(self, suit: int) -> tuple[Card, ...]:
        """Faces of an effective suit, from low to high."""
        return self._suits.get(suit, ())

    def sort(self, cards: Iterable[int]) -> list[Card]:
        """Cards as people hold them: by effective suit, trumps last, each from low to high."""
        return to_cards(sorted(cards, key=lambda c: (self.suit_of[c], self.strength_of[c], c)))
