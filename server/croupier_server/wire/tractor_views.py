"""Views of Tractor as bytes, built up from what the audience knows: the public state, and for a
seat its own hand and, as the starter, its kitty.

`TractorViews` keeps the parts of a view that change seldom. What it keeps is always compared with
the state, so that it cannot send what is no longer true.

Must not be put here: anything that reads the hand of another seat. Only `TractorViews.seat` looks
beyond the public state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import CARD_MAX, Cards, contains, count, pack, unpack
from croupier_server.games.tractor.bidding import highest_shown
from croupier_server.games.tractor.cards import points
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.state import (
    NO_SEAT,
    NO_TEAM,
    Phase,
    PublicState,
    State,
    Trick,
)
from croupier_server.wire import tractor_parts as parts
from croupier_server.wire.encode import (
    TAGS,
    VARINTS,
    field_bytes,
    field_number,
    field_packed,
    field_signed,
    field_varint,
)
from croupier_server.wire.kept import Kept
from croupier_server.wire.tractor_moves import GAME_ARM
from croupier_server.wire.tractor_parts import PLAYS
from croupier_server.wire.views import Latest, framed

_KITTY_FIELD: Final = 4
_GAME_TAG: Final = TAGS[GAME_ARM]
_PUBLIC_TAG: Final = TAGS[1]
_HAND_TAG: Final = TAGS[3]
_UNDER_WAY_TAG: Final = TAGS[16]
_WINDOW: Final = field_number(20, 1)
_TO_ACT: Final = tuple(field_varint(21, seat) for seat in range(parts.SEATS_MAX))
_NO_HAND: Final = (0, b"")
_FEW: Final = 4
"""Taking so many cards out of a hand costs less than unpacking what is left."""

_SEAT_FIELDS: Final = tuple(field_number(2, seat) for seat in range(16))
_ID_BYTES: Final = tuple(bytes((card,)) for card in range(CARD_MAX + 1))
_KEPT_MAX: Final = 8192

# Members of an enum are looked up slowly.
_DRAW, _PLAYING = Phase.DRAW, Phase.PLAY


def _few_ids(cards: Cards) -> bytes:
    return unpack(cards) if count(cards) <= _FEW else b""


_WORTH: Final = Kept[Cards, int](points, _KEPT_MAX)
"""Points of a play."""

_FEW_IDS: Final = Kept[Cards, bytes](_few_ids, _KEPT_MAX)
"""The ids of a few cards, or nothing where they are many."""


class TractorViews:
    """The `ViewEncoder` of Tractor; states are `tractor.state.State`."""

    __slots__ = (
        "_back",
        "_back_of",
        "_exposed",
        "_hands",
        "_head",
        "_head_of",
        "_held",
        "_kitty",
        "_kitty_ids",
        "_kitty_of",
        "_last_result",
        "_spent",
        "_tricks",
        "_tricks_last",
        "_tricks_number",
    )

    def __init__(self) -> None:
        self._back = b""
        """Fields 17 to 19."""
        self._back_of: tuple[object, ...] = ()
        self._exposed = b""
        """Fields 23 and 24; kept with the head."""
        self._hands: dict[Seat, tuple[Cards, bytes]] = {}
        self._head = b""
        self._head_of: tuple[object, ...] = ()
        self._kitty = b""
        self._kitty_ids = b""
        self._kitty_of: Cards = 0
        self._held = 0
        """Cards of each hand before the first trick."""
        self._last_result = Latest[DealScored](22, parts.result)
        self._tricks = b""
        self._tricks_number = 0
        self._tricks_last: Trick | None = None
        self._spent = 0
        """Cards of each hand that the tricks in ``_tricks`` took."""

    def public(self, state: object) -> bytes:
        """Payload of ``PublicView``."""
        assert isinstance(state, State)
        return field_bytes(GAME_ARM, self._public(state.public))

    def seat(self, state: object, seat: Seat) -> bytes:
        """Payload of ``SeatView``."""
        assert isinstance(state, State)
        public = self._public(state.public)
        last, hand = self._hands.get(seat, _NO_HAND)
        if state.hands[seat] != last:
            hand = self._hand(seat, last, hand, state.hands[seat])
        own = _SEAT_FIELDS[seat]
        if hand:
            own += _HAND_TAG + VARINTS[len(hand)] + hand
        if seat == state.public.starter:
            own += self._own_kitty(state.buried or state.taken)
        return framed(_GAME_TAG, framed(_PUBLIC_TAG, public) + own)

    def _public(self, public: PublicState) -> bytes:
        """``TractorPublicView``, its fields in the order of their numbers."""
        tricks = public.tricks
        number = self._tricks_number
        if len(tricks) != number or (number and tricks[-1] is not self._tricks_last):
            self._keep_tricks(tricks)
            self._back_of = ()
        if (public.opponents_points, public.trumps) != self._back_of:
            self._keep_back(public)
        asked = b""
        if public.phase is _DRAW:
            asked = _WINDOW
        elif public.to_act != NO_SEAT:
            asked = _TO_ACT[public.to_act]
        return b"".join(
            (
                self._kept_head(public),
                self._hand_sizes(public),
                self._kitty,
                _trick_under_way(public) if public.plays else b"",
                self._back,
                asked,
                self._last_result.encoded(public.last_result),
                self._exposed,
            )
        )

    # Parts that are kept -------------------------------------------------------------------------

    def _hand(self, seat: Seat, last: Cards, ids: bytes, hand: Cards) -> bytes:
        """The ids of *hand*: mostly those of the seat's *last* one, less a few cards."""
        gone = _FEW_IDS[last - hand] if last > hand and contains(last, hand) else b""
        if gone:
            for card in gone:
                ids = ids.replace(_ID_BYTES[card], b"", 1)
        else:
            ids = unpack(hand)
        self._hands[seat] = hand, ids
        return ids

    def _own_kitty(self, kitty: Cards) -> bytes:
        """Field 4 of ``TractorSeatView``."""
        if kitty != self._kitty_of:
            self._kitty_of = kitty
            self._kitty_ids = field_packed(_KITTY_FIELD, unpack(kitty))
        return self._kitty_ids

    def _keep_back(self, public: PublicState) -> None:
        """Fields 17 to 19: they stay the same within a trick."""
        self._back_of = (public.opponents_points, public.trumps)
        self._back = self._tricks + field_signed(18, public.opponents_points)
        if public.trumps is not None:
            self._back += parts.order(19, public.trumps)

    def _kept_head(self, public: PublicState) -> bytes:
        """Fields 1 to 13: they stay the same while tricks are played. So do 15, 23 and 24."""
        head_of = (
            public.options,
            public.phase,
            public.deal,
            public.attempt,
            public.levels,
            public.trump_rank,
            public.trumps,
            public.first_drawer,
            public.starter,
            public.declarers,
            public.standing,
            public.exposed,
            public.first_declarer,
            public.turned,
            public.calls,
            public.shown,
        )
        if head_of != self._head_of:
            self._head_of = head_of
            self._head = _head(public)
            self._exposed = _exposed(public)
            self._held = public.options.hand - (1 if public.shown else 0)
            self._kitty = field_number(15, public.options.kitty)
        return self._head

    def _keep_tricks(self, tricks: list[Trick]) -> None:
        """Encode the tricks that have been finished since the last call.

        A deal's tricks are only ever added to, and tricks of two deals are not the same object;
        so the kept ones are right if the last of them still stands where it stood.
        """
        number = self._tricks_number
        if len(tricks) < number or (number and tricks[number - 1] is not self._tricks_last):
            self._tricks = b""
            self._spent = number = 0
        for trick in tricks[number:]:
            self._tricks += field_bytes(17, _trick(trick))
            self._spent += count(trick.plays[0])
        self._tricks_number = len(tricks)
        self._tricks_last = tricks[-1] if tricks else None

    def _hand_sizes(self, public: PublicState) -> bytes:
        """Field 14. During the tricks it need not be summed up again each time."""
        if public.phase is not _PLAYING:
            return field_packed(14, public.hand_sizes())
        if not public.plays:
            return _play_sizes(public.options.players, self._held - self._spent, 0, 0, 0)
        assert public.lead is not None
        return _play_sizes(
            public.options.players,
            self._held - self._spent,
            public.leader,
            len(public.plays),
            public.lead.count,
        )


