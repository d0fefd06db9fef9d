"""Leaks, planted one at a time: Tong-its that tells what it must not."""

from __future__ import annotations

from typing import Any, cast

from croupier_server.games.base import Event, Legal, Move, Seat
from croupier_server.games.tongits.events import (
    DealResult,
    OwnCard,
    OwnFour,
    SecretFourLaid,
    StockDrawn,
)
from croupier_server.games.tongits.moves import CALL_DRAW
from croupier_server.wire.encode import field_bytes, field_number, field_packed
from croupier_server.wire.views import Views
from tests.privacy.leaks_any import Leaky, LeakyGame, LeakyViews, next_hand


class TellsTheCardDrawn(LeakyGame):
    """Event: everybody is told the card drawn from the stock, where its size should stand."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        return [self._told(event) for event in self._real.apply_unchecked(state, seat, move)]

    @staticmethod
    def _told(event: Event) -> Event:
        if not isinstance(event.public, StockDrawn):
            return event
        own = event.private[event.public.seat]
        assert isinstance(own, OwnCard)
        return Event(event.public._replace(stock_size=own.card), event.private)


class TellsTheRankOfAFour(LeakyGame):
    """Event: everybody is told the rank of a secret four, where its owner should stand."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        for number, event in enumerate(happened):
            if isinstance(event.public, SecretFourLaid):
                own = event.private[seat]
                assert isinstance(own, OwnFour)
                happened[number] = Event(SecretFourLaid(own.rank), event.private)
        return happened


class ShowsWhoFolded(LeakyGame):
    """Event: the deadwood of hands that G-5.6 does not show."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        deadwood = [state.table.deadwood(hand) for hand in state.hands]
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        for number, event in enumerate(happened):
            if isinstance(event.public, DealResult):
                seats = tuple(
                    one if one.is_shown else one._replace(deadwood=deadwood[one.seat])
                    for one in event.public.seats
                )
                happened[number] = Event(event.public._replace(seats=seats), event.private)
        return happened


class ListsDrawCallsThatWin(LeakyGame):
    """Listed move: a draw call is offered where the next seat has more deadwood."""

    def legal_moves(self, state: Any, seat: Seat) -> Legal:
        legal: Legal = self._real.legal_moves(state, seat)
        if CALL_DRAW not in legal.moves:
            return legal
        own, other = (
            state.table.deadwood(hand) for hand in (state.hands[seat], next_hand(state, seat))
        )
        if own < other:
            return legal
        kept = [place for place, move in enumerate(legal.moves) if move != CALL_DRAW]
        return Legal(
            [legal.moves[place] for place in kept],
            [legal.kinds[place] for place in kept],
            legal.patterns,
        )


class DrawsByTheStock(LeakyGame):
    """Fallback: who is late draws only if the next card of the stock is a good one."""

    def fallback(self, state: Any, seat: Seat) -> Move:
        legal: Legal = self._real.legal_moves(state, seat)
        if state.stock and state.stock[0] % 13 > 6 and legal.moves:
            return legal.moves[-1]
        return cast("Move", self._real.fallback(state, seat))


GAMES = (
    (TellsTheCardDrawn, "event"),
    (TellsTheRankOfAFour, "event"),
    (ShowsWhoFolded, "event"),
    (ListsDrawCallsThatWin, "legal moves"),
    (DrawsByTheStock, "fallback"),
)
"""Each way to spoil the rules, and what it leaks in."""


class _RanksForAll(LeakyViews):
    """View: the ranks of all secret fours in the public view."""

    def public(self, state: Any) -> bytes:
        ranks = bytes(rank for fours in state.secret_fours for rank in fours)
        found: bytes = self._real.public(state)
        return found + field_bytes(2, field_packed(8, ranks)) if ranks else found


class _NextDeadwood(LeakyViews):
    """View: the deadwood is that of the next seat."""

    def seat(self, state: Any, seat: Seat) -> bytes:
        deadwood = field_number(5, state.table.deadwood(next_hand(state, seat)))
        found: bytes = self._real.seat(state, seat)
        return found + field_bytes(2, deadwood) if deadwood else found


class _StockForAll(LeakyViews):
    """View: the size of a seat's view tells the next card of the stock."""

    def seat(self, state: Any, seat: Seat) -> bytes:
        found: bytes = self._real.seat(state, seat)
        return found + b"\xfa\x01\x00" * (state.stock[0] if state.stock else 0)


class ShowsRanksOfFours(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _RanksForAll(self._real.views()))


class ShowsDeadwoodOfAnother(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _NextDeadwood(self._real.views()))


class ShowsTheStock(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _StockForAll(self._real.views()))


class SendsToTheNextSeatToo(Leaky):
    """Private event: what a seat alone may see goes to the next seat as well."""

    def event_bytes(self, event: Event) -> tuple[bytes, dict[Seat, bytes]]:
        public, private = self._real.event_bytes(event)
        number = self._real.seats_min
        return public, {(seat + 1) % number: part for seat, part in private.items()} | private


WIRES = (
    (SendsToTheNextSeatToo, "private event"),
    (ShowsRanksOfFours, "public view"),
    (ShowsDeadwoodOfAnother, "view"),
    (ShowsTheStock, "view"),
)
"""Each way to spoil the wire, and what it leaks in."""
