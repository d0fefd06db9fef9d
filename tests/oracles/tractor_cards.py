"""Trumps by the words of T-4 and T-5.3: slow, in card names, and obviously right.

Shares no code with the product. A multiset of cards is a sorted tuple of names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "SHDC"
NAMES = [rank + suit for suit in SUITS for rank in RANKS] + ["BJ", "RJ"]

Names = tuple[str, ...]


@dataclass(frozen=True)
class Deal:
    """Trump suit (a letter, or None), trump rank (a letter) and the options on trumps."""

    suit: str | None
    rank: str
    rank_gap: str = "bridge"
    trump_ladder: str = "full"
    nt_rank_cards: str = "plain"

    @property
    def rank_is_trump(self) -> bool:
        """Whether the cards of the trump rank are trumps."""
        return self.suit is not None or self.nt_rank_cards == "trump"


def effective_suit(card: str, deal: Deal) -> str:
    """S, H, D, C or T."""
    if card in ("BJ", "RJ") or card[1] == deal.suit:
        return "T"
    if card[0] == deal.rank and deal.rank_is_trump:
        return "T"
    return card[1]


def ladder(suit: str, deal: Deal) -> list[list[Names]]:
    """The ladder of an effective suit from low to high, in the pieces into which it is broken.

    Each piece is a list of steps, each step the cards that stand on it.
    """
    if suit == "T":
        return _trump_ladder(deal)
    if suit == deal.suit:
        return []  # its cards are trumps
    if not deal.rank_is_trump:
        return [[(rank + suit,) for rank in RANKS]]
    place = RANKS.index(deal.rank)
    below: list[Names] = [(rank + suit,) for rank in RANKS[:place]]
    above: list[Names] = [(rank + suit,) for rank in RANKS[place + 1 :]]
    return [below, above] if deal.rank_gap == "natural" else [below + above]


def _trump_ladder(deal: Deal) -> list[list[Names]]:
    plain: list[Names] = []
    rank_steps: list[Names] = []
    if deal.suit is not None:
        plain = [(rank + deal.suit,) for rank in RANKS if rank != deal.rank]
        off_suit = tuple(deal.rank + suit for suit in SUITS if suit != deal.suit)
        rank_steps = [off_suit, (deal.rank + deal.suit,)]
    elif deal.nt_rank_cards == "trump":
        rank_steps = [tuple(deal.rank + suit for suit in SUITS)]
    jokers: list[Names] = [("BJ",), ("RJ",)]
    if deal.trump_ladder == "full":
        return [plain + rank_steps + jokers]
    broken = [plain, *([step] for step in rank_steps)]
    if deal.trump_ladder == "jokers":
        return [*broken, jokers]
    return [*broken, *([step] for step in jokers)]


def order(suit: str, deal: Deal) -> list[Names]:
    """Groups of equal cards from high to low."""
    return [step for piece in reversed(ladder(suit, deal)) for step in reversed(piece)]


def strength(card: str, deal: Deal) -> int:
    """A number that is higher for a higher card of the same effective suit."""
    groups = order(effective_suit(card, deal), deal)
    return -next(place for place, group in enumerate(groups) if card in group)


def are_neighbours(low: str, high: str, deal: Deal) -> bool:
    """Whether *high* stands on the step just above *low*."""
    suit = effective_suit(low, deal)
    return any(
        low in piece[place] and high in piece[place + 1]
        for piece in ladder(suit, deal)
        for place in range(len(piece) - 1)
    )


def runs(held: Names, width: int, length: int, deal: Deal) -> Iterator[Names]:
    """Every run of *length* tuples of *width* in *held*, one name a tuple, from low to high."""
    cards = [card for card in sorted(set(held), key=NAMES.index) if held.count(card) >= width]
    found: list[Names] = [(card,) for card in cards]
    for _ in range(length - 1):
        found = [
            (*run, card) for run in found for card in cards if are_neighbours(run[-1], card, deal)
        ]
    yield from found


def less(held: Names, taken: Iterable[str]) -> Names:
    """*held* without *taken*."""
    rest = list(held)
    for card in taken:
        rest.remove(card)
    return tuple(rest)


def choices(held: Names, number: int) -> set[Names]:
    """Every multiset of *number* cards of *held*."""
    return set(combinations(held, number))
