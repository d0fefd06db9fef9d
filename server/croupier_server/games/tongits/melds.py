"""Sets, runs, what extends them, and deadwood (G-1.1, G-3.1, G-4, G-5.4).

All the melds that a choice of options allows are put into tables once: 65 sets and some three
hundred runs. A pack has one copy of each card, so a packed hand has one bit in four set, a suit is
a plane of 52 bits of it, and "are these cards there" is one mask.

Must not be put here: whose turn it is, or what a table allows beside the melds themselves.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from croupier_server.games.cards import Card, Cards, card_of, rank, single, unpack
from croupier_server.games.tongits.moves import DISCARD, MELD, TongitsMoveKind

PACK: Final[tuple[Card, ...]] = tuple(range(1, 53))
"""The pack in documented order."""

POINTS: Final[tuple[int, ...]] = (0, *(1 if c % 13 == 0 else min(c % 13 + 1, 10) for c in PACK))
"""Card points by id (G-1.1)."""

ACE: Final = 14
ACES: Final[Cards] = sum(single(card_of(of, ACE)) for of in range(4))

RANK_CARDS: Final[tuple[Cards, ...]] = tuple(
    sum(single(card) for card in PACK if rank(card) == value) for value in range(ACE + 1)
)
"""All four cards of each rank, by rank 2 to 14."""

PACK_CARDS: Final[Cards] = sum(RANK_CARDS)
"""The whole pack."""

SUIT_SHIFT: Final = 52
PLANE: Final[Cards] = (1 << SUIT_SHIFT + 4) - 16
"""Digits of spades; another suit is shifted down to them."""

SET: Final = int(TongitsMoveKind.MELD_SET)
RUN: Final = int(TongitsMoveKind.MELD_RUN)

_SHORT_MAX: Final = 5
"""A longer run is made of runs of three to five cards, and they are all that deadwood needs."""

_MEMO_MAX: Final = 1 << 15


class SuitRow(NamedTuple):
    """What the cards of one suit in a hand are good for.

    Attributes:
        discards: the moves that discard each of them, ascending.
        runs: the moves that meld each run in them, ascending.
        points: card points of them together.
        short: each run of up to five cards with its points, see `_most_saved`.
    """

    discards: tuple[int, ...]
    runs: tuple[int, ...]
    points: int
    short: tuple[tuple[Cards, int], ...]


def points(cards: Cards) -> int:
    """Card points of *cards* (G-1.1).

    >>> from croupier_server.games.cards import parse
    >>> points(parse("AS 2S TS KH"))
    23
    """
    return sum([POINTS[card] for card in unpack(cards)])


def fours_in(cards: Cards) -> list[int]:
    """The ranks of which *cards* hold all four, rising from 2 to the ace's 14."""
    every = cards & cards >> SUIT_SHIFT & cards >> 2 * SUIT_SHIFT & cards >> 3 * SUIT_SHIFT & PLANE
    return [rank(card) for card in unpack(every)] if every else []


def sets_in(cards: Cards) -> int:
    """Of how many ranks *cards* hold three or four."""
    return sum((cards & every).bit_count() > 2 for every in RANK_CARDS)


def _run_orders(ace_high_runs: bool) -> list[int]:
    """Ranks in the order of runs (G-3.1): the ace first, and last once more if it may be high."""
    return [ACE, *range(2, ACE + 1 if ace_high_runs else ACE)]


@cache
def meld_table(runs: bool, ace_high_runs: bool) -> MeldTable:
    """The table of all melds under the two options of G-3.1."""
    return MeldTable(runs, runs and ace_high_runs)


