"""A position of Tong-its as `greedy` sees it: its own hand taken apart, and unseen cards."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Final

from croupier.tongits import TongitsView, card_points
from croupier.tongits.greedy.melds import MeldFinder, Split, bit
from croupier.v1 import tongits_pb2

__all__ = ["Table"]

_ALL: Final = (1 << 52) - 1


@cache
def _finder_of(has_runs: bool, ace_high: bool) -> MeldFinder:
    return MeldFinder(has_runs, ace_high)


def _finder(options: tongits_pb2.TongitsOptions) -> MeldFinder:
    """The finder for these house rules; it keeps what it has found."""
    has_runs = options.runs or not options.HasField("runs")
    return _finder_of(has_runs, options.ace_high_runs)


class Table:
    """One seat's position.

    Attributes:
        view: what the seat sees.
        options: the house rules.
        finder: finds melds under them.
        hand: the own hand as bits.
    """

    def __init__(self, view: TongitsView, options: tongits_pb2.TongitsOptions) -> None:
        self.view = view
        self.options = options
        self.finder = _finder(options)
        self.hand = bit(view.message.hand)
        self._promises: dict[tuple[int, int], int] = {}

    @cached_property
    def split(self) -> Split:
        """The own hand taken apart."""
        return self.finder.split(self.hand)

    @cached_property
    def unseen(self) -> int:
        """Cards that may be in the stock or in the hands of others, as bits."""
        public = self.view.public
        seen = self.hand | bit(public.discards)
        for meld in public.melds:
            seen |= bit(meld.cards)
        for rank in self.view.message.secret_fours:
            seen |= bit(rank - 1 + suit for suit in (0, 13, 26, 39))
        return _ALL & ~seen

    def promise(self, first: int, second: int) -> int:
        """The points of two cards, once for each unseen card that makes a meld of them."""
        found = self._promises.get((first, second))
        if found is None:
            pair, unseen = bit((first, second)), self.unseen
            ways = sum(1 for meld in self.finder.triples(pair) if unseen & meld & ~pair)
            found = ways * (card_points(first) + card_points(second))
            self._promises[first, second] = found
        return found

    @cached_property
    def rivals(self) -> list[int]:
        """The other seats in turn order."""
        seat, players = self.view.seat, self.view.players
        return [(seat + step) % players for step in range(1, players)]

    def is_opened(self, seat: int) -> bool:
        """G-3.5: whether *seat* has a meld of its own on the table."""
        return any(meld.seat == seat for meld in self.view.public.melds)

    def may_challenge(self, seat: int) -> bool:
        """G-5.2: whether *seat* is entitled to challenge a draw call."""
        if self.options.draw_call == tongits_pb2.TONGITS_DRAW_CALL_ANYONE or self.is_opened(seat):
            return True
        good_for = self.options.secret_open.values
        helps = tongits_pb2.TONGITS_SECRET_OPEN_CHALLENGE
        is_help = not self.options.HasField("secret_open") or helps in good_for
        return is_help and self.view.public.secret_four_counts[seat] > 0
