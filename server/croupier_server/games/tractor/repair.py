"""Mending a random deal until it explains the structure that seats gave and the throws that stood.

A search by exchanges: cards change places between hands as long as that breaks no more facts than
it mends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croupier_server.games.cards import Card, Cards, single
from croupier_server.games.patterns import below
from croupier_server.games.tractor.components import Component
from croupier_server.games.tractor.knowledge import FollowFact, Knowledge, ThrowFact

_STEPS: Final = 400
_UPHILL: Final = 20
"""One exchange in so many is kept although it breaks more facts."""


class Barred:
    """Components of throws that no hand may beat."""

    __slots__ = ("_known", "_throws")

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._throws: dict[int, list[tuple[ThrowFact, frozenset[Component]]]] = {}

    def add(self, fact: ThrowFact, beaten: frozenset[Component]) -> None:
        """Bar what nobody beat when exactly *beaten* had to be."""
        self._throws.setdefault(fact.lead.suit, []).append((fact, fact.barred(beaten)))

    def beaten(self, seat: int, suit: int, hand: Cards) -> int:
        """How many barred components *seat* could have beaten, holding *hand* now."""
        return sum(
            component in barred
            for fact, barred in self._throws.get(suit, ())
            for component in self._known.beats(fact, seat, hand)
        )


class Repair:
    """The search. ``hands`` (all cards) and ``free`` (those that may move) change in place."""

    __slots__ = ("barred", "broken", "draw", "faults_of", "follows", "free", "hands", "known")

    def __init__(
        self,
        known: Knowledge,
        barred: Barred,
        hands: list[Cards],
        free: list[list[Card]],
        draw: Iterator[int],
    ) -> None:
        self.known = known
        self.barred = barred
        self.hands = hands
        self.free = free
        self.draw = draw
        self.faults_of: dict[tuple[int, int, Cards], int] = {}
        self.follows: dict[tuple[int, int], list[FollowFact]] = {}
        for fact in known.follows:
            self.follows.setdefault((fact.seat, fact.lead.suit), []).append(fact)
        self.broken: dict[tuple[int, int], int] = {}
        for seat in range(known.rest):
            for suit in range(5):
                faults = self._faults(seat, suit, hands[seat])
                if faults:
                    self.broken[seat, suit] = faults

    def run(self) -> bool:
        """Whether every fact could be mended."""
        for _ in range(_STEPS):
            if not self.broken:
                return True
            places = sorted(self.broken)
            seat, suit = places[below(len(places), self.draw)]
            self._exchange(seat, suit)
        return not self.broken

    def _suit(self, card: Card) -> int:
        assert self.known.trumps is not None
        return self.known.trumps.suit_of[card]

    def _exchange(self, seat: int, suit: int) -> None:
        """Exchange any card of *suit* for any card elsewhere, unless that breaks more facts than
        it mends."""
        own = [place for place, card in enumerate(self.free[seat]) if self._suit(card) == suit]
        other = below(len(self.free), self.draw)
        if not own or other == seat or not self.free[other]:
            return
        mine, theirs = own[below(len(own), self.draw)], below(len(self.free[other]), self.draw)
        given, got = self.free[seat][mine], self.free[other][theirs]
        suit_got = self._suit(got)
        if suit in self.known.voids[other] or suit_got in self.known.voids[seat]:
            return
        change = single(got) - single(given)
        after = {seat: self.hands[seat] + change, other: self.hands[other] - change}
        faults = {
            (holder, led): self._faults(holder, led, hand)
            for holder, hand in after.items()
            for led in {suit, suit_got}
        }
        worse = sum(faults.values()) - sum(self.broken.get(place, 0) for place in faults)
        if worse > 0 and below(_UPHILL, self.draw):
            return
        self.free[seat][mine], self.free[other][theirs] = got, given
        for holder, hand in after.items():
            self.hands[holder] = hand
        for place, number in faults.items():
            if number:
                self.broken[place] = number
            else:
                self.broken.pop(place, None)

    def _faults(self, holder: int, suit: int, hand: Cards) -> int:
        """How many facts about *suit* are broken if *holder* has *hand*."""
        known = self.known
        assert known.trumps is not None
        if holder in (known.rest, known.view.seat):
            return 0
        part = hand & known.trumps.mask[suit]
        key = (holder, suit, part)
        faults = self.faults_of.get(key)
        if faults is None:
            facts = self.follows.get((holder, suit), ())
            faults = sum(not known.follow_holds(fact, part) for fact in facts)
            faults += self.barred.beaten(holder, suit, part)
            self.faults_of[key] = faults
        return faults
