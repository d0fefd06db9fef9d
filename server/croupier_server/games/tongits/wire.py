"""The messages of Tong-its: moves, events, views and results as bytes, and views read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from croupier.v1 import game_pb2, tongits_pb2
from croupier_server.games.base import NO_SEAT, Move, Pattern, Seat
from croupier_server.games.cards import (
    BLACK_JOKER,
    CARD_MAX,
    card_of,
    one_pack_ids,
    pack,
    rank,
    unpack,
)
from croupier_server.games.kept import Kept
from croupier_server.games.tongits import events, moves
from croupier_server.games.tongits.events import (
    Answered,
    DealResult,
    Ending,
    LaidOff,
    Meld,
    Payment,
    SeatResult,
)
from croupier_server.games.tongits.moves import TongitsDecisionKind, TongitsMoveKind
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.rules import RULES
from croupier_server.games.tongits.state import (
    PLAYERS,
    SEATS_OF,
    Phase,
    PublicState,
    TongitsView,
    view,
)
from croupier_server.wire.encode import framed
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tongits as messages
from croupier_server.wire.generated.tongits import EVENT, MOVE, PRIVATE_EVENT
from croupier_server.wire.moves import (
    SINGLES,
    LegalBytes,
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


def _laid_off(part: LaidOff) -> bytes:
    """``TongitsLaidOff``."""
    return messages.laid_off(part.seat, unpack(part.cards))


def _meld(of: Meld) -> bytes:
    """``TongitsMeld``."""
    return messages.meld(
        number=of.number,
        seat=of.seat,
        cards=unpack(of.cards),
        taken=of.taken or None,
        turned_down=of.is_turned_down,
        lay_offs=map(_laid_off, of.lay_offs),
    )


def _answered(part: Answered) -> bytes:
    """``TongitsAnswered``."""
    return messages.answered(part.seat, part.is_challenge, part.is_unasked)


def _result(scored: DealResult) -> bytes:
    """``TongitsDealResult``."""
    return messages.deal_result(
        deal=scored.deal,
        dealer=scored.dealer,
        ending=scored.ending,
        winning_seat=scored.winner,
        caller=scored.caller,
        challengers=bytes(scored.challengers),
        seats=map(_seat_result, scored.seats),
        payments=map(_payment, scored.payments),
        jackpot=scored.jackpot,
        pot=scored.pot,
        streak=scored.streak,
        next_dealer=scored.next_dealer,
    )


def _seat_result(of: SeatResult) -> bytes:
    """``TongitsSeatResult``."""
    return messages.seat_result(
        seat=of.seat,
        burned=of.is_burned,
        shown=of.is_shown,
        hand=unpack(of.hand),
        secret_fours=bytes(of.secret_fours),
        deadwood=of.deadwood,
        settlement=of.settlement,
        chips=of.chips,
    )


def _payment(of: Payment) -> bytes:
    """``TongitsPayment``."""
    return messages.payment(
        seat=of.seat,
        base=of.base,
        aces=of.aces,
        specials=of.specials,
        burned=of.burned,
        fold_penalty=of.fold_penalty,
    )


TAKE_MAX: Final = 12
MELD_MIN: Final = 3
MELD_MAX: Final = 14
LAY_OFF_MAX: Final = 13
MELD_NUMBER_MAX: Final = 51

_RANKS: Final = range(2, 15)
_PACK: Final = sum(one for card, one in SINGLES.items() if card < BLACK_JOKER)
"""One of every card that there is in Tong-its."""

_TAG: Final = game.MOVE["tongits"]
_MOVES_KEPT_MAX: Final = 8192
"""So many encoded moves are kept, and so many of one kind as they are listed."""

_BARE: Final[dict[str, Move]] = {
    "draw_stock": moves.DRAW_STOCK,
    "call_draw": moves.CALL_DRAW,
    "end_turn": moves.END_TURN,
    "fold": moves.FOLD,
    "challenge": moves.CHALLENGE,
}
"""Moves that are a word and no more, by their arm."""

_DISCARDS: Final[dict[int, Move]] = {
    card: moves.discard(card) for card, one in SINGLES.items() if one & _PACK
}
_FOURS: Final[dict[int, Move]] = {
    rank: sum(SINGLES[card_of(suit, rank)] for suit in range(4)) | moves.SECRET_FOUR
    for rank in _RANKS
}


# Messages to moves ------------------------------------------------------------------------------


def move_code(message: game_pb2.Move) -> Move:
    """See `GameWire.move_code`."""
    move = message.tongits
    code = _DISCARDS.get(move.discard.card)
    if code is not None:  # most moves, and no move but a discard has a card there
        return code
    arm = move.WhichOneof("move")
    if arm is None:
        raise no_kind(message, "tongits")
    code = _BARE.get(arm)
    return _READERS[arm](getattr(move, arm)) if code is None else code


def _take_discard(message: tongits_pb2.TongitsTakeDiscard) -> Move:
    if message.HasField("meld"):
        if message.cards:
            raise malformed("tongits.take_discard.meld", "set either cards or a meld, not both")
        return moves.take_for_lay_off(_number(message.meld, "take_discard"))
    if not message.cards:
        raise malformed("tongits.take_discard.cards", "set either cards or a meld")
    cards = read_cards(message.cards, "tongits.take_discard.cards", 1, TAKE_MAX, _PACK)
    return moves.take_for_meld(cards)


def _meld_cards(message: tongits_pb2.TongitsMeldCards) -> Move:
    return read_cards(message.cards, "tongits.meld.cards", MELD_MIN, MELD_MAX, _PACK) | moves.MELD


def _secret_four(message: tongits_pb2.TongitsSecretFour) -> Move:
    code = _FOURS.get(message.rank)
    if code is None:
        raise malformed("tongits.secret_four.rank", f"{message.rank} is not a rank")
    return code


def _lay_off(message: tongits_pb2.TongitsLayOff) -> Move:
    cards = read_cards(message.cards, "tongits.lay_off.cards", 1, LAY_OFF_MAX, _PACK)
    return moves.lay_off(_number(message.meld, "lay_off"), cards)


def _discard(message: tongits_pb2.TongitsDiscard) -> Move:
    return read_card(message.card, "tongits.discard.card", _PACK) | moves.DISCARD


def _number(meld: int, arm: str) -> int:
    """The number of a meld, which comes from outside."""
    if meld > MELD_NUMBER_MAX:
        raise malformed(f"tongits.{arm}.meld", f"{meld} is more than {MELD_NUMBER_MAX}")
    return meld


# Any: a table by arm cannot say that the key goes with the type of the argument.
_READERS: Final[dict[str, Callable[[Any], Move]]] = {
    "take_discard": _take_discard,
    "meld": _meld_cards,
    "secret_four": _secret_four,
    "lay_off": _lay_off,
    "discard": _discard,
}


# Moves to messages ------------------------------------------------------------------------------

_BARE_MOVES: Final = {code: framed(MOVE[arm], b"") for arm, code in _BARE.items()}


def tongits_move(move: Move) -> bytes:
    """Payload of ``TongitsMove``.

    Raises:
        MalformedMove: *move* is no move of Tong-its.
    """
    if move in _BARE_MOVES:
        return _BARE_MOVES[move]
    kind, ids, meld = moves.move_type(move), unpack(moves.cards_of(move)), moves.meld_of(move)
    is_named = 0 <= meld <= MELD_NUMBER_MAX
    if kind == moves.DISCARD and ids and move == _DISCARDS.get(ids[0]):
        return framed(MOVE["discard"], messages.discard(ids[0]))
    if kind == moves.MELD and ids and meld < 0:
        return framed(MOVE["meld"], messages.meld_cards(ids))
    if kind == moves.LAY_OFF and ids and is_named:
        return framed(MOVE["lay_off"], messages.lay_off(meld, ids))
    if kind == moves.SECRET_FOUR and ids and move == _FOURS.get(rank(ids[0])):
        return framed(MOVE["secret_four"], messages.secret_four(rank(ids[0])))
    if kind == moves.TAKE_DISCARD and ids and meld < 0:
        return framed(MOVE["take_discard"], messages.take_discard(ids, None))
    if kind == moves.TAKE_DISCARD and not ids and is_named:
        return framed(MOVE["take_discard"], messages.take_discard(b"", meld))
    raise no_code(move, "Tong-its")


_MOVES: Final = Kept[Move, bytes](lambda move: framed(_TAG, tongits_move(move)), _MOVES_KEPT_MAX)


def move_bytes(move: Move) -> bytes:
    """Payload of ``Move``."""
    return _MOVES[move]


# Legal answers ----------------------------------------------------------------------------------

DECISION_KINDS: Final = kind_bytes(game.DECISION_KIND["tongits"], max(TongitsDecisionKind))
"""By number: payload of ``DecisionKind``."""


def _template(pattern: Pattern) -> bytes:
    """What all members of *pattern* share: payload of ``Move``."""
    return move_bytes(moves.pattern_move(pattern))


LEGAL: Final = LegalBytes(
    kind_bytes(game.MOVE_KIND["tongits"], max(TongitsMoveKind)),
    move_bytes,
    _MOVES_KEPT_MAX,
    template=_template,
)
"""Legal moves of Tong-its."""


# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return messages.lot_drawn(event.dealer)


def _deal_started(event: events.DealStarted) -> bytes:
    return messages.deal_started(event.deal, event.dealer, event.ante, event.pot)


def _stock_drawn(event: events.StockDrawn) -> bytes:
    return messages.stock_drawn(event.seat, event.stock_size)


def _discard_taken(event: events.DiscardTaken) -> bytes:
    return messages.discard_taken(event.seat, event.card, _meld(event.meld))


def _meld_exposed(event: events.MeldExposed) -> bytes:
    return messages.meld_exposed(_meld(event.meld))


def _secret_four_laid(event: events.SecretFourLaid) -> bytes:
    return messages.secret_four_laid(event.seat)


def _cards_laid_off(event: events.CardsLaidOff) -> bytes:
    return messages.cards_laid_off(event.meld, _laid_off(event.laid_off))


def _discarded(event: events.Discarded) -> bytes:
    return messages.discarded(event.seat, event.card)


def _turn_ended(event: events.TurnEnded) -> bytes:
    return messages.turn_ended(event.seat)


def _draw_called(event: events.DrawCalled) -> bytes:
    return messages.draw_called(event.seat)


def _pot_split(event: events.PotSplit) -> bytes:
    return messages.pot_split(event.share, event.chips)


_PUBLIC: Final[Public] = {
    events.LotDrawn: (EVENT["lot_drawn"], _lot_drawn),
    events.DealStarted: (EVENT["deal_started"], _deal_started),
    events.StockDrawn: (EVENT["stock_drawn"], _stock_drawn),
    events.DiscardTaken: (EVENT["discard_taken"], _discard_taken),
    events.MeldExposed: (EVENT["meld_exposed"], _meld_exposed),
    events.SecretFourLaid: (EVENT["secret_four_laid"], _secret_four_laid),
    events.CardsLaidOff: (EVENT["cards_laid_off"], _cards_laid_off),
    events.Discarded: (EVENT["discarded"], _discarded),
    events.TurnEnded: (EVENT["turn_ended"], _turn_ended),
    events.DrawCalled: (EVENT["draw_called"], _draw_called),
    events.Answered: (EVENT["answered"], _answered),
    events.DealResult: (EVENT["deal_scored"], _result),
    events.PotSplit: (EVENT["pot_split"], _pot_split),
}
"""By type of the public part: its tag in ``TongitsEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _private(arm: str, payload: bytes) -> bytes:
    return framed(game.PRIVATE_EVENT["tongits"], framed(PRIVATE_EVENT[arm], payload))


