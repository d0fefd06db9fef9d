"""The messages of Tractor: moves, events, views and results as bytes, and views read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from croupier.v1 import game_pb2, tractor_pb2
from croupier_server.errors import IllegalMove
from croupier_server.games.base import NO_SEAT, Move, Pattern, Seat
from croupier_server.games.cards import CARD_MAX, Cards, contains, count, pack, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.bidding import Declaration, highest_shown
from croupier_server.games.tractor.cards import Trumps, points, trumps
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.moves import TractorDecisionKind, TractorMoveKind
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.refusals import Rule
from croupier_server.games.tractor.rules import RULES
from croupier_server.games.tractor.state import Phase, PublicState, TractorView, Trick, view
from croupier_server.games.tractor.tricks import challenge, new_standing
from croupier_server.wire.encode import framed, packed
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tractor as messages
from croupier_server.wire.generated.tractor import EVENT, MOVE, PRIVATE_EVENT
from croupier_server.wire.moves import (
    SINGLES,
    LegalBytes,
    entry_bytes,
    kind_bytes,
    malformed,
    no_code,
    no_kind,
    read_card,
    read_cards,
)
from croupier_server.wire.views import (
    EventBytes,
    Latest,
    Private,
    Public,
    SplitView,
    Views,
    seat_of,
)

# Parts of events and of views ---------------------------------------------------------------------


_SAFE_MAX: Final = 2**53 - 1
"""What stands for any greater number: JSON and JavaScript carry no greater one exactly."""

_PLAYS_KEPT_MAX: Final = 512
"""So many encoded plays of one seat are kept, in each form."""

_SEATS_MAX: Final = 12


def _played_by(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: _played(seat, cards, None), _PLAYS_KEPT_MAX)


def _plays_of(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: messages.trick_plays([_PLAYED[seat][cards]]), _PLAYS_KEPT_MAX)


_PLAYED: Final = tuple(_played_by(seat) for seat in range(_SEATS_MAX))
"""By seat and cards: a ``TractorPlayed`` that is no failed throw. Most plays are seen again and
again."""

_PLAYS: Final = tuple(_plays_of(seat) for seat in range(_SEATS_MAX))
"""The same as one of ``TractorTrick.plays``."""


def _played(seat: Seat, cards: Cards, failed: FailedThrow | None) -> bytes:
    """``TractorPlayed``: what *seat* has lying on the table; of a failed throw, what stayed."""
    throw = None
    if failed is not None:
        throw = messages.failed_throw(unpack(failed.tried), failed.penalty)
    return messages.played(seat, unpack(cards), throw)


@lru_cache(maxsize=_PLAYS_KEPT_MAX)
def _failed_play(seat: Seat, cards: Cards, failed: FailedThrow) -> bytes:
    """As `PLAYS` has it, a lead that is what stayed of a failed throw. Kept for the trick, which
    shows it again with each play."""
    return messages.trick_plays([_played(seat, cards, failed)])


_NO_TRUMP: Final = 5
"""No trump as a ``TractorTrumpSuit``; the suits are from 1 on."""


def _suit_number(suit: int | None) -> int:
    """``TractorTrumpSuit``; None is no trump."""
    return _NO_TRUMP if suit is None else suit + 1


def _trumps(suit: int | None, rank: int) -> bytes:
    """``TractorTrumps``."""
    return messages.trumps(rank, _suit_number(suit))


def _declaration(made: Declaration) -> bytes:
    """``TractorDeclaration``."""
    return messages.declaration(made.seat, unpack(made.cards), _suit_number(made.suit))


@lru_cache(maxsize=1024)
def _order(of: Trumps) -> list[bytes]:
    """Every ``TractorSuitOrder``.

    The strengths are the heights of the rules: two cards of a suit are neighbours on its ladder
    (T-5.3) when they differ by one.
    """
    found = []
    for suit, groups in enumerate(of.order):
        cards = bytes(card for group in reversed(groups) for card in group)
        if cards:
            strengths = bytes(of.height[card] for card in cards)
            found.append(messages.suit_order(suit + 1, cards, strengths))
    return found


def _result(scored: DealScored) -> bytes:
    """``TractorDealResult``. Where no team wins the deal (T-9.3), no winner is set."""
    is_won = scored.winners == scored.declarers or scored.levels_gained > 0
    return messages.deal_result(
        deal=scored.deal,
        starter=scored.starter,
        declaring_team=scored.declarers,
        trumps=_trumps(scored.trump_suit, scored.trump_rank),
        trick_points=scored.trick_points,
        kitty=unpack(scored.buried),
        kitty_multiplier=min(scored.multiplier, _SAFE_MAX),
        kitty_bonus=min(scored.bonus, _SAFE_MAX),
        total=min(scored.opponents_points, _SAFE_MAX),
        winning_team=scored.winners if is_won else None,
        levels_gained=min(scored.levels_gained, _SAFE_MAX),
        levels=bytes(scored.levels),
        next_starter=scored.next_starter,
        bid=scored.bid,
        last_trick_winning_seat=scored.last_trick_winner,
    )


CARDS_MAX: Final = 200
DECLARE_MAX: Final = 6
CALL_MAX: Final = 600
_TAG: Final = game.MOVE["tractor"]
_MOVES_KEPT_MAX: Final = 4096
"""So many encoded moves are kept, and so many of one kind as they are listed."""

_PLAYED_ONE: Final[dict[int, Move]] = {card: one | moves.PLAY for card, one in SINGLES.items()}


# Messages to moves ------------------------------------------------------------------------------


def move_code(message: game_pb2.Move) -> Move:
    """See `GameWire.move_code`."""
    move = message.tractor
    cards = move.play.cards
    if len(cards) == 1:  # most moves, and no move but a play has cards there
        code = _PLAYED_ONE.get(cards[0])
        if code is not None:
            return code
    arm = move.WhichOneof("move")
    if arm == "play":
        return read_cards(cards, "tractor.play.cards", 1, CARDS_MAX) | moves.PLAY
    if arm == "decline":
        return moves.PASS
    if arm == "bury":
        return read_cards(move.bury.cards, "tractor.bury.cards", 1, CARDS_MAX) | moves.BURY
    if arm == "declare":
        return (
            read_cards(move.declare.cards, "tractor.declare.cards", 1, DECLARE_MAX) | moves.DECLARE
        )
    if arm == "call":
        points = move.call.points
        if not 1 <= points <= CALL_MAX:
            raise malformed(
                "tractor.call.points", f"a call must be from 1 to {CALL_MAX} points, not {points}"
            )
        return moves.call(points)
    if arm == "show":
        return read_card(move.show.card, "tractor.show.card") | moves.SHOW
    if arm == "name_trumps":
        return _trumps_named(move.name_trumps)
    raise no_kind(message, "tractor")


def _trumps_named(message: tractor_pb2.TractorNameTrumps) -> Move:
    if not message.suit:
        raise malformed("tractor.name_trumps.suit", "a suit or no trump must be named")
    if not 1 <= message.suit <= _NO_TRUMP:
        raise IllegalMove(
            Rule.UNKNOWN_TRUMP_SUIT,
            "T-11.3",
            f'{message.suit} is neither a suit nor "no trump"',
            field="move.tractor.name_trumps.suit",
        )
    return moves.name_trumps(None if message.suit == _NO_TRUMP else message.suit - 1)


# Moves to messages ------------------------------------------------------------------------------

_OF_CARDS: Final = {
    moves.DECLARE: (MOVE["declare"], messages.declare),
    moves.BURY: (MOVE["bury"], messages.bury),
    moves.PLAY: (MOVE["play"], messages.play),
}
"""Moves that are cards and no more: the tag of the arm, and what encodes it."""


def tractor_move(move: Move) -> bytes:
    """Payload of ``TractorMove``.

    Raises:
        MalformedMove: *move* is no move of Tractor.
    """
    kind = moves.move_type(move)
    if kind in _OF_CARDS:
        tag, encode = _OF_CARDS[kind]
        return framed(tag, encode(unpack(moves.cards_of(move))))
    number = moves.number_of(move)
    if kind == moves.SHOW:
        return framed(MOVE["show"], messages.show(unpack(moves.cards_of(move))[0]))
    if kind == moves.CALL:
        return framed(MOVE["call"], messages.call(number))
    if kind == moves.NAME_TRUMPS and number <= moves.NO_TRUMP:
        suit = _suit_number(None if number == moves.NO_TRUMP else number)
        return framed(MOVE["name_trumps"], messages.name_trumps(suit))
    if move == moves.PASS:
        return framed(MOVE["decline"], b"")
    raise no_code(move, "Tractor")


_MOVES: Final = Kept[Move, bytes](lambda move: framed(_TAG, tractor_move(move)), _MOVES_KEPT_MAX)


def move_bytes(move: Move) -> bytes:
    """Payload of ``Move``."""
    return _MOVES[move]


# Legal answers ----------------------------------------------------------------------------------

DECISION_KINDS: Final = kind_bytes(game.DECISION_KIND["tractor"], max(TractorDecisionKind))
"""By number: payload of ``DecisionKind``."""

_KINDS: Final = kind_bytes(game.MOVE_KIND["tractor"], max(TractorMoveKind))


def _play_head(number: int) -> bytes:
    """What stands before the cards in an element of ``LegalMoves.moves`` that plays so many."""
    tail = game.legal_move_kind(_KINDS[0])
    play = framed(_TAG, framed(MOVE["play"], messages.play(bytes(number))))
    return entry_bytes(play, tail)[: -number - len(tail)]


_PLAY_HEADS: Final = tuple(_play_head(number) for number in range(CARDS_MAX + 1))


def _entry(tail: bytes, move: Move) -> bytes:
    """An element of ``LegalMoves.moves``. Longer plays are seldom seen twice."""
    if move & moves.TYPE_MASK == moves.PLAY:
        cards = unpack(move ^ moves.PLAY)
        return _PLAY_HEADS[len(cards)] + cards + tail
    return entry_bytes(move_bytes(move), tail)


def _template(pattern: Pattern) -> bytes:
    """What all members of *pattern* share: payload of ``Move``."""
    return framed(_TAG, tractor_move(pattern.fixed | moves.pattern_type(pattern)))


LEGAL: Final = LegalBytes(
    _KINDS,
    move_bytes,
    _MOVES_KEPT_MAX,
    template=_template,
    steps={int(TractorMoveKind.CALL): moves.CALL_STEP},
    entry=_entry,
)
"""Legal moves of Tractor."""


# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return messages.lot_drawn(event.seat)


def _deal_started(event: events.DealStarted) -> bytes:
    return messages.deal_started(
        deal=event.deal,
        redeals=event.attempt,
        trump_rank=event.trump_rank,
        first_drawer=event.first_drawer,
        starter=event.starter,
        levels=bytes(event.levels),
    )


def _cards_drawn(event: events.CardsDrawn) -> bytes:
    return messages.cards_drawn(packed(event.hand_sizes))


def _window_closed(event: events.WindowClosed) -> bytes:
    made = event.declaration
    return messages.window_closed(None if made is None else _declaration(made))


def _kitty_turned(event: events.KittyTurned) -> bytes:
    return messages.kitty_turned(bytes(event.cards), _suit_number(event.suit))


def _called(event: events.Called) -> bytes:
    return messages.called(event.seat, event.points)


def _auction_ended(event: events.AuctionEnded) -> bytes:
    return messages.auction_ended(event.declarers, event.bid, event.trump_rank)


def _card_shown(event: events.CardShown) -> bytes:
    return messages.played(event.seat, bytes((event.card,)), None)


def _show_ended(event: events.ShowEnded) -> bytes:
    return messages.show_ended(event.starter, event.winner, event.points, event.opponents_points)


def _trumps_fixed(event: events.TrumpsFixed) -> bytes:
    fixed = trumps(event.suit, event.rank, event.rank_gap, event.trump_ladder, event.nt_rank_cards)
    return messages.trumps_fixed(
        trumps=_trumps(event.suit, event.rank),
        starter=event.starter,
        declaring_team=event.declarers,
        order=_order(fixed),
    )


def _kitty_taken(event: events.KittyTaken) -> bytes:
    return messages.kitty_taken(event.seat, event.size)


def _kitty_buried(event: events.KittyBuried) -> bytes:
    return messages.kitty_buried(event.seat, event.size)


def _cards_played(event: events.CardsPlayed) -> bytes:
    seat, cards, failed, won = event
    return messages.cards_played(
        play=_PLAYED[seat][cards] if failed is None else _played(seat, cards, failed),
        trick_won=None if won is None else messages.trick_won(*won),
    )


_PUBLIC: Final[Public] = {
    events.LotDrawn: (EVENT["lot_drawn"], _lot_drawn),
    events.DealStarted: (EVENT["deal_started"], _deal_started),
    events.CardsDrawn: (EVENT["cards_drawn"], _cards_drawn),
    events.WindowClosed: (EVENT["window_closed"], _window_closed),
    events.KittyTurned: (EVENT["kitty_turned"], _kitty_turned),
    events.Called: (EVENT["called"], _called),
    events.AuctionEnded: (EVENT["auction_ended"], _auction_ended),
    events.CardShown: (EVENT["card_shown"], _card_shown),
    events.ShowEnded: (EVENT["show_ended"], _show_ended),
    events.TrumpsFixed: (EVENT["trumps_fixed"], _trumps_fixed),
    events.KittyTaken: (EVENT["kitty_taken"], _kitty_taken),
    events.KittyBuried: (EVENT["kitty_buried"], _kitty_buried),
    events.CardsPlayed: (EVENT["cards_played"], _cards_played),
    events.DealScored: (EVENT["deal_scored"], _result),
}
"""By type of the public part: its tag in ``TractorEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _private(arm: str, payload: bytes) -> bytes:
    return framed(game.PRIVATE_EVENT["tractor"], framed(PRIVATE_EVENT[arm], payload))


