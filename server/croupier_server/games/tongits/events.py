"""What happens at a table of Tong-its, as values: public parts, private parts, server parts.

Named tuples, because an event is made for every move. Cards are packed counts; where an order is
known, ids in that order. Ranks are 2 to 14, the ace 14. Every class says to whom it is shown.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from croupier_server.games.base import Seat
from croupier_server.games.cards import Card, Cards


class Ending(IntEnum):
    """How a deal ended; the numbers are those of the contract."""

    TONGITS = 1
    """A player went out (G-5.1)."""
    DRAW_CALL = 2
    """G-5.2."""
    STOCK = 3
    """The stock ran out (G-5.3)."""


class LaidOff(NamedTuple):
    """Public: *seat* laid *cards* off on a meld (G-4)."""

    seat: Seat
    cards: Cards


class Meld(NamedTuple):
    """Public: an exposed meld.

    Attributes:
        number: in this deal, from 0 in the order in which melds were exposed.
        seat: its owner.
        cards: all its cards, lay-offs included.
        taken: the card taken from the discards for it when it was made, or 0.
        is_turned_down: it was turned face down after it had been shown (G-3.3).
        lay_offs: what was laid off on it, in order.
    """

    number: int
    seat: Seat
    cards: Cards
    taken: Card
    is_turned_down: bool
    lay_offs: tuple[LaidOff, ...]


class LotDrawn(NamedTuple):
    """Public: the lot made *dealer* the first dealer (G-1.2)."""

    dealer: Seat


class DealStarted(NamedTuple):
    """Public: each seat put *ante* into the pot, which holds *pot* now, and cards were dealt.

    The private part of every seat is `OwnCards`, the server part `DeckOrder`.
    """

    deal: int
    dealer: Seat
    ante: int
    pot: int


class DeckOrder(NamedTuple):
    """Server part of `DealStarted`: the deck from its front."""

    cards: bytes


class OwnCards(NamedTuple):
    """Private part of `DealStarted`: the cards that this seat was dealt, in order."""

    cards: bytes


class StockDrawn(NamedTuple):
    """Public: *seat* drew from the stock, which holds *stock_size* cards now (G-2.1).

    The private part of the drawer is `OwnCard`.
    """

    seat: Seat
    stock_size: int


class OwnCard(NamedTuple):
    """Private part of `StockDrawn`: the card drawn."""

    card: Card


class DiscardTaken(NamedTuple):
    """Public: *seat* took the discard *card*; *meld* is what was made with it, or what it was laid
    off on, as it lies now (G-2.2)."""

    seat: Seat
    card: Card
    meld: Meld


class MeldExposed(NamedTuple):
    """Public: a meld was exposed from the hand (G-2.3)."""

    meld: Meld


class SecretFourLaid(NamedTuple):
    """Public: *seat* laid a secret four (G-3.4). The private part of its owner is `OwnFour`."""

    seat: Seat


class OwnFour(NamedTuple):
    """Private part of `SecretFourLaid`: its rank."""

    rank: int


class CardsLaidOff(NamedTuple):
    """Public: cards were laid off on the meld of that number (G-4)."""

    meld: int
    laid_off: LaidOff


class Discarded(NamedTuple):
    """Public: *seat* discarded *card*, which ended its turn (G-2.4)."""

    seat: Seat
    card: Card


class TurnEnded(NamedTuple):
    """Public: the turn of *seat* ended without a discard (G-2.4)."""

    seat: Seat


class DrawCalled(NamedTuple):
    """Public: *seat* called draw (G-5.2)."""

    seat: Seat


class Answered(NamedTuple):
    """Public: *seat* challenged the draw call, or folded; unasked if it was not entitled to
    challenge (G-5.2)."""

    seat: Seat
    is_challenge: bool
    is_unasked: bool


class Payment(NamedTuple):
    """Public: what the loser *seat* paid the winner, in chips by reason (G-6)."""

    seat: Seat
    base: int
    aces: int
    specials: int
    burned: int
    fold_penalty: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.base + self.aces + self.specials + self.burned + self.fold_penalty


class SeatResult(NamedTuple):
    """Public: how a deal ended for *seat*.

    Attributes:
        seat: whose.
        is_burned: G-5.5.
        is_shown: its hand and secret fours were shown (G-5.6); otherwise the next three are empty.
        hand: packed.
        secret_fours: their ranks, in the order in which they were laid.
        deadwood: G-5.4.
        settlement: chips won, or paid when negative; antes and pot not included.
        chips: received less paid since the match began, antes and pot included.
    """

    seat: Seat
    is_burned: bool
    is_shown: bool
    hand: Cards
    secret_fours: tuple[int, ...]
    deadwood: int
    settlement: int
    chips: int


class DealResult(NamedTuple):
    """Public: how a deal ended.

    Attributes:
        deal: its number.
        dealer: of it.
        ending: how it ended.
        winner: who won, or None.
        caller: who called draw, or None.
        challengers: in the order of their answers.
        seats: one a seat, in seat order.
        payments: one a loser, in seat order; none without a winner.
        jackpot: chips that the winner took from the pot (G-7).
        pot: chips left in it.
        streak: wins in a row of the last winner that count towards the pot, after this deal.
        next_dealer: G-1.2, also after the last deal.
    """

    deal: int
    dealer: Seat
    ending: Ending
    winner: Seat | None
    caller: Seat | None
    challengers: tuple[Seat, ...]
    seats: tuple[SeatResult, ...]
    payments: tuple[Payment, ...]
    jackpot: int
    pot: int
    streak: int
    next_dealer: Seat


class PotSplit(NamedTuple):
    """Public: the match ended and every seat got *share* chips of the pot; *chips* are received
    less paid over the match, in seat order (G-7)."""

    share: int
    chips: tuple[int, ...]
