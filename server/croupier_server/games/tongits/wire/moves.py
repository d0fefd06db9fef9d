"""Moves of Tong-its: messages to move codes and back, and what legal answers need of them.

Must not be put here: whether a move is legal; only whether it is a move at all, by the same limits
as the annotations of ``tongits.proto``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from croupier.v1 import game_pb2, tongits_pb2
from croupier_server.games.base import Move, Pattern
from croupier_server.games.cards import BLACK_JOKER, card_of, rank, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tongits import moves
from croupier_server.games.tongits.moves import TongitsDecisionKind, TongitsMoveKind
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tongits as messages
from croupier_server.wire.generated.tongits import MOVE
from croupier_server.wire.legal import LegalBytes, kind_bytes
from croupier_server.wire.moves import SINGLES, card, malformed, no_code, no_kind, packed

TAKE_MAX: Final = 12
MELD_MIN: Final = 3
MELD_MAX: Final = 14
LAY_OFF_MAX: Final = 13
MELD_NUMBER_MAX: Final = 51

_RANKS: Final = range(2, 15)
_PACK: Final = sum(one for card, one in SINGLES.items() if card < BLACK_JOKER)
"""One of every card that there is in Tong-its."""

_TAG: Final = game.MOVE["tongits"]
_KEPT_MAX: Final = 8192
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
    cards = packed(message.cards, "tongits.take_discard.cards", 1, TAKE_MAX, _PACK)
    return moves.take_for_meld(cards)


def _meld(message: tongits_pb2.TongitsMeldCards) -> Move:
    return packed(message.cards, "tongits.meld.cards", MELD_MIN, MELD_MAX, _PACK) | moves.MELD


def _secret_four(message: tongits_pb2.TongitsSecretFour) -> Move:
    code = _FOURS.get(message.rank)
    if code is None:
        raise malformed("tongits.secret_four.rank", f"{message.rank} is not a rank")
    return code


def _lay_off(message: tongits_pb2.TongitsLayOff) -> Move:
    cards = packed(message.cards, "tongits.lay_off.cards", 1, LAY_OFF_MAX, _PACK)
    return moves.lay_off(_number(message.meld, "lay_off"), cards)


def _discard(message: tongits_pb2.TongitsDiscard) -> Move:
    return card(message.card, "tongits.discard.card", _PACK) | moves.DISCARD


def _number(meld: int, arm: str) -> int:
    """The number of a meld, which comes from outside."""
    if meld > MELD_NUMBER_MAX:
        raise malformed(f"tongits.{arm}.meld", f"{meld} is more than {MELD_NUMBER_MAX}")
    return meld


# Any: a table by arm cannot say that the key goes with the type of the argument.
_READERS: Final[dict[str, Callable[[Any], Move]]] = {
    "take_discard": _take_discard,
    "meld": _meld,
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


_MOVES: Final = Kept[Move, bytes](lambda move: framed(_TAG, tongits_move(move)), _KEPT_MAX)


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
    _KEPT_MAX,
    template=_template,
)
"""Legal moves of Tong-its."""
