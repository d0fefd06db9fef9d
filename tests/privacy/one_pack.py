"""The same deck, otherwise dealt: for games of one pack whose cards are dealt one at a time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from croupier_server.games.base import Seat

Four = tuple[int, ...]
"""Places of the deck that hold the four cards of a rank."""


@dataclass
class Deal:
    """A deal as somebody who saw everything tells it.

    Attributes:
        deck: front first.
        owners: by place of the deck: the seat that got the card, or None if nobody has.
        dealt: places below this were dealt before anything happened, so that nobody else knows in
            which order a seat got its cards there.
        seen: cards that lay open for everybody at any time.
        fours: places of four cards of a rank that lie face down, in the order in which they were
            laid: their rank is unknown, but it is one.
    """

    deck: list[int]
    owners: list[Seat | None]
    dealt: int
    seen: set[int]
    fours: list[Four] = field(default_factory=list)


def rank_of(card: int) -> int:
    """What four cards have in common."""
    return (card - 1) % 13


def redeal(deal: Deal, audience: Seat, rng: random.Random) -> tuple[list[int], list[list[int]]]:
    """The deck with every card elsewhere that *audience* does not know the place of; and the cards
    of each of the fours.

    What was seen stays with the seat that had it, and if it was drawn after the deal, it stays at
    its place: it was needed when it was seen, not before.
    """
    deck = deal.deck.copy()
    under = [[deck[place] for place in four] for four in deal.fours]
    fours = [
        number for number, four in enumerate(deal.fours) if _is_hidden(deal, four[0], audience)
    ]
    hidden = [place for place in range(len(deck)) if _is_hidden(deal, place, audience)]
    cards = {deck[place] for place in hidden}
    for number in fours:
        ranks = [
            rank
            for rank in range(13)
            if sum(card <= 52 and rank_of(card) == rank for card in cards) == 4
        ]
        rank = rng.choice(ranks)
        under[number] = [card for card in sorted(cards) if card <= 52 and rank_of(card) == rank]
        cards -= set(under[number])
        _put(deck, deal.fours[number], under[number], rng)
    in_fours = {place for number in fours for place in deal.fours[number]}
    _put(deck, [place for place in hidden if place not in in_fours], sorted(cards), rng)
    for seat in {owner for owner in deal.owners if owner is not None} - {audience}:
        places = [place for place in range(deal.dealt) if deal.owners[place] == seat]
        _put(deck, places, [deck[place] for place in places], rng)
    assert sorted(deck) == sorted(deal.deck)
    return deck, under


def _is_hidden(deal: Deal, place: int, audience: Seat) -> bool:
    return deal.owners[place] != audience and deal.deck[place] not in deal.seen


def _put(deck: list[int], places: Sequence[int], cards: list[int], rng: random.Random) -> None:
    """Put *cards* into *places* in any order."""
    for place, card in zip(places, rng.sample(cards, len(cards)), strict=True):
        deck[place] = card
