"""Fitting runs into cards, slowly: the search of `packing.py` written to be read.

State by state, every run of the same shape alike, and nothing shared between two questions: what
the product's search has to agree with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from croupier_server.games.cards import Card, Cards
from croupier_server.games.tractor.cards import HEIGHT_MAX, Trumps
from croupier_server.games.tractor.packing import Run

Left = tuple[Run, ...]
UnderWay = tuple[tuple[Run, int], ...]
"""Runs begun, with the number of steps still to come."""


def slow_fits(cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> bool:
    """Whether *runs* can all be taken from *cards*, which are of effective suit *suit*."""
    steps = [
        tuple((card, cards >> 4 * card & 15) for card in trumps.at_height[suit][height])
        for height in range(HEIGHT_MAX + 1)
    ]

    @cache
    def finishes(height: int, left: Left, under_way: UnderWay) -> bool:
        if not left and not under_way:
            return True
        if height < 0 or any(run.top_min > height for run in left):
            return False
        forced = tuple(run for run, _ in under_way)
        going_on = tuple((run, more - 1) for run, more in under_way if more > 1)
        for begun in _subsets(left, sum(copies for _, copies in steps[height])):
            if _have_room(steps[height], forced + begun):
                begun_now = tuple((run, run.length - 1) for run in begun if run.length > 1)
                rest = list(left)
                for run in begun:
                    rest.remove(run)
                if finishes(height - 1, tuple(rest), tuple(sorted(going_on + begun_now))):
                    return True
        return False

    return finishes(HEIGHT_MAX, tuple(sorted(runs)), ())


def _subsets(left: Left, room: int) -> Iterator[tuple[Run, ...]]:
    """Every choice of runs whose widths are at most *room* together, equal choices once."""
    if not left:
        yield ()
        return
    first, number = left[0], left.count(left[0])
    for some in range(number + 1):
        if some * first.width <= room:
            for others in _subsets(left[number:], room - some * first.width):
                yield (first,) * some + others


def _have_room(cards: tuple[tuple[Card, int], ...], runs: Sequence[Run]) -> bool:
    """Whether a tuple of each of *runs* can be taken from the cards of one step."""
    if not runs:
        return True
    run, *others = runs
    return any(
        copies >= run.width
        and not run.barred >> 4 * card & 15
        and _have_room((*cards[:place], (card, copies - run.width), *cards[place + 1 :]), others)
        for place, (card, copies) in enumerate(cards)
    )
