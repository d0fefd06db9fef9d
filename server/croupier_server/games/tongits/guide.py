"""What `search` needs of Tong-its beside the rules: quick play, moves worth a trial, and values.

Quick play sees its own hand and what lies on the table. It opens at once, lays off on others,
throws what is left over, and calls draw with little left in the hand.
"""

from __future__ import annotations

from functools import lru_cache
from math import erf, sqrt
from typing import Final

from croupier_server.games.base import Move, Seat
from croupier_server.games.cards import Card, Cards, rank, suit, unpack
from croupier_server.games.searching import Guide
from croupier_server.games.tongits import moves, scoring
from croupier_server.games.tongits.melds import PACK, POINTS, MeldTable, points
from croupier_server.games.tongits.moves import (
    CALL_DRAW,
    CARDS_MASK,
    CHALLENGE,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    FOLD,
    LAY_OFF,
    MELD,
    SECRET_FOUR,
    TAKE_DISCARD,
    TYPE_MASK,
)
from croupier_server.games.tongits.rules import Tongits
from croupier_server.games.tongits.state import PLAYERS, Phase, PublicState, State

_GAME: Final = Tongits()

_OPENING: Final = 8
"""What it is worth to be opened, in points of the hand."""
_DRAWING: Final = 2
"""What a card from the stock is worth on average."""
_LINK: Final = 1.2
"""What a card is worth for each other card of the hand that it may yet make a meld with."""
_ACE: Final = 14
_TRIED_MAX: Final = 12
_DISCARDS_MAX: Final = 7
"""So many moves, and so many discards, are worth a trial."""


# Quick play --------------------------------------------------------------------------------------


def quick_move(state: State, seat: Seat) -> Move:
    """A sensible move of *seat*, at once and without chance."""
    phase = state.public.phase
    if phase is Phase.PLAY:
        return _turn(state, seat)
    if phase is Phase.START_TURN:
        return _start(state, seat)
    return _answer(state, seat)


def _start(state: State, seat: Seat) -> Move:
    """Call draw where that is likely to win; take the discard where it leaves less in the hand
    than a card from the stock would."""
    legal = _GAME.legal_moves(state, seat).moves
    if len(legal) == 1:
        return legal[0]
    public, table, hand = state.public, state.table, state.hands[seat]
    own = table.deadwood(hand)
    best, best_gain = DRAW_STOCK, float(_DRAWING)
    bonus = 0 if public.opened >> seat & 1 else _OPENING
    for move in legal:
        kind = move & TYPE_MASK
        if kind == CALL_DRAW:
            if _call_chance(public, seat, own) >= 0.38:
                return move
        elif kind == TAKE_DISCARD and move & CARDS_MASK:
            gain = own - table.deadwood(hand ^ move & CARDS_MASK) + bonus
            if gain > best_gain:
                best, best_gain = move, gain
    return best


def _call_chance(public: PublicState, seat: Seat, deadwood: int) -> float:
    chance = 1.0
    for other in range(PLAYERS):
        if other != seat and scoring.may_challenge(
            bool(public.opened >> other & 1), public.secret_fours[other], public.options
        ):
            chance *= _beats(deadwood, public.hand_sizes[other], public.turns[other], 1.0)
    return chance


@lru_cache(maxsize=1 << 14)
def _beats(deadwood: int, size: int, turns: int, part: float) -> float:
    """The chance that a hand leaves fewer points than *deadwood*'s rival, who has *size* cards and
    had so many turns, *part* of the usual expected."""
    mean = part * max(21.0 + 3.4 * size - 4.8 * turns, 3.0)
    spread = 1.5 + 0.35 * mean
    return 0.5 * (1.0 + erf((mean - deadwood) / (spread * sqrt(2.0))))


def _answer(state: State, seat: Seat) -> Move:
    """Challenge where that is likely enough to win."""
    public = state.public
    own = state.table.deadwood(state.hands[seat])
    rivals = [public.caller, *(answer.seat for answer in public.answers if answer.is_challenge)]
    chance = 1.0
    for other in rivals:
        chance *= _beats(own, public.hand_sizes[other], public.turns[other], 0.6)
    if public.options.fought_scope == "any_draw":
        return CHALLENGE
    return CHALLENGE if chance >= 0.3 else FOLD