def _own_cards(arm: str, cards: bytes) -> bytes:
    return _private(arm, messages.private_cards(cards))


_ONE_DRAWN: Final = tuple(_own_cards("drawn", bytes((card,))) for card in range(CARD_MAX + 1))
"""By card: what the seat that drew it is told. The same bytes each time, as every table's log
keeps a hundred of them a deal."""


def _own_cards_drawn(part: events.OwnCardsDrawn) -> bytes:
    return _ONE_DRAWN[part.cards[0]] if len(part.cards) == 1 else _own_cards("drawn", part.cards)


_ANSWERS: Final = Kept[Move, bytes](
    lambda move: _private("answer", tractor_move(move)), _PLAYS_KEPT_MAX
)
"""By move: what a seat that answered it in a window is told. Most windows are declined."""


def _own_answer(part: events.OwnAnswer) -> bytes:
    return _ANSWERS[part.move]


def _own_kitty(arm: str) -> Callable[[events.OwnKitty], bytes]:
    return lambda part: _own_cards(arm, unpack(part.cards))


_PRIVATE: Final[Private] = {
    events.CardsDrawn: _own_cards_drawn,
    events.WindowClosed: _own_answer,
    events.KittyTaken: _own_kitty("taken"),
    events.KittyBuried: _own_kitty("buried"),
}

