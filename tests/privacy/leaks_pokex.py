"""Leaks, planted one at a time: Pokex that tells what it must not."""

from __future__ import annotations

from typing import Any, cast

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Event, Legal, Move, Seat
from croupier_server.games.cards import count, rank, unpack
from croupier_server.games.pokex.events import AuctionEnded, CardsPlayed, DealResult, RankNamed
from croupier_server.games.pokex.moves import NAME_RANK, PLAY, move_type
from croupier_server.games.pokex.refusals import Rule
from croupier_server.wire.encode import field_bytes, field_packed
from croupier_server.wire.views import Views
from tests.privacy.leaks_any import Leaky, LeakyGame, LeakyViews, next_hand

JOKERS = 15 << 4 * 53 | 15 << 4 * 54


def partner_hand(state: Any, seat: Seat) -> int:
    hand: int = state.hands[(seat + 2) % 4]
    return hand


class TellsHowManyAreWild(LeakyGame):
    """Event: the naming of a rank tells how many of it the others hold, by when the bid ends."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        for number, event in enumerate(happened):
            if isinstance(event.public, RankNamed):
                wild = event.public.rank
                held = sum(rank(card) == wild for card in unpack(partner_hand(state, seat)))
                happened[number] = Event(RankNamed(held, wild), event.private)
        return happened


class TellsWhoHasTheJokers(LeakyGame):
    """Event: the end of an auction in which all passed names who holds most jokers."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        jokers = [count(hand & JOKERS) for hand in state.hands]
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        for number, event in enumerate(happened):
            if isinstance(event.public, AuctionEnded):
                most = jokers.index(max(jokers))
                happened[number] = Event(AuctionEnded(most, event.public.bid), event.private)
        return happened


class TellsWhatStays(LeakyGame):
    """Event: a play tells with its centre card the lowest card that its seat keeps."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        kept = unpack(state.hands[seat])
        for number, event in enumerate(happened):
            if isinstance(event.public, CardsPlayed) and not event.public.center and kept:
                told = event.public._replace(center=kept[0])
                happened[number] = Event(told, event.private)
        return happened


class ScoresByHands(LeakyGame):
    """Event: the result of a deal that was passed out depends on the hands."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        held = state.hands[0] % 9
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        for number, event in enumerate(happened):
            if isinstance(event.public, DealResult) and event.public.is_passed_out:
                told = event.public._replace(points=(held, 0))
                happened[number] = Event(told, event.private)
        return happened


class OffersRanksThatOthersLack(LeakyGame):
    """Listed move: a rank of which the next seat holds three is not offered."""

    def legal_moves(self, state: Any, seat: Seat) -> Legal:
        legal: Legal = self._real.legal_moves(state, seat)
        if not legal.moves or move_type(legal.moves[0]) != NAME_RANK:
            return legal
        other = [rank(card) for card in unpack(next_hand(state, seat))]
        kept = [move for move in legal.moves if other.count(move >> 4) < 2]
        return Legal(kept, legal.kinds[: len(kept)], legal.patterns)


class RefusesPlaysThatLose(LeakyGame):
    """Refusal: a play of two cards lower than any of the next seat is called illegal."""

    def check(self, state: Any, seat: Seat, move: Move) -> None:
        self._real.check(state, seat, move)
        ranks = [rank(card) for card in unpack(move & (1 << 220) - 16)]
        if move_type(move) == PLAY and max(ranks) < max(
            map(rank, unpack(next_hand(state, seat))), default=0
        ):
            raise IllegalMove(Rule.CARDS_NOT_IN_HAND, "P-4.2", "it would lose")


GAMES = (
    (TellsHowManyAreWild, "event"),
    (TellsWhoHasTheJokers, "event"),
    (TellsWhatStays, "event"),
    (ScoresByHands, "event"),
    (OffersRanksThatOthersLack, "legal moves"),
    (RefusesPlaysThatLose, "refusal"),
)
"""Each way to spoil the rules, and what it leaks in."""


class _PartnersHand(LeakyViews):
    """View: the hand has the partner's cards in it."""

    def seat(self, state: Any, seat: Seat) -> bytes:
        found: bytes = self._real.seat(state, seat)
        return found + field_bytes(3, field_packed(3, unpack(partner_hand(state, seat))))


class _JokersForAll(LeakyViews):
    """View: everybody sees how many jokers each seat holds."""

    def public(self, state: Any) -> bytes:
        held = bytes(count(hand & JOKERS) for hand in state.hands)
        found: bytes = self._real.public(state)
        return found + field_bytes(3, field_packed(10, held))


class ShowsThePartner(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _PartnersHand(self._real.views()))


class ShowsJokers(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _JokersForAll(self._real.views()))


WIRES = (
    (ShowsThePartner, "view"),
    (ShowsJokers, "public view"),
)
"""Each way to spoil the wire, and what it leaks in."""