def _turn(state: State, seat: Seat) -> Move:
    """Go out, open, lay off, or end the turn."""
    public, table, hand = state.public, state.table, state.hands[seat]
    legal = _GAME.legal_moves(state, seat)
    if legal.patterns:
        return _GAME.fallback(state, seat)
    deadwood = table.deadwood(hand)
    is_opened = public.opened >> seat & 1
    melds: list[Move] = []
    lays: list[Move] = []
    ends: list[Move] = []
    for move in legal.moves:
        kind = move & TYPE_MASK
        if kind == DISCARD:
            ends.append(move)
        elif kind == LAY_OFF:
            lays.append(move)
        elif kind == END_TURN:
            return move if not lays else lays[0]
        else:
            melds.append(move)
    if melds:
        best = [move for move in melds if table.deadwood(hand ^ move & CARDS_MASK) == deadwood]
        fours = [move for move in best if move & TYPE_MASK == SECRET_FOUR]
        if fours:
            return fours[0]
        if best and (not is_opened or _goes_out(table, hand, deadwood, lays)):
            return max(best, key=lambda move: (move & CARDS_MASK).bit_count())
    if lays:
        lay = max(lays, key=lambda move: points(move & CARDS_MASK))
        cards = lay & CARDS_MASK
        left = table.deadwood(hand ^ cards)
        is_other = public.melds[moves.meld_of(lay)].seat != seat
        if left == deadwood - points(cards) and (is_other or left > 12 or not left):
            return lay
    return _discard(table, hand, deadwood, ends)


def _goes_out(table: MeldTable, hand: Cards, deadwood: int, lays: list[Move]) -> bool:
    """Whether all cards but one can leave *hand*, as far as its best melds and lay-offs show."""
    for move in lays:
        cards = move & CARDS_MASK
        if hand & cards == cards:
            left = table.deadwood(hand ^ cards)
            if left == deadwood - points(cards):
                hand ^= cards
                deadwood = left
    return not deadwood or any(deadwood == POINTS[card] for card in unpack(hand))


def _discard(table: MeldTable, hand: Cards, deadwood: int, ends: list[Move]) -> Move:
    """The discard that leaves the best hand."""
    return max(ends, key=lambda move: _discard_worth(table, hand, deadwood, move ^ DISCARD))


def _discard_worth(table: MeldTable, hand: Cards, deadwood: int, one: Cards) -> float:
    """How much better the hand is without *one* card: by its points, less what it goes with."""
    card = one.bit_length() - 1 >> 2
    saved = deadwood - table.deadwood(hand ^ one) if hand != one else deadwood
    return saved - _LINK * (hand & _NEAR[card]).bit_count()


def _place(card: Card) -> int:
    """The rank of *card* with the ace low (G-1.1)."""
    return rank(card) if rank(card) < _ACE else 1


def _near(card: Card) -> Cards:
    """Cards that can be in a meld of three with *card*."""
    place = _place(card)
    found = 0
    for other in PACK:
        if other == card:
            continue
        is_set = rank(other) == rank(card)
        is_run = suit(other) == suit(card) and abs(_place(other) - place) <= 2
        if is_set or is_run:
            found |= 1 << 4 * other
    return found


_NEAR: Final = (0, *(_near(card) for card in PACK))


# Moves worth a trial -----------------------------------------------------------------------------


def worth_trying(state: State, seat: Seat) -> list[Move]:
    """Moves of *seat* among which to look for the best, by its own hand alone."""
    if state.public.phase is Phase.ANSWER:
        return []  # who calls draw holds more than chance tells: that is judged without trials
    legal = _GAME.legal_moves(state, seat)
    expected = quick_move(state, seat)
    if state.public.phase is Phase.START_TURN:
        return [expected, *(move for move in legal.moves if move != expected)]
    table, hand = state.table, state.hands[seat]
    deadwood = table.deadwood(hand)
    ends: list[tuple[float, Move]] = []
    others: list[Move] = []
    for move in legal.moves:
        cards = move & CARDS_MASK
        kind = move & TYPE_MASK
        if kind == DISCARD:
            ends.append((_discard_worth(table, hand, deadwood, cards), move))
        elif kind in (MELD, SECRET_FOUR):
            if table.deadwood(hand ^ cards) <= deadwood + 4:
                others.append(move)
        else:
            others.append(move)
    ends.sort(reverse=True)
    found = [expected, *(move for _, move in ends[:_DISCARDS_MAX]), *others]
    return list(dict.fromkeys(found))[:_TRIED_MAX]


# The guide ---------------------------------------------------------------------------------------


class TongitsGuide(Guide):
    """See `Guide` for what each method means."""

    game = _GAME

    def worth_trying(self, state: State, seat: Seat) -> list[Move]:
        return worth_trying(state, seat)

    def quick_move(self, state: State, seat: Seat) -> Move:
        return quick_move(state, seat)

    def value(self, state: State, seat: Seat) -> float:
        """Chips of *seat* after the deal that has just ended."""
        public = state.public
        result = public.last_result
        assert result is not None
        worth = float(result.seats[seat].chips)
        if public.phase is not Phase.OVER and result.winner is not None and not result.jackpot:
            # Who won stands to win the pot next time, and about every third time does.
            worth += result.pot * (0.3 if result.winner == seat else -0.15)
        return worth