EVENTS: Final = EventBytes(game.EVENT["tractor"], _PUBLIC, _PRIVATE, kept=(events.CardsDrawn,))
"""Events of Tractor. The numbers of cards drawn are the same in every deal."""


# Plays: nine of ten events ----------------------------------------------------------------------


def _events_of(seat: int) -> Kept[Cards, bytes]:
    return Kept(
        lambda cards: EVENTS.encode(events.CardsPlayed(seat, cards, None, None)), _PLAYS_KEPT_MAX
    )


_PLAYED_EVENTS: Final = tuple(_events_of(seat) for seat in range(_SEATS_MAX))
"""By seat and cards: payload of ``GameEvent`` of a play that ends no trick."""


def _whole_play(event: events.CardsPlayed) -> bytes:
    seat, cards, failed, won = event
    if failed is None and won is None:
        return _PLAYED_EVENTS[seat][cards]
    return EVENTS.encode(event)


EVENTS.whole[events.CardsPlayed] = _whole_play


# Views --------------------------------------------------------------------------------------------


_WINDOW: Final = messages.public_view_window_open(True)
_TO_ACT: Final = tuple(messages.public_view_to_act(seat) for seat in range(_SEATS_MAX))
_NO_HAND: Final = (0, b"")
_FEW: Final = 4
"""Taking so many cards out of a hand costs less than unpacking what is left."""

