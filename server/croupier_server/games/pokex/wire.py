"""The messages of Pokex: moves, events, views and results as bytes, and views read back."""

from __future__ import annotations

from itertools import permutations
from typing import Final

from croupier.v1 import game_pb2, pokex_pb2
from croupier_server.errors import IllegalMove
from croupier_server.games.base import NO_SEAT, Move, Pattern, Seat
from croupier_server.games.cards import (
    CARD_MAX,
    ONES,
    Card,
    Cards,
    count,
    one_pack_ids,
    pack,
    unpack,
)
from croupier_server.games.kept import Kept
from croupier_server.games.pokex import events, moves
from croupier_server.games.pokex.events import Called, DealResult, Played
from croupier_server.games.pokex.moves import PokexDecisionKind, PokexMoveKind
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.pokerhands import PokerHand
from croupier_server.games.pokex.refusals import Rule
from croupier_server.games.pokex.rules import RULES
from croupier_server.games.pokex.state import PLAYERS, Phase, PokexView, PublicState, Trick, view
from croupier_server.wire.encode import framed
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import game
from croupier_server.wire.generated import pokex as messages
from croupier_server.wire.generated.pokex import EVENT, MOVE, PRIVATE_EVENT
from croupier_server.wire.moves import (
    SINGLES,
    LegalBytes,
    kind_bytes,
    malformed,
    no_code,
    no_kind,
    read_cards,
)
from croupier_server.wire.views import (
    EventBytes,
    Growing,
    Latest,
    Private,
    Public,
    SplitView,
    Views,
    seat_of,
)

# Parts of events and of views ---------------------------------------------------------------------


_PLAYS_KEPT_MAX: Final = 2048
"""So many encoded plays of one seat are kept: all 1431 pairs of cards."""

_HANDS_KEPT_MAX: Final = 4096


def _called(part: Called) -> bytes:
    """``PokexCalled``."""
    return messages.called(part.seat, part.tricks)


def _played(seat: Seat, cards: Cards) -> bytes:
    """``PokexPlayed``."""
    return messages.played(seat, unpack(cards))


def _plays_of(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: messages.trick_plays([_played(seat, cards)]), _PLAYS_KEPT_MAX)


_TRICK_PLAYS: Final = tuple(_plays_of(seat) for seat in range(PLAYERS))
"""By seat and cards: one play of ``PokexTrick.plays``."""


def _hand(hand: PokerHand) -> bytes:
    category, ranks, wilds_used = hand
    return messages.poker_hand(category, bytes(ranks), wilds_used)


_HANDS: Final = Kept[PokerHand, bytes](_hand, _HANDS_KEPT_MAX)
"""``PokexPokerHand`` by its value."""


def _result(scored: DealResult) -> bytes:
    """``PokexDealResult``."""
    return messages.deal_result(
        deal=scored.deal,
        dealer=scored.dealer,
        declarer=scored.declarer,
        bid=scored.bid,
        passed_out=scored.is_passed_out,
        wild_rank=scored.wild_rank or None,
        tricks=bytes(scored.tricks),
        points=scored.points,
        totals=scored.totals,
    )


CARDS: Final = 2
"""Cards of a play."""

_RANKS: Final = range(moves.RANK_LEAST, moves.RANK_MOST + 1)
_TAG: Final = game.MOVE["pokex"]
_MOVES_KEPT_MAX: Final = 4096
"""So many encoded moves are kept, and so many of one kind as they are listed: every pair of cards,
as long as no centre card is named with it."""

_PLAYS: Final[dict[tuple[int, ...], Move]] = {
    pair: moves.play(SINGLES[pair[0]] | SINGLES[pair[1]]) for pair in permutations(SINGLES, CARDS)
}
"""Every play that names no centre card, by its two cards in either order."""


# Messages to moves ------------------------------------------------------------------------------


def move_code(message: game_pb2.Move) -> Move:
    """See `GameWire.move_code`."""
    move = message.pokex
    arm = move.WhichOneof("move")
    if arm == "play":
        play = move.play
        code = _PLAYS.get(tuple(play.cards))
        if code is None:
            code = read_cards(play.cards, "pokex.play.cards", CARDS, CARDS, ONES) | moves.PLAY
        if not play.HasField("center"):
            return code
        center = play.center
        if center not in SINGLES:
            raise malformed("pokex.play.center", f"{center} is not a card")
        return code | moves.play(0, center)
    if arm == "decline":
        return moves.PASS
    if arm == "bid":
        tricks = move.bid.tricks
        if not 1 <= tricks <= moves.BID_MAX:
            raise IllegalMove(
                Rule.BID_OUT_OF_RANGE,
                "P-2.1",
                f"a bid must be from 1 to {moves.BID_MAX} tricks, not {tricks}",
                field="move.pokex.bid.tricks",
            )
        return moves.bid(tricks)
    if arm == "name_rank":
        rank = move.name_rank.rank
        if rank not in _RANKS:
            raise malformed("pokex.name_rank.rank", f"{rank} is not a rank")
        return moves.name_rank(rank)
    raise no_kind(message, "pokex")


