"""Views of Tong-its as bytes, built up from what the audience knows: the public state, and for a
seat its own hand and the ranks of its own secret fours.

`TongitsViews` keeps the parts of a view that change seldom. What it keeps is always compared with
the state, so that it cannot send what is no longer true.

Must not be put here: anything that reads the hand of another seat. Only `TongitsViews.seat` looks
beyond the public state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import one_pack_ids
from croupier_server.games.tongits.events import DealResult, Meld
from croupier_server.games.tongits.state import (
    NO_SEAT,
    PLAYERS,
    SEATS_OF,
    Phase,
    PublicState,
    State,
)
from croupier_server.games.tongits.wire import parts
from croupier_server.wire.base import SplitView
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tongits as messages
from croupier_server.wire.views import Latest

_PUBLIC_VIEW: Final = game.PUBLIC_VIEW["tongits"]
_SEAT_VIEW: Final = game.SEAT_VIEW["tongits"]
_PHASES: Final = tuple(messages.public_view_phase(phase) for phase in range(max(Phase) + 1))


def _by_seats(encode: Callable[[bytes], bytes]) -> tuple[bytes, ...]:
    """By bit set of seats: the field with them that *encode* makes."""
    return tuple(encode(bytes(seats)) for seats in SEATS_OF)


_BARRED: Final = _by_seats(messages.public_view_barred)
_BARRED_TURN: Final = _by_seats(messages.public_view_barred_turn)
_BARRED_DEAL: Final = _by_seats(messages.public_view_barred_deal)
_BARRED_DISCARD: Final = _by_seats(messages.public_view_barred_discard)
_TOOK_DISCARD: Final = messages.public_view_took_discard(True)
_TO_ACT: Final = {seat: messages.public_view_to_act(seat) for seat in (NO_SEAT, *range(PLAYERS))}


class TongitsViews:
    """The `ViewEncoder` of Tong-its; states are `tongits.state.State`."""

    __slots__ = (
        "_all_melds",
        "_base",
        "_chips",
        "_chips_of",
        "_deal",
        "_deal_of",
        "_last_result",
        "_melds",
        "_melds_of",
    )

    def __init__(self) -> None:
        self._base = b""
        """All that is kept but the melds."""
        self._deal = b""
        """``deal`` and ``dealer``."""
        self._chips = b""
        """``pot`` to ``streak``."""
        self._deal_of: tuple[object, ...] = ()
        self._chips_of: list[int] = []
        self._melds: list[bytes] = []
        """``melds``, one by one."""
        self._all_melds = b""
        self._melds_of: list[Meld] = []
        self._last_result = Latest[DealResult](
            lambda result: messages.public_view_last_result(parts.result(result))
        )

    def public(self, state: object) -> bytes:
        """Payload of ``PublicView``."""
        assert isinstance(state, State)
        return framed(_PUBLIC_VIEW, self._public(state.public))

    def seat(self, state: object, seat: Seat) -> bytes:
        """Payload of ``SeatView``."""
        assert isinstance(state, State)
        return _seat(self._public(state.public), state, seat)

    def split(self, state: object, seat: Seat) -> SplitView:
        """See `ViewEncoder.split`."""
        assert isinstance(state, State)
        self._keep(state.public)
        rest = _seat(b"".join(_changing(state.public)), state, seat)
        return self._base, self._all_melds, rest

    def _public(self, public: PublicState) -> bytes:
        """``TongitsPublicView``, its fields in the order of their numbers."""
        self._keep(public)
        phase, cards, turns, discarders = _changing(public)
        return b"".join(
            (
                phase,
                self._deal,
                cards,
                self._all_melds,
                turns,
                self._chips,
                self._last_result.kept,
                discarders,
            )
        )

    def _keep(self, public: PublicState) -> None:
        """Bring what is kept up to date."""
        deal_of = (
            public.deal,
            public.dealer,
            public.pot,
            public.streak_seat,
            public.streak,
            public.last_result,
        )
        if deal_of != self._deal_of or public.chips != self._chips_of:
            self._deal_of, self._chips_of = deal_of, public.chips.copy()
            self._deal = messages.public_view_deal(public.deal, public.dealer)
            self._chips = _chips(public)
            self._last_result.keep(public.last_result)
            self._base = self._deal + self._chips + self._last_result.kept
        if public.melds != self._melds_of:
            self._keep_melds(public.melds)

    def _keep_melds(self, melds: list[Meld]) -> None:
        """Encode the melds that have been made or added to since the last call."""
        kept = dict(zip(self._melds_of, self._melds, strict=True))
        self._melds = [
            kept.get(one) or messages.public_view_melds([parts.meld(one)]) for one in melds
        ]
        self._melds_of = melds.copy()
        self._all_melds = b"".join(self._melds)


def _seat(public: bytes, state: State, seat: Seat) -> bytes:
    """``SeatView`` with *public*, its public part."""
    hand = state.hands[seat]
    view = messages.view(
        public,
        seat,
        one_pack_ids(hand),
        bytes(state.secret_fours[seat]),
        state.table.deadwood(hand),
    )
    return framed(_SEAT_VIEW, view)


def _changing(public: PublicState) -> tuple[bytes, bytes, bytes, bytes]:
    """``phase``, ``hand_sizes`` to ``discards``, ``secret_four_counts`` to ``to_act``, and what
    follows ``last_result``: what changes from turn to turn."""
    barred = public.barred_turn | public.barred_deal | public.barred_discard
    turns = b"".join(
        (
            messages.public_view_turns(bytes(public.secret_fours), bytes(public.turns)),
            _BARRED[barred],
            _TOOK_DISCARD if public.took_discard else b"",
            b"" if public.caller == NO_SEAT else _call(public),
            _TO_ACT[public.to_act],
        )
    )
    discarders = messages.public_view_discarders(public.discarders)
    if barred:
        discarders += (
            _BARRED_TURN[public.barred_turn]
            + _BARRED_DEAL[public.barred_deal]
            + _BARRED_DISCARD[public.barred_discard]
        )
    sizes = bytes(public.hand_sizes)
    cards = messages.public_view_cards(sizes, public.stock_size, public.discards)
    return _PHASES[public.phase], cards, turns, discarders


def _call(public: PublicState) -> bytes:
    """``caller`` and ``answers``."""
    return messages.public_view_call(public.caller, map(parts.answered, public.answers))


def _chips(public: PublicState) -> bytes:
    """``pot`` to ``streak``."""
    return messages.public_view_chips(
        pot=public.pot,
        chips=public.chips,
        streak_seat=public.streak_seat,
        streak=public.streak,
    )
