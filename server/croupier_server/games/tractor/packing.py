"""Fitting runs of tuples into cards of one effective suit.

The one question behind following (T-6.4), ruffing a throw (T-7.2) and their lists: can these
runs be taken from these cards, each card used once? A `Run` is ``length`` tuples of ``width``
equal cards on neighbouring steps, a lone tuple being a run of length 1. Runs may split wider
tuples and share steps, as long as there are cards enough.

The cards are gone through step by step from the top. What has been decided so far matters only
by the runs not yet begun and the runs under way (`_Todo`), so that work is bounded by the number
of such states and not by the number of choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from croupier_server.games.base import Pattern
from croupier_server.games.cards import COPIES_MAX, Card, Cards, at_least, count
from croupier_server.games.patterns import Words, below, members, sample
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


class _Todo(NamedTuple):
    """``left``: how many runs of each kind are not yet begun. ``under_way``: kind and number of
    steps still to come of each run begun, sorted."""

    left: tuple[int, ...]
    under_way: tuple[tuple[int, int], ...]


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

    def fits(self, runs: Sequence[Run]) -> bool:
        """Whether *runs* can all be taken at once."""
        tops: dict[tuple[_Class, int], list[int]] = {}
        for run in runs:
            tops.setdefault(((run.width, run.barred), run.length), []).append(run.top_min)
        return self.finishes(0, tops, ())

    def finishes(
        self, index: int, tops: dict[tuple[_Class, int], list[int]], under_way: _UnderWay
    ) -> bool:
        """Whether runs with these least tops, and those under way, fit from step *index* on."""
        lone: _Class = (2, 0)
        lone_tops: tuple[int, ...] = ()
        for (kind, length), least in tops.items():
            if length == 1 and len(least) > len(lone_tops):
                lone, lone_tops = kind, tuple(sorted(least, reverse=True))
        left = tuple(
            sorted(
                (kind, length, tuple(sorted(least, reverse=True)))
                for (kind, length), least in tops.items()
                if least and (length > 1 or kind != lone)
            )
        )
        return self._fits(index, left, under_way, len(lone_tops), lone, lone_tops)

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
        forced = tuple([kind for kind, _ in under_way])
        going_on = tuple([(kind, more - 1) for kind, more in under_way if more > 1])
        room = self.steps[index].room - sum([width for width, _ in forced])
        if room < 0:
            return False
        for begun, begun_way, still_left in self._starts(index, left, room):
            kinds = tuple(sorted(forced + begun)) if begun else forced
            lone_here = self._beside(index, kinds, lone)
            if lone_here < 0:
                continue
            after = tuple(sorted(going_on + begun_way)) if begun_way else going_on
            rest = max(0, wanted - lone_here)
            if self._fits(index + 1, still_left, after, rest, lone, tops):
                return True
        return False

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


_ROOMS_MAX: Final = 16
_rooms: dict[tuple[Trumps, int, Cards], _Room] = {}


def _room(cards: Cards, suit: int, trumps: Trumps) -> _Room:
    """The search in *cards*, shared by the questions about one hand."""
    key = (trumps, suit, cards)
    room = _rooms.get(key)
    if room is None:
        if len(_rooms) >= _ROOMS_MAX:
            _rooms.clear()
        room = _rooms[key] = _Room(cards, suit, trumps)
    return room


class Packing:
    """All ways to take *runs* from *cards*, which are of effective suit *suit*."""

    __slots__ = (
        "_can_finish",
        "_kinds",
        "_lone",
        "_placed",
        "_room",
        "_runs",
        "_start",
        "_steps",
        "_tops",
        "_width",
    )

    def __init__(self, cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> None:
        self._width = runs[0].width if runs else 1
        self._lone: Pattern | None = None
        if runs.count(Run(self._width, 1)) == len(runs):
            # Lone tuples of one width are simply counted.
            self._lone = _lone_tuples(cards, self._width, len(runs))
            return
        # Of runs that differ in their least tops only, the one that asks for most is begun first.
        self._kinds = sorted({run._replace(top_min=0) for run in runs}, reverse=True)
        self._tops = [
            tuple(
                sorted(
                    (run.top_min for run in runs if run._replace(top_min=0) == kind), reverse=True
                )
            )
            for kind in self._kinds
        ]
        self._start = _Todo(tuple(map(len, self._tops)), ())
        self._room = _room(cards, suit, trumps)
        self._steps = self._room.steps
        self._runs = runs
        self._can_finish: dict[tuple[int, _Todo], bool] = {}
        self._placed: dict[tuple[int, tuple[int, ...]], frozenset[Cards]] = {}

    def exists(self) -> bool:
        """Whether there is a way."""
        if self._lone is not None:
            return self._lone.least <= count(self._lone.pool)
        return self._room.fits(self._runs)

    def selections(self) -> Iterator[Cards]:
        """The cards taken, for every way; each multiset once, in a fixed order.

        No branch of the search ends without a result, so the first are there at once.
        """
        if self._lone is not None:
            for tuples in members((self._lone,)):
                yield self._width * tuples
        elif self.exists():
            yield from self._selections(0, (self._start,), 0)

    def _selections(self, index: int, todos: Sequence[_Todo], taken: Cards) -> Iterator[Cards]:
        """*todos* are all the ways to read *taken* as far as the steps before *index*."""
        if any(not any(todo.left) and not todo.under_way for todo in todos):
            # Equally many cards are taken in all of them, so all of them are finished.
            yield taken
            return
        after = self._after(index, todos)
        for use in sorted(after, reverse=True):
            yield from self._selections(index + 1, sorted(after[use]), taken + use)

    def draw(self, words: Words) -> Cards:
        """One of `selections` at random; every one has a chance. There must be one."""
        if self._lone is not None:
            return self._width * sample((self._lone,), words)
        todos: Sequence[_Todo] = (self._start,)
        taken, index = 0, 0
        while any(any(todo.left) or todo.under_way for todo in todos):
            after = self._after(index, todos)
            uses = sorted(after)
            use = uses[below(len(uses), words)]
            taken += use
            todos = sorted(after[use])
            index += 1
        return taken

    def _after(self, index: int, todos: Sequence[_Todo]) -> dict[Cards, set[_Todo]]:
        """By what may be taken at one step: all that may then still be to do, if it can be."""
        after: dict[Cards, set[_Todo]] = {}
        for todo in todos:
            for kinds, rest in self._goings_on(index, todo):
                uses = self._placements(index, kinds)
                if uses and self._finishes(index + 1, rest):
                    for use in uses:
                        after.setdefault(use, set()).add(rest)
        return after

    def _finishes(self, index: int, todo: _Todo) -> bool:
        """Whether *todo* can be taken from the steps from *index* on."""
        key = (index, todo)
        found = self._can_finish.get(key)
        if found is None:
            kinds = [((kind.width, kind.barred), kind.length) for kind in self._kinds]
            tops = {
                kind: list(least[len(least) - left :])
                for kind, least, left in zip(kinds, self._tops, todo.left, strict=True)
            }
            under_way = tuple(sorted((kinds[kind][0], more) for kind, more in todo.under_way))
            found = self._can_finish[key] = self._room.finishes(index, tops, under_way)
        return found

    def _goings_on(self, index: int, todo: _Todo) -> Iterator[tuple[tuple[int, ...], _Todo]]:
        """The kinds that may take a tuple at one step, with what is then still to do."""
        step = self._steps[index]
        if todo.under_way and not step.follows:
            return
        for tops, left in zip(self._tops, todo.left, strict=True):
            if left and tops[-left] > step.height:
                return
        forced = tuple(kind for kind, _ in todo.under_way)
        going_on = tuple((kind, more - 1) for kind, more in todo.under_way if more > 1)
        room = step.room - sum(self._kinds[kind].width for kind in forced)
        ways: list[tuple[tuple[int, ...], int]] = [((), room)] if room >= 0 else []
        for kind, run in enumerate(self._kinds):
            if todo.left[kind] and self._room.reach((run.width, run.barred))[index] >= run.length:
                ways = [
                    (begun + (kind,) * some, free - some * run.width)
                    for begun, free in ways
                    for some in range(min(todo.left[kind], free // run.width), -1, -1)
                ]
        for begun, _ in ways:
            still_left = list(todo.left)
            under_way = list(going_on)
            for kind in begun:
                still_left[kind] -= 1
                if self._kinds[kind].length > 1:
                    under_way.append((kind, self._kinds[kind].length - 1))
            yield forced + begun, _Todo(tuple(still_left), tuple(sorted(under_way)))

    def _placements(self, index: int, kinds: tuple[int, ...]) -> frozenset[Cards]:
        """The cards used when every one of *kinds* takes a tuple at one step."""
        key = (index, tuple(sorted(kinds)))
        found = self._placed.get(key)
        if found is None:
            taken = [(self._kinds[kind].width, self._kinds[kind].barred) for kind in key[1]]
            found = self._placed[key] = _place(self._steps[index].cards, taken)
        return found


def _lone_tuples(cards: Cards, width: int, number: int) -> Pattern:
    """*number* tuples of *width*, as a pattern of the cards that they are made of."""
    tuples = sum(at_least(cards, copies) for copies in range(width, COPIES_MAX + 1, width))
    return Pattern(0, 0, tuples, number, number)


def fits(cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> bool:
    """Whether *runs* can all be taken from *cards*, which are of effective suit *suit*."""
    width = runs[0].width if runs else 1
    if runs.count(Run(width, 1)) == len(runs):
        return len(runs) <= count(_lone_tuples(cards, width, len(runs)).pool)
    return _room(cards, suit, trumps).fits(runs)