class MeldTable:
    """Every meld under one choice of options (G-3.1).

    Attributes:
        kinds: of every meld, `SET` or `RUN`; what is no key is no meld.
        nexts: by meld, the cards that extend it alone to another meld (G-4).
        suit_rows: by suit, a `SuitRow` for each plane that came up, see `suit_row`.
    """

    __slots__ = (
        "_cores",
        "_extras",
        "_known_deadwood",
        "_set_moves",
        "_with_card",
        "kinds",
        "nexts",
        "suit_rows",
    )

    def __init__(self, runs: bool, ace_high_runs: bool) -> None:
        self.kinds: dict[Cards, int] = {}
        self._set_moves: dict[Cards, tuple[int, ...]] = {}
        for every in RANK_CARDS[2:]:
            cards = [single(card) for card in unpack(every)]
            sets = sorted(sum(some) for number in (3, 4) for some in combinations(cards, number))
            self.kinds.update(dict.fromkeys(sets, SET))
            for held in sets:
                self._set_moves[held] = tuple(s | MELD for s in sets if s & held == s)
        if runs:
            order = _run_orders(ace_high_runs)
            for start in range(len(order)):
                for end in range(start + 3, min(len(order), start + 13) + 1):
                    for of in range(4):
                        run = sum(single(card_of(of, value)) for value in order[start:end])
                        self.kinds[run] = RUN
        self.suit_rows: tuple[dict[Cards, SuitRow], ...] = ({}, {}, {}, {})
        self._extras = {meld: self._extras_of(meld) for meld in self.kinds}
        self.nexts: dict[Cards, Cards] = {
            meld: sum(extra for extra in extras if extra.bit_count() == 1)
            for meld, extras in self._extras.items()
        }
        self._with_card: tuple[tuple[Cards, ...], ...] = (
            (),
            *(
                tuple(sorted(meld - single(card) for meld in self.kinds if meld & single(card)))
                for card in PACK
            ),
        )
        self._cores = tuple(
            tuple(needed for needed in needs if needed.bit_count() == 2)
            for needs in self._with_card
        )
        self._known_deadwood: dict[Cards, int] = {}

    def _extras_of(self, meld: Cards) -> tuple[Cards, ...]:
        kind = self.kinds[meld]
        return tuple(
            sorted(
                other - meld
                for other in self.kinds
                if other & meld == meld and other != meld and self.kinds[other] == kind
            )
        )

    def suit_row(self, of: int, plane: Cards) -> SuitRow:
        """The row of the suit *of* for the cards in *plane*, shifted down to spades; made when it
        is first asked for. There are at most 8192 a suit."""
        row = self.suit_rows[of].get(plane)
        if row is None:
            held = plane << SUIT_SHIFT * of
            runs = sorted(
                run for run, kind in self.kinds.items() if kind == RUN and run & held == run
            )
            row = SuitRow(
                tuple(single(card) | DISCARD for card in unpack(held)),
                tuple(run | MELD for run in runs),
                points(held),
                tuple((run, points(run)) for run in runs if run.bit_count() <= _SHORT_MAX),
            )
            self.suit_rows[of][plane] = row
        return row

    def set_moves(self, hand: Cards) -> list[int]:
        """The moves that meld each set in *hand*, by rank."""
        found: list[int] = []
        for every in RANK_CARDS:
            held = self._set_moves.get(hand & every)
            if held is not None:
                found += held
        return found

    def melds_in(self, hand: Cards) -> list[Cards]:
        """Every meld in *hand*, ascending."""
        return sorted(meld for meld in self.kinds if meld & hand == meld)

    def extras_in(self, meld: Cards, hand: Cards) -> list[Cards]:
        """Every choice of cards of *hand* that extends *meld* to a meld, ascending (G-4)."""
        return [extra for extra in self._extras[meld] if extra & hand == extra]

    def extends(self, meld: Cards, cards: Cards) -> bool:
        """Whether *cards* extend *meld* to a meld (G-4)."""
        return cards in self._extras[meld]

    def needs_in(self, card: Card, hand: Cards) -> list[Cards]:
        """Every choice of two or more cards of *hand* that makes a meld with *card*, ascending
        (G-2.2)."""
        for core in self._cores[card]:
            if core & hand == core:
                return [need for need in self._with_card[card] if need & hand == need]
        return []

    def deadwood(self, hand: Cards) -> int:
        """Card points of *hand* after taking out the best melds in it (G-5.4), exactly.

        >>> from croupier_server.games.cards import parse
        >>> meld_table(True, False).deadwood(parse("7H 7C 7D 8D 9D"))
        14
        """
        known = self._known_deadwood.get(hand)
        if known is None:
            known = self._deadwood(hand)
            if len(self._known_deadwood) >= _MEMO_MAX:
                self._known_deadwood.clear()
            self._known_deadwood[hand] = known
        return known

    def _deadwood(self, hand: Cards) -> int:
        planes = [hand >> SUIT_SHIFT * of & PLANE for of in range(4)]
        spades, hearts, diamonds, clubs = planes
        total = 0
        melds: list[tuple[Cards, int]] = []
        for of, plane in enumerate(planes):
            row = self.suit_rows[of].get(plane) or self.suit_row(of, plane)
            total += row.points
            melds += row.short
        if spades & hearts & (diamonds | clubs) | diamonds & clubs & (spades | hearts):
            melds += [(move ^ MELD, points(move ^ MELD)) for move in self.set_moves(hand)]
        return total - _most_saved(melds) if melds else total


def _most_saved(melds: list[tuple[Cards, int]]) -> int:
    """The most points that melds of the list take out together, no card twice (G-3.2)."""
    if not melds:
        return 0
    (first, worth), rest = melds[0], melds[1:]
    apart = [other for other in rest if not other[0] & first]
    taken = worth + _most_saved(apart)
    return taken if len(apart) == len(rest) else max(taken, _most_saved(rest))
