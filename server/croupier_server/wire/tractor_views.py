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
from croupier_server.games.cards import CARD_MAX, Cards, count, pack, unpack
from croupier_server.games.tractor.bidding import highest_shown
from croupier_server.games.tractor.cards import points
from croupier_server.games.tractor.events import FailedThrow
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
    field_bytes,
    field_number,
    field_packed,
    field_signed,
    field_varint,
    varint,
)
from croupier_server.wire.tractor_moves import GAME_ARM

_HAND_FIELD, _KITTY_FIELD = 3, 4
_SEAT_FIELDS: Final = tuple(field_number(2, seat) for seat in range(16))
_ID_BYTES: Final = tuple(bytes((card,)) for card in range(CARD_MAX + 1))
_WORTH_KEPT_MAX: Final = 8192


class _Worth(dict[Cards, int]):
    """Points of a play; the first `_WORTH_KEPT_MAX` are kept."""

    __slots__ = ()

    def __missing__(self, cards: Cards) -> int:
        found = points(cards)
        if len(self) < _WORTH_KEPT_MAX:
            self[cards] = found
        return found


_WORTH: Final = _Worth()


class TractorViews:
    """The `ViewEncoder` of Tractor; states are `tractor.state.State`."""

    __slots__ = (
        "_hands",
        "_head",
        "_head_of",
        "_held",
        "_kitty",
        "_results",
        "_results_of",
        "_spent",
        "_tricks",
        "_tricks_last",
        "_tricks_number",
    )

    def __init__(self) -> None:
        self._hands: dict[Seat, tuple[Cards, bytes]] = {}
        self._head = b""
        self._head_of: tuple[object, ...] = ()
        self._kitty = b""
        self._held = 0
        """Cards of each hand before the first trick."""
        self._results = b""
        self._results_of: object = ()
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
        hand = self._hand(seat, state.hands[seat])
        found = TAGS[1] + varint(len(public)) + public + _SEAT_FIELDS[seat]
        if hand:
            found += TAGS[_HAND_FIELD] + varint(len(hand)) + hand
        if seat == state.public.starter:
            found += field_packed(_KITTY_FIELD, unpack(state.buried or state.taken))
        return TAGS[GAME_ARM] + varint(len(found)) + found

    def _public(self, public: PublicState) -> bytes:
        """``TractorPublicView``, its fields in the order of their numbers."""
        if public.results is not self._results_of:
            self._results_of = public.results
            self._results = b"".join(
                field_bytes(22, parts.result(scored)) for scored in public.results
            )
        tricks = public.tricks
        number = self._tricks_number
        if len(tricks) != number or (number and tricks[-1] is not self._tricks_last):
            self._keep_tricks(tricks)
        found = self._kept_head(public) + self._hand_sizes(public) + self._kitty
        if public.plays:
            found += field_bytes(16, _trick_under_way(public))
        found += self._tricks
        if public.opponents_points:
            found += field_signed(18, public.opponents_points)
        if public.trumps is not None:
            found += parts.order(19, public.trumps)
        if public.phase is Phase.DRAW:
            found += field_number(20, 1)
        elif public.to_act != NO_SEAT:
            found += field_varint(21, public.to_act)
        return found + self._results

    # Parts that are kept -------------------------------------------------------------------------

    def _hand(self, seat: Seat, hand: Cards) -> bytes:
        """The ids of *hand*: mostly those of the seat's last one, less a card."""
        last, ids = self._hands.get(seat, (0, b""))
        if hand != last:
            gone = (last - hand).bit_length() - 1
            if not gone & 3 and last - hand == 1 << gone:
                ids = ids.replace(_ID_BYTES[gone >> 2], b"", 1)
            else:
                ids = unpack(hand)
            self._hands[seat] = hand, ids
        return ids

    def _kept_head(self, public: PublicState) -> bytes:
        """Fields 1 to 13: they stay the same while tricks are played."""
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
            public.turned,
            public.calls,
            public.shown,
        )
        if head_of != self._head_of:
            self._head_of = head_of
            self._head = _head(public)
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
        if public.phase is not Phase.PLAY:
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
            found += parts.PLAYS[seat][cards]
        else:
            found += field_bytes(1, parts.played(seat, cards, failed))
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
    """``TractorTrick`` without a winner."""
    worth = sum([_WORTH[cards] for cards in public.plays])
    plays = _plays(public.leader, public.plays, public.failed_throw, public.options.players)
    return plays + field_number(3, worth)
