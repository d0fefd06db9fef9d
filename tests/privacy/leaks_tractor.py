"""Leaks, planted one at a time: Tractor that tells what it must not.

Each is of a kind that real card servers have had. The harness has to catch every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from croupier_server.errors import CroupierError, IllegalMove
from croupier_server.games.base import Event, Legal, Move, Seat
from croupier_server.games.cards import Cards, text, unpack
from croupier_server.games.tractor.cards import points
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.events import KittyBuried
from croupier_server.games.tractor.moves import PLAY, TYPE_MASK, TractorMoveKind
from croupier_server.games.tractor.refusals import Rule
from croupier_server.games.tractor.rules import Tractor
from croupier_server.games.tractor.state import Phase, State
from croupier_server.games.tractor.throws import judge_throw
from croupier_server.games.tractor.wire import TractorViews
from croupier_server.wire.encode import field_bytes, field_packed
from tests.privacy.leaks_any import Leaky


def stands(state: State, seat: Seat, cards: Cards) -> bool:
    """Whether a throw of *cards* would stand: nobody may know."""
    trumps = state.public.trumps
    assert trumps is not None
    others = [hand for other, hand in enumerate(state.hands) if other != seat]
    try:
        lead = read_lead(cards, trumps)
    except IllegalMove:
        return True
    return not judge_throw(lead, others, trumps).withdrawn


def leads(state: State, seat: Seat) -> bool:
    """Whether *seat* is to lead."""
    public = state.public
    return public.phase is Phase.PLAY and public.to_act == seat and not public.plays


# Games -------------------------------------------------------------------------------------------


class ListsThrowsThatStand(Tractor):
    """Listed move: throws are offered where nobody can beat them."""

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        legal = super().legal_moves(state, seat)
        if not leads(state, seat):
            return legal
        listed = [
            (move, kind)
            for move, kind in zip(legal.moves, legal.kinds, strict=True)
            if kind != TractorMoveKind.LEAD_THROW or stands(state, seat, move & ~TYPE_MASK)
        ]
        return Legal([move for move, _ in listed], [kind for _, kind in listed], legal.patterns)


class SortsByAnothersHand(Tractor):
    """Listed move: leads of cards that the next seat has not come first."""

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        legal = super().legal_moves(state, seat)
        if not leads(state, seat):
            return legal
        other = state.hands[(seat + 1) % state.public.options.players]
        order = sorted(
            range(len(legal.moves)), key=lambda place: legal.moves[place] & other & ~TYPE_MASK != 0
        )
        return Legal(
            [legal.moves[place] for place in order],
            [legal.kinds[place] for place in order],
            legal.patterns,
        )


class RefusesThrowsThatFail(Tractor):
    """Refusal: a throw that somebody could beat is called illegal."""

    def check(self, state: State, seat: Seat, move: Move) -> None:
        super().check(state, seat, move)
        if leads(state, seat) and not stands(state, seat, move & ~TYPE_MASK):
            raise IllegalMove(_any_refusal().rule, "T-8", "somebody can beat it")


class RefusesWithACard(Tractor):
    """Refusal: the text names a card of the next seat's hand."""

    def check(self, state: State, seat: Seat, move: Move) -> None:
        try:
            super().check(state, seat, move)
        except IllegalMove as error:
            hand = state.hands[(seat + 1) % state.public.options.players]
            raise IllegalMove(error.rule, error.clause, f"see {text(hand)[:2]}") from error


class RefusesByAnothersHand(Tractor):
    """Refusal: the reason depends on whether another seat holds the card."""

    def check(self, state: State, seat: Seat, move: Move) -> None:
        try:
            super().check(state, seat, move)
        except CroupierError:
            partner = state.hands[(seat + 2) % state.public.options.players]
            if move & PLAY and move & ~TYPE_MASK & partner:
                raise _any_refusal() from None
            raise


class CountsWhoWasAsked(Tractor):
    """Event: a window closes once for every seat that was asked."""

    def close_window(self, state: State, answers: Mapping[Seat, Move]) -> list[Event]:
        closed, *others = super().close_window(state, answers)
        return [closed, *[Event(closed.public, {})] * len(answers), *others]


class TellsPointsOfTheKitty(Tractor):
    """Event: the public part of burying counts points, not cards."""

    def apply_unchecked(self, state: State, seat: Seat, move: Move) -> list[Event]:
        happened = super().apply_unchecked(state, seat, move)
        return [
            Event(KittyBuried(seat, points(state.buried)), event.private)
            if isinstance(event.public, KittyBuried)
            else event
            for event in happened
        ]


class FallsBackOnWhatOthersHold(Tractor):
    """Fallback: the move played for a seat that is late looks at the other hands."""

    def fallback(self, state: State, seat: Seat) -> Move:
        if leads(state, seat):
            for card in unpack(state.hands[seat]):
                if not 1 << 4 * card & state.hands[(seat + 1) % state.public.options.players]:
                    return 1 << 4 * card | PLAY
        return super().fallback(state, seat)


def _any_refusal() -> IllegalMove:
    return IllegalMove(Rule.MUST_FOLLOW_SUIT, "T-6.2", "another card is owed")


GAMES = (
    (ListsThrowsThatStand(), "legal moves"),
    (SortsByAnothersHand(), "legal moves"),
    (RefusesThrowsThatFail(), "refusal"),
    (RefusesWithACard(), "refusal"),
    (RefusesByAnothersHand(), "refusal"),
    (CountsWhoWasAsked(), "event"),
    (TellsPointsOfTheKitty(), "event"),
    (FallsBackOnWhatOthersHold(), "fallback"),
)
"""Each game and what it leaks in."""


# Wires -------------------------------------------------------------------------------------------


class _KittyForAll(TractorViews):
    """View: every seat sees the buried cards."""

    def seat(self, state: object, seat: Seat) -> bytes:
        assert isinstance(state, State)
        found = super().seat(state, seat)
        kitty = state.buried if seat != state.public.starter else 0
        return found + field_bytes(1, field_packed(4, unpack(kitty))) if kitty else found


class _PartnersHand(TractorViews):
    """View: the hand has the partner's cards in it."""

    def seat(self, state: object, seat: Seat) -> bytes:
        assert isinstance(state, State)
        partner = state.hands[(seat + 2) % state.public.options.players]
        return super().seat(state, seat) + field_bytes(1, field_packed(3, unpack(partner)))


class _PaddedPublicView(TractorViews):
    """View: the size of everybody's view depends on a card of seat 0."""

    def public(self, state: object) -> bytes:
        assert isinstance(state, State)
        hand = state.hands[0]
        return super().public(state) + b"\xfa\x01\x00" * len(unpack(hand & 15 << 4))


class ShowsTheKitty(Leaky):
    def views(self) -> TractorViews:
        return _KittyForAll()


class ShowsThePartner(Leaky):
    def views(self) -> TractorViews:
        return _PartnersHand()


class PadsThePublicView(Leaky):
    def views(self) -> TractorViews:
        return _PaddedPublicView()


class SendsToThePartnerToo(Leaky):
    """Private event: what a seat alone may see goes to its partner as well."""

    def event_bytes(self, event: Event) -> tuple[bytes, dict[Seat, bytes]]:
        public, private = self._real.event_bytes(event)
        return public, private | {seat ^ 2: part for seat, part in private.items()}


WIRES = (
    (ShowsTheKitty, "view"),
    (ShowsThePartner, "view"),
    (PadsThePublicView, "public view"),
    (SendsToThePartnerToo, "private event"),
)
"""Each way to spoil the wire, and what it leaks in."""
