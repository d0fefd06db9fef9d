"""What may be led (rule T-5): every set of cards of one effective suit.

Must not be put here: whether a throw would stand (`throws`), which no list may tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Final

from croupier_server.errors import IllegalMove, Reason
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import (
    COPIES_MAX,
    Cards,
    at_least,
    contains,
    count,
    single,
    text,
    unpack,
)
from croupier_server.games.patterns import members
from croupier_server.games.tractor.cards import HEIGHT_MAX, Trumps
from croupier_server.games.tractor.components import LEAD_THROW, Lead, read_lead
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, PLAY


def check_lead(hand: Cards, cards: Cards, trumps: Trumps) -> Lead:
    """The lead that playing *cards* from *hand* makes.

    Raises:
        IllegalMove: WRONG_CARD_COUNT (T-5.1) for no cards, CARDS_NOT_IN_HAND (T-5.1) or
            MIXED_SUITS (T-5.4).
    """
    if not contains(hand, cards):
        raise IllegalMove(Reason.CARDS_NOT_IN_HAND, "T-5.1", f"not all of {text(cards)} are held")
    return read_lead(cards, trumps)


class _SuitLeads:
    """The leads from the cards of one effective suit.

    Attributes:
        number: how many there are, throws included.
        moves, kinds: those that are no throws, by kind, then ascending.
        span: the pattern that spans the throws; None if there is no throw.
        part, suit: the cards they are made of.
    """

    __slots__ = ("_all", "kinds", "moves", "number", "part", "span", "suit")

    def __init__(self, part: Cards, suit: int, trumps: Trumps) -> None:
        self.part = part
        self.suit = suit
        self.number = prod(1 + (part >> 4 * card & 15) for card in set(unpack(part))) - 1
        leads = [read_lead(cards, trumps) for cards in _unthrown(part, suit, trumps)]
        self.moves, self.kinds = _sorted(leads)
        self.span: Pattern | None = None
        if self.number > len(leads):
            self.span = Pattern(LEAD_THROW, 0, part, 2, count(part))
        self._all: tuple[tuple[Move, ...], tuple[int, ...]] | None = None

    def all(self, trumps: Trumps) -> tuple[tuple[Move, ...], tuple[int, ...]]:
        """Moves and kinds of all leads, throws included; to be asked while they are few."""
        if self._all is None:
            if self.span is None:
                self._all = (self.moves, self.kinds)
            else:
                span = Pattern(LEAD_THROW, 0, self.part, 1, count(self.part))
                self._all = _sorted([read_lead(cards, trumps) for cards in members((span,))])
        return self._all


def _sorted(leads: list[Lead]) -> tuple[tuple[Move, ...], tuple[int, ...]]:
    leads.sort(key=lambda lead: (lead.kind, lead.cards))
    return tuple(lead.cards | PLAY for lead in leads), tuple(lead.kind for lead in leads)


def _unthrown(part: Cards, suit: int, trumps: Trumps) -> Iterator[Cards]:
    """Singles, tuples and tractors of *part*."""
    for width in range(1, COPIES_MAX + 1):
        wide = at_least(part, width)
        if not wide:
            return
        yield from (width * single(card) for card in unpack(wide))
        if width == 1:
            continue
        runs: list[Cards] = []  # those whose highest card stands one step below
        for height in range(HEIGHT_MAX + 1):
            tuples = [
                width * single(card)
                for card in trumps.at_height[suit][height]
                if wide & single(card)
            ]
            longer = [run + cards for run, cards in product(runs, tuples)]
            yield from longer
            runs = longer + tuples


_MEMO_MAX: Final = 1 << 12
_memo: dict[Trumps, dict[Cards, _SuitLeads]] = {}


def _suit_leads(part: Cards, suit: int, trumps: Trumps) -> _SuitLeads:
    memo = _memo.get(trumps)
    if memo is None:
        memo = _memo[trumps] = {}
    found = memo.get(part)
    if found is None:
        if len(memo) >= _MEMO_MAX:
            memo.clear()
        found = memo[part] = _SuitLeads(part, suit, trumps)
    return found


def legal_leads(hand: Cards, trumps: Trumps) -> Legal:
    """Every lead from *hand*, throws included.

    All are listed while there are at most `LEGAL_LIST_MAX`. Otherwise the leads that are no
    throws are listed while they are so few, and one pattern an effective suit spans the throws
    together with leads already listed; else one pattern an effective suit spans all. A move's
    kind is that of the first listed move or pattern which holds it.

    Listed by effective suit, then kind, then ascending.
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
            more_moves, more_kinds = leads.all(trumps)
            moves += more_moves
            kinds += more_kinds
        return Legal(moves, kinds)
    for leads in suits:
        moves += leads.moves
        kinds += leads.kinds
    if len(moves) <= LEGAL_LIST_MAX:
        return Legal(moves, kinds, tuple(leads.span for leads in suits if leads.span))
    spans = tuple(Pattern(LEAD_THROW, 0, leads.part, 1, count(leads.part)) for leads in suits)
    return Legal((), (), spans)
