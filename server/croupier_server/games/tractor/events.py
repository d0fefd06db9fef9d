"""What happens at a table of Tractor, as values: public parts, private parts, server parts.

Named tuples, because an event is made for every move. Cards are packed counts; where an order is
known, ids in that order. Every class says to whom it is shown.
"""

from __future__ import annotations

from typing import NamedTuple

from croupier_server.games.base import Move, Seat
from croupier_server.games.cards import Card, Cards
from croupier_server.games.tractor.bidding import Declaration


class LotDrawn(NamedTuple):
    """Public: the lot fell on *seat*, who draws first in deal 1 (T-3.1)."""

    seat: Seat


class DealStarted(NamedTuple):
    """Public: a deal, or a redeal of it, begins.

    ``attempt`` counts redeals from 0; ``trump_rank`` is 0 until the auction has named the
    declarers (T-11.1); ``starter`` is None where a declaration will name it (T-3.6), and in an
    auction the seat that T-9.4 named; ``levels`` are those of both teams.
    """

    deal: int
    attempt: int
    trump_rank: int
    first_drawer: Seat
    starter: Seat | None
    levels: tuple[int, int]


class DeckOrder(NamedTuple):
    """Server part of `DealStarted`: the deck from its front."""

    cards: bytes


class CardsDrawn(NamedTuple):
    """Public: cards were drawn; so many are in each hand now, in seat order."""

    hand_sizes: tuple[int, ...]


class OwnCardsDrawn(NamedTuple):
    """Private part of `CardsDrawn`: the cards that this seat drew, in order."""

    cards: bytes


class WindowClosed(NamedTuple):
    """Public: a sealed window ended (T-3.5). ``declaration`` now stands, or None if the window
    changed nothing."""

    declaration: Declaration | None


class OwnAnswer(NamedTuple):
    """Private part of `WindowClosed` for every seat that was asked: what it had answered."""

    move: Move


class KittyTurned(NamedTuple):
    """Public: kitty cards turned in order, and the suit they name, None for no trump (T-3.7)."""

    cards: tuple[Card, ...]
    suit: int | None


class Called(NamedTuple):
    """Public: *seat* called *points*, or passed with 0, which takes its team out (T-11.1)."""

    seat: Seat
    points: int


class AuctionEnded(NamedTuple):
    """Public: team *declarers* declares at *bid*; 0 where nobody bid (T-11.1)."""

    declarers: int
    bid: int
    trump_rank: int


class CardShown(NamedTuple):
    """Public: *seat* laid *card* in the show (T-11.2)."""

    seat: Seat
    card: Card


class ShowEnded(NamedTuple):
    """Public: the show made *starter*, and as trick 1 went to *winner* (T-11.2, T-11.3).

    ``points`` is what its cards are worth and ``opponents_points`` the total after it.
    """

    starter: Seat
    winner: Seat
    points: int
    opponents_points: int


class TrumpsFixed(NamedTuple):
    """Public: trumps of the deal; ``suit`` is None for no trump, ``declarers`` is a team.

    The three options say with suit and rank what the order of the cards is (T-4, T-5.3).
    """

    suit: int | None
    rank: int
    starter: Seat
    declarers: int
    rank_gap: str
    trump_ladder: str
    nt_rank_cards: str


class KittyTaken(NamedTuple):
    """Public: *seat* took the *size* cards of the kitty."""

    seat: Seat
    size: int


class KittyBuried(NamedTuple):
    """Public: *seat* buried *size* cards."""

    seat: Seat
    size: int


class OwnKitty(NamedTuple):
    """Private part of `KittyTaken` and `KittyBuried`, for the starter: the cards."""

    cards: Cards


class FailedThrow(NamedTuple):
    """A false throw (T-8): cards tried, cards taken back, and points paid by the thrower."""

    tried: Cards
    withdrawn: Cards
    penalty: int


class TrickWon(NamedTuple):
    """End of a trick: its winner, its points, and the opponents' total after it."""

    winner: Seat
    points: int
    opponents_points: int


class CardsPlayed(NamedTuple):
    """Public: *seat* played *cards*; of a false throw, the cards that stay on the table.

    ``trick`` is given with the last play of a trick.
    """

    seat: Seat
    cards: Cards
    failed_throw: FailedThrow | None
    trick: TrickWon | None


class DealScored(NamedTuple):
    """Public: the result of a deal (T-9).

    Attributes:
        deal: its number.
        starter, declarers: its starter, and that seat's team.
        trump_suit, trump_rank: its trumps; no trump is None.
        bid: the declarers' bid, 0 where there was none.
        trick_points: points the opponents won in tricks, with penalties; may be negative.
        last_trick_winner: seat that won the last trick.
        buried: the buried cards, now public.
        multiplier: what their points were multiplied by, 0 if the declarers won the last trick.
        bonus: points added for the kitty.
        opponents_points: what T-9.3 looks at; never negative.
        winners: the team that won the deal.
        levels_gained: levels it gained by T-9.3, before stops.
        levels: levels of both teams after the deal.
        next_starter: starter that T-9.4 names.
        match_winner: team that has won the match by its ace, or None.
    """

    deal: int
    starter: Seat
    declarers: int
    trump_suit: int | None
    trump_rank: int
    bid: int
    trick_points: int
    last_trick_winner: Seat
    buried: Cards
    multiplier: int
    bonus: int
    opponents_points: int
    winners: int
    levels_gained: int
    levels: tuple[int, int]
    next_starter: Seat
    match_winner: int | None
