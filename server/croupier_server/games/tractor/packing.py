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
from croupier_server.games.cards import COPIES_MAX, Card, Cards, at_least, count, single
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
    """The cards of one height and their copies."""

    height: int
    cards: tuple[tuple[Card, int], ...]


class Packing:
    """All ways to take *runs* from *cards*, which are of effective suit *suit*."""

    __slots__ = ("_can_finish", "_kinds", "_lone", "_start", "_steps", "_width")

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
        self._kinds = sorted(set(runs), reverse=True)
        self._start = _Todo(tuple(runs.count(kind) for kind in self._kinds), ())
        least = min((run.width for run in runs), default=1)
        self._steps: list[_Step] = []
        for height in range(HEIGHT_MAX, -1, -1):
            held = tuple(
                (card, cards >> 4 * card & 15)
                for card in trumps.at_height[suit][height]
                if cards >> 4 * card & 15 >= least
            )
            if held:
                self._steps.append(_Step(height, held))
        self._can_finish: dict[tuple[int, _Todo], bool] = {}

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

    def _finishes(self, index: int, todo: _Todo) -> bool:
        """Whether *todo* can be taken from the steps from *index* on."""
        if not todo.under_way and not any(todo.left):
            return True
        if index == len(self._steps):
            return False
        key = (index, todo)
        found = self._can_finish.get(key)
        if found is None:
            found = any(self._finishes(index + 1, rest) for _, rest in self._choices(index, todo))
            self._can_finish[key] = found
        return found

    def _choices(self, index: int, todo: _Todo) -> Iterator[tuple[Cards, _Todo]]:
        """What may be taken at one step, with what is then still to do; may repeat."""
        step = self._steps[index]
        is_broken = index == 0 or self._steps[index - 1].height != step.height + 1
        if todo.under_way and is_broken:
            return
        forced = tuple(kind for kind, _ in todo.under_way)
        going_on = tuple((kind, more - 1) for kind, more in todo.under_way if more > 1)
        for begun in self._starts(step, todo.left, 0, forced):
            left = list(todo.left)
            under_way = list(going_on)
            for kind in begun:
                left[kind] -= 1
                if self._kinds[kind].length > 1:
                    under_way.append((kind, self._kinds[kind].length - 1))
            rest = _Todo(tuple(left), tuple(sorted(under_way)))
            for use in self._placements(step.cards, forced + begun):
                yield use, rest

    def _starts(
        self, step: _Step, left: tuple[int, ...], kind: int, forced: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        """Kinds of the runs begun at *step*, most runs first; cards enough in number."""
        room = sum(copies for _, copies in step.cards)
        room -= sum(self._kinds[other].width for other in forced)
        if room < 0:
            return
        if kind == len(left):
            yield ()
            return
        run = self._kinds[kind]
        most = min(left[kind], room // run.width) if step.height >= run.top_min else 0
        for number in range(most, -1, -1):
            some = (kind,) * number
            for others in self._starts(step, left, kind + 1, forced + some):
                yield some + others

    def _placements(
        self, cards: tuple[tuple[Card, int], ...], kinds: tuple[int, ...]
    ) -> set[Cards]:
        """The cards used when every one of *kinds* takes a tuple of one of *cards*."""
        if not kinds:
            return {0}
        run = self._kinds[kinds[0]]
        found: set[Cards] = set()
        for place, (card, copies) in enumerate(cards):
            if copies < run.width or run.barred >> 4 * card & 15:
                continue
            rest = (*cards[:place], (card, copies - run.width), *cards[place + 1 :])
            use = run.width * single(card)
            found.update(use + more for more in self._placements(rest, kinds[1:]))
        return found


def fits(cards: Cards, runs: Sequence[Run], suit: int, trumps: Trumps) -> bool:
    """Whether *runs* can all be taken from *cards*, which are of effective suit *suit*."""
    return Packing(cards, runs, suit, trumps).exists()
