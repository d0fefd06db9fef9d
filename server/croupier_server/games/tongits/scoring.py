"""Who wins a deal, who is burned, and what is paid (G-5.2 to G-5.5, G-6, G-7).

Pure functions of what lies on the table when a deal ends; `deal_phase` and the worked positions
use the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier_server.games.base import Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tongits.events import Ending, Meld, Payment
from croupier_server.games.tongits.melds import ACE, ACES, PACK, RANK_CARDS, fours_in, sets_in
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.state import HAND

_FOURS: Final = frozenset(RANK_CARDS[2:])
_ACES_MAX: Final = 4


class Verdict(NamedTuple):
    """How a deal ended: *winner* is None if nobody won, *caller* None if nobody called draw."""

    ending: Ending
    winner: Seat | None
    caller: Seat | None = None
    challengers: tuple[Seat, ...] = ()

    @property
    def showdown(self) -> tuple[Seat, ...]:
        """The seats whose hands were compared after a draw call."""
        if self.caller is None or not self.challengers:
            return ()
        return (self.caller, *self.challengers)


class Worth(NamedTuple):
    """What the winner is paid for beside the win: numbers of aces and of special sets (G-6.2)."""

    aces: int
    specials: int


# Who may, who is burned, who wins ---------------------------------------------------------------


def may_challenge(is_opened: bool, fours: int, options: TongitsOptions) -> bool:
    """Whether a player may answer a draw call: opened, or owner of so many secret fours (G-5.2)."""
    if is_opened or options.draw_call == "anyone":
        return True
    return fours > 0 and "challenge" in options.secret_open


def may_call(is_opened: bool, fours: int, options: TongitsOptions) -> bool:
    """Whether a player is of those who may call draw, bars and turns apart (G-5.2)."""
    if is_opened or options.draw_call == "anyone":
        return True
    return fours > 0 and "call" in options.secret_open


def is_burned(is_opened: bool, fours: int, shows_set: bool, options: TongitsOptions) -> bool:
    """Whether a player is burned (G-5.5). *shows_set*: in a showdown it has shown a set, which
    saves it where anyone may call draw (G-5.2)."""
    if is_opened or (fours > 0 and "burn" in options.secret_open):
        return False
    return not (shows_set and options.draw_call == "anyone")


def draw_winner(deadwood: Sequence[int], caller: Seat, challengers: Sequence[Seat]) -> Seat:
    """The winner of a draw call (G-5.2): the caller, or of the challengers with at most as much
    deadwood the one with least, the nearest after the caller if tied. That of folders matters not.

    >>> draw_winner([8, 8, 8], 0, [2, 1])
    1
    """
    players = len(deadwood)
    showdown = [*challengers, caller]
    return min(showdown, key=lambda seat: (deadwood[seat], (seat - caller - 1) % players))


def stock_winner(
    deadwood: Sequence[int], burned: Sequence[bool], last_drawer: Seat, options: TongitsOptions
) -> Seat | None:
    """The winner when the stock is exhausted, or None (G-5.3). *deadwood* of the burned matters
    only where all are."""
    players = len(deadwood)
    standing = [seat for seat in range(players) if not burned[seat]]
    if not standing:
        if options.nobody_open == "void":
            return None
        standing = list(range(players))
    return min(standing, key=lambda seat: (deadwood[seat], (seat - last_drawer) % players))


# What it is worth -------------------------------------------------------------------------------


def worth(
    seat: Seat, hand: Cards, fours: Sequence[int], melds: Sequence[Meld], options: TongitsOptions
) -> Worth:
    """Aces and special sets of the winner *seat* with *hand*, ranks of its secret *fours*, and all
    *melds* of the table (G-6.2)."""
    own = [meld for meld in melds if meld.seat == seat]
    aces = (hand & ACES).bit_count() + 4 * (ACE in fours)
    for meld in own:
        if meld.cards & ACES:
            aces += (meld.cards & ACES).bit_count()
            aces -= sum((by.cards & ACES).bit_count() for by in meld.lay_offs if by.seat != seat)
    specials = sum([_sets(word, hand, fours, own) for word in options.special_pays])
    return Worth(aces, specials)


def _sets(word: str, hand: Cards, fours: Sequence[int], own: Sequence[Meld]) -> int:
    """How many special sets of the kind *word* are in a hand, secret fours, and own melds."""
    if word == "face_down":
        return len(fours)
    if word == "in_hand":
        return len(fours_in(hand))
    if word == "any_four":
        return sum([meld.cards in _FOURS for meld in own])
    return len(fours) + sets_in(hand) + sum([sets_in(meld.cards) for meld in own])


def payment(
    loser: Seat, verdict: Verdict, gained: Worth, burned: bool, options: TongitsOptions
) -> Payment:
    """What *loser* pays the winner of a deal (G-6)."""
    base = options.pay_win
    fine = 0
    if verdict.ending is Ending.TONGITS:
        base = options.pay_tongits
    elif verdict.ending is Ending.DRAW_CALL:
        if _is_fought(loser, verdict, options):
            base = options.pay_draw_fought
        if loser != verdict.caller and loser not in verdict.challengers:
            fine = options.fold_penalty
    return Payment(
        loser,
        base,
        options.pay_ace * gained.aces,
        options.pay_special * gained.specials,
        options.pay_burned if burned else 0,
        fine,
    )


def worst_deal(options: TongitsOptions) -> int:
    """Most chips that one deal can take from a player: what a loser can pay (G-6), and the share of
    a pot that another takes, into which all have paid their antes since the match began (G-7)."""
    folded = max(options.pay_win, options.pay_draw_fought) + options.fold_penalty
    paid = max(options.pay_tongits, folded) + options.pay_burned
    paid += options.pay_ace * _ACES_MAX + options.pay_special * _specials_max(options)
    antes = options.max_hands if options.ante_timing == "every_hand" else 1
    return paid + options.ante * antes


def _specials_max(options: TongitsOptions) -> int:
    """Most special sets that a winner can have (G-6.2).

    A player never owns more cards than the dealer is dealt, unless turns that begin with the
    discard end without one (G-2.4). To an exposed four at least three cards are the owner's.
    """
    if not options.special_pays:
        return 0
    cards = HAND + 1 if options.discard_after_take else len(PACK)
    words = options.special_pays
    own = 3 if "any_four" in words or "every_set" in words else 4
    return min(cards // own, len(_FOURS))


def _is_fought(loser: Seat, verdict: Verdict, options: TongitsOptions) -> bool:
    """Whether *loser* pays the price of a fought draw (G-6.1)."""
    if options.fought_scope == "showdown_losers":
        return loser in verdict.showdown
    return options.fought_scope == "any_draw" or bool(verdict.challengers)


# Pot --------------------------------------------------------------------------------------------


def ante(pot: int, options: TongitsOptions) -> int:
    """What each player puts into the pot before a deal (G-7)."""
    return 0 if pot and options.ante_timing == "new_pot_only" else options.ante


class Streak(NamedTuple):
    """Wins in a row after a deal, and whether they take the pot (G-7)."""

    streak: int
    takes_pot: bool


def streak_after(winner: Seat, streak_seat: Seat, streak: int, options: TongitsOptions) -> Streak:
    """The streak of *winner*; *streak* is what *streak_seat* had before (G-7)."""
    wins = streak + 1 if winner == streak_seat else 1
    if wins < 2:
        return Streak(wins, takes_pot=False)
    return Streak(1 if options.streak_after_jackpot == "keep_1" else 0, takes_pot=True)


def next_dealer(dealer: Seat, winner: Seat | None, players: int, options: TongitsOptions) -> Seat:
    """Who deals after a deal of *dealer* that *winner* won (G-1.2)."""
    if winner is None:
        return dealer
    return winner if options.next_dealer == "winner" else (dealer + 1) % players
