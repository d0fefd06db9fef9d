"""Fitting runs of tuples into cards of one effective suit.

The one question behind following (T-6.4), ruffing a throw (T-7.2) and their lists: can these
runs be taken from these cards, each card used once? A `Run` is ``length`` tuples of ``width``
equal cards on neighbouring steps, a lone tuple being a run of length 1. Runs may split wider
tuples and share steps, as long as there are cards enough.

The cards are gone through step by step from the top. What has been decided so far matters only
by the runs not yet begun and the runs under way (`_Todo`), so that work is bounded by the number
of such states and not by the number of choices.

Must not be put here: which runs are owed, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
    """The cards of one height and their copies; ``room`` is the number of all copies."""

    height: int
    cards: tuple[tuple[Card, int], ...]
    room: int


class Packing:
    """All ways to take *runs* from *cards*, which are of effective suit *suit*."""

    __slots__ = (
        "_begun",
        "_can_finish",
        "_kinds",
        "_lone",
        "_placed",
        "_rooms",
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
            tuples = sum(
                at_least(cards, copies)
                for copies in range(self._width, COPIES_MAX + 1, self._width)
            )
            self._lone = Pattern(0, 0, tuples, len(runs), len(runs))
            return
        # Of runs that differ in their least tops only, the one that asks for most is begun first.
        self._kinds = sorted({run._replace(top_min=0) for run in runs}, reverse=True)
        self._tops = [
            sorted((run.top_min for run in runs if run._replace(top_min=0) == kind), reverse=True)
            for kind in self._kinds
        ]
        self._start = _Todo(tuple(map(len, self._tops)), ())
        least = min((run.width for run in runs), default=1)
        self._steps: list[_Step] = []
        for height in range(HEIGHT_MAX, -1, -1):
            held = tuple(
                (card, cards >> 4 * card & 15)
                for card in trumps.at_height[suit][height]
                if cards >> 4 * card & 15 >= least
            )
            if held:
                self._steps.append(_Step(height, held, sum(copies for _, copies in held)))
        self._rooms = self._count_rooms()
        self._can_finish: dict[tuple[int, _Todo], bool] = {}
        self._begun: dict[tuple[int, tuple[int, ...], int], list[tuple[int, ...]]] = {}
        self._placed: dict[tuple[int, tuple[int, ...]], frozenset[Cards]] = {}

    def exists(self) -> bool:
        """Whether there is a way."""
        if self._lone is not None:
            return self._lone.least <= count(self._lone.pool)
        return self._finishes(0, self._start)

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
            for use, rest in self._choices(index, todo):
                if self._finishes(index + 1, rest):
                    after.setdefault(use, set()).add(rest)
        return after

    def _count_rooms(self) -> list[list[tuple[int, int]]]:
        """By step: for every width of the runs, how many tuples so wide are there from here on."""
        widths = sorted({run.width for run in self._kinds})
        rooms = [[(width, 0) for width in widths]]
        for step in reversed(self._steps):
            rooms.append(
                [
                    (width, room + sum(copies // width for _, copies in step.cards))
                    for width, room in rooms[-1]
                ]
            )
        return rooms[::-1]

    def _has_room(self, index: int, todo: _Todo) -> bool:
        """Whether there are tuples enough from *index* on, runs aside: a quick no."""
        for width, there in self._rooms[index]:
            room = there
            for kind, number in enumerate(todo.left):
                run = self._kinds[kind]
                if run.width >= width:
                    room -= number * run.length
            for kind, more in todo.under_way:
                if self._kinds[kind].width >= width:
                    room -= more
            if room < 0:
                return False
        return True

    def _finishes(self, index: int, todo: _Todo) -> bool:
        """Whether *todo* can be taken from the steps from *index* on."""
        if not todo.under_way and not any(todo.left):
            return True
        if index == len(self._steps):
            return False
        key = (index, todo)
        found = self._can_finish.get(key)
        if found is None:
            found = self._has_room(index, todo) and any(
                self._finishes(index + 1, rest)
                for kinds, rest in self._goings_on(index, todo)
                if self._placements(index, kinds)
            )
            self._can_finish[key] = found
        return found

    def _choices(self, index: int, todo: _Todo) -> Iterator[tuple[Cards, _Todo]]:
        """What may be taken at one step, with what is then still to do; may repeat."""
        for kinds, rest in self._goings_on(index, todo):
            for use in self._placements(index, kinds):
                yield use, rest

    def _goings_on(self, index: int, todo: _Todo) -> Iterator[tuple[tuple[int, ...], _Todo]]:
        """The kinds that may take a tuple at one step, with what is then still to do."""
        step = self._steps[index]
        is_broken = index == 0 or self._steps[index - 1].height != step.height + 1
        if todo.under_way and is_broken:
            return
        for tops, left in zip(self._tops, todo.left, strict=True):
            if left and tops[-left] > step.height:
                return
        forced = tuple(kind for kind, _ in todo.under_way)
        going_on = tuple((kind, more - 1) for kind, more in todo.under_way if more > 1)
        room = step.room - sum(self._kinds[kind].width for kind in forced)
        for begun in self._starts(index, todo.left, room):
            still_left = list(todo.left)
            under_way = list(going_on)
            for kind in begun:
                still_left[kind] -= 1
                if self._kinds[kind].length > 1:
                    under_way.append((kind, self._kinds[kind].length - 1))
            yield forced + begun, _Todo(tuple(still_left), tuple(sorted(under_way)))

    def _starts(self, index: int, left: tuple[int, ...], room: int) -> list[tuple[int, ...]]:
        """Kinds of the runs begun at one step that take up to *room* cards, most runs first."""
        key = (index, left, room)
        found = self._begun.get(key)
        if found is None:
            ways: list[tuple[tuple[int, ...], int]] = [((), room)] if room >= 0 else []
            for kind, run in enumerate(self._kinds):
                ways = [
                    (begun + (kind,) * some, free - some * run.width)
                    for begun, free in ways
                    for some in range(min(left[kind], free // run.width), -1, -1)
                ]
            found = self._begun[key] = [begun for begun, _ in ways]
        return found

    def _placements(self, index: int, kinds: tuple[int, ...]) -> frozenset[Cards]:
        """The cards used when every one of *kinds* takes a tuple at one step."""
        key = (index, tuple(sorted(kinds)))
        found = self._placed.get(key)
        if found is None:
            found = self._placed[key] = self._place(self._steps[index].cards, key[1])
        return found

    def _place(self, cards: tuple[tuple[Card, int], ...], kinds: Sequence[int]) -> frozenset[Cards]:
        ways = {0}
        for kind in kinds:
            run = self._kinds[kind]
            ways = {
                used + (run.width << 4 * card)
                for used in ways
                for card, copies in cards
                if (used >> 4 * card & 15) + run.width <= copies and not run.barred >> 4 * card & 15
            }
        return frozenset(ways)


def fits(cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> bool:
    """Whether *runs* can all be taken from *cards*, which are of effective suit *suit*."""
    return Packing(cards, runs, suit, trumps).exists()