# Moves to messages ------------------------------------------------------------------------------


def pokex_move(move: Move) -> bytes:
    """Payload of ``PokexMove``.

    Raises:
        MalformedMove: *move* is no move of Pokex.
    """
    kind, number = moves.move_type(move), moves.number_of(move)
    if kind == moves.PLAY:
        cards, center = moves.cards_of(move), moves.center_of(move)
        if count(cards) == CARDS and center <= CARD_MAX:
            return _play(cards, center)
    elif kind == moves.BID and 1 <= number <= moves.BID_MAX:
        return framed(MOVE["bid"], messages.bid(number))
    elif kind == moves.NAME_RANK and number in _RANKS:
        return framed(MOVE["name_rank"], messages.name_rank(number))
    elif move == moves.PASS:
        return framed(MOVE["decline"], b"")
    raise no_code(move, "Pokex")


def _play(cards: Cards, center: Card) -> bytes:
    """Payload of ``PokexMove`` that plays *cards*; *center* is the centre card named, or 0."""
    return framed(MOVE["play"], messages.play(unpack(cards), center or None))


_MOVES: Final = Kept[Move, bytes](lambda move: framed(_TAG, pokex_move(move)), _MOVES_KEPT_MAX)


def move_bytes(move: Move) -> bytes:
    """Payload of ``Move``."""
    return _MOVES[move]


# Legal answers ----------------------------------------------------------------------------------

DECISION_KINDS: Final = kind_bytes(game.DECISION_KIND["pokex"], max(PokexDecisionKind))
"""By number: payload of ``DecisionKind``."""


def _template(pattern: Pattern) -> bytes:
    """What all members of *pattern* share: payload of ``Move``."""
    fixed = pattern.fixed
    return framed(_TAG, _play(moves.cards_of(fixed), moves.center_of(fixed)))


LEGAL: Final = LegalBytes(
    kind_bytes(game.MOVE_KIND["pokex"], max(PokexMoveKind)),
    move_bytes,
    _MOVES_KEPT_MAX,
    template=_template,
)
"""Legal moves of Pokex."""


# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return messages.lot_drawn(event.dealer)


def _deal_started(event: events.DealStarted) -> bytes:
    return messages.deal_started(event.deal, event.dealer, event.center, event.totals)


def _auction_ended(event: events.AuctionEnded) -> bytes:
    return messages.auction_ended(event.declarer, event.bid)


def _rank_named(event: events.RankNamed) -> bytes:
    return messages.rank_named(event.seat, event.rank)


def _cards_played(event: events.CardsPlayed) -> bytes:
    ended = event.trick_ended
    return messages.cards_played(
        play=_played(*event.play),
        center=event.center or None,
        trick_ended=None if ended is None else _trick_ended(ended),
    )


def _trick_ended(part: events.TrickEnded) -> bytes:
    return messages.trick_ended(part.winner, [_HANDS[hand] for hand in part.hands], part.counted)


