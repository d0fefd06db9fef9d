"""Reading a lead (T-5.5) and judging a throw (T-8) by looking at every tractor there is."""

from __future__ import annotations

from typing import NamedTuple

from tests.oracles.tractor_cards import (
    SUITS,
    Deal,
    Names,
    effective_suit,
    less,
    runs,
    strength,
)


class Part(NamedTuple):
    """A component: its tuples from low to high, one name each, and their width."""

    tuples: Names
    width: int

    @property
    def cards(self) -> Names:
        """All its cards."""
        return tuple(sorted(self.tuples * self.width))


def tractors(cards: Names, deal: Deal) -> list[Part]:
    """Every tractor that can be read in *cards*."""
    return [
        Part(run, width)
        for width in range(2, len(cards) // 2 + 1)
        for length in range(2, len(cards) // width + 1)
        for run in runs(cards, width, length, deal)
    ]


def suit_place(card: str) -> int:
    """S H D C, jokers last."""
    return SUITS.find(card[1]) if card[1] in SUITS else 4


def read(cards: Names, deal: Deal) -> list[Part]:
    """The components of a lead, largest first; *cards* are of one effective suit."""
    rest = cards
    parts: list[Part] = []
    while found := tractors(rest, deal):
        best = max(
            found,
            key=lambda part: (
                len(part.cards),
                part.width,
                strength(part.tuples[-1], deal),
                # Of equal cards on one step: fewest copies, then by suit.
                [-rest.count(card) for card in part.tuples],
                [-suit_place(card) for card in part.tuples],
            ),
        )
        parts.append(best)
        rest = less(rest, best.cards)
    parts += [Part((card,), rest.count(card)) for card in sorted(set(rest))]
    return sorted(
        parts,
        key=lambda part: (
            -len(part.cards),
            -len(part.tuples),
            -strength(part.tuples[-1], deal),
            suit_place(part.tuples[-1]),
        ),
    )


def beats(held: Names, part: Part, deal: Deal) -> bool:
    """Whether *held*, of the same suit, has the same shape with a strictly higher top card."""
    top = strength(part.tuples[-1], deal)
    return any(
        strength(run[-1], deal) > top for run in runs(held, part.width, len(part.tuples), deal)
    )


def judge(cards: Names, others: list[Names], deal: Deal) -> tuple[Names, list[Part]]:
    """What stays of a lead, and the beatable components."""
    parts = read(cards, deal)
    suit = effective_suit(cards[0], deal)
    in_suit = [
        tuple(card for card in other if effective_suit(card, deal) == suit) for other in others
    ]
    beatable = [part for part in parts if any(beats(held, part, deal) for held in in_suit)]
    if len(parts) == 1 or not beatable:
        return tuple(sorted(cards)), []
    return beatable[-1].cards, beatable
