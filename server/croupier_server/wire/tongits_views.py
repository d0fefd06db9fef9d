"""Views of Tong-its as bytes, built up from what the audience knows: the public state, and for a
seat its own hand and the ranks of its own secret fours.

`TongitsViews` keeps the parts of a view that change seldom. What it keeps is always compared with
the state, so that it cannot send what is no longer true.

Must not be put here: anything that reads the hand of another seat. Only `TongitsViews.seat` looks
beyond the public state.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import CARD_MAX, one_pack_ids
from croupier_server.games.tongits.events import DealResult, Meld
from croupier_server.games.tongits.melds import POINTS
from croupier_server.games.tongits.state import (
    NO_SEAT,
    PLAYERS,
    SEATS_OF,
    Phase,
    PublicState,
    State,
)
from croupier_server.wire import tongits_parts as parts
from croupier_server.wire.encode import (
    TAGS,
    field_bytes,
    field_number,
    field_optional,
    field_packed,
    field_packed_signed,
    field_varint,
    varint,
)
from croupier_server.wire.tongits_moves import GAME_ARM
from croupier_server.wire.views import Latest, framed

_GAME_TAG: Final = TAGS[GAME_ARM]
_PUBLIC_TAG: Final = TAGS[1]
_HAND_TAG: Final = TAGS[3]
_PHASES: Final = tuple(field_number(1, phase) for phase in range(max(Phase) + 1))
_DISCARDS_TAG: Final = TAGS[6]
_STOCK_SIZES: Final = tuple(field_number(5, size) for size in range(CARD_MAX))
_HAND_SIZES, _SECRET_FOURS, _TURNS = (TAGS[field] + varint(PLAYERS) for field in (4, 8, 9))
"""What stands before a number a seat; all of these numbers are below 128."""

_DISCARDERS_TAG: Final = TAGS[20]

_BARRED, _BARRED_TURN, _BARRED_DEAL, _BARRED_DISCARD = (
    tuple(field_packed(field, bytes(seats)) for seats in SEATS_OF) for field in (10, 21, 22, 23)
)
"""By bit set of seats: all that are barred, and those by how long they are."""

_TOOK_DISCARD: Final = field_number(11, 1)
_TO_ACT: Final = {NO_SEAT: b""} | {seat: field_varint(14, seat) for seat in range(PLAYERS)}
_DEADWOOD: Final = tuple(field_number(5, count) for count in range(sum(POINTS) + 1))
_SEAT_FIELDS: Final = tuple(field_number(2, seat) for seat in range(PLAYERS))


class TongitsViews:
    """The `ViewEncoder` of Tong-its; states are `tongits.state.State`."""

    __slots__ = (
        "_chips",
        "_chips_of",
        "_deal",
        "_deal_of",
        "_last_result",
        "_melds",
        "_melds_of",
    )

    def __init__(self) -> None:
        self._deal = b""
        """Fields 2 and 3."""
        self._chips = b""
        """Fields 15 to 18."""
        self._deal_of: tuple[object, ...] = ()
        self._chips_of: list[int] = []
        self._melds: list[bytes] = []
        """Field 7, meld by meld."""
        self._melds_of: list[Meld] = []
        self._last_result = Latest[DealResult](19, parts.result)

    def public(self, state: object) -> bytes:
        """Payload of ``PublicView``."""
        assert isinstance(state, State)
        return framed(_GAME_TAG, self._public(state.public))

    def seat(self, state: object, seat: Seat) -> bytes:
        """Payload of ``SeatView``."""
        assert isinstance(state, State)
        public = framed(_PUBLIC_TAG, self._public(state.public))
        return framed(_GAME_TAG, public + _SEAT_FIELDS[seat] + _own_cards(state, seat))

    def _public(self, public: PublicState) -> bytes:
        """``TongitsPublicView``, its fields in the order of their numbers."""
        deal_of = (public.deal, public.dealer, public.pot, public.streak_seat, public.streak)
        if deal_of != self._deal_of or public.chips != self._chips_of:
            self._deal_of, self._chips_of = deal_of, public.chips.copy()
            self._deal = field_number(2, public.deal) + field_optional(3, public.dealer)
            self._chips = _chips(public)
        if public.melds != self._melds_of:
            self._keep_melds(public.melds)
        return b"".join(
            (
                _PHASES[public.phase],
                self._deal,
                _HAND_SIZES,
                bytes(public.hand_sizes),
                _STOCK_SIZES[public.stock_size],
                framed(_DISCARDS_TAG, public.discards) if public.discards else b"",
                *self._melds,
                _SECRET_FOURS,
                bytes(public.secret_fours),
                _TURNS,
                bytes(public.turns),
                _BARRED[public.barred_turn | public.barred_deal | public.barred_discard],
                _TOOK_DISCARD if public.took_discard else b"",
                b"" if public.caller == NO_SEAT else _call(public),
                _TO_ACT[public.to_act],
                self._chips,
                self._last_result.encoded(public.last_result),
                framed(_DISCARDERS_TAG, public.discarders) if public.discarders else b"",
                _BARRED_TURN[public.barred_turn],
                _BARRED_DEAL[public.barred_deal],
                _BARRED_DISCARD[public.barred_discard],
            )
        )

    def _keep_melds(self, melds: list[Meld]) -> None:
        """Encode the melds that have been made or added to since the last call."""
        kept = dict(zip(self._melds_of, self._melds, strict=True))
        self._melds = [kept.get(one) or field_bytes(7, parts.meld(one)) for one in melds]
        self._melds_of = melds.copy()


def _own_cards(state: State, seat: Seat) -> bytes:
    """Fields 3 to 5 of ``TongitsView``. Not kept: a seat's cards change with nearly every decision
    of its own."""
    hand, fours = state.hands[seat], state.secret_fours[seat]
    ranks = field_packed(4, bytes(fours)) if fours else b""
    return (
        (framed(_HAND_TAG, one_pack_ids(hand)) if hand else b"")
        + ranks
        + _DEADWOOD[state.table.deadwood(hand)]
    )


def _call(public: PublicState) -> bytes:
    """Fields 12 and 13: a draw call and its answers."""
    answers = [field_bytes(13, parts.answered(answer)) for answer in public.answers]
    return field_varint(12, public.caller) + b"".join(answers)


def _chips(public: PublicState) -> bytes:
    """Fields 15 to 18."""
    return (
        field_number(15, public.pot)
        + field_packed_signed(16, public.chips)
        + field_optional(17, public.streak_seat)
        + field_number(18, public.streak)
    )
