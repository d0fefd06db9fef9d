"""Views of Tractor as bytes. The parts of a view that change seldom are kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from croupier_server.games.base import NO_SEAT, Seat
from croupier_server.games.cards import CARD_MAX, Cards, contains, count, pack, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tractor.bidding import highest_shown
from croupier_server.games.tractor.cards import Trumps, points
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.state import (
    Phase,
    PublicState,
    Trick,
)
from croupier_server.games.tractor.view import TractorView, view
from croupier_server.games.tractor.wire import parts
from croupier_server.games.tractor.wire.parts import PLAYS
from croupier_server.wire.encode import packed
from croupier_server.wire.generated import tractor as messages
from croupier_server.wire.views import Latest, SplitView, Views

_WINDOW: Final = messages.public_view_window_open(True)
_TO_ACT: Final = tuple(messages.public_view_to_act(seat) for seat in range(parts.SEATS_MAX))
_NO_HAND: Final = (0, b"")
_FEW: Final = 4
"""Taking so many cards out of a hand costs less than unpacking what is left."""

_ID_BYTES: Final = tuple(bytes((card,)) for card in range(CARD_MAX + 1))
_KEPT_MAX: Final = 8192

# Members of an enum are looked up slowly.
_DRAW: Final = Phase.DRAW
_PLAYING: Final = Phase.PLAY


def _few_ids(cards: Cards) -> bytes:
    return unpack(cards) if count(cards) <= _FEW else b""


_WORTH: Final = Kept[Cards, int](points, _KEPT_MAX)
"""Points of a play."""

_FEW_IDS: Final = Kept[Cards, bytes](_few_ids, _KEPT_MAX)
"""The ids of a few cards, or nothing where they are many."""


class TractorViews(Views[PublicState, TractorView]):
    """Views of one table of Tractor."""

    def __init__(self) -> None:
        super().__init__("tractor", view)
        self._base = b""
        """All that is kept with the head, and the last result."""
        self._exposed = b""
        """``exposed`` and ``first_declarer``; kept with the head."""
        self._hands: dict[Seat, tuple[Cards, bytes]] = {}
        self._head = b""
        self._head_of: tuple[object, ...] = ()
        self._kitty = b""
        """``kitty_size``; kept with the head."""
        self._kitty_ids = b""
        self._kitty_of: Cards = 0
        self._held = 0
        """Cards of each hand before the first trick."""
        self._last_result = Latest[DealScored](
            lambda result: messages.public_view_last_result(parts.result(result))
        )
        self._order = b""
        """``order``; kept with the head."""
        self._points = b""
        """``opponents_points``."""
        self._points_of = 0
        self._tricks = b""
        self._tricks_number = 0
        self._tricks_last: Trick | None = None
        self._spent = 0
        """Cards of each hand that the tricks in ``_tricks`` took."""

    def of_seat(self, view: TractorView, public: bytes) -> bytes:
        """See `Views.of_seat`."""
        _, seat, own, taken, buried = view
        last, hand = self._hands.get(seat, _NO_HAND)
        if own != last:
            hand = self._hand(seat, last, hand, own)
        kitty = b""
        if buried or taken:
            kitty = self._own_kitty(buried or taken)
        return messages.view(public, seat, hand, kitty)

    def of_all_split(self, public: PublicState) -> SplitView:
        """See `Views.of_all_split`."""
        rest = b"".join(self._changing(public))
        return self._base, self._tricks, rest

    def of_all(self, public: PublicState) -> bytes:
        """See `Views.of_all`."""
        sizes, trick, points_, asked = self._changing(public)
        return b"".join(
            (
                self._head,
                sizes,
                self._kitty,
                trick,
                self._tricks,
                points_,
                self._order,
                asked,
                self._last_result.kept,
                self._exposed,
            )
        )

    def _changing(self, public: PublicState) -> tuple[bytes, bytes, bytes, bytes]:
        """``hand_sizes``, ``trick``, ``opponents_points``, and who is asked; what is kept is
        brought up to date."""
        tricks = public.tricks
        number = self._tricks_number
        if len(tricks) != number or (number and tricks[-1] is not self._tricks_last):
            self._keep_tricks(tricks)
        self._keep_head(public)
        if public.opponents_points != self._points_of:
            self._points_of = public.opponents_points
            self._points = messages.public_view_opponents_points(public.opponents_points)
        asked = b""
        if public.phase is _DRAW:
            asked = _WINDOW
        elif public.to_act != NO_SEAT:
            asked = _TO_ACT[public.to_act]
        trick = _trick_under_way(public) if public.plays else b""
        return self._hand_sizes(public), trick, self._points, asked

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
        """The ids of *kitty*."""
        if kitty != self._kitty_of:
            self._kitty_of = kitty
            self._kitty_ids = unpack(kitty)
        return self._kitty_ids

    def _keep_head(self, public: PublicState) -> None:
        """``phase`` to ``show``: they stay the same while tricks are played. So do ``kitty_size``
        and ``order`` to ``first_declarer``."""
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
            public.last_result,
        )
        if head_of != self._head_of:
            self._head_of = head_of
            self._head = _head(public)
            self._order = b"" if public.trumps is None else _order(public.trumps)
            self._last_result.keep(public.last_result)
            self._exposed = _exposed(public)
            self._held = public.options.hand - (1 if public.shown else 0)
            self._kitty = messages.public_view_kitty_size(public.options.kitty)
            self._base = b"".join(
                (self._head, self._kitty, self._order, self._last_result.kept, self._exposed)
            )

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
            self._tricks += messages.public_view_tricks([_trick(trick)])
            self._spent += count(trick.plays[0])
        self._tricks_number = len(tricks)
        self._tricks_last = tricks[-1] if tricks else None

    def _hand_sizes(self, public: PublicState) -> bytes:
        """``hand_sizes``. During the tricks it need not be summed up again each time."""
        if public.phase is not _PLAYING:
            return messages.public_view_hand_sizes(packed(public.hand_sizes()))
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
    """``phase`` to ``show``."""
    fixed, standing = public.trumps, public.standing
    return messages.public_view_head(
        phase=public.phase,
        deal=public.deal,
        redeals=public.attempt,
        levels=bytes(public.levels),
        trump_rank=public.trump_rank,
        trumps=None if fixed is None else parts.trumps(fixed.suit, fixed.rank),
        first_drawer=public.first_drawer,
        starter=public.starter,
        declaring_team=public.declarers,
        declaration=None if standing is None else parts.declaration(standing),
        turned=bytes(public.turned),
        calls=[messages.called(seat, called) for seat, called in public.calls],
        show=_show(public) if public.shown else None,
    )


@lru_cache(maxsize=1024)
def _order(trumps: Trumps) -> bytes:
    """``order``."""
    return messages.public_view_order(parts.order(trumps))


def _exposed(public: PublicState) -> bytes:
    """``exposed`` and ``first_declarer``: what declaring has exposed, and who began."""
    exposed = [
        messages.exposed(seat, unpack(cards)) for seat, cards in enumerate(public.exposed) if cards
    ]
    return messages.public_view_exposed(exposed, public.first_declarer)


def _show(public: PublicState) -> bytes:
    """``TractorTrick`` of the show (T-11.2); its winner once everybody has laid a card."""
    plays = [messages.played(seat, bytes((card,)), None) for seat, card in public.shown]
    winner = None
    if len(public.shown) == public.options.players:
        winner = highest_shown(public.shown, public.trump_rank)
    worth = points(pack(card for _, card in public.shown))
    return messages.trick_plays(plays) + messages.trick_end(winner, worth)


@lru_cache(maxsize=8192)
def _play_sizes(players: int, held: int, leader: Seat, plays: int, each: int) -> bytes:
    """``hand_sizes`` when every hand had *held* cards before the trick and *plays* seats have
    played *each* cards to it."""
    sizes = [held] * players
    for step in range(plays):
        sizes[(leader + step) % players] -= each
    return messages.public_view_hand_sizes(packed(sizes))


def _plays(leader: Seat, plays: Sequence[Cards], failed: FailedThrow | None, players: int) -> bytes:
    """``TractorTrick.plays``; only a lead can be what stayed of a failed throw."""
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
    plays = _plays(trick.leader, trick.plays, trick.failed_throw, len(trick.plays))
    return plays + messages.trick_end(trick.winner, trick.points)


def _trick_under_way(public: PublicState) -> bytes:
    """``trick``: ``TractorTrick`` without a winner."""
    plays, seat, players = public.plays, public.leader, public.options.players
    found, worth = b"", 0
    for cards in plays:  # as `_plays`, which would cost a call more
        found += PLAYS[seat][cards]
        worth += _WORTH[cards]
        seat = seat + 1 if seat + 1 < players else 0
    if public.failed_throw is not None:
        found = _plays(public.leader, plays, public.failed_throw, players)
    if worth:
        found += messages.trick_end(None, worth)
    return messages.public_view_trick(found)
