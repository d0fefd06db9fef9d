"""Views of Tong-its as bytes. The parts of a view that change seldom are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier_server.games.base import NO_SEAT
from croupier_server.games.cards import one_pack_ids
from croupier_server.games.tongits.events import DealResult, Meld
from croupier_server.games.tongits.state import (
    PLAYERS,
    SEATS_OF,
    Phase,
    PublicState,
)
from croupier_server.games.tongits.view import TongitsView, view
from croupier_server.games.tongits.wire import parts
from croupier_server.wire.generated import tongits as messages
from croupier_server.wire.views import Latest, SplitView, Views

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


class TongitsViews(Views[PublicState, TongitsView]):
    """Views of one table of Tong-its."""

    def __init__(self) -> None:
        super().__init__("tongits", view)
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

    def of_seat(self, view: TongitsView, public: bytes) -> bytes:
        """See `Views.of_seat`."""
        _, seat, hand, fours, deadwood = view
        return messages.view(public, seat, one_pack_ids(hand), bytes(fours), deadwood)

    def of_all_split(self, public: PublicState) -> SplitView:
        """See `Views.of_all_split`."""
        self._keep(public)
        return self._base, self._all_melds, b"".join(_changing(public))

    def of_all(self, public: PublicState) -> bytes:
        """See `Views.of_all`."""
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
