"""Which moves are legal: listed, and checked one by one with reasons (G-2 to G-5).

What is listed is exactly what the checks let pass; a test holds both against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier_server.errors import IllegalMove, MalformedMove, Reason
from croupier_server.games.base import Legal, Pattern, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tongits import scoring
from croupier_server.games.tongits.melds import (
    PACK,
    PACK_CARDS,
    PLANE,
    RANK_CARDS,
    RUN,
    SUIT_SHIFT,
    fours_in,
)
from croupier_server.games.tongits.moves import (
    BARE,
    CALL_DRAW,
    CARDS_MASK,
    CHALLENGE,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    FOLD,
    LAY_OFF,
    LEGAL_LIST_MAX,
    MELD,
    MELD_SHIFT,
    SECRET_FOUR,
    TAKE_DISCARD,
    TYPE_MASK,
    TongitsMoveKind,
)
from croupier_server.games.tongits.refusals import Rule
from croupier_server.games.tongits.state import PublicState, State

# Kinds as plain numbers, and lists of the one kind that nearly all moves are.
_DRAW: Final = int(TongitsMoveKind.DRAW_STOCK)
_CALL: Final = int(TongitsMoveKind.CALL_DRAW)
_TAKE: Final = int(TongitsMoveKind.TAKE_DISCARD)
_TAKE_AND_LAY_OFF: Final = int(TongitsMoveKind.TAKE_AND_LAY_OFF)
_SECRET_FOUR: Final = int(TongitsMoveKind.SECRET_FOUR)
_LAY_OFF: Final = int(TongitsMoveKind.LAY_OFF)
_DISCARD: Final = int(TongitsMoveKind.DISCARD)
_END_TURN: Final = int(TongitsMoveKind.END_TURN)
_DISCARDS: Final = tuple((_DISCARD,) * number for number in range(len(PACK) + 1))

_DRAW_ONLY: Final = Legal((DRAW_STOCK,), (_DRAW,))
_END_ONLY: Final = ((END_TURN,), (_END_TURN,))
_ANSWERS: Final = Legal((FOLD, CHALLENGE), (TongitsMoveKind.FOLD, TongitsMoveKind.CHALLENGE))

_NO_CARDS: Final = CARDS_MASK & ~PACK_CARDS
"""Bits that no set of cards of the pack has set."""

_FOURS: Final = frozenset(RANK_CARDS[2:])

# Lists ------------------------------------------------------------------------------------------


def start_moves(state: State, seat: Seat) -> Legal:
    """The legal moves at the start of a turn (G-2.1)."""
    public = state.public
    hand = state.hands[seat]
    takes: list[Cards] = []
    lays: list[int] = []
    if public.discards:
        card = public.discards[-1]
        takes = state.table.needs_in(card, hand)
        if public.options.discard_take != "new_meld_only":
            lays = _lay_off_numbers(state, seat, 1 << 4 * card)
    can_call = draw_call_fault(public, seat) is None
    if not takes and not lays and not can_call:
        return _DRAW_ONLY
    moves = [DRAW_STOCK]
    moves += [needed | TAKE_DISCARD for needed in takes]
    moves += [number + 1 << MELD_SHIFT | TAKE_DISCARD for number in lays]
    kinds = [_DRAW, *[_TAKE] * len(takes), *[_TAKE_AND_LAY_OFF] * len(lays)]
    if can_call:
        moves.append(CALL_DRAW)
        kinds.append(_CALL)
    return Legal(moves, kinds)


def _lay_off_numbers(state: State, seat: Seat, card: Cards) -> list[int]:
    """Numbers of the melds on which *seat* may lay the top discard off at once (G-2.2)."""
    options = state.public.options
    if not options.layoff:
        return []
    is_any = options.discard_take == "meld_or_layoff_any"
    nexts = state.table.nexts
    return [
        meld.number
        for meld in state.public.melds
        if (is_any or meld.seat == seat) and nexts[meld.cards] & card
    ]


def play_moves(state: State, seat: Seat) -> Legal:
    """The legal moves of a turn under way (G-2.3, G-2.4): melds, fours, lay-offs, and its end."""
    public, table = state.public, state.table
    options = public.options
    hand = state.hands[seat]
    spades, hearts = hand & PLANE, hand >> SUIT_SHIFT & PLANE
    diamonds, clubs = hand >> 2 * SUIT_SHIFT & PLANE, hand >> 3 * SUIT_SHIFT & PLANE
    rows = table.suit_rows
    row_s = rows[0][spades]
    row_h = rows[1][hearts]
    row_d = rows[2][diamonds]
    row_c = rows[3][clubs]
    ends: Sequence[int] = row_s[0] + row_h[0] + row_d[0] + row_c[0]
    end_kinds: Sequence[int] = _DISCARDS[len(ends)]
    if public.took_discard and not options.discard_after_take:
        ends, end_kinds = _END_ONLY
    melds = [*row_s[1], *row_h[1], *row_d[1], *row_c[1]] if options.hand_melds else []
    kinds = [RUN] * len(melds)
    others: list[int] = []
    other_kinds: list[int] = []
    ranks = spades & hearts & (diamonds | clubs) | diamonds & clubs & (spades | hearts)
    if ranks:
        if options.hand_melds:
            melds += table.set_moves(hand, ranks)
            melds.sort()
            kinds = [table.kinds[move ^ MELD] for move in melds]
        if options.secret_fours:
            others = sorted([RANK_CARDS[rank] | SECRET_FOUR for rank in fours_in(hand)])
            other_kinds = [_SECRET_FOUR] * len(others)
    if options.layoff:
        nexts = table.nexts
        for meld in public.melds:
            if hand & nexts[meld[2]]:
                base = meld[0] + 1 << MELD_SHIFT | LAY_OFF
                extras = table.extras_in(meld[2], hand)
                others += [extra | base for extra in extras]
                other_kinds += [_LAY_OFF] * len(extras)
    if not melds and not others:
        return Legal(ends, end_kinds)
    if len(melds) + len(others) + len(ends) > LEGAL_LIST_MAX:
        return _long_answer([*others, *ends, *melds], [*other_kinds, *end_kinds, *kinds])
    return Legal([*melds, *others, *ends], [*kinds, *other_kinds, *end_kinds])


def _long_answer(moves: Sequence[int], kinds: Sequence[int]) -> Legal:
    """An answer that is too long for a list: each move that has no room in it is a pattern."""
    spans = [
        Pattern(kind, move & ~TYPE_MASK, 0, 0, 0)
        for move, kind in zip(moves[LEGAL_LIST_MAX:], kinds[LEGAL_LIST_MAX:], strict=True)
    ]
    return Legal(moves[:LEGAL_LIST_MAX], kinds[:LEGAL_LIST_MAX], spans)


def answers() -> Legal:
    """The legal answers to a draw call (G-5.2)."""
    return _ANSWERS


# Checks -----------------------------------------------------------------------------------------


def check_form(move: int) -> None:
    """Raise MalformedMove unless *move* is a move of Tong-its, legal or not."""
    kind, cards, number = move & TYPE_MASK, move & CARDS_MASK, move >> MELD_SHIFT
    if kind in BARE:
        is_formed = move == kind
    elif kind == TAKE_DISCARD:
        is_formed = bool(cards) != bool(number)
    elif kind == LAY_OFF:
        is_formed = bool(cards) and bool(number)
    else:
        is_formed = kind in (MELD, SECRET_FOUR, DISCARD) and bool(cards) and not number
    if move < 0 or not is_formed or cards & _NO_CARDS:
        raise MalformedMove(Reason.MALFORMED_MOVE, "not a move of Tong-its")


def check_start(state: State, seat: Seat, kind: int, move: int) -> None:
    """Check a move at the start of a turn (G-2.1, G-2.2, G-5.2).

    Raises:
        IllegalMove: NOT_OPENED, DRAW_CALL_BARRED, NO_DISCARD, NOT_ALLOWED_BY_OPTIONS,
            CARDS_NOT_IN_HAND, WRONG_CARD_COUNT, NOT_A_MELD, NO_SUCH_MELD or CANNOT_LAY_OFF.
    """
    public = state.public
    if kind == CALL_DRAW:
        fault = draw_call_fault(public, seat)
        if fault is not None:
            why = "only an opened player may call draw"
            if fault is Rule.DRAW_CALL_BARRED:
                why = _bar(public, seat)
            raise IllegalMove(fault, "G-5.2", why)
    elif kind == TAKE_DISCARD:
        cards, number = move & CARDS_MASK, (move >> MELD_SHIFT) - 1
        if number >= 0:
            _check_take_for_lay_off(state, seat, number)
            return
        if not public.discards:
            raise IllegalMove(Rule.NO_DISCARD, "G-2.2", "there is no discard to take")
        _check_held(state.hands[seat], cards, "G-2.2")
        if cards.bit_count() < 2:
            raise IllegalMove(
                Rule.WRONG_CARD_COUNT, "G-2.2", "at least two cards of the hand are needed"
            )
        if cards | 1 << 4 * public.discards[-1] not in state.table.kinds:
            raise IllegalMove(
                Rule.NOT_A_MELD, "G-2.2", "these cards do not form a meld with the discard"
            )


def _check_take_for_lay_off(state: State, seat: Seat, number: int) -> None:
    public, options = state.public, state.public.options
    if options.discard_take == "new_meld_only":
        raise _switched_off("G-2.2", "the discard may only be taken for a new meld")
    if not options.layoff:
        raise _switched_off("G-4", "cards cannot be laid off at this table")
    if not public.discards:
        raise IllegalMove(Rule.NO_DISCARD, "G-2.2", "there is no discard to take")
    _check_number(public, number)
    if options.discard_take == "meld_or_layoff_own" and public.melds[number].seat != seat:
        raise _switched_off("G-2.2", "the discard may only be laid off on an own meld")
    if not state.table.extends(public.melds[number].cards, 1 << 4 * public.discards[-1]):
        raise IllegalMove(Rule.CANNOT_LAY_OFF, "G-4", f"the discard does not extend meld {number}")


def check_play(state: State, seat: Seat, kind: int, move: int) -> None:
    """Check a move of a turn under way (G-2.3, G-2.4, G-3, G-4).

    Raises:
        IllegalMove: NOT_ALLOWED_BY_OPTIONS, CARDS_NOT_IN_HAND, NOT_A_MELD, NOT_FOUR_OF_A_KIND,
            NO_SUCH_MELD, CANNOT_LAY_OFF, WRONG_CARD_COUNT, MUST_DISCARD or MUST_NOT_DISCARD.
    """
    public, options = state.public, state.public.options
    hand, cards = state.hands[seat], move & CARDS_MASK
    if kind == MELD:
        if not options.hand_melds:
            raise _switched_off("G-2.3", "melds cannot be exposed from the hand at this table")
        _check_held(hand, cards, "G-2.3")
        if cards not in state.table.kinds:
            raise IllegalMove(Rule.NOT_A_MELD, "G-3.1", "these cards are neither a set nor a run")
    elif kind == SECRET_FOUR:
        if not options.secret_fours:
            raise _switched_off("G-3.4", "fours cannot be laid face down at this table")
        if cards not in _FOURS or cards & hand != cards:
            raise IllegalMove(
                Rule.NOT_FOUR_OF_A_KIND,
                "G-3.4",
                "the hand does not hold all four cards of this rank",
            )
    elif kind == LAY_OFF:
        number = (move >> MELD_SHIFT) - 1
        if not options.layoff:
            raise _switched_off("G-4", "cards cannot be laid off at this table")
        _check_number(public, number)
        _check_held(hand, cards, "G-4")
        if not state.table.extends(public.melds[number].cards, cards):
            raise IllegalMove(
                Rule.CANNOT_LAY_OFF, "G-4", f"these cards do not extend meld {number}"
            )
    else:
        _check_end(public, hand, kind, cards)


def _check_end(public: PublicState, hand: Cards, kind: int, cards: Cards) -> None:
    """Check what ends a turn (G-2.4)."""
    ends_bare = public.took_discard and not public.options.discard_after_take
    if kind == END_TURN:
        if not ends_bare:
            raise IllegalMove(Rule.MUST_DISCARD, "G-2.4", "this turn must end with a discard")
        return
    if ends_bare:
        raise IllegalMove(Rule.MUST_NOT_DISCARD, "G-2.4", "this turn must end without a discard")
    if cards.bit_count() != 1:
        raise IllegalMove(Rule.WRONG_CARD_COUNT, "G-2.4", "exactly one card must be discarded")
    _check_held(hand, cards, "G-2.4")


def _check_held(hand: Cards, cards: Cards, clause: str) -> None:
    if cards & hand != cards:
        raise IllegalMove(
            Rule.CARDS_NOT_IN_HAND, clause, "the hand does not hold all of these cards"
        )


def _check_number(public: PublicState, number: int) -> None:
    if number >= len(public.melds):
        raise IllegalMove(Rule.NO_SUCH_MELD, "G-4", "no meld has this number")


def _switched_off(clause: str, why: str) -> IllegalMove:
    return IllegalMove(Rule.NOT_ALLOWED_BY_OPTIONS, clause, why)


def draw_call_fault(public: PublicState, seat: Seat) -> Rule | None:
    """Why *seat* may not call draw at the start of its turn, or None if it may (G-5.2)."""
    options = public.options
    is_opened = public.opened >> seat & 1
    if not is_opened and not scoring.may_call(False, public.secret_fours[seat], options):
        return Rule.NOT_OPENED
    if options.draw_call == "anyone" and not public.turns[seat]:
        return Rule.DRAW_CALL_BARRED
    if (public.barred_turn | public.barred_deal | public.barred_discard) >> seat & 1:
        return Rule.DRAW_CALL_BARRED
    return None


def _bar(public: PublicState, seat: Seat) -> str:
    """What bars the draw call of *seat*, for people (G-5.2)."""
    if (public.barred_turn | public.barred_deal) >> seat & 1:
        return "a lay-off on an own meld bars this draw call"
    if public.barred_discard >> seat & 1:
        return "the own last discard was taken, which bars this draw call"
    return "nobody may call draw in the own first turn of a deal"
