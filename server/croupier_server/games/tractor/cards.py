"""Trumps: effective suits, the order of cards, ladders and points (rules T-1.1, T-4, T-5.3).

A `Trumps` is everything about cards that follows from the trump suit, the trump rank and the
options on trumps. Two numbers carry the rules: ``suit_of[card]`` is the effective suit and
``height[card]`` the strength within it, spaced so that two cards are neighbours on the ladder
exactly when their heights differ by one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from croupier_server.games.cards import (
    BLACK_JOKER,
    CARD_MAX,
    Card,
    Cards,
    count,
    every_copy,
    rank,
    single,
    suit,
)

TRUMP: Final = 4
"""The effective suit of trumps; 0..3 are spades, hearts, diamonds, clubs."""

_SUIT_TOP: Final = 13
"""Height of the highest trump below the rank cards, once the trump rank is taken out."""

_HIGH_TRUMPS: Final = {
    "full": (_SUIT_TOP + 1, _SUIT_TOP + 2, _SUIT_TOP + 3, _SUIT_TOP + 4),
    "jokers": (_SUIT_TOP + 2, _SUIT_TOP + 4, _SUIT_TOP + 6, _SUIT_TOP + 7),
    "none": (_SUIT_TOP + 2, _SUIT_TOP + 4, _SUIT_TOP + 6, _SUIT_TOP + 8),
}
"""By `trump_ladder`: heights of off-suit rank cards, main rank card, black joker, red joker."""

HEIGHT_MAX: Final = _SUIT_TOP + 8
"""No height is above this."""

POINTS: Final[tuple[int, ...]] = tuple(
    {5: 5, 10: 10, 13: 10}.get(rank(card), 0) if card else 0 for card in range(CARD_MAX + 1)
)
"""Points of every card by id (T-1.1)."""

_FIVES: Final[Cards] = every_copy(sum(single(c) for c, worth in enumerate(POINTS) if worth == 5))
_TENS: Final[Cards] = every_copy(sum(single(c) for c, worth in enumerate(POINTS) if worth == 10))


def points(cards: Cards) -> int:
    """Points that *cards* are worth (T-1.1)."""
    return 5 * count((cards & _FIVES) + 2 * (cards & _TENS))


class Trumps:
    """The order of the cards of one deal. Immutable; made and shared by `trumps`.

    Attributes:
        suit: trump suit 0..3, or None in a deal without one.
        rank: trump rank 2..14.
        rank_gap, trump_ladder, nt_rank_cards: the options of T-4.2 and T-5.3.
        suit_of: effective suit of every card by id, `TRUMP` for trumps.
        height: strength of every card within its effective suit by id. Equal cards (off-suit
            rank cards) have equal heights. Cards of one effective suit are neighbours on its
            ladder if and only if their heights differ by one.
        mask: by effective suit, the mask of all copies of its cards.
        above: by effective suit and height, the mask of its cards that are strictly higher.
        at_height: by effective suit, the cards of each height in suit order S H D C.
        order: by effective suit, the groups of equal cards from high to low.
        cheapest_first: the mask of all copies of each card, rising with what it is worth keeping:
            no points before points, side suits before trumps, low before high.
    """

    __slots__ = (
        "above",
        "at_height",
        "cheapest_first",
        "height",
        "mask",
        "nt_rank_cards",
        "order",
        "rank",
        "rank_gap",
        "suit",
        "suit_of",
        "trump_ladder",
    )

    def __init__(
        self, suit: int | None, rank: int, rank_gap: str, trump_ladder: str, nt_rank_cards: str
    ) -> None:
        self.suit = suit
        self.rank = rank
        self.rank_gap = rank_gap
        self.trump_ladder = trump_ladder
        self.nt_rank_cards = nt_rank_cards
        cards = range(1, CARD_MAX + 1)
        self.suit_of = (0, *(self._effective_suit(card) for card in cards))
        self.height = (0, *(self._height(card) for card in cards))
        self.mask: tuple[Cards, ...] = tuple(
            every_copy(sum(single(card) for card in cards if self.suit_of[card] == effective))
            for effective in range(5)
        )
        self.at_height: tuple[tuple[tuple[Card, ...], ...], ...] = tuple(
            tuple(
                tuple(
                    card
                    for card in cards
                    if self.suit_of[card] == effective and self.height[card] == height
                )
                for height in range(HEIGHT_MAX + 1)
            )
            for effective in range(5)
        )
        self.above: tuple[tuple[Cards, ...], ...] = tuple(
            tuple(
                every_copy(sum(single(card) for group in groups[height + 1 :] for card in group))
                for height in range(HEIGHT_MAX + 1)
            )
            for groups in self.at_height
        )
        self.order: tuple[tuple[tuple[Card, ...], ...], ...] = tuple(
            tuple(group for group in reversed(groups) if group) for groups in self.at_height
        )
        ranked = sorted(
            cards, key=lambda c: (POINTS[c] > 0, self.suit_of[c] == TRUMP, self.height[c], c)
        )
        self.cheapest_first: tuple[Cards, ...] = tuple(every_copy(single(card)) for card in ranked)

    def _has_rank_trumps(self) -> bool:
        """Whether the cards of the trump rank are trumps (T-4.2)."""
        return self.suit is not None or self.nt_rank_cards == "trump"

    def _effective_suit(self, card: Card) -> int:
        if card >= BLACK_JOKER or suit(card) == self.suit:
            return TRUMP
        if rank(card) == self.rank and self._has_rank_trumps():
            return TRUMP
        return suit(card)

    def _height(self, card: Card) -> int:
        """Strength of *card*, with a gap wherever the ladder is broken (T-5.3)."""
        if card >= BLACK_JOKER:
            return _HIGH_TRUMPS[self.trump_ladder][card - BLACK_JOKER + 2]
        if not self._has_rank_trumps():
            return rank(card)
        if rank(card) == self.rank:
            # Without a trump suit all rank cards stand where the main rank card would.
            is_off_suit = self.suit is not None and suit(card) != self.suit
            return _HIGH_TRUMPS[self.trump_ladder][0 if is_off_suit else 1]
        if self.rank_gap == "natural" and suit(card) != self.suit:
            return rank(card)
        return rank(card) - (rank(card) > self.rank)


@lru_cache(maxsize=1024)
def trumps(
    suit: int | None, rank: int, rank_gap: str, trump_ladder: str, nt_rank_cards: str
) -> Trumps:
    """The trumps of a deal; equal arguments give the same object.

    Args:
        suit: trump suit 0..3, None for a deal without one.
        rank: trump rank 2..14.
        rank_gap: ``bridge`` or ``natural`` (T-5.3).
        trump_ladder: ``full``, ``jokers`` or ``none`` (T-5.3).
        nt_rank_cards: ``plain`` or ``trump`` (T-4.2).
    """
    return Trumps(suit, rank, rank_gap, trump_ladder, nt_rank_cards)
