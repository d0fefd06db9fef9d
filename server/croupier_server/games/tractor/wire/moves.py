"""Moves of Tractor: messages to move codes and back, and what legal answers need of them.

Must not be put here: whether a move is legal; only whether it is a move at all, by the same limits
as the annotations of ``tractor.proto``.
"""

from __future__ import annotations

from typing import Final

from croupier.v1 import game_pb2, tractor_pb2
from croupier_server.errors import IllegalMove
from croupier_server.games.base import Move, Pattern
from croupier_server.games.cards import unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tractor import moves
from croupier_server.games.tractor.moves import TractorDecisionKind, TractorMoveKind
from croupier_server.games.tractor.refusals import Rule
from croupier_server.games.tractor.wire.parts import NO_TRUMP, suit_number
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tractor as messages
from croupier_server.wire.generated.tractor import MOVE
from croupier_server.wire.legal import LegalBytes, entry_bytes, kind_bytes
from croupier_server.wire.moves import SINGLES, card, malformed, no_code, no_kind, packed

CARDS_MAX: Final = 200
DECLARE_MAX: Final = 6
CALL_MAX: Final = 600
_TAG: Final = game.MOVE["tractor"]
_KEPT_MAX: Final = 4096
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
        return packed(cards, "tractor.play.cards", 1, CARDS_MAX) | moves.PLAY
    if arm == "decline":
        return moves.PASS
    if arm == "bury":
        return packed(move.bury.cards, "tractor.bury.cards", 1, CARDS_MAX) | moves.BURY
    if arm == "declare":
        return packed(move.declare.cards, "tractor.declare.cards", 1, DECLARE_MAX) | moves.DECLARE
    if arm == "call":
        points = move.call.points
        if not 1 <= points <= CALL_MAX:
            raise malformed(
                "tractor.call.points", f"a call must be from 1 to {CALL_MAX} points, not {points}"
            )
        return moves.call(points)
    if arm == "show":
        return card(move.show.card, "tractor.show.card") | moves.SHOW
    if arm == "name_trumps":
        return _trumps_named(move.name_trumps)
    raise no_kind(message, "tractor")


def _trumps_named(message: tractor_pb2.TractorNameTrumps) -> Move:
    if not message.suit:
        raise malformed("tractor.name_trumps.suit", "a suit or no trump must be named")
    if not 1 <= message.suit <= NO_TRUMP:
        raise IllegalMove(
            Rule.UNKNOWN_TRUMP_SUIT,
            "T-11.3",
            f'{message.suit} is neither a suit nor "no trump"',
            field="move.tractor.name_trumps.suit",
        )
    return moves.name_trumps(None if message.suit == NO_TRUMP else message.suit - 1)


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
        suit = suit_number(None if number == moves.NO_TRUMP else number)
        return framed(MOVE["name_trumps"], messages.name_trumps(suit))
    if move == moves.PASS:
        return framed(MOVE["decline"], b"")
    raise no_code(move, "Tractor")


_MOVES: Final = Kept[Move, bytes](lambda move: framed(_TAG, tractor_move(move)), _KEPT_MAX)


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
    _KEPT_MAX,
    template=_template,
    steps={int(TractorMoveKind.CALL): moves.CALL_STEP},
    entry=_entry,
)
"""Legal moves of Tractor."""
