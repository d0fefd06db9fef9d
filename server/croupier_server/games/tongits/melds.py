"""Sets, runs, what extends them, and deadwood (G-1.1, G-3.1, G-4, G-5.4).

All the melds that a choice of options allows are put into tables once: 65 sets and some three
hundred runs. A pack has one copy of each card, so a packed hand has one bit in four set, a suit is
a plane of 52 bits of it, and "are these cards there" is one mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial, reduce
from itertools import combinations
from operator import or_
from typing import Final, NamedTuple

from croupier_server.games.cards import Card, Cards, card_of, rank, single, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tongits.moves import DISCARD, MELD, TongitsMoveKind

PACK: Final[tuple[Card, ...]] = tuple(range(1, 53))
"""The pack in documented order."""

POINTS: Final[tuple[int, ...]] = (0, *(1 if c % 13 == 0 else min(c % 13 + 1, 10) for c in PACK))
"""Card points by id (G-1.1)."""

BY_POINTS: Final[tuple[Cards, ...]] = tuple(
    sum(single(card) for card in PACK if POINTS[card] == points) for points in range(10, 0, -1)
)
"""The cards of ten points, of nine, and so on down to one."""

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
_SUITS: Final = sum(1 << SUIT_SHIFT * of for of in range(4))
"""Times a spade: the cards of its rank."""
_DISCARD_MOVES: Final = tuple(
    {card: single(card) << SUIT_SHIFT * of | DISCARD for card in unpack(PLANE)} for of in range(4)
)
"""By suit and spade: the move that discards the card of that suit and rank."""

_ROWS_KEPT_MAX: Final = 1 << 12
"""Of each suit: those that come first come most often, and most of 8,192 hardly ever."""

SET: Final = int(TongitsMoveKind.MELD_SET)
RUN: Final = int(TongitsMoveKind.MELD_RUN)


class SuitRow(NamedTuple):
    """What the cards of one suit in a hand are good for.

    Attributes:
        discards: the moves that discard each of them, ascending.
        runs: the moves that meld each run in them, ascending.
        in_runs: those of the cards that are in a run.
    """

    discards: tuple[int, ...]
    runs: tuple[int, ...]
    in_runs: Cards


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


def set_ranks(cards: Cards) -> Cards:
    """The spade of every rank of which *cards* hold three or four, held or not."""
    spades, hearts = cards & PLANE, cards >> SUIT_SHIFT & PLANE
    diamonds, clubs = cards >> 2 * SUIT_SHIFT & PLANE, cards >> 3 * SUIT_SHIFT & PLANE
    return spades & hearts & (diamonds | clubs) | diamonds & clubs & (spades | hearts)


def sets_in(cards: Cards) -> int:
    """Of how many ranks *cards* hold three or four."""
    return set_ranks(cards).bit_count()


def _run_orders(ace_high_runs: bool) -> list[int]:
    """Ranks in the order of runs (G-3.1): the ace first, and last once more if it may be high."""
    return [ACE, *range(2, ACE + 1 if ace_high_runs else ACE)]


class _AfterRuns(dict[Cards, int]):
    """Card points that the best runs leave of the cards of one suit, kept for every plane."""

    __slots__ = ("_runs_in",)

    def __init__(self, runs_in: Callable[[Cards], Iterable[Cards]]) -> None:
        self._runs_in = runs_in

    def __missing__(self, plane: Cards) -> int:
        melded = [self[plane ^ run] for run in self._runs_in(plane)]
        self[plane] = left = min([points(plane), *melded])
        return left


@cache
def meld_table(runs: bool, ace_high_runs: bool) -> MeldTable:
    """The table of all melds under the two options of G-3.1."""
    return MeldTable(runs, runs and ace_high_runs)


class MeldTable:
    """Every meld under one choice of options (G-3.1).

    Attributes:
        kinds: of every meld, `SET` or `RUN`; what is no key is no meld.
        nexts: by meld, the cards that extend it alone to another meld (G-4).
        suit_rows: by suit and by the cards in it, shifted down to spades, a `SuitRow`.
    """

    __slots__ = (
        "_after_runs",
        "_cores",
        "_extras",
        "_run_moves",
        "_runs",
        "_runs_of_three",
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
        self._runs = tuple(run for run in sorted(self.kinds) if not run & ~PLANE)
        self._runs_of_three = tuple(run for run in self._runs if run.bit_count() == 3)
        self._run_moves = tuple(
            {run: run << SUIT_SHIFT * of | MELD for run in self._runs} for of in range(4)
        )
        self._after_runs = _AfterRuns(self._runs_in)
        self.suit_rows = tuple(Kept(partial(self._suit_row, of), _ROWS_KEPT_MAX) for of in range(4))
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

    def _extras_of(self, meld: Cards) -> tuple[Cards, ...]:
        kind = self.kinds[meld]
        return tuple(
            sorted(
                other - meld
                for other in self.kinds
                if other & meld == meld and other != meld and self.kinds[other] == kind
            )
        )

    def _suit_row(self, of: int, plane: Cards) -> SuitRow:
        """The row of the suit *of* for the cards in *plane*. Rows share their moves."""
        discards, run_moves = _DISCARD_MOVES[of], self._run_moves[of]
        runs = self._runs_in(plane)
        return SuitRow(
            tuple([discards[card] for card in unpack(plane)]),
            tuple([run_moves[run] for run in runs]),
            reduce(or_, runs, 0) << SUIT_SHIFT * of,
        )

    def _runs_in(self, plane: Cards) -> list[Cards]:
        """Every run in *plane*, ascending."""
        for shortest in self._runs_of_three:  # mostly there is none
            if shortest & plane == shortest:
                return [run for run in self._runs if run & plane == run]
        return []

    def set_moves(self, hand: Cards, ranks: Cards) -> list[int]:
        """The moves that meld each set in *hand*, by rank; *ranks* are its `set_ranks`."""
        found: list[int] = []
        while ranks:
            spade = ranks & -ranks
            ranks ^= spade
            found += self._set_moves[hand & spade * _SUITS]
        return found

    def melded(self, hand: Cards) -> Cards:
        """The cards of *hand* that are in some meld of it."""
        found = hand & set_ranks(hand) * _SUITS
        for of, rows in enumerate(self.suit_rows):
            plane = hand >> SUIT_SHIFT * of & PLANE
            found |= rows[plane].in_runs
        return found

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
        return self._least(hand, set_ranks(hand))

    def _least(self, hand: Cards, ranks: Cards) -> int:
        """The least that melds leave of *hand*: no set or any one of each of *ranks*, and then
        the best runs of every suit."""
        left = self._after_runs
        least = (
            left[hand & PLANE]
            + left[hand >> SUIT_SHIFT & PLANE]
            + left[hand >> 2 * SUIT_SHIFT & PLANE]
            + left[hand >> 3 * SUIT_SHIFT & PLANE]
        )
        while ranks:
            spade = ranks & -ranks
            ranks ^= spade
            for move in self._set_moves[hand & spade * _SUITS]:
                least = min(least, self._least(hand ^ move ^ MELD, ranks))
        return least
