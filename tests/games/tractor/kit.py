"""What the tests of Tractor's cards and tricks share: hands as text, trumps, random positions.

Positions come as an oracle's `Deal` and card names; the functions here turn them into the
product's trumps and packed counts and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from croupier_server.games.cards import Cards, parse, text
from croupier_server.games.tractor.cards import Trumps, trumps
from croupier_server.games.tractor.components import Lead
from croupier_server.games.tractor.moves import TractorMoveKind
from tests.oracles.tractor_cards import (
    NAMES,
    RANKS,
    SUITS,
    Deal,
    Names,
    effective_suit,
    order,
)

RANK_GAPS = ("bridge", "natural")
LADDERS = ("full", "jokers", "none")
NT_RANK_CARDS = ("plain", "trump")
FOLLOWS = ("longest", "full", "pairs", "none")
PROTECTS = ("none", "tractors", "tuples")
COMPARES = ("largest", "all", "highest")


def deal(name: str, **options: str) -> Deal:
    """A deal by the name of its main rank card, ``7C``; ``7-`` has no trump suit."""
    return Deal(None if name[1] == "-" else name[1], name[0], **options)


def trumps_of(of: Deal) -> Trumps:
    """The product's trumps of a deal."""
    suit = None if of.suit is None else SUITS.index(of.suit)
    rank = RANKS.index(of.rank) + 2
    return trumps(suit, rank, of.rank_gap, of.trump_ladder, of.nt_rank_cards)


def order_by(name: str, **options: str) -> Trumps:
    """Trumps by the name of the main rank card."""
    return trumps_of(deal(name, **options))


def kind_of(lead: Lead) -> TractorMoveKind:
    """The kind of a move that makes *lead*."""
    if lead.is_throw:
        return TractorMoveKind.LEAD_THROW
    (component,) = lead.components
    if component.length > 1:
        return TractorMoveKind.LEAD_TRACTOR
    kinds = (TractorMoveKind.LEAD_SINGLE, TractorMoveKind.LEAD_PAIR, TractorMoveKind.LEAD_TUPLE)
    return kinds[min(component.width, 3) - 1]


def packed(names: Names) -> Cards:
    """Names as packed counts."""
    return parse(" ".join(names))


def named(cards: Cards) -> Names:
    """Packed counts as sorted names."""
    return tuple(sorted(text(cards).split()))


def every_deal(suit: str | None) -> list[Deal]:
    """All trump ranks under all options on trumps."""
    return [
        Deal(suit, rank, gap, ladder, nt_rank_cards)
        for rank in RANKS
        for gap in RANK_GAPS
        for ladder in LADDERS
        for nt_rank_cards in NT_RANK_CARDS
    ]


def random_deal(random: Random) -> Deal:
    """Any trumps and options; no trump, trump rank ace and two come often."""
    return Deal(
        random.choice([None, *SUITS]),
        random.choice([*RANKS, *"A2" * 4]),
        random.choice(RANK_GAPS),
        random.choice(LADDERS),
        random.choice(NT_RANK_CARDS),
    )


def dense_cards(random: Random, of: Deal, suit: str, number: int, packs: int) -> Names:
    """Up to *number* cards of an effective suit, mostly neighbours, so that runs come up."""
    cards = [card for step in order(suit, of) for card in step]
    width = random.randint(1, min(len(cards), 6))
    start = random.randrange(len(cards) - width + 1)
    pool = cards[start : start + width] * packs
    random.shuffle(pool)
    return tuple(sorted(pool[:number]))


def other_cards(random: Random, of: Deal, suit: str, number: int) -> Names:
    """Up to *number* cards of the other effective suits."""
    cards = [card for card in NAMES * 2 if effective_suit(card, of) != suit]
    return tuple(sorted(random.sample(cards, number)))


def random_suit(random: Random, of: Deal) -> str:
    """An effective suit, trumps often; a trump suit has no cards of its own."""
    return random.choice("SHDCTTTT")


def words(random: Random) -> Iterator[int]:
    """64-bit words without end."""
    while True:
        yield random.getrandbits(64)


def randoms() -> st.SearchStrategy[Random]:
    """A source of positions; a failing one prints the seed that repeats it."""
    return st.integers(min_value=0, max_value=2**32).map(Random)
