"""What `search` needs of Tractor beside the rules: moves worth a trial, and values.

A playout stops a few tricks on, where `_promise` says what the hands are still good for: that tells
more than an end that many later choices had a part in.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import Legal, Move, Seat
from croupier_server.games.cards import Card, Cards, at_least, single, unpack
from croupier_server.games.searching import Guide
from croupier_server.games.tractor.cards import POINTS, TRUMP, Trumps, points
from croupier_server.games.tractor.moves import BURY, PLAY, TractorMoveKind
from croupier_server.games.tractor.quick import GAME, PAIR, answers, quick_move, spread
from croupier_server.games.tractor.state import Phase, State

_TRICKS_AHEAD: Final = 3
"""So many tricks are played out beyond the one under way."""
_BONUS_MAX: Final = 80
"""More points than these for the kitty change no decision."""
_LISTED_MAX: Final = 12
_BURIED: Final = 0.9
"""What a buried point costs: the last trick is lost nearly half of the time, and counts double."""

_ON_LEAD: Final = 0.5
_TRUMP: Final = 1.7
_HIGH_TRUMP: Final = 1.4
_HIGH_PLAIN: Final = 1.6
_TRUMP_PAIR: Final = 1.7
_PLAIN_PAIR: Final = 3.6
_VOID: Final = 2.0
"""Points that the lead, a trump, the highest card, a pair, and a void beside trumps promise: chosen
by hand, near what fits best what quick play made of 20,000 positions."""


class TractorGuide(Guide):
    """See `Guide` for what each method means."""

    game = GAME

    def worth_trying(self, state: State, seat: Seat) -> list[Move]:
        public = state.public
        if public.phase is Phase.DRAW:
            return []  # most of the cards are still to come
        if public.phase is Phase.PLAY:
            if public.best is None:
                assert public.trumps is not None
                return _leads(state.hands[seat], GAME.legal_moves(state, seat), public.trumps)
            return _follows(state, seat)
        if public.phase is Phase.BURY:
            assert public.trumps is not None
            return _burials(state.hands[seat], public.options.kitty, public.trumps)
        return list(GAME.legal_moves(state, seat).moves[:_LISTED_MAX])

    def quick_move(self, state: State, seat: Seat) -> Move:
        return quick_move(state, seat)

    def value(self, state: State, seat: Seat) -> float:
        """In points: those won so far, and those that the hands of the side of *seat* promise."""
        public = state.public
        if public.phase is Phase.PLAY:
            worth = _promise(state) - public.opponents_points
            return worth if seat % 2 == public.declarers else -worth
        last = public.last_result
        if last is None:
            return 0.0
        worth = -last.trick_points - min(last.bonus, _BONUS_MAX)
        return float(worth if seat % 2 == last.declarers else -worth)

    def goal(self, state: State) -> int:
        return len(state.public.tricks) + 1 + _TRICKS_AHEAD

    def is_reached(self, state: State, goal: int) -> bool:
        return len(state.public.tricks) >= goal

    def touch_up(self, world: State, seat: Seat) -> None:
        """Where *seat* saw no burial, make it one that a starter might choose: what it would rather
        keep changes places with cards of its hand that it would rather bury."""
        public = world.public
        starter, trumps = public.starter, public.trumps
        if public.phase is not Phase.PLAY or seat == starter:
            return
        assert trumps is not None
        hand, buried = world.hands[starter], world.buried
        keep = {card: _keep(card, trumps) for card in {*unpack(hand), *unpack(buried)}}
        taken = sorted(unpack(buried), key=keep.__getitem__, reverse=True)
        given = sorted(unpack(hand), key=keep.__getitem__)
        for wanted, offered in zip(taken, given, strict=False):
            if keep[wanted] <= keep[offered] + 2.0:
                break
            change = single(offered) - single(wanted)
            buried += change
            hand -= change
        world.hands[starter], world.buried = hand, buried


def _keep(card: Card, trumps: Trumps) -> float:
    """How little a starter likes to bury *card*."""
    if trumps.suit_of[card] == TRUMP:
        return 50.0 + trumps.height[card]
    return trumps.height[card] + 0.5 * POINTS[card]


def _promise(state: State) -> float:
    """How many of the points in the hands the declarers will win, less all of those points: what
    is still to be added to the opponents' points, with its sign changed."""
    public = state.public
    trumps = public.trumps
    assert trumps is not None
    hands, mask = state.hands, trumps.mask
    ours, theirs = sum(hands[public.declarers :: 2]), sum(hands[1 - public.declarers :: 2])
    found = _ON_LEAD if public.leader % 2 == public.declarers else -_ON_LEAD
    for led in range(5):
        own, other = ours & mask[led], theirs & mask[led]
        if not own | other:
            continue
        step, weight = (0.5, _HIGH_TRUMP) if led == TRUMP else (1.0, _HIGH_PLAIN)
        held = out = 0
        total = 0.0
        for group in trumps.order[led]:
            mine = yours = 0
            for card in group:
                mine += own >> 4 * card & 15
                yours += other >> 4 * card & 15
            if mine:
                total += mine / (1.0 + step * out)
            if yours:
                total -= yours / (1.0 + step * held)
            held += mine
            out += yours
        found += weight * total
        if led == TRUMP:
            found += _TRUMP * (held - out)
    for number, hand in enumerate(hands):
        pairs, ruffs = at_least(hand, PAIR), mask[TRUMP]
        side = _PLAIN_PAIR * (pairs & ~ruffs).bit_count()
        side += _TRUMP_PAIR * (pairs & ruffs).bit_count()
        if hand & ruffs:
            side += _VOID * sum([mask[led] > 0 and not hand & mask[led] for led in range(4)])
        found += side if number % 2 == public.declarers else -side
    return found - 0.5 * points(ours + theirs) - _BURIED * points(state.buried)


