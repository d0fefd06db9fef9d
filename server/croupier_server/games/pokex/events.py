"""What happens at a table of Pokex, as values: public parts, private parts, server parts.

Named tuples, because an event is made for every move. Cards are packed counts; where an order is
known, ids in that order. Every class says to whom it is shown. Sides are 0 for seats 0 and 2, and
1 for seats 1 and 3; pairs of numbers are those of both sides.
"""

from __future__ import annotations

from typing import NamedTuple

from croupier_server.games.base import Seat
from croupier_server.games.cards import Card, Cards
from croupier_server.games.pokex.pokerhands import PokerHand


class LotDrawn(NamedTuple):
    """Public: the lot made *dealer* the first dealer (P-1.2)."""

    dealer: Seat


class DealStarted(NamedTuple):
    """Public: a deal begins; ``center`` are the six centre cards from left to right (P-1.1) and
    ``totals`` the points of both sides."""

    deal: int
    dealer: Seat
    center: bytes
    totals: tuple[int, int]


class OwnCards(NamedTuple):
    """Private part of `DealStarted`: the cards that this seat was dealt, in order."""

    cards: bytes


class DeckOrder(NamedTuple):
    """Server part of `DealStarted`: the deck from its front."""

    cards: bytes


class Called(NamedTuple):
    """Public: *seat* bid *tricks*, or passed with 0 (P-2.1)."""

    seat: Seat
    tricks: int


class AuctionEnded(NamedTuple):
    """Public: *declarer* declares at *bid*; None and 0 where all passed (P-2.3, P-2.4)."""

    declarer: Seat | None
    bid: int


class RankNamed(NamedTuple):
    """Public: the declarer *seat* named *rank*, 2 to 14, as wild (P-3.2)."""

    seat: Seat
    rank: int


class Played(NamedTuple):
    """Two cards that *seat* played to a trick."""

    seat: Seat
    cards: Cards


class TrickEnded(NamedTuple):
    """End of a trick: the side that took it, or None (P-4.3); the hands of both sides; and the
    tricks that it counted for the winner, more than one where tied tricks were carried."""

    winner: int | None
    hands: tuple[PokerHand, PokerHand]
    counted: int


class CardsPlayed(NamedTuple):
    """Public: two cards were played (P-4). ``center``, the trick's centre card, is given with the
    lead and otherwise 0; ``trick_ended`` is given with the last play of a trick."""

    play: Played
    center: Card
    trick_ended: TrickEnded | None


class DealResult(NamedTuple):
    """Public: how a deal ended (P-6).

    Attributes:
        deal: its number.
        dealer: its dealer.
        declarer: None where all passed.
        bid: 0 where all passed.
        is_passed_out: all passed and nothing was played (P-2.4).
        wild_rank: the rank named, 0 for none.
        tricks: that each side took.
        points: that each side scored.
        totals: of both sides after the deal.
    """

    deal: int
    dealer: Seat
    declarer: Seat | None
    bid: int
    is_passed_out: bool
    wild_rank: int
    tricks: tuple[int, int]
    points: tuple[int, int]
    totals: tuple[int, int]
