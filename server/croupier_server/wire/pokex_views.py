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
from croupier_server.games.pokex.events import DealResult, Played
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
from croupier_server.wire.kept import Kept
from croupier_server.wire.pokex_moves import GAME_ARM
from croupier_server.wire.views import Growing, Latest, framed

_GAME_TAG: Final = TAGS[GAME_ARM]
_PUBLIC_TAG: Final = TAGS[1]
_HAND_TAG: Final = TAGS[3]
_TRICK_TAG: Final = TAGS[11]
_CENTERS: Final = (b"", *(field_varint(1, card) for card in range(1, CARD_MAX + 1)))
"""By card: field 1 of ``PokexTrick``."""

_TO_ACT: Final = {NO_SEAT: b""} | {seat: field_varint(18, seat) for seat in range(PLAYERS)}
_SEAT_FIELDS: Final = tuple(field_number(2, seat) for seat in range(PLAYERS))
_SIZES: Final = Kept[tuple[int, ...], bytes](lambda sizes: field_packed(10, bytes(sizes)), 256)
"""By the sizes of all hands: field 10. There are 15 for each of 7 numbers of tricks."""


class PokexViews:
    """The `ViewEncoder` of Pokex; states are `pokex.state.State`."""

    __slots__ = ("_back", "_back_of", "_head", "_head_of", "_last_result", "_own", "_tricks")

    def __init__(self) -> None:
        self._head = b""
        """Fields 1 to 9."""
        self._head_of: tuple[object, ...] = ()
        self._back = b""
        """Fields 12 to 17."""
        self._back_of: tuple[object, ...] = ()
        self._tricks = Growing[Trick](12, _trick)
        self._last_result = Latest[DealResult](19, parts.result)
        self._own: list[tuple[Cards, bytes]] = [(0, b"")] * PLAYERS
        """By seat: its hand, and field 3 of ``PokexView``."""

    def public(self, state: object) -> bytes:
        """Payload of ``PublicView``."""
        assert isinstance(state, State)
        return framed(_GAME_TAG, self._public(state.public))

    def seat(self, state: object, seat: Seat) -> bytes:
        """Payload of ``SeatView``."""
        assert isinstance(state, State)
        hand = state.hands[seat]
        last, own = self._own[seat]
        if hand != last:
            own = framed(_HAND_TAG, one_pack_ids(hand)) if hand else b""
            self._own[seat] = hand, own
        public = self._public(state.public)
        return framed(_GAME_TAG, framed(_PUBLIC_TAG, public) + _SEAT_FIELDS[seat] + own)

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
    """Fields 13 to 17."""
    return (
        field_packed(13, bytes(public.taken))
        + field_number(14, public.carried)
        + field_packed_signed(15, public.totals)
        + field_number(16, public.passed_out)
        + field_optional(17, public.leader)
    )


def _trick_under_way(center: Card, plays: tuple[Played, ...]) -> bytes:
    """Field 11: ``PokexTrick`` without an end."""
    found = _CENTERS[center]
    for seat, cards in plays:
        found += parts.TRICK_PLAYS[seat][cards]
    return framed(_TRICK_TAG, found)


def _trick(trick: Trick) -> bytes:
    """``PokexTrick``, finished."""
    plays = [parts.TRICK_PLAYS[seat][cards] for seat, cards in trick.plays]
    end = parts.trick_end(trick.winner, trick.hands, trick.counted, first=3)
    return _CENTERS[trick.center] + b"".join(plays) + end
