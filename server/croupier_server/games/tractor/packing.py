"""Fitting runs of tuples into cards of one effective suit.

The one question behind following (T-6.4), ruffing a throw (T-7.2) and their lists: can these
runs be taken from these cards, each card used once? A `Run` is ``length`` tuples of ``width``
equal cards on neighbouring steps, a lone tuple being a run of length 1. Runs may split wider
tuples and share steps, as long as there are cards enough.

The cards are gone through step by step from the top. What has been decided so far matters only
by the runs not yet begun and the runs under way (`_Left`, `_UnderWay`), so that work is bounded by
the number of such states and not by the number of choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from croupier_server.games.base import Pattern
from croupier_server.games.cards import COPIES_MAX, Card, Cards, at_least, count
from croupier_server.games.patterns import members
from croupier_server.games.tractor.cards import HEIGHT_MAX, Trumps


class Run(NamedTuple):
    """``length`` tuples of ``width`` equal cards on neighbouring steps.

    ``top_min`` is the least height of its highest card; it may use no card of the mask
    ``barred``.
    """

    width: int
    length: int
    top_min: int = 0
    barred: Cards = 0


class _Step(NamedTuple):
    """The cards of one height and their copies.

    ``room`` is the number of all copies, ``follows`` says that the step before is its neighbour.
    """

    height: int
    cards: tuple[tuple[Card, int], ...]
    room: int
    follows: bool


_Class = tuple[int, Cards]
"""Width and barred cards: what matters of a run at a single step."""

_Left = tuple[tuple[_Class, int, tuple[int, ...]], ...]
"""Class, length and least tops, highest first, of the runs of each kind not yet begun."""

_UnderWay = tuple[tuple[_Class, int], ...]
"""Class and number of steps still to come of each run begun, sorted."""


_NO_LONE: Final = ((2, 0), 1, ())


def _number(part: tuple[_Class, int, tuple[int, ...]]) -> int:
    """How many runs of one kind are not yet begun."""
    return len(part[2])


class _Room:
    """Whether runs can be taken from *cards*: the search that all questions about them share.

    The cards are gone through step by step from the top. A state is what is left to begin and what
    is under way. Lone tuples of one class are no part of it: beside the others, as many of
    them as possible are taken at every step, so a state has a greatest number of lone tuples, and
    `_known` keeps the bounds of it that have been found.
    """

    __slots__ = ("_bounds", "_known", "_lone_room", "_reach", "_taken", "steps")

    def __init__(self, cards: Cards, suit: int, trumps: Trumps) -> None:
        self.steps: list[_Step] = []
        before = HEIGHT_MAX + 2
        for group in trumps.order[suit]:
            held = tuple((card, cards >> 4 * card & 15) for card in group if cards >> 4 * card & 15)
            if held:
                height = trumps.height[held[0][0]]
                room = sum(copies for _, copies in held)
                self.steps.append(_Step(height, held, room, height + 1 == before))
                before = height
        self._known: dict[
            tuple[_Class, tuple[int, ...]],
            dict[tuple[int, _Left, _UnderWay], tuple[int, int]],
        ] = {}
        self._taken: dict[tuple[int, tuple[_Class, ...], _Class], int] = {}
        self._reach: dict[_Class, list[int]] = {}
        self._lone_room: dict[_Class, list[int]] = {}
        self._bounds: dict[tuple[int, int], list[int]] = {}

    def finishes(self, index: int, left: _Left, under_way: _UnderWay) -> bool:
        """Whether *left* and *under_way* fit from step *index* on."""
        lone = max([part for part in left if part[1] == 1], key=_number, default=_NO_LONE)
        others = tuple([part for part in left if part != lone])
        return self._fits(index, others, under_way, len(lone[2]), lone[0], lone[2])

    def selections(
        self, index: int, ways: Sequence[tuple[_Left, _UnderWay]], taken: Cards
    ) -> Iterator[Cards]:
        """The cards taken by every way to finish; each multiset once, in a fixed order.

        *ways* are all the ways to read *taken* as far as the steps before *index*, and all of them
        can be finished. So no branch ends without a result, and the first are there at once.
        """
        if any(not left and not under_way for left, under_way in ways):
            # Equally many cards are taken in all of them, so all of them are finished.
            yield taken
            return
        after: dict[Cards, set[tuple[_Left, _UnderWay]]] = {}
        for left, under_way in ways:
            for kinds, still_left, going_on in self._goings_on(index, left, under_way):
                uses = _place(self.steps[index].cards, kinds)
                if uses and self.finishes(index + 1, still_left, going_on):
                    for use in uses:
                        after.setdefault(use, set()).add((still_left, going_on))
        for use in sorted(after, reverse=True):
            yield from self.selections(index + 1, sorted(after[use]), taken + use)

    def _fits(
        self,
        index: int,
        left: _Left,
        under_way: _UnderWay,
        wanted: int,
        lone: _Class,
        tops: tuple[int, ...],
    ) -> bool:
        """Whether *left* and *under_way* leave *wanted* lone tuples, the last of *tops*."""
        has_tops = bool(tops) and tops[0] > 0
        if not left and not under_way and not has_tops:
            return wanted <= self._lone_left(index, lone)
        if index == len(self.steps):
            return not left and not under_way and not wanted
        step = self.steps[index]
        if under_way and not step.follows:
            return False
        if has_tops and wanted and tops[-wanted] > step.height:
            return False
        for _, _, least in left:
            if least[0] > step.height:
                return False
        known = self._known.setdefault((lone, tops if has_tops else ()), {})
        key = (index, left, under_way)
        most, too_many = known.get(key, (-1, 1 << 10))
        if wanted <= most or wanted >= too_many:
            return wanted <= most
        found = self._has_room(index, left, under_way, wanted, lone) and self._goes_on(
            index, left, under_way, wanted, lone, tops
        )
        most, too_many = known.get(key, (-1, 1 << 10))
        known[key] = (max(most, wanted), too_many) if found else (most, min(too_many, wanted))
        return found

    def _goes_on(
        self,
        index: int,
        left: _Left,
        under_way: _UnderWay,
        wanted: int,
        lone: _Class,
        tops: tuple[int, ...],
    ) -> bool:
        for kinds, still_left, going_on in self._goings_on(index, left, under_way):
            lone_here = self._beside(index, kinds, lone)
            rest = max(0, wanted - lone_here)
            if lone_here >= 0 and self._fits(index + 1, still_left, going_on, rest, lone, tops):
                return True
        return False

    def _goings_on(
        self, index: int, left: _Left, under_way: _UnderWay
    ) -> Iterator[tuple[tuple[_Class, ...], _Left, _UnderWay]]:
        """The classes that may take a tuple at a step, sorted, with what is then left and under
        way."""
        forced = tuple([kind for kind, _ in under_way])
        going_on = tuple([(kind, more - 1) for kind, more in under_way if more > 1])
        room = self.steps[index].room - sum([width for width, _ in forced])
        if room < 0:
            return
        for begun, begun_way, still_left in self._starts(index, left, room):
            kinds = tuple(sorted(forced + begun)) if begun else forced
            after = tuple(sorted(going_on + begun_way)) if begun_way else going_on
            yield kinds, still_left, after

    def _starts(
        self, index: int, left: _Left, room: int
    ) -> list[tuple[tuple[_Class, ...], _UnderWay, _Left]]:
        """What may begin at a step in *room* cards, most runs first: by class, what is then under
        way of it, and what is left."""
        ways: list[tuple[tuple[_Class, ...], _UnderWay, _Left, int]] = [((), (), (), room)]
        for part in left:
            kind, length, least = part
            width = kind[0]
            number = len(least)
            if width > room or (length > 1 and self.reach(kind)[index] < length):
                ways = [(begun, way, (*rest, part), free) for begun, way, rest, free in ways]
                continue
            more: list[tuple[tuple[_Class, ...], _UnderWay, _Left, int]] = []
            for begun, way, rest, free in ways:
                for some in range(min(number, free // width), -1, -1):
                    still = rest if some == number else (*rest, (kind, length, least[some:]))
                    going = way + ((kind, length - 1),) * some if length > 1 else way
                    more.append((begun + (kind,) * some, going, still, free - some * width))
            ways = more
        return [(begun, way, rest) for begun, way, rest, _ in ways]

    def reach(self, kind: _Class) -> list[int]:
        """By step, how many neighbouring steps from it on have a tuple of this class."""
        found = self._reach.get(kind)
        if found is None:
            width, barred = kind
            found = [0] * (len(self.steps) + 1)
            for index in range(len(self.steps) - 1, -1, -1):
                if any(
                    copies >= width and not barred >> 4 * card & 15
                    for card, copies in self.steps[index].cards
                ):
                    goes_on = index + 1 < len(self.steps) and self.steps[index + 1].follows
                    found[index] = 1 + (found[index + 1] if goes_on else 0)
            self._reach[kind] = found
        return found

    def _beside(self, index: int, kinds: tuple[_Class, ...], lone: _Class) -> int:
        """The most tuples of *lone* beside a tuple of each of *kinds* at one step; -1 if those do
        not fit."""
        key = (index, kinds, lone)
        found = self._taken.get(key)
        if found is None:
            cards = self.steps[index].cards
            width, barred = lone
            found = max(
                (
                    sum(
                        (copies - (used >> 4 * card & 15)) // width
                        for card, copies in cards
                        if not barred >> 4 * card & 15
                    )
                    for used in _place(cards, kinds)
                ),
                default=-1,
            )
            self._taken[key] = found
        return found

    def _lone_left(self, index: int, lone: _Class) -> int:
        """How many tuples of *lone* there are from step *index* on."""
        found = self._lone_room.get(lone)
        if found is None:
            found = [0]
            for place in range(len(self.steps) - 1, -1, -1):
                found.append(found[-1] + self._beside(place, (), lone))
            found.reverse()
            self._lone_room[lone] = found
        return found[index]

    def _bound(self, width: int, length: int) -> list[int]:
        """By step, how many tuples of *width* there are from it on in runs of *length*."""
        found = self._bounds.get((width, length))
        if found is None:
            number = len(self.steps)
            reach = self.reach((width, 0))
            found = [0] * (number + 1)
            stretch_room = 0
            later = 0
            for index in range(number - 1, -1, -1):
                if not reach[index]:
                    found[index] = found[index + 1]
                    continue
                if index + 1 == number or not reach[index + 1] or not self.steps[index + 1].follows:
                    later = found[index + 1]
                    stretch_room = 0
                stretch_room += sum(copies // width for _, copies in self.steps[index].cards)
                found[index] = later + (stretch_room if reach[index] >= length else 0)
            self._bounds[width, length] = found
        return found

    def _has_room(
        self, index: int, left: _Left, under_way: _UnderWay, wanted: int, lone: _Class
    ) -> bool:
        """Whether there are tuples enough from *index* on, by width and length: a quick no."""
        asked = {kind[0] for kind, _, _ in left}
        asked.update([kind[0] for kind, _ in under_way])
        asked.update((1, lone[0]))
        for width in asked:
            used = wanted * (lone[0] // width)
            for kind, length, least in left:
                used += length * len(least) * (kind[0] // width)
            for kind, more in under_way:
                used += more * (kind[0] // width)
            if used > self._bound(width, 1)[index]:
                return False
        for kind, length, _ in left:
            if length > 1:
                used = 0
                for other, longer, least in left:
                    if longer >= length:
                        used += longer * len(least) * (other[0] // kind[0])
                if used > self._bound(kind[0], length)[index]:
                    return False
        return True


def _place(cards: tuple[tuple[Card, int], ...], kinds: Sequence[_Class]) -> frozenset[Cards]:
    """The cards used when every one of *kinds* takes a tuple of *cards*."""
    ways = {0}
    for width, barred in kinds:
        ways = {
            used + (width << 4 * card)
            for used in ways
            for card, copies in cards
            if (used >> 4 * card & 15) + width <= copies and not barred >> 4 * card & 15
        }
    return frozenset(ways)


_room = lru_cache(maxsize=16)(_Room)
"""The search in some cards, shared by the questions about one hand."""


def _grouped(runs: Sequence[Run]) -> _Left:
    tops: dict[tuple[_Class, int], list[int]] = {}
    for run in runs:
        tops.setdefault(((run.width, run.barred), run.length), []).append(run.top_min)
    return tuple(
        sorted(
            (kind, length, tuple(sorted(least, reverse=True)))
            for (kind, length), least in tops.items()
        )
    )


def _lone_tuples(cards: Cards, runs: Sequence[Run]) -> Pattern | None:
    """If *runs* are lone tuples of one width, a pattern of the cards that those of *cards* are
    made of: they are simply counted."""
    width = runs[0].width if runs else 1
    if runs.count(Run(width, 1)) != len(runs):
        return None
    tuples = sum(at_least(cards, copies) for copies in range(width, COPIES_MAX + 1, width))
    return Pattern(0, 0, tuples, len(runs), len(runs))


def selections(cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> Iterator[Cards]:
    """The cards taken by every way to take *runs* from *cards*, which are of effective suit
    *suit*; each multiset once, in a fixed order. The first are there at once."""
    lone = _lone_tuples(cards, runs)
    if lone is not None:
        for tuples in members((lone,)):
            yield runs[0].width * tuples if runs else 0
        return
    room, left = _room(cards, suit, trumps), _grouped(runs)
    if room.finishes(0, left, ()):
        yield from room.selections(0, ((left, ()),), 0)


def fits(cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> bool:
    """Whether *runs* can all be taken from *cards*, which are of effective suit *suit*."""
    lone = _lone_tuples(cards, runs)
    if lone is not None:
        return lone.least <= count(lone.pool)
    return _room(cards, suit, trumps).finishes(0, _grouped(runs), ())
