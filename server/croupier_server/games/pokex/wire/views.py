"""Views of Pokex as bytes. The parts of a view that change seldom are kept."""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import NO_SEAT
from croupier_server.games.cards import CARD_MAX, Card, Cards, one_pack_ids
from croupier_server.games.kept import Kept
from croupier_server.games.pokex.events import DealResult, Played
from croupier_server.games.pokex.state import PLAYERS, PublicState, Trick
from croupier_server.games.pokex.view import PokexView, view
from croupier_server.games.pokex.wire import parts
from croupier_server.wire.generated import pokex as messages
from croupier_server.wire.views import Growing, Latest, SplitView, Views

_CENTERS: Final = tuple(messages.trick_center(card or None) for card in range(CARD_MAX + 1))
"""By card: ``PokexTrick.center``."""

_TO_ACT: Final = {seat: messages.public_view_to_act(seat) for seat in (NO_SEAT, *range(PLAYERS))}
_IDS: Final = Kept[Cards, bytes](one_pack_ids, 4096)
"""The ids of cards that a seat has played: every pair of cards, and few other sets."""

_SIZES: Final = Kept[tuple[int, ...], bytes](
    lambda sizes: messages.public_view_hand_sizes(bytes(sizes)), 256
)
"""By the sizes of all hands: ``hand_sizes``. There are 15 for each of 7 numbers of tricks."""


class PokexViews(Views[PublicState, PokexView]):
    """Views of one table of Pokex."""

    def __init__(self) -> None:
        super().__init__("pokex", view)
        self._base = b""
        """Head, auction and last result."""
        self._head = b""
        """``phase`` to ``center``."""
        self._auction = b""
        """``calls`` to ``wild_rank``."""
        self._head_of: tuple[object, ...] = ()
        self._center_left = b""
        """``center_left``."""
        self._score = b""
        """``taken`` to ``leader``."""
        self._trick_of: tuple[object, ...] = ()
        self._tricks = Growing[Trick](_trick)
        self._last_result = Latest[DealResult](
            lambda result: messages.public_view_last_result(parts.result(result))
        )
        self._own: list[tuple[Cards, bytes]] = [(0, b"")] * PLAYERS
        """By seat: its hand, packed and as ids."""

    def of_seat(self, view: PokexView, public: bytes) -> bytes:
        """See `Views.of_seat`."""
        _, seat, hand = view
        last, own = self._own[seat]
        if hand != last:
            gone = last & ~hand
            own = own.translate(None, _IDS[gone]) if last ^ hand == gone else one_pack_ids(hand)
            self._own[seat] = hand, own
        return messages.view(public, seat, own)

    def of_all(self, public: PublicState) -> bytes:
        """See `Views.of_all`."""
        left, sizes, trick, to_act = self._changing(public)
        return b"".join(
            (
                self._head,
                left,
                self._auction,
                sizes,
                trick,
                self._tricks.kept,
                self._score,
                to_act,
                self._last_result.kept,
            )
        )

    def of_all_split(self, public: PublicState) -> SplitView:
        """See `Views.of_all_split`."""
        left, sizes, trick, to_act = self._changing(public)
        return self._base, self._tricks.kept, b"".join((left, sizes, trick, self._score, to_act))

    def _changing(self, public: PublicState) -> tuple[bytes, bytes, bytes, bytes]:
        """``center_left``, ``hand_sizes``, ``trick`` and ``to_act``; what is kept is brought up to
        date."""
        head_of = (
            public.phase,
            public.deal,
            public.dealer,
            public.center,
            public.calls,
            public.declarer,
            public.bid,
            public.wild_rank,
            public.last_result,
        )
        if head_of != self._head_of:
            self._head_of = head_of
            self._keep_head(public)
        trick_of = (
            public.tricks,
            public.center_left,
            public.taken,
            public.carried,
            public.totals,
            public.passed_out,
            public.leader,
        )
        if trick_of != self._trick_of:
            self._trick_of = trick_of
            self._tricks.keep(public.tricks)
            self._center_left = messages.public_view_center_left(public.center_left)
            self._score = _score(public)
        plays, center = public.plays, public.trick_center
        trick = _trick_under_way(center, plays) if plays or center else b""
        return self._center_left, _SIZES[public.hand_sizes()], trick, _TO_ACT[public.to_act]

    def _keep_head(self, public: PublicState) -> None:
        """What stays the same while tricks are played."""
        self._head = messages.public_view_head(
            phase=public.phase, deal=public.deal, dealer=public.dealer, center=public.center
        )
        self._auction = messages.public_view_auction(
            calls=map(parts.called, public.calls),
            declarer=public.declarer,
            bid=public.bid,
            wild_rank=public.wild_rank or None,
        )
        self._last_result.keep(public.last_result)
        self._base = self._head + self._auction + self._last_result.kept


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