_ID_BYTES: Final = tuple(bytes((card,)) for card in range(CARD_MAX + 1))
_SETS_KEPT_MAX: Final = 8192

# Members of an enum are looked up slowly.
_DRAW: Final = Phase.DRAW
_PLAYING: Final = Phase.PLAY


def _few_ids(cards: Cards) -> bytes:
    return unpack(cards) if count(cards) <= _FEW else b""


_WORTH: Final = Kept[Cards, int](points, _SETS_KEPT_MAX)
"""Points of a play."""

_FEW_IDS: Final = Kept[Cards, bytes](_few_ids, _SETS_KEPT_MAX)
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
            lambda result: messages.public_view_last_result(_result(result))
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
            self._order = b"" if public.trumps is None else _order_field(public.trumps)
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
        trumps=None if fixed is None else _trumps(fixed.suit, fixed.rank),
        first_drawer=public.first_drawer,
        starter=public.starter,
        declaring_team=public.declarers,
        declaration=None if standing is None else _declaration(standing),
        turned=bytes(public.turned),
        calls=[messages.called(seat, called) for seat, called in public.calls],
        show=_show(public) if public.shown else None,
    )


@lru_cache(maxsize=1024)
def _order_field(of: Trumps) -> bytes:
    """``order``."""
    return messages.public_view_order(_order(of))


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
            found += _PLAYS[seat][cards]
        else:
            found += _failed_play(seat, cards, failed)
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
        found += _PLAYS[seat][cards]
        worth += _WORTH[cards]
        seat = seat + 1 if seat + 1 < players else 0
    if public.failed_throw is not None:
        found = _plays(public.leader, plays, public.failed_throw, players)
    if worth:
        found += messages.trick_end(None, worth)
    return messages.public_view_trick(found)


