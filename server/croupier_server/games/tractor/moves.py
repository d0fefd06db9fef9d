"""The moves of Tractor: their code inside, their kinds on the wire, and their text.

A move is one integer. Digit 0 (the lowest four bits, which no card uses) holds the `MoveType`;
the rest is the payload: packed cards in place for the moves that hold cards, otherwise a number
shifted by four bits. So ``move = cards | MoveType.PLAY`` and ``cards = move & ~15``.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from itertools import islice
from typing import Final

from croupier_server.errors import MalformedMove, Reason
from croupier_server.games import cards as card_text
from croupier_server.games import patterns
from croupier_server.games.base import Legal, Move, Pattern

TYPE_MASK: Final = 15
LEGAL_LIST_MAX: Final = 64
"""Legal moves are all listed while there are at most this many."""

NO_TRUMP: Final = 4
"""The payload of NAME_TRUMPS for a deal without a trump suit."""

CALL_STEP: Final = 5
"""Calls are multiples of this (T-11.1)."""


class MoveType(IntEnum):
    """What digit 0 of a move says."""

    PASS = 1
    DECLARE = 2
    CALL = 3
    SHOW = 4
    NAME_TRUMPS = 5
    BURY = 6
    PLAY = 7


class TractorMoveKind(IntEnum):
    """Kinds of listed moves and patterns; the numbers are those of the contract."""

    PASS = 1
    DECLARE = 2
    CALL = 3
    SHOW = 4
    NAME_TRUMPS = 5
    BURY = 6
    LEAD_SINGLE = 7
    LEAD_PAIR = 8
    LEAD_TUPLE = 9
    LEAD_TRACTOR = 10
    LEAD_THROW = 11
    FOLLOW = 12
    """In the led suit, with at least one card of it."""
    RUFF = 13
    """Void in the side suit led, and all cards trump."""
    DISCARD = 14
    """Void in the suit led, and anything but a ruff."""


class TractorDecisionKind(IntEnum):
    """What a seat is asked; the numbers are those of the contract."""

    DECLARE = 1
    CALL = 2
    SHOW = 3
    NAME_TRUMPS = 4
    BURY = 5
    LEAD = 6
    FOLLOW = 7


PASS: Final[Move] = int(MoveType.PASS)
DECLARE: Final = int(MoveType.DECLARE)
CALL: Final = int(MoveType.CALL)
SHOW: Final = int(MoveType.SHOW)
NAME_TRUMPS: Final = int(MoveType.NAME_TRUMPS)
BURY: Final = int(MoveType.BURY)
PLAY: Final = int(MoveType.PLAY)

_SUIT_WORDS: Final[tuple[str, ...]] = ("S", "H", "D", "C", "NT")


def move_type(move: Move) -> int:
    """The `MoveType` of *move*, as a plain number; it may be none of them."""
    return move & TYPE_MASK


def cards_of(move: Move) -> int:
    """The packed cards of a move that holds cards."""
    return move & ~TYPE_MASK


def number_of(move: Move) -> int:
    """The payload of CALL (points) and NAME_TRUMPS (suit, or `NO_TRUMP`)."""
    return move >> 4


def call(points: int) -> Move:
    """The move that calls *points*."""
    return points << 4 | CALL


def name_trumps(suit: int | None) -> Move:
    """The move that names a trump suit, or None for no trump."""
    return (NO_TRUMP if suit is None else suit) << 4 | NAME_TRUMPS


def move_text(move: Move) -> str:
    """The move as a card player writes it.

    >>> move_text(call(80)), move_text(name_trumps(None)), move_text(PASS)
    ('call 80', 'trumps NT', 'pass')

    Raises:
        MalformedMove: it is no move of Tractor.
    """
    kind = move_type(move)
    if kind == PASS and move == PASS:
        return "pass"
    if kind == CALL:
        return f"call {number_of(move)}"
    if kind == NAME_TRUMPS and number_of(move) < len(_SUIT_WORDS):
        return f"trumps {_SUIT_WORDS[number_of(move)]}"
    if kind in (DECLARE, SHOW, BURY, PLAY):
        return f"{MoveType(kind).name.lower()} {card_text.text(cards_of(move))}"
    raise MalformedMove(Reason.MALFORMED_MOVE, f"{move} is not a move of Tractor")


def members(legal: Legal, after: Move = 0) -> Iterator[Move]:
    """Every move of *legal* once; see `Game.members`."""
    listed = legal.moves
    is_listed = after in listed
    if is_listed or not after:
        yield from listed[listed.index(after) + 1 :] if is_listed else listed
    spans = legal.patterns
    if not spans:
        if after and not is_listed:
            raise ValueError("the place to go on from is no legal move")
        return
    behind = 0 if is_listed or not after else after
    if spans[0].kind == TractorMoveKind.CALL:
        yield from _calls(spans[0], behind)
        return
    kind = pattern_type(spans[0])
    if behind and (move_type(behind) != kind or not cards_of(behind)):
        raise ValueError("the place to go on from is no legal move")
    known = set(listed)
    for cards in patterns.members(spans, cards_of(behind)):
        if cards | kind not in known:
            yield cards | kind


def sample(legal: Legal, draw: Iterator[int]) -> Move:
    """A move of *legal* at random; see `Game.sample`. Of a pattern first the number of cards is
    drawn, then the cards. Of many patterns, one of those that a client could be sent is drawn."""
    listed, spans = legal.moves, legal.patterns
    if not spans or (listed and patterns.below(2, draw)):
        return listed[patterns.below(len(listed), draw)]
    if spans[0].kind == TractorMoveKind.CALL:
        least, most = spans[0].least, spans[0].most
        return call(least + CALL_STEP * patterns.below((most - least) // CALL_STEP + 1, draw))
    some = list(islice(spans, LEGAL_LIST_MAX))
    span = some[patterns.below(len(some), draw)]
    return patterns.draw_one(span, draw) | pattern_type(span)


def pattern_type(span: Pattern) -> int:
    """The type of the moves of *span*; all patterns of a decision have the same."""
    return _PATTERN_TYPES.get(span.kind, PLAY)


_PATTERN_TYPES: Final[dict[int, int]] = {TractorMoveKind.BURY: BURY, TractorMoveKind.CALL: CALL}
"""By the kind of a pattern: the type of its moves, where it is no play."""


def _calls(span: Pattern, after: Move) -> Iterator[Move]:
    """The calls of a span of points, behind *after* if it is not 0."""
    first = number_of(after) + CALL_STEP if after else span.least
    if after and (move_type(after) != CALL or not span.least < first <= span.most + CALL_STEP):
        raise ValueError("the place to go on from is no legal move")
    return (call(points) for points in range(first, span.most + 1, CALL_STEP))
