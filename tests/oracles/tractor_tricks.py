"""Who wins a trick (T-7), by every way to divide a play into the components of the lead."""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracles.tractor_cards import Deal, Names, effective_suit, less, runs, strength
from tests.oracles.tractor_leads import read

Shape = tuple[int, int]
"""Number of tuples, and width."""


def divisions(cards: Names, shapes: list[Shape], deal: Deal) -> Iterator[tuple[int, ...]]:
    """The heights of the top cards of every way to divide *cards* into *shapes*."""
    if not shapes:
        if not cards:
            yield ()
        return
    (length, width), *others = shapes
    for run in runs(cards, width, length, deal):
        for tops in divisions(less(cards, run * width), others, deal):
            yield (strength(run[-1], deal), *tops)


def winner(plays: list[Names], deal: Deal, throw_compare: str) -> int:
    """Index of the play that wins; the first is the lead, which is no false throw."""
    led = effective_suit(plays[0][0], deal)
    shapes = [(len(part.tuples), part.width) for part in read(plays[0], deal)]
    best = 0
    for index in range(1, len(plays)):
        suits = {effective_suit(card, deal) for card in plays[index]}
        stands_in = {effective_suit(card, deal) for card in plays[best]}
        ways = set(divisions(plays[index], shapes, deal))
        if not ways or suits not in ({led}, {"T"}) or (suits == {led} and len(shapes) > 1):
            continue
        if suits != stands_in:
            wins = suits == {"T"}
        else:
            wins = _is_higher(plays[index], plays[best], shapes, deal, throw_compare)
        if wins:
            best = index
    return best


def _is_higher(
    later: Names, standing: Names, shapes: list[Shape], deal: Deal, throw_compare: str
) -> bool:
    """Whether *later* beats *standing*, both of one suit and of the shape of the lead."""
    if throw_compare == "highest":
        return max(strength(card, deal) for card in later) > max(
            strength(card, deal) for card in standing
        )
    like_largest = [place for place, shape in enumerate(shapes) if shape == shapes[0]]
    if throw_compare == "largest":
        return _highest(later, shapes, like_largest, deal) > _highest(
            standing, shapes, like_largest, deal
        )
    stands = _by_shape(max(divisions(standing, shapes, deal)), shapes)
    return any(
        all(
            high > low
            for ours, theirs in zip(_by_shape(tops, shapes), stands, strict=True)
            for high, low in zip(ours, theirs, strict=True)
        )
        for tops in divisions(later, shapes, deal)
    )


def _highest(cards: Names, shapes: list[Shape], places: list[int], deal: Deal) -> int:
    return max(tops[place] for tops in divisions(cards, shapes, deal) for place in places)


def _by_shape(tops: tuple[int, ...], shapes: list[Shape]) -> list[list[int]]:
    """The tops of the components of each shape, in order of height."""
    return [
        sorted((top for top, other in zip(tops, shapes, strict=True) if other == shape))
        for shape in sorted(set(shapes))
    ]
