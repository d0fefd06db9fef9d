"""What may be led (rule T-5): every set of cards of one effective suit.

Must not be put here: whether a throw would stand (`throws`), which no list may tell.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from croupier_server.errors import IllegalMove, Reason
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import (
    CARD_MAX,
    COPIES_MAX,
    Cards,
    at_least,
    contains,
    count,
    single,
    text,
    unpack,
)
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import (
    LEAD_PAIR,
    LEAD_SINGLE,
    LEAD_THROW,
    LEAD_TRACTOR,
    LEAD_TUPLE,
    Lead,
    read_lead,
)
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, PLAY

_MEMO_MAX: Final = 1 << 13
_DISTINCT_MAX: Final = 18
"""With more different cards there are more leads than can be listed, however they are divided
among five suits."""


def check_lead(hand: Cards, cards: Cards, trumps: Trumps) -> Lead:
    """The lead that playing *cards* from *hand* makes.

    Raises:
        IllegalMove: WRONG_CARD_COUNT (T-5.1) for no cards, CARDS_NOT_IN_HAND (T-5.1) or
            MIXED_SUITS (T-5.4).
    """
    if not contains(hand, cards):
        raise IllegalMove(Reason.CARDS_NOT_IN_HAND, "T-5.1", f"not all of {text(cards)} are held")
    return read_lead(cards, trumps)


_PRINTED_SUITS: Final[tuple[Cards, ...]] = tuple(
    sum(single(card) for card in range(1 + 13 * suit, min(14 + 13 * suit, CARD_MAX + 1)))
    for suit in range(5)
)
"""One of every card of each printed suit, and of the jokers."""

_tuple_moves: tuple[dict[Cards, tuple[Move, ...]], ...] = tuple({} for _ in range(COPIES_MAX + 1))
"""By width: the moves of the cards of one printed suit, of which there are not many sets."""


def tuple_moves(plane: Cards, width: int) -> tuple[Move, ...]:
    """The moves that play *width* copies of one card of *plane*, which has one of each."""
    memo = _tuple_moves[width]
    moves: tuple[Move, ...] = ()
    for printed in _PRINTED_SUITS:
        cards = plane & printed
        if cards:
            more = memo.get(cards)
            if more is None:
                more = memo[cards] = tuple(width << 4 * card | PLAY for card in unpack(cards))
            moves += more
    return moves


def legal_leads(hand: Cards, trumps: Trumps) -> Legal:
    """Every lead from *hand*, throws included.

    All are listed while there are at most `LEGAL_LIST_MAX`. Otherwise the leads that are no
    throws are listed while they are so few, and one pattern an effective suit spans the throws
    together with leads already listed; else one pattern an effective suit spans all. A move's
    kind is that of the first listed move or pattern which holds it.

    Listed by kind and width, then ascending; throws last, by effective suit, then ascending.
    """
    planes = _planes(hand)
    moves = tuple_moves(planes[0], 1)
    kinds: tuple[int, ...] = (LEAD_SINGLE,) * len(moves)
    tractors: tuple[Move, ...] = ()
    for width, plane in enumerate(planes[1:], 2):
        tuples = tuple_moves(plane, width)
        moves += tuples
        kinds += (LEAD_PAIR if width == 2 else LEAD_TUPLE,) * len(tuples)
        if len(tuples) > 1:
            tractors += _tractors(plane, width, trumps)
    if tractors:
        moves += tractors
        kinds += (LEAD_TRACTOR,) * len(tractors)
    if _are_few(planes, trumps):
        throws = _mixed_sets(hand, trumps)
        if tractors:
            throws = tuple([move for move in throws if move not in tractors])
        return Legal(moves + throws, kinds + (LEAD_THROW,) * len(throws))
    if len(moves) <= LEGAL_LIST_MAX:
        return Legal(moves, kinds, _spans(hand, planes[0], trumps))
    parts = [part for mask in trumps.mask if (part := hand & mask)]
    return Legal((), (), [Pattern(LEAD_THROW, 0, part, 1, count(part)) for part in parts])


def _planes(hand: Cards) -> list[Cards]:
    """By width from 1: one of every card that *hand* holds so often."""
    planes = [at_least(hand, 1)]
    width = 2
    while plane := at_least(hand, width):
        planes.append(plane)
        width += 1
    return planes


_runs: dict[tuple[Trumps, int, Cards], tuple[Move, ...]] = {}


def _tractors(plane: Cards, width: int, trumps: Trumps) -> tuple[Move, ...]:
    """Moves that play a run of tuples of *width* of the cards in *plane*."""
    tractors: tuple[Move, ...] = ()
    for mask in trumps.mask:
        cards = plane & mask
        if cards & cards - 1:
            found = _runs.get((trumps, width, cards))
            tractors += _suit_tractors(cards, width, trumps) if found is None else found
    return tractors


def _suit_tractors(cards: Cards, width: int, trumps: Trumps) -> tuple[Move, ...]:
    """Those of one effective suit, ascending."""
    steps: dict[int, list[Move]] = {}
    for card in unpack(cards):
        steps.setdefault(trumps.height[card], []).append(width << 4 * card)
    tractors: list[Move] = []
    runs: list[Move] = []  # those whose highest card stands one step below
    for height in sorted(steps):
        if height - 1 not in steps:
            runs = []
        longer = [run + more for run, more in product(runs, steps[height])]
        tractors += longer
        runs = longer + [PLAY | one for one in steps[height]]
    if len(_runs) >= _MEMO_MAX:
        _runs.clear()
    found = _runs[trumps, width, cards] = tuple(sorted(tractors))
    return found


def _are_few(planes: list[Cards], trumps: Trumps) -> bool:
    """Whether there are at most `LEGAL_LIST_MAX` leads, throws included."""
    if planes[0].bit_count() > _DISTINCT_MAX:
        return False
    room = LEGAL_LIST_MAX + len(trumps.mask)  # no cards of a suit are not a lead
    for mask in trumps.mask:
        ways = 1 << (planes[0] & mask).bit_count()
        for width, plane in enumerate(planes[1:], 2):
            held = (plane & mask).bit_count()
            if held:
                ways = ways * (width + 1) ** held // width**held
        room -= ways
        if room < 0:
            return False
    return True


def _spans(hand: Cards, plane: Cards, trumps: Trumps) -> list[Pattern]:
    """By effective suit that has a throw: the pattern of all leads of two or more cards."""
    spans = []
    for mask in trumps.mask:
        cards = plane & mask
        if cards & cards - 1:
            part = hand & mask
            spans.append(Pattern(LEAD_THROW, 0, part, 2, count(part)))
    return spans


_mixed: dict[Cards, tuple[Move, ...]] = {}


def _mixed_sets(hand: Cards, trumps: Trumps) -> tuple[Move, ...]:
    """The moves that play different cards of one effective suit; they have to be few."""
    moves: tuple[Move, ...] = ()
    for mask in trumps.mask:
        part = hand & mask
        if part:
            found = _mixed.get(part)
            moves += _mixed_sets_of_suit(part) if found is None else found
    return moves


def _mixed_sets_of_suit(part: Cards) -> tuple[Move, ...]:
    """Those of one effective suit, ascending."""
    every = [PLAY]
    mixed: list[Move] = []
    for card in unpack(at_least(part, 1)):
        others = every[1:]
        for copies in range(1, (part >> 4 * card & 15) + 1):
            tuples = copies << 4 * card
            with_others = [move + tuples for move in others]
            mixed += with_others
            every.append(PLAY | tuples)
            every += with_others
    if len(_mixed) >= _MEMO_MAX:
        _mixed.clear()
    found = _mixed[part] = tuple(mixed)
    return found
