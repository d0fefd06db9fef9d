"""Moves of Tractor: messages to move codes and back, and legal answers as bytes.

Must not be put here: whether a move is legal; only whether it is a move at all, by the same limits
as the annotations of ``tractor.proto``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from croupier.v1 import game_pb2, tractor_pb2
from croupier_server.errors import MalformedMove, Reason
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import CARD_MAX, CARD_NAMES, COPIES_MAX, single, unpack
from croupier_server.games.tractor import moves
from croupier_server.games.tractor.moves import TractorDecisionKind, TractorMoveKind
from croupier_server.wire.base import LISTED_MAX, SUMMARY_MAX, LegalMode
from croupier_server.wire.encode import (
    TAGS,
    field_bytes,
    field_number,
    field_packed,
    field_varint,
    varint,
)

CARDS_MAX: Final = 200
DECLARE_MAX: Final = 6
CALL_MAX: Final = 600
_KEPT_MAX: Final = 4096
"""So many encoded moves of one kind are kept; they are about 100 bytes each."""

_PATTERNS_KEPT_MAX: Final = 8192
"""So many encoded patterns are kept: those of some hundred tables."""

_SINGLES: Final[dict[int, int]] = {card: single(card) for card in range(1, CARD_MAX + 1)}
_PLAYED_ONE: Final[dict[int, Move]] = {card: one | moves.PLAY for card, one in _SINGLES.items()}
_SUITS: Final = 4


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
        return _packed(move.play.cards, "play", CARDS_MAX) | moves.PLAY
    if arm == "decline":
        return moves.PASS
    if arm == "bury":
        return _packed(move.bury.cards, "bury", CARDS_MAX) | moves.BURY
    if arm == "declare":
        return _packed(move.declare.cards, "declare", DECLARE_MAX) | moves.DECLARE
    if arm == "call":
        points = move.call.points
        if not 1 <= points <= CALL_MAX:
            raise _malformed("call.points", f"a call is from 1 to {CALL_MAX}, not {points}")
        return moves.call(points)
    if arm == "show":
        card = move.show.card
        if card not in _SINGLES:
            raise _malformed("show.card", f"{card} is no card")
        return _SINGLES[card] | moves.SHOW
    if arm == "name_trumps":
        return _trumps_named(move.name_trumps)
    if message.WhichOneof("game") is None:
        raise MalformedMove(Reason.MALFORMED_MOVE, "the move is empty", field="move.game")
    raise _malformed("move", "no kind of move is set")


def _packed(cards: Sequence[int], arm: str, most: int) -> int:
    """The packed counts of *cards*, which come from outside."""
    number = len(cards)
    if number <= COPIES_MAX and number:
        try:
            return sum([_SINGLES[card] for card in cards])
        except KeyError:
            pass  # told apart below
    elif not 1 <= number <= most:
        raise _malformed(f"{arm}.cards", f"{number} cards are not from 1 to {most}")
    copies = [0] * (CARD_MAX + 1)
    found = 0
    for place, card in enumerate(cards):
        if card not in _SINGLES:
            raise _malformed(f"{arm}.cards[{place}]", f"{card} is no card")
        copies[card] += 1
        if copies[card] > COPIES_MAX:
            raise _malformed(
                f"{arm}.cards[{place}]", f"more than {COPIES_MAX} copies of {CARD_NAMES[card]}"
            )
        found += _SINGLES[card]
    return found


def _trumps_named(message: tractor_pb2.TractorNameTrumps) -> Move:
    if not message.HasField("suit"):
        return moves.name_trumps(None)
    if not 1 <= message.suit <= _SUITS:
        raise MalformedMove(
            Reason.UNKNOWN_TRUMP_SUIT,
            f"{message.suit} is no suit; leave it out for no trump",
            field="move.tractor.name_trumps.suit",
        )
    return moves.name_trumps(message.suit - 1)


def _malformed(path: str, why: str) -> MalformedMove:
    return MalformedMove(Reason.MALFORMED_MOVE, why, field=f"move.tractor.{path}")


# Moves to messages ------------------------------------------------------------------------------

GAME_ARM: Final = 1
"""Arm of Tractor in every oneof of ``game.proto``."""

_CARD_ARMS: Final = {moves.DECLARE: 2, moves.BURY: 6, moves.PLAY: 7}
"""Arms of ``TractorMove`` whose messages hold packed cards."""

_DECLINE, _CALL, _SHOW, _NAME_TRUMPS = 1, 3, 4, 5
"""The other arms."""


def tractor_move(move: Move) -> bytes:
    """Payload of ``TractorMove``.

    Raises:
        MalformedMove: *move* is no move of Tractor.
    """
    kind = moves.move_type(move)
    if kind in _CARD_ARMS:
        return field_bytes(_CARD_ARMS[kind], field_packed(1, unpack(moves.cards_of(move))))
    number = moves.number_of(move)
    if kind == moves.SHOW:
        return field_bytes(_SHOW, field_number(1, unpack(moves.cards_of(move))[0]))
    if kind == moves.CALL:
        return field_bytes(_CALL, field_number(1, number))
    if kind == moves.NAME_TRUMPS and number <= moves.NO_TRUMP:
        suit = b"" if number == moves.NO_TRUMP else field_varint(1, number + 1)
        return field_bytes(_NAME_TRUMPS, suit)
    if move == moves.PASS:
        return field_bytes(_DECLINE, b"")
    raise MalformedMove(Reason.MALFORMED_MOVE, f"{move} is no move of Tractor")


class _Moves(dict[Move, bytes]):
    """Payloads of ``Move``; the first `_KEPT_MAX` are kept, as most are of one or two cards."""

    __slots__ = ()

    def __missing__(self, move: Move) -> bytes:
        found = field_bytes(GAME_ARM, tractor_move(move))
        if len(self) < _KEPT_MAX:
            self[move] = found
        return found


_MOVES: Final = _Moves()


def move_bytes(move: Move) -> bytes:
    """Payload of ``Move``."""
    return _MOVES[move]


def move_message(move: Move) -> game_pb2.Move:
    """*move* as a message."""
    return game_pb2.Move.FromString(move_bytes(move))


# Legal answers ----------------------------------------------------------------------------------

_KINDS: Final = tuple(field_varint(GAME_ARM, kind) for kind in range(max(TractorMoveKind) + 1))
"""By number: payload of ``MoveKind``."""

DECISION_KINDS: Final = tuple(
    field_varint(GAME_ARM, kind) for kind in range(max(TractorDecisionKind) + 1)
)
"""By number: payload of ``DecisionKind``."""

_TRUNCATED: Final = field_varint(3, 1)


def legal_move_bytes(move: Move, kind: int) -> bytes:
    """Payload of ``LegalMove``."""
    return field_bytes(1, move_bytes(move)) + field_bytes(2, _KINDS[kind])


def _play_head(number: int) -> bytes:
    """What stands before the cards in an element of ``LegalMoves.moves`` that plays so many."""
    found = b""
    for arm in (1, _CARD_ARMS[moves.PLAY], GAME_ARM, 1):
        found = TAGS[arm] + varint(len(found) + number) + found
    return TAGS[1] + varint(len(found) + number + len(field_bytes(2, _KINDS[0]))) + found


_PLAY_HEADS: Final = tuple(_play_head(number) for number in range(CARDS_MAX + 1))


class _Entries(dict[Move, bytes]):
    """Moves of one kind as elements of ``LegalMoves.moves``; the first `_KEPT_MAX` are kept."""

    __slots__ = ("kind", "tail")

    def __init__(self, kind: int) -> None:
        super().__init__()
        self.kind = kind
        self.tail = field_bytes(2, _KINDS[kind])

    def __missing__(self, move: Move) -> bytes:
        if move & moves.TYPE_MASK == moves.PLAY:
            cards = unpack(move ^ moves.PLAY)
            found = _PLAY_HEADS[len(cards)] + cards + self.tail
        else:
            found = field_bytes(1, legal_move_bytes(move, self.kind))
        if len(self) < _KEPT_MAX:
            self[move] = found
        return found


_ENTRIES: Final = tuple(_Entries(kind) for kind in range(max(TractorMoveKind) + 1))


def legal_bytes(legal: Legal, mode: int) -> bytes:
    """See `GameWire.legal_bytes`."""
    if mode == LegalMode.OFF:
        return _TRUNCATED
    listed, kinds = legal.moves, legal.kinds
    if listed and kinds.count(kinds[0]) == len(kinds):
        # Most answers are of one kind, and half the time of this function is the look-up of it.
        known = _ENTRIES[kinds[0]]
        entries = [known[move] for move in listed]
    else:
        entries = [_ENTRIES[kind][move] for move, kind in zip(listed, kinds, strict=True)]
    patterns: Sequence[Pattern] = legal.patterns
    if type(patterns) is not tuple or patterns:
        # They may be endless in practice: never ask how many there are.
        patterns = list(islice(patterns, LISTED_MAX + 1))
    if mode == LegalMode.SUMMARY and len(entries) + len(patterns) > SUMMARY_MAX:
        return _TRUNCATED
    if not patterns and len(entries) <= LISTED_MAX:
        return b"".join(entries)
    is_cut = len(entries) > LISTED_MAX or len(patterns) > LISTED_MAX
    found = entries[:LISTED_MAX] + [_pattern(pattern) for pattern in patterns[:LISTED_MAX]]
    return b"".join(found) + (_TRUNCATED if is_cut else b"")


@lru_cache(maxsize=_PATTERNS_KEPT_MAX)
def _pattern(pattern: Pattern) -> bytes:
    """An element of ``LegalMoves.patterns``; kept, as a seat is told of the throws of a suit again
    with each lead until it plays a card of it."""
    step = moves.CALL_STEP if pattern.kind == TractorMoveKind.CALL else 0
    return field_bytes(
        2,
        field_bytes(1, _KINDS[pattern.kind])
        + field_packed(2, unpack(pattern.fixed))
        + field_packed(3, unpack(pattern.pool))
        + field_number(4, pattern.least)
        + field_number(5, pattern.most)
        + field_number(6, step),
    )