_PUBLIC: Final[Public] = {
    events.LotDrawn: (EVENT["lot_drawn"], _lot_drawn),
    events.DealStarted: (EVENT["deal_started"], _deal_started),
    events.Called: (EVENT["called"], _called),
    events.AuctionEnded: (EVENT["auction_ended"], _auction_ended),
    events.RankNamed: (EVENT["rank_named"], _rank_named),
    events.CardsPlayed: (EVENT["cards_played"], _cards_played),
    events.DealResult: (EVENT["deal_scored"], _result),
}
"""By type of the public part: its tag in ``PokexEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _own_cards(part: events.OwnCards) -> bytes:
    own = messages.private_cards(part.cards)
    return framed(game.PRIVATE_EVENT["pokex"], framed(PRIVATE_EVENT["dealt"], own))


_PRIVATE: Final[Private] = {events.DealStarted: _own_cards}

EVENTS: Final = EventBytes(
    game.EVENT["pokex"],
    _PUBLIC,
    _PRIVATE,
    kept=(events.Called, events.AuctionEnded, events.RankNamed),
)
"""Events of Pokex. Those kept are of an auction: few in all."""


# Plays: most events -----------------------------------------------------------------------------


def _events_of(seat: int) -> Kept[int, bytes]:
    return Kept(
        lambda cards: EVENTS.encode(events.CardsPlayed(events.Played(seat, cards), 0, None)),
        _PLAYS_KEPT_MAX,
    )


_FOLLOWED: Final = tuple(_events_of(seat) for seat in range(PLAYERS))
"""By seat and cards: payload of ``GameEvent`` of a play that neither leads nor ends a trick."""


def _whole_play(event: events.CardsPlayed) -> bytes:
    if event.trick_ended is None and not event.center:
        return _FOLLOWED[event.play.seat][event.play.cards]
    return EVENTS.encode(event)


EVENTS.whole[events.CardsPlayed] = _whole_play


# Views --------------------------------------------------------------------------------------------


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
            lambda result: messages.public_view_last_result(_result(result))
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
            calls=map(_called, public.calls),
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
        found += _TRICK_PLAYS[seat][cards]
    return messages.public_view_trick(found)


def _trick(trick: Trick) -> bytes:
    """One of ``tricks``: ``PokexTrick``, finished."""
    plays = [_TRICK_PLAYS[seat][cards] for seat, cards in trick.plays]
    hands = [_HANDS[hand] for hand in trick.hands]
    end = messages.trick_end(trick.winner, hands, trick.counted)
    return messages.public_view_tricks([_CENTERS[trick.center] + b"".join(plays) + end])


# Views read back ----------------------------------------------------------------------------------


def read_view(message: pokex_pb2.PokexView, options: PokexOptions) -> PokexView:
    """See `GameWire.read_view`."""
    return PokexView(_read_public(message.public_view, options), message.seat, pack(message.hand))


def _read_public(message: pokex_pb2.PokexPublicView, options: PokexOptions) -> PublicState:
    public = PublicState(options)
    public.phase = Phase(message.phase)
    public.deal = message.deal
    public.dealer = seat_of(message, "dealer")
    public.center = bytes(message.center)
    public.center_left = bytes(message.center_left)
    public.calls = tuple(Called(call.seat, call.tricks) for call in message.calls)
    public.declarer = seat_of(message, "declarer")
    public.bid = message.bid
    public.wild_rank = message.wild_rank
    public.leader = seat_of(message, "leader")
    public.trick_center = message.trick.center
    public.plays = tuple(map(_read_play, message.trick.plays))
    public.tricks = tuple(map(_read_trick, message.tricks))
    public.taken = (message.taken[0], message.taken[1])
    public.carried = message.carried
    public.totals = (message.totals[0], message.totals[1])
    public.passed_out = message.consecutive_passed_out
    public.to_act = seat_of(message, "to_act")
    if message.HasField("last_result"):
        public.last_result = _read_result(message.last_result)
    return public


def _read_play(message: pokex_pb2.PokexPlayed) -> Played:
    return Played(message.seat, pack(message.cards))


def _read_trick(message: pokex_pb2.PokexTrick) -> Trick:
    first, second = (
        PokerHand(hand.category, tuple(hand.ranks), hand.wilds_used) for hand in message.hands
    )
    return Trick(
        message.center,
        tuple(map(_read_play, message.plays)),
        message.winning_team if message.HasField("winning_team") else None,
        (first, second),
        message.counted,
    )


def _read_result(message: pokex_pb2.PokexDealResult) -> DealResult:
    return DealResult(
        deal=message.deal,
        dealer=message.dealer,
        declarer=message.declarer if message.HasField("declarer") else None,
        bid=message.bid,
        is_passed_out=message.passed_out,
        wild_rank=message.wild_rank,
        tricks=(message.tricks[0], message.tricks[1]),
        points=(message.points[0], message.points[1]),
        totals=(message.totals[0], message.totals[1]),
    )


WIRE: Final = GameWire(
    RULES,
    "Pokex",
    seats_min=PLAYERS,
    seats_max=PLAYERS,
    decision_kinds=DECISION_KINDS,
    legal=LEGAL,
    move_code=move_code,
    move_bytes=move_bytes,
    event_bytes=EVENTS.event_bytes,
    result_bytes=_result,
    views=PokexViews,
    read_view=read_view,
)
"""States are `pokex.state.State`."""
