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
    if len(planes) > 1:
        moves, kinds = _with_tuples(moves, kinds, planes, trumps)
    if _are_few(planes, trumps):
        unthrown = set(moves)
        throws = [
            move for mask in trumps.mask for move in _every(hand & mask) if move not in unthrown
        ]
        return Legal((*moves, *throws), kinds + (LEAD_THROW,) * len(throws))
    if len(moves) <= LEGAL_LIST_MAX:
        spans = [_span(hand & mask) for mask in trumps.mask]
        return Legal(moves, kinds, [span for span in spans if span is not None])
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


def _with_tuples(
    moves: tuple[Move, ...], kinds: tuple[int, ...], planes: list[Cards], trumps: Trumps
) -> tuple[tuple[Move, ...], tuple[int, ...]]:
    """*moves* and *kinds*, followed by those of tuples and of tractors."""
    tractors: tuple[Move, ...] = ()
    for width, plane in enumerate(planes[1:], 2):
        tuples = tuple_moves(plane, width)
        moves += tuples
        kinds += (LEAD_PAIR if width == 2 else LEAD_TUPLE,) * len(tuples)
        if len(tuples) > 1:
            for suit, mask in enumerate(trumps.mask):
                if plane & mask:
                    tractors += _tractors(plane & mask, width, suit, trumps)
    return moves + tractors, kinds + (LEAD_TRACTOR,) * len(tractors)


_runs: dict[tuple[Trumps, int, Cards], tuple[Move, ...]] = {}


def _tractors(plane: Cards, width: int, suit: int, trumps: Trumps) -> tuple[Move, ...]:
    """Moves that play a run of tuples of *width* of the cards in *plane*, ascending."""
    if not plane & plane - 1:
        return ()
    found = _runs.get((trumps, width, plane))
    if found is None:
        tractors: list[Move] = []
        runs: list[Move] = []  # those whose highest card stands one step below
        for cards in trumps.at_height[suit]:
            tuples = [width << 4 * card for card in cards if plane >> 4 * card & 1]
            longer = [run + more for run, more in product(runs, tuples)]
            tractors += longer
            runs = longer + [one | PLAY for one in tuples]
        if len(_runs) >= _MEMO_MAX:
            _runs.clear()
        found = _runs[trumps, width, plane] = tuple(sorted(tractors))
    return found


def _are_few(planes: list[Cards], trumps: Trumps) -> bool:
    """Whether there are at most `LEGAL_LIST_MAX` leads, throws included."""
    if planes[0].bit_count() > _DISTINCT_MAX:
        return False
    room = LEGAL_LIST_MAX + len(trumps.mask)  # no cards of a suit are not a lead
    for mask in trumps.mask:
        ways = 1
        for width, plane in enumerate(planes, 1):
            held = (plane & mask).bit_count()
            ways = ways * (width + 1) ** held // width**held
        room -= ways
        if room < 0:
            return False
    return True


_spans: dict[Cards, Pattern | None] = {}
_all: dict[Cards, tuple[Move, ...]] = {}


def _span(part: Cards) -> Pattern | None:
    """The pattern of all leads of two or more cards of *part*, if any of them is a throw."""
    if part not in _spans:
        if len(_spans) >= _MEMO_MAX:
            _spans.clear()
        plane = at_least(part, 1)
        is_mixed = plane & plane - 1 != 0
        _spans[part] = Pattern(LEAD_THROW, 0, part, 2, count(part)) if is_mixed else None
    return _spans[part]


def _every(part: Cards) -> tuple[Move, ...]:
    """The moves that play any cards of *part*, which has few."""
    every = _all.get(part)
    if every is None:
        moves = [PLAY]
        for card in unpack(at_least(part, 1)):
            copies = range((part >> 4 * card & 15) + 1)
            moves = [move + (number << 4 * card) for number in copies for move in moves]
        if len(_all) >= _MEMO_MAX:
            _all.clear()
        every = _all[part] = tuple(moves[1:])  # without the empty one; so built they ascend
    return every
