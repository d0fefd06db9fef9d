"""Leaks that can be planted into any game: wrappers around a game or a wire that tell too much."""

from __future__ import annotations

from typing import Any, cast

from croupier_server.errors import CroupierError, IllegalMove
from croupier_server.games.base import AnyGame, Event, Legal, Move, Seat
from croupier_server.games.cards import Cards, text, unpack
from croupier_server.wire.game import GameWire
from croupier_server.wire.views import Views

HAND_FIELD = 3
"""Field of the hand in every game's seat view."""


class Leaky:
    """A game or wire like another one, but for what a subclass does otherwise."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class LeakyGame(Leaky):
    """A game like another one; whoever applies a move goes by what the subclass does."""

    def apply(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        self.check(state, seat, move)
        happened: list[Event] = self.apply_unchecked(state, seat, move)
        return happened


def next_hand(state: Any, seat: Seat) -> Cards:
    """The hand of the seat after *seat*."""
    hand: Cards = state.hands[(seat + 1) % len(state.hands)]
    return hand


# Games -------------------------------------------------------------------------------------------


class SortsByAnothersHand(LeakyGame):
    """Listed move: moves with cards of the rank of another seat's lowest card come first."""

    def legal_moves(self, state: Any, seat: Seat) -> Legal:
        legal: Legal = self._real.legal_moves(state, seat)
        other = unpack(next_hand(state, seat))[:1]
        wanted = {card for card in range(1, 55) for one in other if (card - one) % 13 == 0}
        order = sorted(
            range(len(legal.moves)),
            key=lambda place: not wanted & set(unpack(legal.moves[place] & (1 << 220) - 16)),
        )
        return Legal(
            [legal.moves[place] for place in order],
            [legal.kinds[place] for place in order],
            legal.patterns,
        )


class ListsOneLess(LeakyGame):
    """Listed move: the length of the list depends on a card of another seat."""

    def legal_moves(self, state: Any, seat: Seat) -> Legal:
        legal: Legal = self._real.legal_moves(state, seat)
        if len(legal.moves) > 1 and next_hand(state, seat) & 15 << 4 * 20:
            return Legal(legal.moves[:-1], legal.kinds[:-1], legal.patterns)
        return legal


class RefusesWithACard(LeakyGame):
    """Refusal: the text names a card of the next seat's hand."""

    def check(self, state: Any, seat: Seat, move: Move) -> None:
        try:
            self._real.check(state, seat, move)
        except IllegalMove as error:
            shown = text(next_hand(state, seat))[:2]
            raise IllegalMove(error.rule, error.clause, f"see {shown}") from error


class RefusesByAnothersHand(LeakyGame):
    """Refusal: the reason depends on whether another seat holds the card."""

    def check(self, state: Any, seat: Seat, move: Move) -> None:
        try:
            self._real.check(state, seat, move)
        except CroupierError:
            if move & next_hand(state, seat) & (1 << 220) - 16:
                raise IllegalMove("NOT_YOURS", "X-1", "another seat holds it") from None
            raise


class FallsBackOnWhatOthersHold(LeakyGame):
    """Fallback: the move played for a seat that is late looks at the other hands."""

    def fallback(self, state: Any, seat: Seat) -> Move:
        legal: Legal = self._real.legal_moves(state, seat)
        if not legal.moves:
            return cast("Move", self._real.fallback(state, seat))
        return legal.moves[next_hand(state, seat) % 7919 % len(legal.moves)]


class CountsByAHiddenCard(LeakyGame):
    """Event: a move makes one event more if seat 0 holds a certain card."""

    def apply_unchecked(self, state: Any, seat: Seat, move: Move) -> list[Event]:
        happened: list[Event] = self._real.apply_unchecked(state, seat, move)
        if state.hands[0] & 15 << 4 * 9:
            return [*happened, Event(happened[0].public, {})]
        return happened


GAMES = (
    (SortsByAnothersHand, "legal moves"),
    (ListsOneLess, "legal moves"),
    (RefusesWithACard, "refusal"),
    (RefusesByAnothersHand, "refusal"),
    (FallsBackOnWhatOthersHold, "fallback"),
    (CountsByAHiddenCard, "event"),
)
"""Each way to spoil a game, and what it leaks in."""


# Wires -------------------------------------------------------------------------------------------


class LeakyViews(Leaky):
    """Views like those of another encoder, but for what a subclass does otherwise."""


class _AnothersHand(LeakyViews):
    """View: shows the hand of the next seat instead of its own."""

    def seat(self, state: Any, seat: Seat) -> bytes:
        other = state.copy()
        other.hands[seat] = next_hand(state, seat)
        found: bytes = self._real.seat(other, seat)
        return found


class _Padded(LeakyViews):
    """View: the size of everybody's view depends on a card of seat 0."""

    def public(self, state: Any) -> bytes:
        found: bytes = self._real.public(state)
        return found + b"\xfa\x01\x00" * len(unpack(state.hands[0] & 15 << 4 * 9))


class ShowsAnothersHand(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _AnothersHand(self._real.views()))


class PadsThePublicView(Leaky):
    def views(self) -> Views[Any, Any]:
        return cast("Views[Any, Any]", _Padded(self._real.views()))


class SendsToTheNextSeatInstead(Leaky):
    """Private event: cards go to the wrong seat."""

    def event_bytes(self, event: Event) -> tuple[bytes, dict[Seat, bytes]]:
        public, private = self._real.event_bytes(event)
        number = self._real.seats_min
        return public, {(seat + 1) % number: part for seat, part in private.items()}


WIRES = (
    (ShowsAnothersHand, "view"),
    (PadsThePublicView, "public view"),
    (SendsToTheNextSeatInstead, "private event"),
)
"""Each way to spoil a wire, and what it leaks in."""


def spoiled_game(leak: type[Leaky], game: AnyGame) -> AnyGame:
    """*game* with the leak in it."""
    return cast("AnyGame", leak(game))


def spoiled_wire(leak: type[Leaky], wire: GameWire) -> GameWire:
    """*wire* with the leak in it."""
    return cast("GameWire", leak(wire))
