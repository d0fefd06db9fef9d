"""The moves of Tong-its: their code inside, their kinds on the wire, and their text.

A move is one integer. Digit 0 (the lowest four bits, which no card uses) holds the `MoveType`;
above it stand the cards, packed in place. A move that lays something off holds the number of the
meld plus one from bit `MELD_SHIFT` on, above every card. So ``move = cards | MoveType.MELD``.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from croupier_server.errors import MalformedMove, Reason
from croupier_server.games import cards as card_text
from croupier_server.games import patterns
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import Card, Cards

TYPE_MASK: Final = 15
LEGAL_LIST_MAX: Final = 64
"""Legal moves are all listed while there are at most this many."""

MELD_SHIFT: Final = 220
"""From this bit on a move that lays off holds the number of the meld plus one."""

CARDS_MASK: Final = (1 << MELD_SHIFT) - 1 - TYPE_MASK
"""The bits of a move that hold its cards."""


class MoveType(IntEnum):
    """What digit 0 of a move says."""

    DRAW_STOCK = 1
    TAKE_DISCARD = 2
    CALL_DRAW = 3
    MELD = 4
    SECRET_FOUR = 5
    LAY_OFF = 6
    DISCARD = 7
    END_TURN = 8
    FOLD = 9
    CHALLENGE = 10


class TongitsMoveKind(IntEnum):
    """Kinds of listed moves and patterns; the numbers are those of the contract."""

    DRAW_STOCK = 1
    TAKE_DISCARD = 2
    TAKE_AND_LAY_OFF = 3
    CALL_DRAW = 4
    MELD_SET = 5
    MELD_RUN = 6
    SECRET_FOUR = 7
    LAY_OFF = 8
    DISCARD = 9
    END_TURN = 10
    FOLD = 11
    CHALLENGE = 12


class TongitsDecisionKind(IntEnum):
    """What a seat is asked; the numbers are those of the contract."""

    START_TURN = 1
    PLAY = 2
    ANSWER = 3


# The types as plain numbers, for the hot path.
DRAW_STOCK: Final[Move] = int(MoveType.DRAW_STOCK)
TAKE_DISCARD: Final = int(MoveType.TAKE_DISCARD)
CALL_DRAW: Final[Move] = int(MoveType.CALL_DRAW)
MELD: Final = int(MoveType.MELD)
SECRET_FOUR: Final = int(MoveType.SECRET_FOUR)
LAY_OFF: Final = int(MoveType.LAY_OFF)
DISCARD: Final = int(MoveType.DISCARD)
END_TURN: Final[Move] = int(MoveType.END_TURN)
FOLD: Final[Move] = int(MoveType.FOLD)
CHALLENGE: Final[Move] = int(MoveType.CHALLENGE)

BARE: Final = frozenset((DRAW_STOCK, CALL_DRAW, END_TURN, FOLD, CHALLENGE))
"""Moves that have no payload, and so are their own type."""


def move_type(move: Move) -> int:
    """The `MoveType` of *move*, as a plain number; it may be none of them."""
    return move & TYPE_MASK


def cards_of(move: Move) -> Cards:
    """The packed cards of *move*: for TAKE_DISCARD those of the hand, none if it is laid off."""
    return move & CARDS_MASK


def meld_of(move: Move) -> int:
    """The number of the meld that *move* lays off on, or -1."""
    return (move >> MELD_SHIFT) - 1


def take_for_meld(cards: Cards) -> Move:
    """The move that takes the top discard and melds it with *cards* of the hand (G-2.2)."""
    return cards | TAKE_DISCARD


def take_for_lay_off(meld: int) -> Move:
    """The move that takes the top discard and lays it off on the meld of that number (G-2.2)."""
    return meld + 1 << MELD_SHIFT | TAKE_DISCARD


def lay_off(meld: int, cards: Cards) -> Move:
    """The move that lays *cards* off on the meld of that number (G-4)."""
    return meld + 1 << MELD_SHIFT | cards | LAY_OFF


def discard(card: Card) -> Move:
    """The move that discards *card* (G-2.4)."""
    return 1 << 4 * card | DISCARD


_BARE_WORDS: Final = {
    DRAW_STOCK: "draw stock",
    CALL_DRAW: "call draw",
    END_TURN: "end turn",
    FOLD: "fold",
    CHALLENGE: "challenge",
}
_CARD_WORDS: Final = {MELD: "meld", SECRET_FOUR: "secret four", DISCARD: "discard"}


def move_text(move: Move) -> str:
    """The move as a card player writes it. Melds are named by their number in the deal.

    >>> from croupier_server.games.cards import parse
    >>> move_text(take_for_meld(parse("7H 7C"))), move_text(lay_off(2, parse("4S 5S")))
    ('take discard with 7H 7C', 'lay off 4S 5S on meld 2')

    Raises:
        MalformedMove: it is no move of Tong-its.
    """
    kind, cards, meld = move_type(move), cards_of(move), meld_of(move)
    if move in _BARE_WORDS:
        return _BARE_WORDS[move]
    if kind in _CARD_WORDS and cards and meld < 0:
        return f"{_CARD_WORDS[kind]} {card_text.text(cards)}"
    if kind == LAY_OFF and cards and meld >= 0:
        return f"lay off {card_text.text(cards)} on meld {meld}"
    if kind == TAKE_DISCARD and bool(cards) != (meld >= 0):
        return f"take discard with {card_text.text(cards)}" if cards else f"take discard on {meld}"
    raise MalformedMove(Reason.MALFORMED_MOVE, f"{move} is not a move of Tong-its")


def members(legal: Legal, after: Move = 0) -> Iterator[Move]:
    """Every move of *legal* once; see `Game.members`. Patterns have one member each."""
    listed = legal.moves
    is_listed = after in listed
    if is_listed or not after:
        yield from listed[listed.index(after) + 1 :] if is_listed else listed
    is_behind = is_listed or not after
    for move in map(pattern_move, legal.patterns):
        if is_behind:
            yield move
        elif move == after:
            is_behind = True
    if not is_behind:
        raise ValueError("the place to go on from is no legal move")


def sample(legal: Legal, draw: Iterator[int]) -> Move:
    """A move of *legal* at random; see `Game.sample`."""
    listed, spans = legal.moves, legal.patterns
    if not spans or (listed and patterns.below(2, draw)):
        return listed[patterns.below(len(listed), draw)]
    return pattern_move(spans[patterns.below(len(spans), draw)])


def pattern_move(span: Pattern) -> Move:
    """The one member of a pattern."""
    return span.fixed | _PATTERN_TYPES.get(span.kind, MELD)


_PATTERN_TYPES: Final[dict[int, int]] = {
    TongitsMoveKind.SECRET_FOUR: SECRET_FOUR,
    TongitsMoveKind.LAY_OFF: LAY_OFF,
    TongitsMoveKind.DISCARD: DISCARD,
    TongitsMoveKind.END_TURN: END_TURN,
}
"""By the kind of a pattern: the type of its move, where it is no meld."""
