"""The moves of Pokex: their code inside, their kinds on the wire, and their text.

A move is one integer. Digit 0 (the lowest four bits, which no card uses) holds the `MoveType`;
the rest is the payload: a number shifted by four bits, or of PLAY two packed cards in place.
Under ``center`` leader_picks a lead has besides the id of the centre card from bit `CENTER_SHIFT`
on, above all cards, and so has ``Pattern.fixed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from math import comb
from operator import itemgetter
from typing import Final

from croupier_server.errors import MalformedMove, Reason
from croupier_server.games import cards as card_text
from croupier_server.games.base import Legal, Move
from croupier_server.games.cards import CARD_MAX, EVERY, RANKS, Card, Cards, one_pack_ids
from croupier_server.games.patterns import below

TYPE_MASK: Final = 15
LEGAL_LIST_MAX: Final = 64
"""Legal moves are all listed while there are at most this many."""

CENTER_SHIFT: Final = 220
"""The lowest bit of the centre card's id in a lead that names it."""

BID_MAX: Final = 6
"""Tricks in a deal, and so the highest bid (P-2.1)."""

RANK_LEAST: Final = 2
RANK_MOST: Final = 14


class MoveType(IntEnum):
    """What digit 0 of a move says."""

    PASS = 1
    BID = 2
    NAME_RANK = 3
    PLAY = 4


class PokexMoveKind(IntEnum):
    """Kinds of listed moves and patterns; the numbers are those of the contract."""

    PASS = 1
    BID = 2
    NAME_RANK = 3
    PLAY = 4


class PokexDecisionKind(IntEnum):
    """What a seat is asked; the numbers are those of the contract."""

    BID = 1
    NAME_RANK = 2
    LEAD = 3
    FOLLOW = 4


PASS: Final[Move] = int(MoveType.PASS)
BID: Final = int(MoveType.BID)
NAME_RANK: Final = int(MoveType.NAME_RANK)
PLAY: Final = int(MoveType.PLAY)

_PLAYS: Final = tuple(
    tuple((1 << 4 * high | 1 << 4 * low) & EVERY | PLAY for low in range(high))
    for high in range(CARD_MAX + 1)
)
"""Plays by the ids of their higher and their lower card; lists of plays share these numbers."""

_PLACES: Final = tuple((low, high) for high in range(1, 12) for low in range(high))
"""Places of two cards of a hand in the order of `plays`, whatever the size of the hand."""

_Picker = Callable[[Sequence[Move]], Sequence[Move]]


def _picker(number: int, gone: int) -> _Picker:
    """Takes out of *number* plays of a hand those that share no card with the one at *gone*."""
    cards = _PLACES[gone]
    left = [
        place
        for place in range(number)
        if _PLACES[place][0] not in cards and _PLACES[place][1] not in cards
    ]
    if len(left) > 1:
        return itemgetter(*left)
    return itemgetter(slice(left[0], left[0] + 1) if left else slice(0))


_LEFT: Final[dict[int, tuple[_Picker, ...]]] = {
    number: tuple(_picker(number, gone) for gone in range(number))
    for number in (comb(size, 2) for size in range(2, 12, 2))
}
"""By the number of plays of a hand and the place of one: what takes the plays left after it."""


def move_type(move: Move) -> int:
    """The `MoveType` of *move*, as a plain number; it may be none of them."""
    return move & TYPE_MASK


def number_of(move: Move) -> int:
    """The payload of BID (tricks) and NAME_RANK (rank 2 to 14)."""
    return move >> 4


def cards_of(move: Move) -> Cards:
    """The packed cards of a PLAY."""
    return move & EVERY


def center_of(move: Move) -> Card:
    """The centre card that a PLAY names, or 0."""
    return move >> CENTER_SHIFT


def bid(tricks: int) -> Move:
    """The move that bids *tricks*."""
    return tricks << 4 | BID


def name_rank(rank: int) -> Move:
    """The move that names *rank*, 2 to 14."""
    return rank << 4 | NAME_RANK


def play(cards: Cards, center: Card = 0) -> Move:
    """The move that plays *cards*, naming the centre card *center* unless it is 0."""
    return center << CENTER_SHIFT | cards | PLAY


def move_text(move: Move) -> str:
    """The move as a card player writes it.

    >>> move_text(bid(3)), move_text(name_rank(10)), move_text(PASS)
    ('bid 3', 'wild T', 'pass')
    >>> move_text(play(card_text.parse("7S AH"), card_text.parse_card("RJ")))
    'play 7S AH with RJ'

    Raises:
        MalformedMove: it is no move of Pokex.
    """
    kind = move_type(move)
    if move == PASS:
        return "pass"
    if kind == BID:
        return f"bid {number_of(move)}"
    if kind == NAME_RANK and RANK_LEAST <= number_of(move) <= RANK_MOST:
        return f"wild {RANKS[number_of(move) - RANK_LEAST]}"
    center = center_of(move)
    if kind == PLAY and center <= CARD_MAX:
        named = f" with {card_text.card_text(center)}" if center else ""
        return f"play {card_text.text(cards_of(move))}{named}"
    raise MalformedMove(Reason.MALFORMED_MOVE, f"{move} is not a move of Pokex")


def members(legal: Legal, after: Move = 0) -> Iterator[Move]:
    """Every move of *legal* once, ascending; see `Game.members`. A decision that is given by
    patterns has no listed moves, and its patterns share nothing."""
    moves = list(legal.moves)
    for pattern in legal.patterns:
        moves += [pattern.fixed | play for play in plays(one_pack_ids(pattern.pool))]
    if not after:
        return iter(moves)
    if after not in moves:
        raise ValueError("the place to go on from is no legal move")
    return iter(moves[moves.index(after) + 1 :])


def sample(legal: Legal, draw: Iterator[int]) -> Move:
    """A move of *legal*, all equally likely; see `Game.sample`."""
    spans = legal.patterns
    if not spans:
        return legal.moves[below(len(legal.moves), draw)]
    _, fixed, pool, _, _ = spans[below(len(spans), draw)] if len(spans) > 1 else spans[0]
    ids = one_pack_ids(pool)
    low, high = _PLACES[below(len(ids) * (len(ids) - 1) >> 1, draw)]
    return fixed | _PLAYS[ids[high]][ids[low]]


def plays(ids: bytes) -> list[Move]:
    """The moves that play any two cards of a hand and name no centre card, ascending; *ids* are
    those of the hand, ascending."""
    return [_PLAYS[high][low] for place, high in enumerate(ids) for low in ids[:place]]


def plays_left(all_plays: Sequence[Move], gone: Move) -> Sequence[Move]:
    """The `plays` of a hand once *gone*, one of *all_plays*, has left it. Far quicker than making
    them anew."""
    return _LEFT[len(all_plays)][all_plays.index(gone)](all_plays)
