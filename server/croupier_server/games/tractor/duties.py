"""The structure that a follower owes (rules T-6.4 and T-6.5).

A component of n tuples of width w claims n x w of the cards played. From each claim come
*levels*: tuples of width w, then of w-1 in what is left of the claim, down to pairs. On each
level the follower owes first as many tuples as can be given, then the longest run among them,
the longest of the rest, and so on. The levels of all components, in order, are compared like
words in a dictionary; an answer is legal if it stands no lower than the best that any choice from
the hand gives.

Two readings of T-6.4, decided here:

- "Four of a card are two pairs (for this count, not as a run)": both count as pairs, but they
  are no run of two. A pair split off a wider tuple does stand in a run with its neighbours, as
  it does in a lead (T-5.5), a throw (T-8) and a ruff (T-7.1).
- Under `full` a run counts only on the first level of a component, where its width is w.

The best is found by growing a list of runs, one number at a time, asking `packing` whether all of
them can be taken at once; so no choice is ever made that a later component could regret.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from croupier_server.games.cards import COPIES_MAX, Cards, at_least, every_copy, single, unpack
from croupier_server.games.tractor.cards import HEIGHT_MAX, Trumps
from croupier_server.games.tractor.packing import Run, fits


class FollowRules(NamedTuple):
    """The options of T-6: ``tractor_follow`` (longest, full, pairs, none) and ``protect``
    (none, tractors, tuples)."""

    tractor_follow: str
    protect: str


Claim = tuple[int, int]
"""Length and width of a component (`Lead.claims`)."""


class Level(NamedTuple):
    """What is given of one width to one component.

    Attributes:
        width: copies of each card.
        most: number of tuples that fit into what is left of the claim.
        full: length of the run that alone counts, or 0 where every run counts, or 1 where none
            does.
        lengths: lengths of the runs given, longest first; their sum is the number of tuples.
    """

    width: int
    most: int
    full: int
    lengths: tuple[int, ...]

    @property
    def value(self) -> tuple[int, tuple[int, ...]]:
        """What two answers are compared by."""
        return sum(self.lengths), self.lengths

    def runs(self, barred: Cards = 0) -> list[Run]:
        """The runs given."""
        return [Run(self.width, length, 0, barred) for length in self.lengths]


_ANY_RUN: Final = 0
_NO_RUN: Final = 1


def best_levels(
    cards: Cards,
    claims: Sequence[Claim],
    suit: int,
    trumps: Trumps,
    rules: FollowRules,
    *,
    is_owed: bool,
) -> list[Level]:
    """The best that *cards*, all of *suit*, give to the components that *claims* stands for.

    With *is_owed* the cards are a hand, and what T-6.5 protects is left out.
    """
    levels: list[Level] = []
    taken: list[Run] = []
    if rules.tractor_follow == "none":
        return levels
    for length, widest in claims:
        barred = 0
        if is_owed and rules.protect == "tractors" and length == 1:
            barred = _cards_in_runs(cards, suit, trumps)
        elif is_owed and rules.protect == "tuples":
            barred = every_copy(at_least(cards, widest + 1))
        claim = length * widest
        for width in range(widest, 1, -1):
            full = _run_that_counts(rules, length, width == widest)
            given = _Taking(cards, taken, width, barred, suit, trumps)
            lengths = _best_lengths(given, claim // width, full)
            level = Level(width, claim // width, full, lengths)
            levels.append(level)
            taken += level.runs(barred)
            claim -= width * sum(lengths)
    return levels


def _run_that_counts(rules: FollowRules, length: int, is_first: bool) -> int:
    if rules.tractor_follow == "longest":
        return _ANY_RUN
    if rules.tractor_follow == "full" and is_first:
        return length
    return _NO_RUN


def _cards_in_runs(cards: Cards, suit: int, trumps: Trumps) -> Cards:
    """Mask of all copies of the cards that stand in any tractor of *cards* (T-6.5)."""
    pairs = at_least(cards, 2)
    heights = {trumps.height[card] for card in unpack(pairs)}
    in_runs = 0
    for height in range(HEIGHT_MAX + 1):
        if height in heights and (height - 1 in heights or height + 1 in heights):
            in_runs |= sum(single(card) for card in trumps.at_height[suit][height]) & pairs
    return every_copy(in_runs)


class _Taking(NamedTuple):
    """Tuples of one level, to be taken from ``cards`` beside the runs ``taken`` before."""

    cards: Cards
    taken: Sequence[Run]
    width: int
    barred: Cards
    suit: int
    trumps: Trumps

    def can_give(self, lengths: Sequence[int]) -> bool:
        """Whether runs of these lengths can be given."""
        runs = [*self.taken, *(Run(self.width, length, 0, self.barred) for length in lengths)]
        return fits(self.cards, runs, self.suit, self.trumps)

    def most(self) -> int:
        """As many tuples as there would be if nothing were taken before."""
        free = self.cards & ~self.barred
        multiples = range(self.width, COPIES_MAX + 1, self.width)
        return sum(at_least(free, copies).bit_count() for copies in multiples)


def _best_lengths(taking: _Taking, most: int, full: int) -> tuple[int, ...]:
    """The best lengths of runs on one level: *most* and *full* are those of `Level`."""
    number = _greatest(min(most, taking.most()), lambda some: taking.can_give((1,) * some))
    if full != _ANY_RUN:
        is_full = full > 1 and number == full and taking.can_give((full,))
        return (full,) if is_full else (1,) * number
    lengths: tuple[int, ...] = ()
    longest = rest = number
    while rest:
        longest = _longest(taking, lengths, min(longest, rest), rest)
        if longest == 1:
            return (*lengths, *(1,) * rest)
        lengths = (*lengths, longest)
        rest -= longest
    return lengths


def _longest(taking: _Taking, lengths: tuple[int, ...], longest: int, rest: int) -> int:
    """The longest run of up to *longest* of the *rest* tuples, beside runs of *lengths*."""

    def can_give(length: int) -> bool:
        return taking.can_give((*lengths, length, *(1,) * (rest - length)))

    return max(1, _greatest(longest, can_give))


def _greatest(most: int, can_give: Callable[[int], bool]) -> int:
    """The greatest number up to *most* that can be given; 0 always can, and whatever is less than
    what can be given can be given too: a run is cut into a shorter one and lone tuples."""
    if can_give(most):
        return most
    least, most = 0, most - 1
    while least < most:
        middle = (least + most + 1) // 2
        if can_give(middle):
            least = middle
        else:
            most = middle - 1
    return least


def owed_runs(levels: Sequence[Level]) -> list[Run]:
    """The runs of all *levels*."""
    return [run for level in levels for run in level.runs()]


def satisfying_runs(levels: Sequence[Level]) -> list[list[Run]]:
    """Lists of runs: an answer is as good as *levels* if and only if it holds one of the lists.

    The first list is *levels* itself; the others are just better on one level and equal before.
    They matter where protected cards may be given although they are not owed (T-6.5).
    """
    lists = [owed_runs(levels)]
    before: list[Run] = []
    for level in levels:
        for lengths in _just_better(level):
            lists.append([*before, *level._replace(lengths=lengths).runs()])
        before += level.runs()
    return lists


def _just_better(level: Level) -> list[tuple[int, ...]]:
    """The least lengths of runs that beat *level*, one for each place where they can do so."""
    number = sum(level.lengths)
    better: list[tuple[int, ...]] = []
    if number < level.most:
        better.append((1,) * (number + 1))
    if level.full > 1 and number == level.full and len(level.lengths) > 1:
        better.append((number,))
    if level.full == _ANY_RUN:
        for place, length in enumerate(level.lengths):
            rest = number - sum(level.lengths[:place]) - length - 1
            if rest >= 0 and (place == 0 or level.lengths[place - 1] > length):
                better.append((*level.lengths[:place], length + 1, *(1,) * rest))
    return better