def _own_cards(part: events.OwnCards) -> bytes:
    return _private("dealt", messages.private_cards(part.cards))


_DRAWN: Final = tuple(
    _private("drawn", messages.private_cards(bytes((card,)))) for card in range(CARD_MAX + 1)
)
"""By card: what the seat that drew it from the stock is told."""


def _own_card(part: events.OwnCard) -> bytes:
    return _DRAWN[part.card]


def _own_four(part: events.OwnFour) -> bytes:
    return _private("laid", messages.private_four(part.rank))


_PRIVATE: Final[Private] = {
    events.DealStarted: _own_cards,
    events.StockDrawn: _own_card,
    events.SecretFourLaid: _own_four,
}

EVENTS: Final = EventBytes(
    game.EVENT["tongits"],
    _PUBLIC,
    _PRIVATE,
    kept=(
        events.StockDrawn,
        events.Discarded,
        events.SecretFourLaid,
        events.TurnEnded,
        events.DrawCalled,
        events.Answered,
    ),
)
"""Events of Tong-its. Those kept have a seat and at most a card: in every turn, and few in all."""


# Views --------------------------------------------------------------------------------------------


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
            lambda result: messages.public_view_last_result(_result(result))
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
        self._melds = [kept.get(one) or messages.public_view_melds([_meld(one)]) for one in melds]
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
    return messages.public_view_call(public.caller, map(_answered, public.answers))


