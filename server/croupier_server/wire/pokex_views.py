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
from croupier_server.games.cards import Cards, unpack
from croupier_server.games.pokex.events import DealResult
from croupier_server.games.pokex.state import NO_SEAT, PLAYERS, PublicState, State, Trick
from croupier_server.wire import pokex_parts as parts
from croupier_server.wire.encode import (
    TAGS,
    field_bytes,
    field_number,
    field_optional,
    field_packed,
    field_packed_signed,
    field_varint,
)
from croupier_server.wire.pokex_moves import GAME_ARM
from croupier_server.wire.views import Growing, framed

_GAME_TAG: Final = TAGS[GAME_ARM]
_PUBLIC_TAG: Final = TAGS[1]
_TRICK_TAG: Final = TAGS[11]
_PLAY_TAG: Final = TAGS[2]
_LEADER: Final = {NO_SEAT: b""} | {seat: field_varint(17, seat) for seat in range(PLAYERS)}
_TO_ACT: Final = {NO_SEAT: b""} | {seat: field_varint(18, seat) for seat in range(PLAYERS)}
_SEAT_FIELDS: Final = tuple(field_number(2, seat) for seat in range(PLAYERS))


class PokexViews:
    """The `ViewEncoder` of Pokex; states are `pokex.state.State`."""

    __slots__ = ("_head", "_head_of", "_own", "_results", "_score", "_score_of", "_tricks")

    def __init__(self) -> None:
        self._head = b""
        """Fields 1 to 9."""
        self._head_of: tuple[object, ...] = ()
        self._tricks = Growing[Trick](12, _trick)
        self._score = b""
        """Fields 13 to 16."""
        self._score_of: tuple[object, ...] = ()
        self._results = Growing[DealResult](19, parts.result)
        self._own: dict[Seat, tuple[Cards, bytes]] = {}

    def public(self, state: object) -> bytes:
        """Payload of ``PublicView``."""
        assert isinstance(state, State)
        return field_bytes(GAME_ARM, self._public(state.public))

    def seat(self, state: object, seat: Seat) -> bytes:
        """Payload of ``SeatView``."""
        assert isinstance(state, State)
        hand = state.hands[seat]
        kept = self._own.get(seat)
        if kept is None or kept[0] != hand:
            kept = self._own[seat] = hand, field_packed(3, unpack(hand))
        public = framed(_PUBLIC_TAG, self._public(state.public))
        return framed(_GAME_TAG, public + _SEAT_FIELDS[seat] + kept[1])

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
        score_of = (public.taken, public.carried, public.totals, public.passed_out)
        if score_of != self._score_of:
            self._score_of = score_of
            self._score = _score(public)
        is_trick = public.plays or public.trick_center
        return b"".join(
            (
                self._head,
                field_packed(10, bytes(public.hand_sizes())),
                framed(_TRICK_TAG, _trick_under_way(public)) if is_trick else b"",
                self._tricks.encoded(public.tricks),
                self._score,
                _LEADER[public.leader],
                _TO_ACT[public.to_act],
                self._results.encoded(public.results),
            )
        )


def _head(public: PublicState) -> bytes:
    """Fields 1 to 9."""
    found = (
        field_number(1, public.phase)
        + field_number(2, public.deal)
        + field_optional(3, public.dealer)
        + field_packed(4, public.center)
        + field_packed(5, public.center_left)
    )
    for call in public.calls:
        found += field_bytes(6, parts.called(call))
    found += field_optional(7, public.declarer) + field_number(8, public.bid)
    return found + field_varint(9, public.wild_rank) if public.wild_rank else found


def _score(public: PublicState) -> bytes:
    """Fields 13 to 16."""
    return (
        field_packed(13, bytes(public.taken))
        + field_number(14, public.carried)
        + field_packed_signed(15, public.totals)
        + field_number(16, public.passed_out)
    )


def _trick_under_way(public: PublicState) -> bytes:
    """``PokexTrick`` without an end."""
    found = field_varint(1, public.trick_center) if public.trick_center else b""
    for seat, cards in public.plays:
        found += framed(_PLAY_TAG, parts.PLAYS[seat][cards])
    return found


def _trick(trick: Trick) -> bytes:
    """``PokexTrick``, finished."""
    found = field_varint(1, trick.center)
    for seat, cards in trick.plays:
        found += field_bytes(2, parts.PLAYS[seat][cards])
    return found + parts.trick_end(trick.winner, trick.hands, trick.counted, first=3)
