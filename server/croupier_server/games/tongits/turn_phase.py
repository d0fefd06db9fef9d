"""A turn: its start, melds, lay-offs, its end; and the answers to a draw call (G-2 to G-5).

Functions change a `State` and return the events; moves are known to be legal. `draw_stock` and
`discard` are the hot path of the game.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import NOBODY, Event, Seat
from croupier_server.games.cards import Card, Cards, rank, single
from croupier_server.games.tongits import deal_phase, scoring
from croupier_server.games.tongits.events import (
    Answered,
    CardsLaidOff,
    Discarded,
    DiscardTaken,
    DrawCalled,
    LaidOff,
    Meld,
    MeldExposed,
    OwnCard,
    OwnFour,
    SecretFourLaid,
    StockDrawn,
    TurnEnded,
)
from croupier_server.games.tongits.melds import PACK
from croupier_server.games.tongits.state import PLAYERS, Phase, PublicState, State

# Members of an enum are looked up slowly, and events are made without the detour of their own
# constructors, which take longer than the rest.
_START: Final = Phase.START_TURN
_PLAY: Final = Phase.PLAY
_ANSWER: Final = Phase.ANSWER
_new: Final = tuple.__new__

_BYTE: Final = tuple(bytes((number,)) for number in range(len(PACK) + 1))
_OWN_CARD: Final = tuple(OwnCard(card) for card in range(len(PACK) + 1))


# Start ------------------------------------------------------------------------------------------


def draw_stock(state: State, seat: Seat) -> list[Event]:
    """Draw the top card of the stock (G-2.1)."""
    public = state.public
    card = state.stock[0]
    state.stock = state.stock[1:]
    state.hands[seat] |= 1 << 4 * card
    state.legal = None
    public.hand_sizes[seat] += 1
    public.stock_size = left = public.stock_size - 1
    public.barred_turn &= ~(1 << seat)
    public.phase = _PLAY
    drawn = _new(StockDrawn, (seat, left))
    return [_new(Event, (drawn, {seat: _OWN_CARD[card]}, None))]


def take_for_meld(state: State, seat: Seat, needed: Cards) -> list[Event]:
    """Take the top discard and meld it with *needed* cards of the hand (G-2.2)."""
    public = state.public
    card = _take_discard(state, seat)
    is_turned_down = public.options.discard_melds == "turned_down"
    meld = _expose(state, seat, needed, card, is_turned_down)
    return [Event(DiscardTaken(seat, card, meld), NOBODY), *_after_cards(state, seat)]


def take_for_lay_off(state: State, seat: Seat, number: int) -> list[Event]:
    """Take the top discard and lay it off at once on the meld *number* (G-2.2)."""
    card = _take_discard(state, seat)
    _add_to_meld(state.public, seat, number, single(card))
    return [Event(DiscardTaken(seat, card, state.public.melds[number]), NOBODY)]


def _take_discard(state: State, seat: Seat) -> Card:
    """The top discard, taken by *seat*, whose turn begins with it."""
    public = state.public
    card = public.discards[-1]
    # It is the last discard of its discarder, or a later one was taken before it.
    bar_by_taking(public, public.discarders[-1])
    public.discards = public.discards[:-1]
    public.discarders = public.discarders[:-1]
    begin_turn(public, seat)
    public.took_discard = True
    public.phase = _PLAY
    state.legal = None
    return card


# Melds ------------------------------------------------------------------------------------------


def meld(state: State, seat: Seat, cards: Cards) -> list[Event]:
    """Expose a meld from the hand (G-2.3)."""
    exposed = _expose(state, seat, cards, 0, False)
    return [Event(MeldExposed(exposed), NOBODY), *_after_cards(state, seat)]


def secret_four(state: State, seat: Seat, cards: Cards) -> list[Event]:
    """Lay four of a kind face down (G-3.4)."""
    public = state.public
    four = rank(cards.bit_length() - 1 >> 2)
    state.secret_fours[seat] += (four,)
    public.secret_fours[seat] += 1
    _leave_hand(state, seat, cards)
    laid = Event(SecretFourLaid(seat), {seat: OwnFour(four)})
    return [laid, *_after_cards(state, seat)]


def lay_off(state: State, seat: Seat, number: int, cards: Cards) -> list[Event]:
    """Lay *cards* off on the meld *number* (G-4)."""
    laid_off = _add_to_meld(state.public, seat, number, cards)
    _leave_hand(state, seat, cards)
    return [Event(CardsLaidOff(number, laid_off), NOBODY), *_after_cards(state, seat)]


def _expose(state: State, seat: Seat, cards: Cards, taken: Card, is_turned_down: bool) -> Meld:
    """Put a meld of *cards* of the hand on the table, with the discard *taken* if it is not 0."""
    public = state.public
    every = cards | single(taken) if taken else cards
    exposed = Meld(len(public.melds), seat, every, taken, is_turned_down, ())
    public.melds.append(exposed)
    public.opened |= 1 << seat
    _leave_hand(state, seat, cards)
    return exposed


def _leave_hand(state: State, seat: Seat, cards: Cards) -> None:
    state.hands[seat] ^= cards
    state.public.hand_sizes[seat] -= cards.bit_count()
    state.legal = None


def _add_to_meld(public: PublicState, seat: Seat, number: int, cards: Cards) -> LaidOff:
    """Lay off on a meld."""
    old = public.melds[number]
    laid_off = LaidOff(seat, cards)
    public.melds[number] = old._replace(cards=old.cards | cards, lay_offs=(*old.lay_offs, laid_off))
    bar_by_lay_off(public, seat, old.seat)
    return laid_off


def _after_cards(state: State, seat: Seat) -> list[Event]:
    """What follows when cards have left the hand: nothing, or Tong-its (G-5.1)."""
    return [] if state.hands[seat] else deal_phase.end_by_tongits(state, seat)


# Bars ---------------------------------------------------------------------------------------------


def begin_turn(public: PublicState, seat: Seat) -> None:
    """Lift what barred *seat* from calling draw at the start of the turn that it begins now."""
    public.barred_turn &= ~(1 << seat)


def bar_by_lay_off(public: PublicState, seat: Seat, owner: Seat) -> None:
    """Bar the *owner* of a meld that *seat* lays off on from calling draw, if that does (G-5.2)."""
    options = public.options
    if seat != owner and options.draw_block_scope == "whole_hand":
        public.barred_deal |= 1 << owner
    elif seat != owner or options.draw_block_self_layoff:
        public.barred_turn |= 1 << owner


def bar_by_taking(public: PublicState, discarder: Seat) -> None:
    """Bar *discarder*, whose discard is taken, from calling draw, if that does (G-5.2)."""
    if public.options.draw_block_discard_taken:
        public.barred_discard |= 1 << discarder


# End --------------------------------------------------------------------------------------------


def discard(state: State, seat: Seat, cards: Cards) -> list[Event]:
    """Discard the one card of *cards*, which ends the turn (G-2.4)."""
    public = state.public
    card = cards.bit_length() - 1 >> 2
    hand = state.hands[seat] ^ cards
    state.hands[seat] = hand
    state.legal = None
    public.hand_sizes[seat] -= 1
    public.discards += _BYTE[card]
    public.discarders += _BYTE[seat]
    public.barred_discard &= ~(1 << seat)
    happened = [_new(Event, (_new(Discarded, (seat, card)), NOBODY, None))]
    if not hand:
        happened += deal_phase.end_by_tongits(state, seat)
    elif not public.stock_size:
        happened += deal_phase.end_by_stock(state, seat)
    else:
        _pass_turn(public, seat)
    return happened


def end_turn(state: State, seat: Seat) -> list[Event]:
    """End a turn that was begun with the discard without one (G-2.4); the stock is not empty,
    because nothing was drawn from it in this turn."""
    state.legal = None
    _pass_turn(state.public, seat)
    return [Event(TurnEnded(seat), NOBODY)]


def _pass_turn(public: PublicState, seat: Seat) -> None:
    """The next seat's turn begins."""
    public.turns[seat] += 1
    public.took_discard = False
    public.phase = _START
    seat_next = seat + 1
    public.to_act = seat_next if seat_next < PLAYERS else 0


