"""What a deal of Tong-its is worth by the rules page alone (G-5.2 to G-5.6, G-6, G-7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.oracles.tongits_melds import RANKS, MeldRules, Names, deadwood, is_set


def words(text: str) -> set[str]:
    """The words of an option that is a set."""
    return set() if text == "none" else set(text.split(","))


@dataclass
class Tabled:
    """A meld on the table: the cards that it was exposed with, and what was laid off on it."""

    owner: int
    exposed: Names
    laid_off: list[tuple[int, Names]] = field(default_factory=list)

    def cards(self) -> Names:
        """All its cards."""
        return (*self.exposed, *(card for _, cards in self.laid_off for card in cards))

    def own_cards(self) -> Names:
        """Those that its owner put there."""
        own = (card for seat, cards in self.laid_off if seat == self.owner for card in cards)
        return (*self.exposed, *own)


class End(NamedTuple):
    """How a deal stood when it ended: `how` is ``tongits``, ``draw`` or ``stock``."""

    how: str
    by: int | None
    caller: int | None
    challengers: tuple[int, ...]
    folders: tuple[int, ...]
    last_drawer: int | None
    hands: tuple[Names, ...]
    melds: tuple[Tabled, ...]
    fours: tuple[tuple[str, ...], ...]


class Paid(NamedTuple):
    """What a loser paid, by its reasons (G-6)."""

    base: int
    aces: int
    specials: int
    burned: int
    fold_penalty: int


@dataclass
class Settled:
    """The end of a deal; what follows `payments` is filled in by `Chips` and the match."""

    winner: int | None
    burned: tuple[bool, ...]
    shown: tuple[bool, ...]
    deadwood: tuple[int, ...]
    payments: dict[int, Paid]
    jackpot: int = 0
    pot: int = 0
    streak: int = 0
    chips: tuple[int, ...] = ()
    next_dealer: int = -1

    def delta(self, seat: int) -> int:
        """Chips that *seat* won in the settlement."""
        paid = {loser: sum(parts) for loser, parts in self.payments.items()}
        return sum(paid.values()) if seat == self.winner else -paid.get(seat, 0)


def sets_in(hand: Names) -> list[str]:
    """Ranks of which *hand* holds three or four, however it is split for the count."""
    return [rank for rank in RANKS if sum(card[0] == rank for card in hand) >= 3]


def is_burned(seat: int, end: End, options: Mapping[str, str]) -> bool:
    """G-5.5, with G-3.4 and the parenthesis of G-5.2."""
    if any(meld.owner == seat for meld in end.melds):
        return False
    if end.fours[seat] and "burn" in words(options["secret_open"]):
        return False
    fought = (end.caller, *end.challengers) if end.challengers else ()
    shows_set = bool(sets_in(end.hands[seat]) or end.fours[seat])
    return not (options["draw_call"] == "anyone" and seat in fought and shows_set)


def winner_of(
    end: End, burned: tuple[bool, ...], counts: tuple[int, ...], options: Mapping[str, str]
) -> int | None:
    """G-5.1 to G-5.3."""
    if end.how == "tongits":
        return end.by
    if end.how == "draw":
        caller = end.caller
        assert caller is not None
        # The caller comes last among equals; the others in turn order after the caller.
        return min(
            (caller, *end.challengers),
            key=lambda seat: (counts[seat], (seat - caller - 1) % 3),
        )
    drawer = end.last_drawer
    assert drawer is not None
    left = [seat for seat in range(3) if not burned[seat]]
    if not left:
        if options["nobody_open"] == "void":
            return None
        left = [0, 1, 2]
    return min(left, key=lambda seat: (counts[seat], (seat - drawer) % 3))


def specials_of(seat: int, end: End, options: Mapping[str, str]) -> int:
    """Special sets of the winner (G-6.2)."""
    pays = words(options["special_pays"])
    own = [meld.cards() for meld in end.melds if meld.owner == seat]
    hand = end.hands[seat]
    if pays == {"every_set"}:
        return sum(map(is_set, own)) + len(end.fours[seat]) + len(sets_in(hand))
    found = 0
    if "face_down" in pays:
        found += len(end.fours[seat])
    if "in_hand" in pays:
        found += sum(sum(card[0] == rank for card in hand) == 4 for rank in RANKS)
    if "any_four" in pays:
        found += sum(is_set(cards) and len(cards) == 4 for cards in own)
    return found


def aces_of(seat: int, end: End) -> int:
    """Aces in the winner's hand or own melds (G-6.2); a secret four is a meld of its owner."""
    cards = list(end.hands[seat])
    for meld in end.melds:
        if meld.owner == seat:
            cards += meld.own_cards()
    return sum(card[0] == "A" for card in cards) + 4 * end.fours[seat].count("A")


def base_of(loser: int, end: End, options: Mapping[str, str]) -> int:
    """G-6.1."""
    if end.how == "tongits":
        return int(options["pay_tongits"])
    scope = options["fought_scope"]
    fought = end.how == "draw" and (
        scope == "any_draw"
        or (scope == "all_losers" and bool(end.challengers))
        or (scope == "showdown_losers" and bool(end.challengers) and loser not in end.folders)
    )
    return int(options["pay_draw_fought" if fought else "pay_win"])


def settle(end: End, options: Mapping[str, str], rules: MeldRules) -> Settled:
    """Winner, payments and what is shown."""
    burned = tuple(is_burned(seat, end, options) for seat in range(3))
    counts = tuple(deadwood(hand, rules) for hand in end.hands)
    winner = winner_of(end, burned, counts, options)
    fought = (end.caller, *end.challengers) if end.challengers else ()
    shown = tuple(
        seat == winner or seat in fought or (end.how == "stock" and not burned[seat])
        for seat in range(3)
    )
    payments = {}
    if winner is not None:
        for loser in range(3):
            if loser != winner:
                payments[loser] = Paid(
                    base_of(loser, end, options),
                    aces_of(winner, end) * int(options["pay_ace"]),
                    specials_of(winner, end, options) * int(options["pay_special"]),
                    burned[loser] * int(options["pay_burned"]),
                    (loser in end.folders) * int(options["fold_penalty"]),
                )
    return Settled(winner, burned, shown, counts, payments)


class Chips:
    """Antes, pot, streak and chips of a match (G-7)."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = options
        self.pot = 0
        self.chips = [0, 0, 0]
        self.last_winner: int | None = None
        self.streak = 0

    def ante(self) -> None:
        """Before a deal."""
        if self.options["ante_timing"] == "every_hand" or not self.pot:
            ante = int(self.options["ante"])
            self.chips = [chips - ante for chips in self.chips]
            self.pot += 3 * ante

    def pay(self, found: Settled) -> None:
        """After a deal."""
        self.chips = [chips + found.delta(seat) for seat, chips in enumerate(self.chips)]
        winner = found.winner
        if winner is not None:
            self.streak = self.streak + 1 if winner == self.last_winner else 1
            self.last_winner = winner
            if self.streak == 2:
                found.jackpot, self.pot = self.pot, 0
                self.chips[winner] += found.jackpot
                self.streak = 1 if self.options["streak_after_jackpot"] == "keep_1" else 0
        found.pot, found.streak, found.chips = self.pot, self.streak, tuple(self.chips)

    def split(self) -> None:
        """At the end of the match."""
        self.chips = [chips + self.pot // 3 for chips in self.chips]
        self.pot = 0