def _chips(public: PublicState) -> bytes:
    """``pot`` to ``streak``."""
    return messages.public_view_chips(
        pot=public.pot,
        chips=public.chips,
        streak_seat=public.streak_seat,
        streak=public.streak,
    )


# Views read back ----------------------------------------------------------------------------------


def read_view(message: tongits_pb2.TongitsView, options: TongitsOptions) -> TongitsView:
    """See `GameWire.read_view`."""
    public = _read_public(message.public_view, options)
    fours = tuple(message.secret_fours)
    return TongitsView(public, message.seat, pack(message.hand), fours, message.deadwood)


def _read_public(message: tongits_pb2.TongitsPublicView, options: TongitsOptions) -> PublicState:
    public = PublicState(options)
    public.phase = Phase(message.phase)
    public.deal = message.deal
    public.dealer = seat_of(message, "dealer")
    public.hand_sizes = list(message.hand_sizes)
    public.stock_size = message.stock_size
    public.discards = bytes(message.discards)
    public.discarders = bytes(message.discarders)
    public.melds = [_read_meld(meld) for meld in message.melds]
    public.opened = _seats(meld.seat for meld in public.melds)
    public.secret_fours = list(message.secret_four_counts)
    public.turns = list(message.turns)
    public.barred_turn = _seats(message.barred_turn)
    public.barred_deal = _seats(message.barred_deal)
    public.barred_discard = _seats(message.barred_discard)
    public.took_discard = message.took_discard
    public.caller = seat_of(message, "caller")
    public.answers = tuple(
        Answered(answer.seat, answer.challenged, answer.unasked) for answer in message.answers
    )
    public.to_act = seat_of(message, "to_act")
    public.pot = message.pot
    public.chips = list(message.chips)
    public.streak_seat = seat_of(message, "streak_seat")
    public.streak = message.streak
    if message.HasField("last_result"):
        public.last_result = _read_result(message.last_result)
    return public


