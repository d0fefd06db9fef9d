"""A match of Pokex played by the rules page alone (P-1 to P-6): slow, and after the letter.

Cards are names, options their texts, moves short tuples: ``("pass",)``, ``("bid", 3)``,
``("name", 7)``, ``("play", ("7S", "AH"), centre card or None)``. It knows all hands and hides
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any

from tests.oracles.pokex_hands import Found, Wilds, best, better

Play = tuple[Any, ...]


@lru_cache(1 << 16)
def best_of(hand: tuple[str, ...], wilds: Wilds) -> Found:
    """`best`, kept, because the same hand is looked at by several tests."""
    return best(hand, wilds)


def triangle(number: int) -> int:
    """1 + 2 + ... + number."""
    return sum(range(1, number + 1))


@dataclass
class Scored:
    """How a deal ended."""

    deal: int
    dealer: int
    declarer: int | None
    bid: int
    is_passed_out: bool
    named: int | None
    tricks: tuple[int, int]
    points: tuple[int, int]
    totals: tuple[int, int]


@dataclass
class Match:
    """One match; `deal` puts in a deck, `play` a move of the seat `to_act`."""

    options: Mapping[str, str]
    dealer: int
    number: int = 0
    totals: list[int] = field(default_factory=lambda: [0, 0])
    passed_out: int = 0
    scored: list[Scored] = field(default_factory=list)
    tricks: list[tuple[Found, Found]] = field(default_factory=list)
    winner: int | None = None
    is_over: bool = False

    # The deal (P-1) ------------------------------------------------------------------------------
    def deal(self, deck: Sequence[str]) -> None:
        """One card at a time from the dealer's left; the rest is the centre."""
        self.number += 1
        self.hands: list[set[str]] = [set(), set(), set(), set()]
        for place, card in enumerate(deck[:48]):
            self.hands[(self.dealer + 1 + place) % 4].add(card)
        self.center = list(deck[48:])
        self.calls: list[int] = []
        self.out: set[int] = set()
        self.declarer: int | None = None
        self.bid = 0
        self.named: int | None = None
        self.taken = [0, 0]
        self.carried = 0
        self.number_of_tricks = 0
        self.plays: list[tuple[int, tuple[str, ...]]] = []
        self.card: str | None = None
        self.phase = "bidding"
        self.to_act: int | None = (self.dealer + 1) % 4

    def legal(self) -> set[Play]:
        """Every move that the seat to act may make."""
        if self.phase == "bidding":
            return {("pass",), *(("bid", tricks) for tricks in range(self.bid + 1, 7))}
        if self.phase == "naming":
            return {("name", rank) for rank in range(2, 15)}
        assert self.to_act is not None
        pairs = combinations(sorted(self.hands[self.to_act]), 2)
        if self.plays or self.options["center"] == "fixed":
            return {("play", pair, None) for pair in pairs}
        return {("play", pair, card) for pair in pairs for card in self.center}

    def play(self, move: Play) -> None:
        """Carry out a legal move."""
        if self.phase == "bidding":
            self._call(move)
        elif self.phase == "naming":
            self.named = move[1]
            self._start_play()
        else:
            self._play_cards(move[1], move[2])

    # The auction (P-2) ---------------------------------------------------------------------------
    def _call(self, move: Play) -> None:
        seat = self.to_act
        assert seat is not None
        self.calls.append(move[1] if move[0] == "bid" else 0)
        if move[0] == "bid":
            self.bid, self.declarer = move[1], seat
        else:
            self.out.add(seat)
        if self.options["pass_is_out"] == "true":
            ended = len(self.out) == 4 or (len(self.out) == 3 and self.declarer is not None)
        else:
            ended = self.calls[-3:] == [0, 0, 0] and (self.bid > 0 or len(self.calls) == 4)
        if ended or self.bid == 6:
            self._end_auction()
            return
        seat = (seat + 1) % 4
        while self.options["pass_is_out"] == "true" and seat in self.out:
            seat = (seat + 1) % 4
        self.to_act = seat

    def _end_auction(self) -> None:
        if self.declarer is None:
            if self.options["all_pass"] == "redeal" and self.passed_out < 3:
                self.passed_out += 1
                self._end_deal((0, 0), is_passed_out=True)
            else:
                self._start_play()
        elif self.options["wild_rank"] == "named":
            self.phase, self.to_act = "naming", self.declarer
        else:
            self._start_play()

    # Tricks (P-4) --------------------------------------------------------------------------------
    def wilds(self) -> Wilds:
        """What is wild in this deal."""
        return Wilds(
            self.named,
            self.options["joker"] == "wild",
            self.options["flush_duplicates"] == "true",
            self.options["wild_as_self_free"] == "true",
        )

    def leader(self) -> int:
        """P-4.4, and P-2.4 when all passed."""
        first = self.declarer if self.declarer is not None else self.dealer + 1
        return (first + self.number_of_tricks) % 4

    def _start_play(self) -> None:
        self.phase, self.to_act = "play", self.leader()

    def _play_cards(self, cards: tuple[str, ...], card: str | None) -> None:
        seat = self.to_act
        assert seat is not None
        if not self.plays:
            self.card = self.center[0] if self.options["center"] == "fixed" else card
            assert self.card is not None
            self.center.remove(self.card)
        self.hands[seat] -= set(cards)
        self.plays.append((seat, cards))
        steps = (0, 2, 1, 3) if self.options["play_order"] == "pair_first" else (0, 1, 2, 3)
        if len(self.plays) < 4:
            self.to_act = (self.leader() + steps[len(self.plays)]) % 4
            return
        self._end_trick()

    def _end_trick(self) -> None:
        assert self.card is not None
        sides = []
        for side in (0, 1):
            cards = [card for seat, pair in self.plays if seat % 2 == side for card in pair]
            sides.append(best_of((*sorted(cards), self.card), self.wilds()))
        self.tricks.append((sides[0], sides[1]))
        order = better(sides[0], sides[1], self.options["tie_break_fewer_wilds"] == "true")
        leader = self.leader() % 2
        tied = {"nobody": None, "leader": leader, "other": 1 - leader, "carry": None}
        winner = {1: 0, -1: 1, 0: tied[self.options["tied_trick"]]}[order]
        if winner is not None:
            self.taken[winner] += 1 + self.carried
            self.carried = 0
        elif self.options["tied_trick"] == "carry":
            self.carried += 1
        self.plays, self.card = [], None
        self.number_of_tricks += 1
        self.to_act = self.leader()
        if self.number_of_tricks == 6:
            self.passed_out = 0
            self._end_deal(self.points())

    # The score (P-6) -----------------------------------------------------------------------------
    def points(self) -> tuple[int, int]:
        """What the two sides score for the tricks that they took."""
        as_opponents = {"one_per_trick": lambda t: t, "none": lambda t: 0, "triangle": triangle}
        found = [as_opponents[self.options["opponents_score"]](taken) for taken in self.taken]
        if self.declarer is not None:
            side = self.declarer % 2
            if self.taken[side] >= self.bid:
                found[side] = sum(min(i, self.bid) for i in range(1, self.taken[side] + 1))
            else:
                failed = {"zero": 0, "minus_bid": -self.bid, "minus_triangle": -triangle(self.bid)}
                found[side] = failed[self.options["undertrick"]]
        return found[0], found[1]

    def _end_deal(self, points: tuple[int, int], *, is_passed_out: bool = False) -> None:
        self.totals = [self.totals[0] + points[0], self.totals[1] + points[1]]
        self.scored.append(
            Scored(
                self.number,
                self.dealer,
                self.declarer,
                self.bid,
                is_passed_out,
                self.named,
                (self.taken[0], self.taken[1]),
                points,
                (self.totals[0], self.totals[1]),
            )
        )
        self.dealer = (self.dealer + 1) % 4
        self.phase, self.to_act = "deal", None
        self._end_match()

    def _end_match(self) -> None:
        """P-6.4, P-6.5."""
        ours, theirs = self.totals
        higher = None if ours == theirs else int(theirs > ours)
        over = [total >= int(self.options["target"]) for total in self.totals]
        if all(over):
            if self.options["both_over"] == "declarers_first" and self.declarer is not None:
                self.winner = self.declarer % 2
            else:
                self.winner = higher
        elif any(over):
            self.winner = over.index(True)
        most = self.options["max_deals"]
        self.is_over = self.winner is not None
        if not self.is_over and most != "none" and self.number >= int(most):
            self.winner, self.is_over = higher, True
