"""What a follower may play (T-6): every answer against every way of giving.

A direct transcription of T-6.4 and T-6.5. A *giving* hands the components of the lead, one after
the other and width by width, some tuples of the cards; its worth is the list of what it hands
out. The best worth of all givings from the hand is owed; the best worth of all givings from an
answer is what the answer gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.oracles.tractor_cards import (
    Deal,
    Names,
    are_neighbours,
    choices,
    effective_suit,
    less,
)
from tests.oracles.tractor_leads import read, tractors

Worth = tuple[tuple[int, tuple[int, ...]], ...]
"""For each component and width: number of tuples, and what is counted of their runs."""

Claim = tuple[int, int, Names]
"""A component: number of tuples, width, and the cards it does not claim."""


def legal_answers(
    hand: Names, led: Names, deal: Deal, tractor_follow: str, protect: str
) -> set[Names]:
    """Every legal answer from *hand* to *led*, as sorted tuples."""
    suit = effective_suit(led[0], deal)
    number = len(led)
    held = tuple(sorted(card for card in hand if effective_suit(card, deal) == suit))
    answers = choices(tuple(sorted(hand)), number)
    if len(held) <= number:
        return {
            answer
            for answer in answers
            if tuple(card for card in answer if effective_suit(card, deal) == suit) == held
        }
    shapes = [(len(part.tuples), part.width) for part in read(led, deal)]
    bare: list[Claim] = [(length, width, ()) for length, width in shapes]
    claims: list[Claim] = [
        (length, width, protected(held, length, width, deal, protect)) for length, width in shapes
    ]
    owed = best_worth(held, tuple(claims), deal, tractor_follow)
    return {
        answer
        for answer in choices(held, number)
        if best_worth(answer, tuple(bare), deal, tractor_follow) >= owed
    }


def protected(held: Names, length: int, width: int, deal: Deal, protect: str) -> Names:
    """The cards, one name each, that a component does not claim (T-6.5)."""
    if protect == "tractors" and length == 1:
        return tuple(sorted({card for part in tractors(held, deal) for card in part.tuples}))
    if protect == "tuples":
        return tuple(sorted({card for card in held if held.count(card) > width}))
    return ()


@cache
def best_worth(cards: Names, claims: tuple[Claim, ...], deal: Deal, tractor_follow: str) -> Worth:
    """The best that any giving from *cards* is worth."""
    if not claims or tractor_follow == "none":
        return ()
    (length, width, kept), *others = claims
    return max(
        worth + best_worth(less(cards, given), tuple(others), deal, tractor_follow)
        for given, worth in set(
            _givings(cards, length, width, width, length * width, kept, deal, tractor_follow)
        )
    )


def _givings(
    cards: Names,
    length: int,
    widest: int,
    width: int,
    claim: int,
    kept: Names,
    deal: Deal,
    tractor_follow: str,
) -> Iterator[tuple[Names, Worth]]:
    """Every way to hand tuples of *width* and narrower out of *cards* to one component."""
    if width < 2:
        yield (), ()
        return
    free = tuple(
        card for card in sorted(set(cards) - set(kept)) for _ in range(cards.count(card) // width)
    )
    for number in range(min(claim // width, len(free)) + 1):
        for tuples in choices(free, number):
            given = tuple(sorted(tuples * width))
            if tractor_follow == "longest":
                counted = run_lengths(tuples, deal)
            elif tractor_follow == "full" and width == widest and number == length > 1:
                counted = (int(run_lengths(tuples, deal) == (length,)),)
            else:
                counted = ()
            rest = less(cards, given)
            for more, worth in _givings(
                rest, length, widest, width - 1, claim - len(given), kept, deal, tractor_follow
            ):
                yield tuple(sorted(given + more)), ((number, counted), *worth)


@cache
def run_lengths(tuples: Names, deal: Deal) -> tuple[int, ...]:
    """Length of the longest run of *tuples*, of the longest in the rest, and so on."""
    if not tuples:
        return ()
    found: list[Names] = [(card,) for card in sorted(set(tuples))]
    longest = found
    while found:
        longest = found
        found = [
            (*run, card)
            for run in found
            for card in sorted(set(tuples))
            if are_neighbours(run[-1], card, deal)
        ]
    return max((len(run), *run_lengths(less(tuples, run), deal)) for run in longest)