def _seats(seats: Iterable[Seat]) -> int:
    """*seats* as a bit set."""
    found = 0
    for seat in seats:
        found |= 1 << seat
    return found


def _read_meld(message: tongits_pb2.TongitsMeld) -> Meld:
    return Meld(
        message.number,
        message.seat,
        pack(message.cards),
        message.taken,
        message.turned_down,
        tuple(LaidOff(part.seat, pack(part.cards)) for part in message.lay_offs),
    )


def _read_result(message: tongits_pb2.TongitsDealResult) -> DealResult:
    return DealResult(
        deal=message.deal,
        dealer=message.dealer,
        ending=Ending(message.ending),
        winner=message.winning_seat if message.HasField("winning_seat") else None,
        caller=message.caller if message.HasField("caller") else None,
        challengers=tuple(message.challengers),
        seats=tuple(map(_read_seat_result, message.seats)),
        payments=tuple(
            Payment(
                payment.seat,
                payment.base,
                payment.aces,
                payment.specials,
                payment.burned,
                payment.fold_penalty,
            )
            for payment in message.payments
        ),
        jackpot=message.jackpot,
        pot=message.pot,
        streak=message.streak,
        next_dealer=message.next_dealer,
    )


def _read_seat_result(message: tongits_pb2.TongitsSeatResult) -> SeatResult:
    return SeatResult(
        message.seat,
        message.burned,
        message.shown,
        pack(message.hand),
        tuple(message.secret_fours),
        message.deadwood,
        message.settlement,
        message.chips,
    )


WIRE: Final = GameWire(
    RULES,
    "Tong-its",
    seats_min=PLAYERS,
    seats_max=PLAYERS,
    decision_kinds=DECISION_KINDS,
    legal=LEGAL,
    move_code=move_code,
    move_bytes=move_bytes,
    event_bytes=EVENTS.event_bytes,
    result_bytes=_result,
    views=TongitsViews,
    read_view=read_view,
)
"""States are `tongits.state.State`."""