# Moves worth a trial -----------------------------------------------------------------------------


def _leads(hand: Cards, legal: Legal, trumps: Trumps) -> list[Move]:
    """Some singles and pairs of each suit, and all listed tuples and tractors."""
    found: list[Move] = []
    for led in range(5):
        own = hand & trumps.mask[led]
        for width in (1, PAIR):
            plane = at_least(own, width)
            if plane:
                found += [width << 4 * card | PLAY for card in spread(plane, trumps)]
    for move, kind in zip(legal.moves, legal.kinds, strict=True):
        if kind in (TractorMoveKind.LEAD_TRACTOR, TractorMoveKind.LEAD_TUPLE):
            found.append(move)
    return list(dict.fromkeys(found))


def _follows(state: State, seat: Seat) -> list[Move]:
    """All answers within the suit led, and of a void hand some of each suit."""
    public = state.public
    lead, trumps = public.lead, public.trumps
    assert lead is not None
    assert trumps is not None
    hand = state.hands[seat]
    if lead.count > 1 or hand & trumps.mask[lead.suit]:
        return [cards | PLAY for cards in answers(state, seat)]
    suits = [at_least(hand & mask, 1) for mask in trumps.mask]
    cards = [card for plane in suits if plane for card in spread(plane, trumps)]
    return [single(card) | PLAY for card in cards]


def _burials(hand: Cards, size: int, trumps: Trumps) -> list[Move]:
    """Ways to bury: the cards that are least worth keeping, and one or two side suits as far as
    they go."""
    held = sorted(unpack(hand), key=lambda card: _keep(card, trumps))
    found = [held[:size]]
    for first in range(4):
        for second in range(first, 4):
            short = [card for card in held if trumps.suit_of[card] in (first, second)]
            rest = [card for card in held if trumps.suit_of[card] not in (first, second)]
            found.append([*short, *rest][:size])
    return list(dict.fromkeys(sum(map(single, cards)) | BURY for cards in found))