# Views read back ----------------------------------------------------------------------------------


def read_view(message: tractor_pb2.TractorView, options: TractorOptions) -> TractorView:
    """See `GameWire.read_view`."""
    public = _read_public(message.public_view, options)
    hand, kitty = pack(message.hand), pack(message.kitty)
    if public.phase is Phase.BURY:
        return TractorView(public, message.seat, hand, taken=kitty)
    return TractorView(public, message.seat, hand, buried=kitty)


def _read_public(message: tractor_pb2.TractorPublicView, options: TractorOptions) -> PublicState:
    public = PublicState.new(options)
    public.phase = Phase(message.phase)
    public.deal = message.deal
    public.attempt = message.redeals
    first, second = message.levels
    public.levels = (first, second)
    public.trump_rank = message.trump_rank
    public.first_drawer = seat_of(message, "first_drawer")
    public.starter = seat_of(message, "starter")
    public.declarers = seat_of(message, "declaring_team")
    public.to_act = seat_of(message, "to_act")
    public.opponents_points = message.opponents_points
    if message.HasField("last_result"):
        public.last_result = _read_result(message.last_result)
        public.nominee = public.last_result.next_starter
    if message.HasField("trumps"):
        public.trumps = trumps(
            _suit(message.trumps),
            message.trumps.rank,
            options.rank_gap,
            options.trump_ladder,
            options.nt_rank_cards,
        )
    _read_making(message, public)
    public.tricks = [_read_trick(trick) for trick in message.tricks]
    if public.phase is Phase.DRAW:
        public.drawn = sum(message.hand_sizes)
    elif public.phase is not Phase.DEAL:
        public.drawn = options.players * options.hand
    if public.phase is Phase.PLAY:
        _read_play(message, public)
    return public


