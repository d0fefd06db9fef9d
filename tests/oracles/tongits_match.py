"""A match of Tong-its played by the rules page alone (G-1 to G-5): slow, and after the letter.

Cards are names, options their texts, moves short tuples: ``("draw",)``, ``("take", cards)``,
``("take on", meld)``, ``("call",)``, ``("meld", cards)``, ``("four", cards)``,
``("lay off", meld, cards)``, ``("discard", card)``, ``("end",)``, ``("fold",)``,
``("challenge",)``; cards in sorted tuples. It knows all hands and hides nothing. The worth of
is told in `tests.oracles.tongits_settle`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from tests.oracles.tongits_melds import RANKS, MeldRules, Names, is_meld, melds_of
from tests.oracles.tongits_settle import Chips, End, Settled, Tabled, settle, words

Play = tuple[Any, ...]


@dataclass
class Turn:
    """What the seat to act has done in its turn."""

    took_discard: bool = False
    laid_off_on_own: bool = False


@dataclass
class Match:
    """One match; `deal` puts in a deck, `play` a move of the seat `to_act`."""

    options: Mapping[str, str]
    dealer: int
    number: int = 0
    settled: list[Settled] = field(default_factory=list)
    is_over: bool = False

    def __post_init__(self) -> None:
        self.rules = MeldRules(self._is("runs"), self._is("ace_high_runs"))
        self.chips = Chips(self.options)

    def _is(self, name: str) -> bool:
        return self.options[name] == "true"

    # The deal (G-1) ------------------------------------------------------------------------------
    def deal(self, deck: Sequence[str]) -> None:
        """Antes; one card at a time from the dealer, who gets the 13th as well."""
        self.chips.ante()
        self.number += 1
        self.hands: list[set[str]] = [set(), set(), set()]
        for place, card in enumerate(deck[:37]):
            self.hands[(self.dealer + place) % 3].add(card)
        self.stock = list(deck[37:])
        self.discards: list[tuple[int, str]] = []
        self.melds: list[Tabled] = []
        self.fours: list[list[str]] = [[], [], []]
        self.turns = [0, 0, 0]
        self.last_discard: list[str | None] = [None, None, None]
        self.taken: set[str] = set()
        self.others_laid_off = [False, False, False]
        self.laid_off_on_own = [False, False, False]
        self.last_drawer: int | None = None
        self.caller: int | None = None
        self.answers: list[tuple[int, bool, bool]] = []
        self.turn = Turn()
        self.phase = "play"
        self.to_act: int | None = self.dealer

    # Legal moves ---------------------------------------------------------------------------------
    def legal(self) -> set[Play]:
        """Every move that the seat to act may make."""
        if self.phase == "answer":
            return {("fold",), ("challenge",)}
        return set(self._at_start() if self.phase == "start" else self._in_turn())

    def _at_start(self) -> Iterator[Play]:
        """G-2.1, G-2.2."""
        seat = self.to_act
        assert seat is not None
        yield ("draw",)
        if self.may_call(seat):
            yield ("call",)
        if not self.discards:
            return
        top = self.discards[-1][1]
        # The other cards of its rank, or of its suit: no meld has cards of two ranks and two suits.
        for same in (0, 1):
            near = [card for card in sorted(self.hands[seat]) if card[same] == top[same]]
            for size in range(2, len(near) + 1):
                for cards in combinations(near, size):
                    if is_meld((*cards, top), self.rules):
                        yield ("take", cards)
        scope = self.options["discard_take"]
        for number, meld in enumerate(self.melds):
            in_scope = scope == "meld_or_layoff_any" or (
                scope == "meld_or_layoff_own" and meld.owner == seat
            )
            if self._is("layoff") and in_scope and is_meld((*meld.cards(), top), self.rules):
                yield ("take on", number)

    def _in_turn(self) -> Iterator[Play]:
        """G-2.3, G-2.4, G-3.4, G-4."""
        seat = self.to_act
        assert seat is not None
        hand = tuple(sorted(self.hands[seat]))
        if self._is("hand_melds"):
            yield from (("meld", cards) for cards in melds_of(hand, self.rules))
        if self._is("secret_fours"):
            for rank in RANKS:
                four = tuple(card for card in hand if card[0] == rank)
                if len(four) == 4:
                    yield ("four", four)
        if self._is("layoff"):
            for number, meld in enumerate(self.melds):
                yield from (("lay off", number, cards) for cards in self._extensions(meld, hand))
        if self.turn.took_discard and not self._is("discard_after_take"):
            yield ("end",)
        else:
            yield from (("discard", card) for card in hand)

    def _extensions(self, meld: Tabled, hand: Names) -> Iterator[Names]:
        cards = meld.cards()
        same = 0 if len({card[0] for card in cards}) == 1 else 1
        near = [card for card in hand if card[same] == cards[0][same]]
        for size in range(1, len(near) + 1):
            for more in combinations(near, size):
                if is_meld((*cards, *more), self.rules):
                    yield more

    def is_open(self, seat: int, purpose: str) -> bool:
        """G-3.5, and what a secret four is good for (G-3.4)."""
        return any(meld.owner == seat for meld in self.melds) or (
            bool(self.fours[seat]) and purpose in words(self.options["secret_open"])
        )

    def barred(self, seat: int) -> bool:
        """The bars of G-5.2."""
        return (
            self.others_laid_off[seat]
            or (self._is("draw_block_self_layoff") and self.laid_off_on_own[seat])
            or (self._is("draw_block_discard_taken") and self.last_discard[seat] in self.taken)
        )

    def may_call(self, seat: int) -> bool:
        """G-5.2."""
        if self.barred(seat):
            return False
        if self.options["draw_call"] == "anyone":
            return self.turns[seat] > 0
        return self.is_open(seat, "call")

    def may_challenge(self, seat: int) -> bool:
        """G-5.2."""
        return self.options["draw_call"] == "anyone" or self.is_open(seat, "challenge")

    # Play ----------------------------------------------------------------------------------------
    def play(self, move: Play) -> None:
        """Carry out a legal move."""
        seat = self.to_act
        assert seat is not None
        hand = self.hands[seat]
        what, *rest = move
        if what == "draw":
            hand.add(self.stock.pop(0))
            self.last_drawer = seat
            self.phase = "play"
        elif what in ("take", "take on"):
            self._take(seat, rest[0])
        elif what == "meld":
            hand -= set(rest[0])
            self.melds.append(Tabled(seat, rest[0]))
        elif what == "four":
            hand -= set(rest[0])
            self.fours[seat].append(rest[0][0][0])
        elif what == "lay off":
            hand -= set(rest[1])
            self._lay_off(seat, rest[0], rest[1])
        elif what == "discard":
            hand.remove(rest[0])
            self.discards.append((seat, rest[0]))
            self.last_discard[seat] = rest[0]
        elif what == "call":
            self.caller = seat
            self.phase = "answer"
            self._ask()
        elif what in ("fold", "challenge"):
            self.answers.append((seat, what == "challenge", False))
            self._ask()
        if self.phase == "play" and not hand:
            self._end("tongits", seat)
        elif what in ("discard", "end"):
            self._end_turn(seat)

    def _take(self, seat: int, what: Names | int) -> None:
        """G-2.2."""
        _, top = self.discards.pop()
        self.taken.add(top)
        self.turn.took_discard = True
        self.phase = "play"
        if isinstance(what, int):
            self._lay_off(seat, what, (top,))
        else:
            self.hands[seat] -= set(what)
            self.melds.append(Tabled(seat, (*what, top)))

    def _lay_off(self, seat: int, number: int, cards: Names) -> None:
        meld = self.melds[number]
        meld.laid_off.append((seat, cards))
        if meld.owner == seat:
            self.turn.laid_off_on_own = True
        else:
            self.others_laid_off[meld.owner] = True

    def _end_turn(self, seat: int) -> None:
        self.turns[seat] += 1
        self.laid_off_on_own[seat] = self.turn.laid_off_on_own
        if self.options["draw_block_scope"] == "next_turn":
            self.others_laid_off[seat] = False
        self.turn = Turn()
        if not self.stock:
            self._end("stock", None)
        else:
            self.phase, self.to_act = "start", (seat + 1) % 3

    def _ask(self) -> None:
        """Ask the next who is entitled; when all have answered, the deal ends."""
        assert self.caller is not None
        while len(self.answers) < 2:
            self.to_act = (self.caller + 1 + len(self.answers)) % 3
            if self.may_challenge(self.to_act):
                return
            self.answers.append((self.to_act, False, True))
        self._end("draw", None)

    def _end(self, how: str, by: int | None) -> None:
        end = End(
            how=how,
            by=by,
            caller=self.caller,
            challengers=tuple(seat for seat, challenges, _ in self.answers if challenges),
            folders=tuple(seat for seat, challenges, _ in self.answers if not challenges),
            last_drawer=self.last_drawer,
            hands=tuple(tuple(sorted(hand)) for hand in self.hands),
            melds=tuple(self.melds),
            fours=tuple(tuple(ranks) for ranks in self.fours),
        )
        found = settle(end, self.options, self.rules)
        self.chips.pay(found)
        if found.winner is not None:
            rotate = self.options["next_dealer"] == "rotate"
            self.dealer = (self.dealer + 1) % 3 if rotate else found.winner
        found.next_dealer = self.dealer
        self.settled.append(found)
        self.phase, self.to_act = "deal", None
        if self.number == int(self.options["max_hands"]):
            self.is_over = True
            self.chips.split()