# Draw call --------------------------------------------------------------------------------------


def call_draw(state: State, seat: Seat) -> list[Event]:
    """Call draw; the seats after *seat* answer in turn order (G-5.2)."""
    public = state.public
    public.caller = seat
    public.phase = _ANSWER
    state.legal = None
    return [Event(DrawCalled(seat), NOBODY), *_ask_next(state)]


def answer(state: State, seat: Seat, is_challenge: bool) -> list[Event]:
    """Fold or challenge (G-5.2)."""
    answered = Answered(seat, is_challenge, is_unasked=False)
    state.public.answers += (answered,)
    state.legal = None
    return [Event(answered, NOBODY), *_ask_next(state)]


def _ask_next(state: State) -> list[Event]:
    """Ask the next seat that is entitled to challenge; the others fold unasked. After the last
    answer the deal ends."""
    public = state.public
    happened: list[Event] = []
    while len(public.answers) < PLAYERS - 1:
        seat = (public.caller + 1 + len(public.answers)) % PLAYERS
        is_opened = bool(public.opened >> seat & 1)
        if scoring.may_challenge(is_opened, public.secret_fours[seat], public.options):
            public.to_act = seat
            return happened
        folded = Answered(seat, is_challenge=False, is_unasked=True)
        public.answers += (folded,)
        happened.append(Event(folded, NOBODY))
    return happened + deal_phase.end_by_draw_call(state)
