"""What may be led (rule T-5): every set of cards of one effective suit."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import product
from typing import Final

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import (
    CARD_MAX,
    CLUBS,
    COPIES_MAX,
    DIAMONDS,
    HEARTS,
    JOKERS,
    ONES,
    SPADES,
    Cards,
    at_least,
    contains,
    count,
    text,
    unpack,
)
from croupier_server.games.kept import Kept
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Lead, read_lead
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, PLAY, TractorMoveKind
from croupier_server.games.tractor.refusals import Rule

# As plain numbers: members of an enum are looked up slowly.
_SINGLE: Final = int(TractorMoveKind.LEAD_SINGLE)
_PAIR: Final = int(TractorMoveKind.LEAD_PAIR)
_TUPLE: Final = int(TractorMoveKind.LEAD_TUPLE)
_TRACTOR: Final = int(TractorMoveKind.LEAD_TRACTOR)
_THROW: Final = int(TractorMoveKind.LEAD_THROW)

_KEPT_MAX: Final = 1 << 11
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
        raise IllegalMove(
            Rule.CARDS_NOT_IN_HAND, "T-5.1", f"the hand does not hold all of {text(cards)}"
        )
    return read_lead(cards, trumps)


_TUPLES: Final[tuple[tuple[Move, ...], ...]] = tuple(
    tuple(width << 4 * card | PLAY for card in range(CARD_MAX + 1))
    for width in range(COPIES_MAX + 1)
)
"""By width and card: the move that plays so many copies of it."""


def _suit_tuples(tuples: tuple[Move, ...], cards: Cards) -> tuple[Move, ...]:
    return tuple([tuples[card] for card in unpack(cards)])


_SUIT_TUPLES: Final = tuple(Kept(partial(_suit_tuples, tuples), 1 << 14) for tuples in _TUPLES)
"""By width: the moves that play so many copies of a card, by the cards of one printed suit."""


def tuple_moves(plane: Cards, width: int) -> tuple[Move, ...]:
    """The moves that play *width* copies of one card of *plane*, which has one of each."""
    moves = _SUIT_TUPLES[width]
    return (
        moves[plane & SPADES]
        + moves[plane & HEARTS]
        + moves[plane & DIAMONDS]
        + moves[plane & CLUBS]
        + moves[plane & JOKERS]
    )


def legal_leads(hand: Cards, trumps: Trumps) -> Legal:
    """Every lead from *hand*, throws included.

    All are listed while there are at most `LEGAL_LIST_MAX`. Otherwise the leads that are no
    throws are listed while they are so few, and one pattern an effective suit spans the throws
    together with leads already listed; else one pattern an effective suit spans all. A move's
    kind is that of the first listed move or pattern which holds it.

    Listed by kind and width, then ascending; throws last, by effective suit, then ascending.
    """
    cards = (hand | hand >> 1 | hand >> 2) & ONES
    moves = tuple_moves(cards, 1)
    kinds = _SINGLES[len(moves)]
    tractors: tuple[Move, ...] = ()
    planes: list[Cards] = []  # by width from 2: the cards held so often, one of each
    width, plane = 2, (hand >> 1 | hand >> 2) & ONES
    while plane:
        planes.append(plane)
        tuples = tuple_moves(plane, width)
        moves += tuples
        kinds += (_PAIR if width == 2 else _TUPLE,) * len(tuples)
        if len(tuples) > 1:
            tractors += _tractors(plane, width, trumps)
        width += 1
        plane = at_least(hand, width)
    if tractors:
        moves += tractors
        kinds += (_TRACTOR,) * len(tractors)
    if cards.bit_count() <= _DISTINCT_MAX and _are_few(cards, planes, trumps):
        throws: tuple[Move, ...] = ()
        for mask in trumps.mask:
            part = cards & mask
            if part & part - 1:
                throws += _mixed_sets(hand & mask)
        if tractors:
            throws = tuple([move for move in throws if move not in tractors])
        return Legal(moves + throws, kinds + (_THROW,) * len(throws))
    if len(moves) <= LEGAL_LIST_MAX:
        return Legal(moves, kinds, _spans(hand, cards, trumps))
    parts = [part for mask in trumps.mask if (part := hand & mask)]
    return Legal((), (), [Pattern(_THROW, 0, part, 1, count(part)) for part in parts])


_SINGLES: Final = tuple((_SINGLE,) * number for number in range(CARD_MAX + 1))
"""The kinds of so many singles."""


_new: Final = tuple.__new__


def _are_few(cards: Cards, planes: list[Cards], trumps: Trumps) -> bool:
    """Whether there are at most `LEGAL_LIST_MAX` leads, throws included. *cards* are those held,
    one of each, and *planes* those held twice and more, three times and more, and so on."""
    room = LEGAL_LIST_MAX + len(trumps.mask)  # no cards of a suit are not a lead
    for mask in trumps.mask:
        ways = 1 << (cards & mask).bit_count()
        for copies, plane in enumerate(planes, 2):
            held = (plane & mask).bit_count()
            if held:
                ways = ways * (copies + 1) ** held // copies**held
        room -= ways
        if room < 0:
            return False
    return True


def _spans(hand: Cards, cards: Cards, trumps: Trumps) -> list[Pattern]:
    """By effective suit that has a throw: the pattern of all leads of two or more cards."""
    spans = []
    for mask in trumps.mask:
        some = cards & mask
        if some & some - 1:
            part = hand & mask
            # Made without the detour of its own constructor.
            spans.append(_new(Pattern, (_THROW, 0, part, 2, count(part))))
    return spans


def _tractors(plane: Cards, width: int, trumps: Trumps) -> tuple[Move, ...]:
    """Moves that play a run of tuples of *width* of the cards in *plane*."""
    tractors: tuple[Move, ...] = ()
    for mask in trumps.mask:
        cards = plane & mask
        if cards & cards - 1:
            tractors += _suit_tractors(cards, width, trumps)
    return tractors


@lru_cache(maxsize=_KEPT_MAX)
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
    return tuple(sorted(tractors))


@lru_cache(maxsize=_KEPT_MAX)
def _every_set(part: Cards) -> tuple[Move, ...]:
    """The moves that play cards of *part*, which is of one effective suit, ascending. They have
    to be few. Found, as `_mixed_sets`, from those without the highest card."""
    if not part:
        return ()
    top = (part.bit_length() - 1) // 4
    copies = part >> 4 * top
    every = others = _every_set(part ^ copies << 4 * top)
    for taken in range(1, copies + 1):
        more = taken << 4 * top
        every += (PLAY | more, *[move + more for move in others])
    return every


@lru_cache(maxsize=_KEPT_MAX)
def _mixed_sets(part: Cards) -> tuple[Move, ...]:
    """Of `_every_set` those that play different cards."""
    if not part:
        return ()
    top = (part.bit_length() - 1) // 4
    copies = part >> 4 * top
    others = part ^ copies << 4 * top
    mixed = _mixed_sets(others)
    for taken in range(1, copies + 1):
        more = taken << 4 * top
        mixed += tuple([move + more for move in _every_set(others)])
    return mixed
