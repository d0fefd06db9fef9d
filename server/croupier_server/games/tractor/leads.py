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
    ONES,
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

_SPADES, _HEARTS, _DIAMONDS, _CLUBS, _JOKERS = _PRINTED_SUITS

_TUPLES: Final[tuple[tuple[Move, ...], ...]] = tuple(
    tuple(width << 4 * card | PLAY for card in range(CARD_MAX + 1))
    for width in range(COPIES_MAX + 1)
)
"""By width and card: the move that plays so many copies of it."""

_tuple_moves: tuple[dict[Cards, tuple[Move, ...]], ...] = tuple({} for _ in range(COPIES_MAX + 1))
"""By width: the moves of the cards of one printed suit, of which there are not many sets."""


def tuple_moves(plane: Cards, width: int) -> tuple[Move, ...]:
    """The moves that play *width* copies of one card of *plane*, which has one of each."""
    memo = _tuple_moves[width]
    try:
        return (
            memo[plane & _SPADES]
            + memo[plane & _HEARTS]
            + memo[plane & _DIAMONDS]
            + memo[plane & _CLUBS]
            + memo[plane & _JOKERS]
        )
    except KeyError:
        tuples = _TUPLES[width]
        for printed in _PRINTED_SUITS:
            cards = plane & printed
            if cards not in memo:
                memo[cards] = tuple([tuples[card] for card in unpack(cards)])
        return tuple_moves(plane, width)


def legal_leads(hand: Cards, trumps: Trumps) -> Legal:
    """Every lead from *hand*, throws included.

    All are listed while there are at most `LEGAL_LIST_MAX`. Otherwise the leads that are no
    throws are listed while they are so few, and one pattern an effective suit spans the throws
    together with leads already listed; else one pattern an effective suit spans all. A move's
    kind is that of the first listed move or pattern which holds it.

    Listed by kind and width, then ascending; throws last, by effective suit, then ascending.
    """
    moves = tuple_moves((hand | hand >> 1 | hand >> 2) & ONES, 1)
    kinds = _SINGLES[: len(moves)]
    tractors: tuple[Move, ...] = ()
    width, plane = 2, (hand >> 1 | hand >> 2) & ONES
    while plane:
        tuples = tuple_moves(plane, width)
        moves += tuples
        kinds += (LEAD_PAIR if width == 2 else LEAD_TUPLE,) * len(tuples)
        if len(tuples) > 1:
            tractors += _tractors(plane, width, trumps)
        width += 1
        plane = at_least(hand, width)
    if tractors:
        moves += tractors
        kinds += (LEAD_TRACTOR,) * len(tractors)
    room = LEGAL_LIST_MAX
    spans: list[Pattern] = []
    for mask in trumps.mask:
        part = hand & mask
        if part:
            number, span = _suits.get(part) or _read_suit(part)
            room -= number
            spans += span
    if room >= 0:
        throws: tuple[Move, ...] = ()
        for few in spans:
            throws += _sets(few.pool)[1]
        if tractors:
            throws = tuple([move for move in throws if move not in tractors])
        return Legal(moves + throws, kinds + (LEAD_THROW,) * len(throws))
    if len(moves) <= LEGAL_LIST_MAX:
        return Legal(moves, kinds, spans)
    parts = [part for mask in trumps.mask if (part := hand & mask)]
    return Legal((), (), [Pattern(LEAD_THROW, 0, part, 1, count(part)) for part in parts])


_SINGLES: Final = (LEAD_SINGLE,) * CARD_MAX

_suits: dict[Cards, tuple[int, tuple[Pattern, ...]]] = {}
"""By the cards held of one effective suit: the number of leads from it, counted no further than
`LEGAL_LIST_MAX`, and the pattern of those of two or more cards if there is a throw among them."""

_new = tuple.__new__


def _read_suit(part: Cards) -> tuple[int, tuple[Pattern, ...]]:
    plane = at_least(part, 1)
    held = plane.bit_count()
    number = 1 << held
    spans = (_new(Pattern, (LEAD_THROW, 0, part, 2, count(part))),) if held > 1 else ()
    copies = 2
    while held and number <= 2 * LEGAL_LIST_MAX:
        held = at_least(part, copies).bit_count()
        number = number * (copies + 1) ** held // copies**held
        copies += 1
    if len(_suits) >= _MEMO_MAX:
        _suits.clear()
    found = _suits[part] = (number - 1, spans)  # no cards are not a lead
    return found


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


_few: dict[Cards, tuple[tuple[Move, ...], tuple[Move, ...]]] = {}


def _sets(part: Cards) -> tuple[tuple[Move, ...], tuple[Move, ...]]:
    """The moves that play cards of *part*, which is of one effective suit, and of them those that
    play different cards; both ascending. They have to be few.

    Found from those without the highest card, which are often known already.
    """
    if not part:
        return (), ()
    found = _few.get(part)
    if found is None:
        top = (part.bit_length() - 1) // 4
        copies = part >> 4 * top
        every, mixed = _sets(part ^ copies << 4 * top)
        others = every
        for taken in range(1, copies + 1):
            more = taken << 4 * top
            with_others = tuple([move + more for move in others])
            mixed += with_others
            every += (PLAY | more, *with_others)
        if len(_few) >= _MEMO_MAX:
            _few.clear()
        found = _few[part] = (every, mixed)
    return found
