"""Views of Pokex as bytes, built up from what the audience knows: the public state, and for a seat
its own hand.

`PokexViews` keeps the parts of a view that change seldom. What it keeps is always compared with the
state, so that it cannot send what is no longer true.

Must not be put here: anything that reads the hand of another seat. Only `PokexViews.seat` looks
beyond the public state.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import CARD_MAX, Card, Cards, one_pack_ids
from croupier_server.games.kept import Kept
from croupier_server.games.pokex.events import DealResult, Played
from croupier_server.games.pokex.state import NO_SEAT, PLAYERS, PublicState, State, Trick
from croupier_server.games.pokex.wire import parts
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.generated import pokex as messages
from croupier_server.wire.views import Growing, Latest

_PUBLIC_VIEW: Final = game.PUBLIC_VIEW["pokex"]
_SEAT_VIEW: Final = game.SEAT_VIEW["pokex"]
_CENTERS: Final = tuple(messages.trick_center(card or None) for card in range(CARD_MAX + 1))
"""By card: ``PokexTrick.center``."""

_TO_ACT: Final = {seat: messages.public_view_to_act(seat) for seat in (NO_SEAT, *range(PLAYERS))}
_SIZES: Final = Kept[tuple[int, ...], bytes](
    lambda sizes: messages.public_view_hand_sizes(bytes(sizes)), 256
)
"""By the sizes of all hands: ``hand_sizes``. There are 15 for each of 7 numbers of tricks."""


class PokexViews:
    """The `ViewEncoder` of Pokex; states are `pokex.state.State`."""

    __slots__ = ("_back", "_back_of", "_head", "_head_of", "_last_result", "_own", "_tricks")

    def __init__(self) -> None:
        self._head = b""
        """``phase`` to ``wild_rank``."""
        self._head_of: tuple[object, ...] = ()
        self._back = b""
        """``tricks`` to ``leader``."""
        self._back_of: tuple[object, ...] = ()
        self._tricks = Growing[Trick](_trick)
        self._last_result = Latest[DealResult](
            lambda result: messages.public_view_last_result(parts.result(result))
        )
        self._own: list[tuple[Cards, bytes]] = [(0, b"")] * PLAYERS
        """By seat: its hand, packed and as ids."""

    def public(self, state: object) -> bytes:
        """Payload of ``PublicView``."""
        assert isinstance(state, State)
        return framed(_PUBLIC_VIEW, self._public(state.public))

    def seat(self, state: object, seat: Seat) -> bytes:
        """Payload of ``SeatView``."""
        assert isinstance(state, State)
        hand = state.hands[seat]
        last, own = self._own[seat]
        if hand != last:
            own = one_pack_ids(hand)
            self._own[seat] = hand, own
        return framed(_SEAT_VIEW, messages.view(self._public(state.public), seat, own))

    def _public(self, public: PublicState) -> bytes:
        """``PokexPublicView``, its fields in the order of their numbers."""
        head_of = (
            public.phase,
            public.deal,
            public.dealer,
            public.center,
            public.center_left,
            public.calls,
            public.declarer,
            public.bid,
            public.wild_rank,
        )
        if head_of != self._head_of:
            self._head_of = head_of
            self._head = _head(public)
        back_of = (
            public.tricks,
            public.taken,
            public.carried,
            public.totals,
            public.passed_out,
            public.leader,
        )
        if back_of != self._back_of:
            self._back_of = back_of
            self._back = self._tricks.encoded(public.tricks) + _score(public)
        plays, center = public.plays, public.trick_center
        return b"".join(
            (
                self._head,
                _SIZES[public.hand_sizes()],
                _trick_under_way(center, plays) if plays or center else b"",
                self._back,
                _TO_ACT[public.to_act],
                self._last_result.encoded(public.last_result),
            )
        )


def _head(public: PublicState) -> bytes:
    """``phase`` to ``wild_rank``."""
    return messages.public_view_head(
        phase=public.phase,
        deal=public.deal,
        dealer=public.dealer,
        center=public.center,
        center_left=public.center_left,
        calls=map(parts.called, public.calls),
        declarer=public.declarer,
        bid=public.bid,
        wild_rank=public.wild_rank or None,
    )


def _score(public: PublicState) -> bytes:
    """``taken`` to ``leader``."""
    return messages.public_view_score(
        taken=bytes(public.taken),
        carried=public.carried,
        totals=public.totals,
        consecutive_passed_out=public.passed_out,
        leader=public.leader,
    )


def _trick_under_way(center: Card, plays: tuple[Played, ...]) -> bytes:
    """``trick``: ``PokexTrick`` without an end."""
    found = _CENTERS[center]
    for seat, cards in plays:
        found += parts.TRICK_PLAYS[seat][cards]
    return messages.public_view_trick(found)


def _trick(trick: Trick) -> bytes:
    """One of ``tricks``: ``PokexTrick``, finished."""
    plays = [parts.TRICK_PLAYS[seat][cards] for seat, cards in trick.plays]
    hands = [parts.HANDS[hand] for hand in trick.hands]
    end = messages.trick_end(trick.winner, hands, trick.counted)
    return messages.public_view_tricks([_CENTERS[trick.center] + b"".join(plays) + end])
