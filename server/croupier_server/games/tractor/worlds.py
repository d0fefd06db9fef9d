"""Dealing anew what a seat has not seen, consistently with all that its view implies.

`Knowledge` says what must hold. Cards that have to be somewhere are put there first, then a
witness for every false throw, then the rest at random where the voids allow it, and swaps mend
what is left. Every world that comes out is consistent; worlds are not equally likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croupier_server.games.cards import Cards, count, single, unpack
from croupier_server.games.patterns import below, shuffled
from croupier_server.games.tractor.components import Component
from croupier_server.games.tractor.knowledge import (
    Knowledge,
    ThrowFact,
    less,
    runs,
)
from croupier_server.games.tractor.repair import Barred, Repair
from croupier_server.games.tractor.state import Phase, State, TractorView

_ATTEMPTS: Final = 500

_Words = Iterator[int]


class _Stuck(Exception):
    """This attempt cannot succeed; another may."""


def deal_world(view: TractorView, draw: _Words) -> State:
    """A state in which play can go on and whose view for that audience equals *view*."""
    public = view.public
    state = State(public.copy())
    if public.phase is Phase.DEAL or public.phase is Phase.OVER:
        return state
    known = Knowledge(view)
    held = _find(known, draw)
    state.hands = held[: known.rest]
    rest = held[known.rest]
    if view.seat >= 0:
        state.hands[view.seat] = view.hand
    if public.phase is Phase.PLAY:
        state.buried = view.buried or rest
    elif public.phase is not Phase.BURY:
        state.stock = bytes(shuffled(unpack(rest), draw))
    if public.phase is Phase.PLAY or public.phase is Phase.BURY:
        state.taken = view.taken or _taken(state, draw)
    return state


def _find(known: Knowledge, draw: _Words) -> list[Cards]:
    for _ in range(_ATTEMPTS):
        try:
            return _Attempt(known, draw).run()
        except _Stuck:
            continue
    raise AssertionError("no world was found that fits the view")


def _taken(state: State, draw: _Words) -> Cards:
    """Cards that the starter may have taken: those turned, and others that it never exposed."""
    public = state.public
    starter = public.starter
    turned = sum(map(single, public.turned))
    own = state.hands[starter] + state.buried
    for trick in public.tricks:
        own += trick.plays[(starter - trick.leader) % public.options.players]
    step = (starter - public.leader) % public.options.players
    if step < len(public.plays):
        own += public.plays[step]
    others = unpack(less(less(own, turned), public.exposed[starter]))
    wanted = public.options.kitty - len(public.turned)
    return turned + sum(map(single, shuffled(others, draw)[:wanted]))


class _Attempt:
    """One try. ``fixed`` and ``free`` are the cards of each holder that may not and may move."""

    __slots__ = ("barred", "draw", "fixed", "free", "known", "pool", "room")

    def __init__(self, known: Knowledge, draw: _Words) -> None:
        self.known = known
        self.draw = draw
        self.barred = Barred(known)
        self.fixed: list[Cards] = [0] * len(known.sizes)
        self.free: list[list[int]] = [[] for _ in known.sizes]
        self.room = known.sizes.copy()
        self.pool = known.hidden

    def run(self) -> list[Cards]:
        """The cards of each holder.

        Raises:
            _Stuck: it came to no end.
        """
        known = self.known
        for holder, cards in enumerate(known.bounds):
            self._fix(holder, cards)
        for card in unpack(known.starter_or_rest):
            starter = known.view.public.starter
            places = [h for h in (starter, known.rest) if self.room[h] and self._may_hold(h, card)]
            if not places:
                raise _Stuck
            self._fix(places[below(len(places), self.draw)], single(card))
        self._find_witnesses()
        self._fill()
        hands = [
            fixed + sum(map(single, free))
            for fixed, free in zip(self.fixed, self.free, strict=True)
        ]
        if (
            known.trumps is not None
            and not Repair(known, self.barred, hands, self.free, self.draw).run()
        ):
            raise _Stuck
        return hands

    def _fix(self, holder: int, cards: Cards) -> None:
        wanted = count(cards)
        if wanted > self.room[holder] or less(cards, self.pool):
            raise _Stuck
        self.fixed[holder] += cards
        self.pool -= cards
        self.room[holder] -= wanted

    def _suit(self, card: int) -> int:
        return 0 if self.known.trumps is None else self.known.trumps.suit_of[card]

    def _may_hold(self, holder: int, card: int) -> bool:
        return self._suit(card) not in self.known.voids[holder]

    # False throws ----------------------------------------------------------------------------

    def _find_witnesses(self) -> None:
        """Fix cards so that of every false throw some hand beats what has to be beaten."""
        wanted: list[tuple[int, int, ThrowFact, Component]] = []
        for fact in self.known.throws:
            sets = self.known.beaten_sets(fact)
            beaten = sets[below(len(sets), self.draw)]
            self.barred.add(fact, beaten)
            wanted += [(part.count, below(1 << 32, self.draw), fact, part) for part in beaten]
        # The largest first: they have the fewest ways. Equals in an order of this attempt.
        wanted.sort(key=lambda item: (-item[0], item[1]))
        for _, _, fact, component in wanted:
            self._find_witness(fact, component)

    def _find_witness(self, fact: ThrowFact, component: Component) -> None:
        known = self.known
        trumps = known.trumps
        assert trumps is not None
        suit = fact.lead.suit
        ways: list[tuple[int, Cards]] = []
        for seat in range(known.rest):
            held = known.view.hand if seat == known.view.seat else self.fixed[seat]
            if component in known.beats(fact, seat, held):
                return
            if seat in (fact.leader, known.view.seat) or suit in known.voids[seat]:
                continue
            for run in runs(component, suit, trumps):
                needed = self._needed(run, component.width, held + fact.later[seat])
                if needed is None or count(needed) > self.room[seat]:
                    continue
                if not self.barred.beaten(seat, suit, held + needed):
                    ways.append((seat, needed))
        if not ways:
            raise _Stuck
        seat, needed = ways[below(len(ways), self.draw)]
        self._fix(seat, needed)

    def _needed(self, run: tuple[tuple[int, ...], ...], width: int, held: Cards) -> Cards | None:
        """Cards of the pool that complete *run*, which *held* has in part, or None."""
        needed = 0
        for cards in run:
            ways = []
            for card in cards:
                more = max(0, width - (held >> 4 * card & 15))
                if more <= self.pool >> 4 * card & 15:
                    ways.append(more << 4 * card)
            if not ways:
                return None
            needed += ways[below(len(ways), self.draw)]
        return needed

    # The rest --------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Put every card of the pool somewhere, those of the most refused suits first."""
        holders = range(len(self.room))
        refusals = [sum(suit in void for void in self.known.voids) for suit in range(5)]
        cards = shuffled(unpack(self.pool), self.draw)
        cards.sort(key=lambda card: -refusals[self._suit(card)])
        for card in cards:
            places = [h for h in holders if self.room[h] and self._may_hold(h, card)]
            if places:
                place = below(sum(self.room[h] for h in places), self.draw)
                for holder in places:
                    place -= self.room[holder]
                    if place < 0:
                        break
            else:
                holder = self._make_room(card)
            self.free[holder].append(card)
            self.room[holder] -= 1
        self.pool = 0

    def _make_room(self, card: int) -> int:
        """Move cards along until a holder that may take *card* has room; say which."""
        came_from: dict[int, tuple[int, int]] = {}
        starts = [h for h in range(len(self.room)) if self._may_hold(h, card)]
        waiting = starts.copy()
        for holder in waiting:
            for place, moved in enumerate(self.free[holder]):
                for other in range(len(self.room)):
                    if other in came_from or other in starts or not self._may_hold(other, moved):
                        continue
                    came_from[other] = (holder, place)
                    if not self.room[other]:
                        waiting.append(other)
                        continue
                    return self._move_along(other, came_from)
        raise _Stuck

    def _move_along(self, last: int, came_from: dict[int, tuple[int, int]]) -> int:
        """Move one card to each holder from the one before it; say which has room then."""
        while last in came_from:
            before, place = came_from[last]
            self.free[last].append(self.free[before].pop(place))
            self.room[last] -= 1
            self.room[before] += 1
            last = before
        return last
