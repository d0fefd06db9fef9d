"""What a view implies about hidden cards: where they can be, and where they must be.

Everything comes from facts of the view: exposed and turned cards, cards shown by false throws,
suits that a seat did not follow, structure that it did not give (T-6.4), and throws that stood or
failed (T-8). A silent seat in a declaration window tells nothing.

A *holder* is a seat, or `Knowledge.rest`: the cards that no seat holds (undrawn, or buried).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Seat
from croupier_server.games.cards import ONES, Cards, pack, unpack
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Component, Lead, read_lead
from croupier_server.games.tractor.follow import FollowRules, check_follow
from croupier_server.games.tractor.scoring import PENALTY
from croupier_server.games.tractor.state import Phase, PublicState, TractorView, Trick
from croupier_server.games.tractor.throws import judge_throw


class FollowFact(NamedTuple):
    """A seat answered *lead* with *cards*, all of the suit led. ``later`` are its cards in that
    and all later tricks: its hand then was what it holds now and these."""

    seat: Seat
    lead: Lead
    cards: Cards
    later: Cards


class ThrowFact(NamedTuple):
    """A throw was tried against the hands of all seats but *leader*.

    ``later`` are the cards that each seat has played since; ``stays`` the component that stayed,
    or 0 if the throw stood; ``failed_cards`` the number of cards of all beatable components if
    the penalty tells it, else 0.
    """

    leader: Seat
    lead: Lead
    later: tuple[Cards, ...]
    stays: Cards
    failed_cards: int

    def barred(self, beaten: frozenset[Component]) -> frozenset[Component]:
        """Components that no hand may beat, if all of *beaten* must be: those smaller than the
        one that stayed, and all others too if the penalty tells how many were beaten."""
        components = self.lead.components
        if self.failed_cards or not self.stays:
            return frozenset(components) - beaten
        place = next(i for i, part in enumerate(components) if part.cards == self.stays)
        return frozenset(components[place + 1 :])


class Knowledge:
    """What *view* implies.

    Attributes:
        trumps: of the deal, or None while unknown; then there are no voids and no facts.
        rest: number of the holder that is no seat: ``players``.
        sizes: cards of each holder that are not known one by one; 0 for the viewer.
        hidden: all cards that the viewer cannot place.
        bounds: by holder, cards that are known to be there.
        starter_or_rest: cards known to be in the starter's hand or buried.
        voids: by holder, the effective suits that it has none of.
        follows, throws: facts about hands, with their structure.
    """

    __slots__ = (
        "bounds",
        "follows",
        "hidden",
        "rest",
        "rules",
        "sizes",
        "starter_or_rest",
        "throws",
        "trumps",
        "view",
        "voids",
    )

    def __init__(self, view: TractorView) -> None:
        public = view.public
        options = public.options
        self.view = view
        self.trumps: Trumps | None = public.trumps
        self.rules = FollowRules(options.tractor_follow, options.protect)
        self.rest = options.players
        self.hidden = options.packs * ONES - _seen(view)
        self.sizes = list(public.hand_sizes())
        if view.seat >= 0:
            self.sizes[view.seat] = 0
        self.sizes.append(len(unpack(self.hidden)) - sum(self.sizes))
        self.bounds: list[Cards] = [*public.exposed, 0]
        self.starter_or_rest: Cards = 0
        self.voids: list[set[int]] = [set() for _ in self.sizes]
        self.follows: list[FollowFact] = []
        self.throws: list[ThrowFact] = []
        if public.phase is Phase.BURY:
            self.bounds[public.starter] = public.exposed[public.starter] + pack(public.turned)
        elif public.phase is Phase.PLAY:
            self._read_tricks(public)
        if view.seat >= 0:
            self.bounds[view.seat] = 0

    def _read_tricks(self, public: PublicState) -> None:
        starter = public.starter
        self.starter_or_rest = public.exposed[starter] + pack(public.turned)
        self.bounds[starter] = 0
        tricks = _tricks(public)
        later = [0] * public.options.players
        for trick in reversed(tricks):
            for step, cards in enumerate(trick.plays):
                later[(trick.leader + step) % public.options.players] += cards
            self._read_trick(public, trick, tuple(later))
        for trick in tricks:
            if trick.failed_throw is not None:
                tried = trick.failed_throw.tried
                self.bounds[trick.leader] = most(self.bounds[trick.leader], tried)
            for step, cards in enumerate(trick.plays):
                seat = (trick.leader + step) % public.options.players
                self.bounds[seat] = less(self.bounds[seat], cards)
                if seat == starter:
                    self.starter_or_rest = less(self.starter_or_rest, cards)
        self.starter_or_rest = less(self.starter_or_rest, self.bounds[starter])
        if self.view.seat == starter:
            self.starter_or_rest = 0

    def _read_trick(self, public: PublicState, trick: Trick, later: tuple[Cards, ...]) -> None:
        """Note what the plays of *trick* tell of the hands at its beginning."""
        trumps = public.trumps
        assert trumps is not None
        lead = read_lead(trick.plays[0], trumps)
        failed = trick.failed_throw
        if failed is not None:
            tried = read_lead(failed.tried, trumps)
            is_told = public.options.throw_penalty == "ten_per_failed_card"
            told = failed.penalty // PENALTY if is_told else 0
            self.throws.append(ThrowFact(trick.leader, tried, later, lead.cards, told))
        elif lead.is_throw:
            self.throws.append(ThrowFact(trick.leader, lead, later, 0, 0))
        for step, cards in enumerate(trick.plays[1:], start=1):
            seat = (trick.leader + step) % public.options.players
            if cards & ~trumps.mask[lead.suit]:
                self.voids[seat].add(lead.suit)
            elif lead.count > 1:
                self.follows.append(FollowFact(seat, lead, cards, later[seat]))

    def beaten_sets(self, fact: ThrowFact) -> list[frozenset[Component]]:
        """Sets of components of which each must be beaten by some hand; any one set will do.

        A hand that beats a component beats every narrower, shorter and lower one, so when the
        penalty tells how many cards failed, only sets closed under that come into question, and
        of them those which hold what is known to be beaten.
        """
        components = fact.lead.components
        if not fact.stays:
            return [frozenset()]
        place = next(i for i, part in enumerate(components) if part.cards == fact.stays)
        if not fact.failed_cards:
            return [frozenset((components[place],))]
        hands = [self.view.hand if seat == self.view.seat else 0 for seat in range(self.rest)]
        sure = {part for seat, hand in enumerate(hands) for part in self.beats(fact, seat, hand)}
        sure.add(components[place])
        sets: list[frozenset[Component]] = [frozenset()]
        for shape in sorted({(part.width, part.length, part.top) for part in components}):
            equals = frozenset(
                part for part in components if (part.width, part.length, part.top) == shape
            )
            covered = frozenset(
                other for other in components if any(_covers(part, other) for part in equals)
            )
            sets += [some | equals for some in sets if covered - equals <= some]
        smaller = frozenset(components[place + 1 :])
        return [
            some
            for some in sets
            if sure <= some
            and not some & smaller
            and sum(part.count for part in some) == fact.failed_cards
        ]

    def follow_holds(self, fact: FollowFact, hand: Cards) -> bool:
        """Whether *hand* fits what its seat played (T-6.4)."""
        assert self.trumps is not None
        try:
            check_follow(hand + fact.later, fact.lead, fact.cards, self.trumps, self.rules)
        except IllegalMove:
            return False
        return True

    def beats(self, fact: ThrowFact, seat: Seat, hand: Cards) -> tuple[Component, ...]:
        """The components of the throw that *seat*, holding *hand* now, could beat then."""
        assert self.trumps is not None
        if seat == fact.leader:
            return ()
        return judge_throw(fact.lead, (hand + fact.later[seat],), self.trumps).beatable


def most(left: Cards, right: Cards) -> Cards:
    """By card, the greater of both counts.

    >>> most(0x210, 0x120) == 0x220
    True
    """
    return left + less(right, left)


def less(left: Cards, right: Cards) -> Cards:
    """By card, how many more copies *left* has than *right*, at least 0.

    >>> less(0x210, 0x120) == 0x100
    True
    """
    found = 0
    for card in set(unpack(left)):
        more = (left >> 4 * card & 15) - (right >> 4 * card & 15)
        if more > 0:
            found += more << 4 * card
    return found


def _seen(view: TractorView) -> Cards:
    """Every card that the viewer can place, the hand and the burial included."""
    public = view.public
    seen = view.hand + view.buried + pack(card for _, card in public.shown)
    return seen + sum(sum(trick.plays) for trick in _tricks(public))


def _tricks(public: PublicState) -> list[Trick]:
    """The tricks of the deal, the one under way last."""
    tricks = list(public.tricks)
    if public.plays:
        plays = tuple(public.plays)
        tricks.append(Trick(public.leader, plays, public.failed_throw, public.winner, 0))
    return tricks


def _covers(part: Component, other: Component) -> bool:
    """Whether every hand that beats *part* beats *other*."""
    return part.width >= other.width and part.length >= other.length and part.top >= other.top


def runs(fact: Component, suit: int, trumps: Trumps) -> Iterator[tuple[tuple[int, ...], ...]]:
    """By top, the cards of each step of every run of the shape of *fact* with a higher top."""
    steps = trumps.at_height[suit]
    for top in range(fact.top + 1, len(steps)):
        run = steps[top + 1 - fact.length : top + 1]
        if top + 1 >= fact.length and all(run):
            yield run