# Parts that are not -----------------------------------------------------------------------------


def _head(public: PublicState) -> bytes:
    """Fields 1 to 13 of ``TractorPublicView``."""
    found = (
        field_number(1, public.phase)
        + field_number(2, public.deal)
        + field_number(3, public.attempt)
        + field_packed(4, bytes(public.levels))
        + field_number(5, public.trump_rank)
    )
    if public.trumps is not None:
        found += field_bytes(6, parts.trumps(public.trumps.suit, public.trumps.rank))
    if public.first_drawer != NO_SEAT:
        found += field_varint(7, public.first_drawer)
    if public.starter != NO_SEAT:
        found += field_varint(8, public.starter)
    if public.declarers != NO_TEAM:
        found += field_varint(9, public.declarers)
    if public.standing is not None:
        found += field_bytes(10, parts.declaration(public.standing))
    found += field_packed(11, bytes(public.turned))
    for seat, called in public.calls:
        found += field_bytes(12, parts.called(seat, called))
    if public.shown:
        found += field_bytes(13, _show(public))
    return found


def _exposed(public: PublicState) -> bytes:
    """Fields 23 and 24 of ``TractorPublicView``: what declaring has exposed, and who began."""
    found = b"".join(
        field_bytes(23, parts.exposed(seat, cards))
        for seat, cards in enumerate(public.exposed)
        if cards
    )
    if public.first_declarer != NO_SEAT:
        found += field_varint(24, public.first_declarer)
    return found