def _read_making(message: tractor_pb2.TractorPublicView, public: PublicState) -> None:
    """Declarations, turned cards, auction and show."""
    if message.HasField("declaration"):
        made = message.declaration
        public.standing = Declaration(made.seat, made.cards[0], len(made.cards))
    public.first_declarer = seat_of(message, "first_declarer")
    exposed = [0] * public.options.players
    for part in message.exposed:
        exposed[part.seat] = pack(part.cards)
    public.exposed = tuple(exposed)
    public.turned = tuple(message.turned)
    public.calls = tuple((called.seat, called.points) for called in message.calls)
    public.bid = max((points for _, points in public.calls), default=0)
    public.shown = tuple((play.seat, play.cards[0]) for play in message.show.plays)
    if message.show.HasField("winning_seat"):
        public.show_points = message.show.points


def _read_play(message: tractor_pb2.TractorPublicView, public: PublicState) -> None:
    """The trick under way, or who leads to the next one, and what wins so far."""
    order = public.trumps
    assert order is not None
    if public.tricks:
        public.winner = public.tricks[-1].winner
    public.leader = public.to_act
    if not message.HasField("trick"):
        return
    plays = message.trick.plays
    public.leader = public.winner = plays[0].seat
    public.plays = [pack(play.cards) for play in plays]
    public.failed_throw = _failed(plays[0])
    lead = public.lead = read_lead(public.plays[0], order)
    best = new_standing(lead, order, public.options.throw_compare)
    for play, cards in zip(plays, public.plays, strict=True):
        better = None if play is plays[0] else challenge(best, cards)
        if better is not None:
            best = better
            public.winner = play.seat
    public.best = best


def _suit(message: tractor_pb2.TractorTrumps) -> int | None:
    is_named = message.suit != tractor_pb2.TRACTOR_TRUMP_SUIT_NO_TRUMP
    return message.suit - 1 if is_named else None


def _failed(lead: tractor_pb2.TractorPlayed) -> FailedThrow | None:
    if not lead.HasField("failed_throw"):
        return None
    tried = pack(lead.failed_throw.tried)
    return FailedThrow(tried, tried - pack(lead.cards), lead.failed_throw.penalty)


def _read_trick(message: tractor_pb2.TractorTrick) -> Trick:
    plays = message.plays
    return Trick(
        plays[0].seat,
        tuple(pack(play.cards) for play in plays),
        _failed(plays[0]),
        message.winning_seat,
        message.points,
    )


def _read_result(message: tractor_pb2.TractorDealResult) -> DealScored:
    """A result; who won a match is never told to a seat that has still to move."""
    first, second = message.levels
    winners = (
        message.winning_team if message.HasField("winning_team") else 1 - message.declaring_team
    )
    return DealScored(
        deal=message.deal,
        starter=message.starter,
        declarers=message.declaring_team,
        trump_suit=_suit(message.trumps),
        trump_rank=message.trumps.rank,
        bid=message.bid,
        trick_points=message.trick_points,
        last_trick_winner=message.last_trick_winning_seat,
        buried=pack(message.kitty),
        multiplier=message.kitty_multiplier,
        bonus=message.kitty_bonus,
        opponents_points=message.total,
        winners=winners,
        levels_gained=message.levels_gained,
        levels=(first, second),
        next_starter=message.next_starter,
        match_winner=None,
    )


WIRE: Final = GameWire(
    RULES,
    "Tractor",
    seats_min=4,
    seats_max=12,
    decision_kinds=DECISION_KINDS,
    legal=LEGAL,
    move_code=move_code,
    move_bytes=move_bytes,
    event_bytes=EVENTS.event_bytes,
    result_bytes=_result,
    views=TractorViews,
    read_view=read_view,
)
"""States are `tractor.state.State`."""
