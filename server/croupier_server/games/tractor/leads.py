"""What may be led (rule T-5): every set of cards of one effective suit.

Must not be put here: whether a throw would stand (`throws`), which no list may tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from croupier_server.errors import IllegalMove, Reason
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import (
    COPIES_MAX,
    Cards,
    at_least,
    contains,
    count,
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

_TUPLES_MAX: Final = 1 << 15
_SUITS_MAX: Final = 1 << 12


def check_lead(hand: Cards, cards: Cards, trumps: Trumps) -> Lead:
    """The lead that playing *cards* from *hand* makes.

    Raises:
        IllegalMove: WRONG_CARD_COUNT (T-5.1) for no cards, CARDS_NOT_IN_HAND (T-5.1) or
            MIXED_SUITS (T-5.4).
    """
    if not contains(hand, cards):
        raise IllegalMove(Reason.CARDS_NOT_IN_HAND, "T-5.1", f"not all of {text(cards)} are held")
    return read_lead(cards, trumps)


_tuple_moves: tuple[dict[Cards, tuple[Move, ...]], ...] = tuple(
    {0: ()} for _ in range(COPIES_MAX + 1)
)


def tuple_moves(plane: Cards, width: int) -> tuple[Move, ...]:
    """The moves that play *width* copies of one card of *plane*, which has one of each."""
    memo = _tuple_moves[width]
    moves = memo.get(plane)
    if moves is None:
        if len(memo) >= _TUPLES_MAX:
            memo.clear()
        moves = memo[plane] = tuple(width << 4 * card | PLAY for card in unpack(plane))
    return moves


class _SuitLeads:
    """The leads from the cards of one effective suit.

    Attributes:
        part: the cards.
        number: how many leads there are, throws included.
        moves, kinds: those that are no throws, by kind, width, then ascending.
    """

    __slots__ = ("_all", "_span", "kinds", "moves", "number", "part")

    def __init__(self, part: Cards, suit: int, trumps: Trumps) -> None:
        self.part = part
        self._span: Pattern | None = None
        self._all: tuple[tuple[Move, ...], tuple[int, ...]] | None = None
        plane = at_least(part, 1)
        self.moves = tuple_moves(plane, 1)
        self.kinds: tuple[int, ...] = (LEAD_SINGLE,) * len(self.moves)
        singles, number = plane.bit_count(), 1
        tractors: list[Move] = []
        width = 1
        while plane:
            width += 1
            wider = at_least(part, width)
            number *= width ** (singles - wider.bit_count())
            plane, singles = wider, wider.bit_count()
            if plane:
                moves = tuple_moves(plane, width)
                self.moves += moves
                self.kinds += (LEAD_PAIR if width == 2 else LEAD_TUPLE,) * len(moves)
                if singles > 1:
                    tractors += _tractors(plane, width, suit, trumps)
        self.number = number - 1
        if tractors:
            self.moves += tuple(sorted(tractors))
            self.kinds += (LEAD_TRACTOR,) * len(tractors)

    def span(self) -> Pattern | None:
        """The pattern that spans the throws, together with other leads; None if there are none."""
        if self._span is None and self.number > len(self.moves):
            self._span = Pattern(LEAD_THROW, 0, self.part, 2, count(self.part))
        return self._span

    def all(self) -> tuple[tuple[Move, ...], tuple[int, ...]]:
        """Moves and kinds of all leads, throws included; to be asked while they are few."""
        if self._all is None:
            every = [PLAY]
            for card in unpack(at_least(self.part, 1)):
                copies = range((self.part >> 4 * card & 15) + 1)
                every = [move + (number << 4 * card) for number in copies for move in every]
            throws = sorted(set(every).difference(self.moves, (PLAY,)))
            self._all = (
                (*self.moves, *throws),
                self.kinds + (LEAD_THROW,) * len(throws),
            )
        return self._all


def _tractors(plane: Cards, width: int, suit: int, trumps: Trumps) -> Iterator[Move]:
    """Moves that play a run of tuples of *width* of the cards in *plane*."""
    runs: list[Move] = []  # those whose highest card stands one step below
    for cards in trumps.at_height[suit]:
        tuples = [width << 4 * card for card in cards if plane >> 4 * card & 1]
        longer = [run + more for run, more in product(runs, tuples)]
        yield from longer
        runs = longer + [one | PLAY for one in tuples]


_memo: dict[Trumps, dict[Cards, _SuitLeads]] = {}


def _suit_leads(part: Cards, suit: int, trumps: Trumps) -> _SuitLeads:
    memo = _memo.get(trumps)
    if memo is None:
        memo = _memo[trumps] = {}
    found = memo.get(part)
    if found is None:
        if len(memo) >= _SUITS_MAX:
            memo.clear()
        found = memo[part] = _SuitLeads(part, suit, trumps)
    return found


def legal_leads(hand: Cards, trumps: Trumps) -> Legal:
    """Every lead from *hand*, throws included.

    All are listed while there are at most `LEGAL_LIST_MAX`. Otherwise the leads that are no
    throws are listed while they are so few, and one pattern an effective suit spans the throws
    together with leads already listed; else one pattern an effective suit spans all. A move's
    kind is that of the first listed move or pattern which holds it.

    Listed by effective suit, then kind and width, then ascending.
    """
    suits = [
        _suit_leads(hand & mask, suit, trumps)
        for suit, mask in enumerate(trumps.mask)
        if hand & mask
    ]
    moves: tuple[Move, ...] = ()
    kinds: tuple[int, ...] = ()
    if sum(leads.number for leads in suits) <= LEGAL_LIST_MAX:
        for leads in suits:
            more_moves, more_kinds = leads.all()
            moves += more_moves
            kinds += more_kinds
        return Legal(moves, kinds)
    for leads in suits:
        moves += leads.moves
        kinds += leads.kinds
    if len(moves) <= LEGAL_LIST_MAX:
        found = (leads.span() for leads in suits)
        return Legal(moves, kinds, tuple(span for span in found if span is not None))
    spans = tuple(Pattern(LEAD_THROW, 0, leads.part, 1, count(leads.part)) for leads in suits)
    return Legal((), (), spans)