def _show(public: PublicState) -> bytes:
    """``TractorTrick`` of the show (T-11.2); its winner once everybody has laid a card."""
    found = b"".join(
        field_bytes(1, field_number(1, seat) + field_packed(2, bytes((card,))))
        for seat, card in public.shown
    )
    if len(public.shown) == public.options.players:
        found += field_varint(2, highest_shown(public.shown, public.trump_rank))
    return found + field_number(3, points(pack(card for _, card in public.shown)))


@lru_cache(maxsize=8192)
def _play_sizes(players: int, held: int, leader: Seat, plays: int, each: int) -> bytes:
    """Field 14 when every hand had *held* cards before the trick and *plays* seats have played
    *each* cards to it."""
    sizes = [held] * players
    for step in range(plays):
        sizes[(leader + step) % players] -= each
    return field_packed(14, sizes)


def _plays(leader: Seat, plays: Sequence[Cards], failed: FailedThrow | None, players: int) -> bytes:
    """Field 1 of ``TractorTrick``; only a lead can be what stayed of a failed throw."""
    found = b""
    seat = leader
    for cards in plays:
        if failed is None:
            found += PLAYS[seat][cards]
        else:
            found += parts.failed_play(seat, cards, failed)
            failed = None
        seat = seat + 1 if seat + 1 < players else 0
    return found


def _trick(trick: Trick) -> bytes:
    """``TractorTrick``, finished."""
    return (
        _plays(trick.leader, trick.plays, trick.failed_throw, len(trick.plays))
        + field_varint(2, trick.winner)
        + field_number(3, trick.points)
    )


def _trick_under_way(public: PublicState) -> bytes:
    """Field 16: ``TractorTrick`` without a winner."""
    plays, seat, players = public.plays, public.leader, public.options.players
    found, worth = b"", 0
    for cards in plays:  # as `_plays`, which would cost a call more
        found += PLAYS[seat][cards]
        worth += _WORTH[cards]
        seat = seat + 1 if seat + 1 < players else 0
    if public.failed_throw is not None:
        found = _plays(public.leader, plays, public.failed_throw, players)
    if worth:
        found += field_number(3, worth)
    return framed(_UNDER_WAY_TAG, found)
