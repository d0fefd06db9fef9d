"""Moves of Pokex: messages to move codes and back, and what legal answers need of them.

Must not be put here: whether a move is legal; only whether it is a move at all, by the same limits
as the annotations of ``pokex.proto``.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

from croupier.v1 import game_pb2
from croupier_server.errors import IllegalMove
from croupier_server.games.base import Move, Pattern
from croupier_server.games.cards import CARD_MAX, ONES, Card, Cards, count, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.pokex import moves
from croupier_server.games.pokex.moves import PokexDecisionKind, PokexMoveKind
from croupier_server.games.pokex.refusals import Rule
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.generated import pokex as messages
from croupier_server.wire.generated.pokex import MOVE
from croupier_server.wire.legal import LegalBytes, kind_bytes
from croupier_server.wire.moves import SINGLES, malformed, no_code, no_kind, packed

CARDS: Final = 2
"""Cards of a play."""

_RANKS: Final = range(moves.RANK_LEAST, moves.RANK_MOST + 1)
_TAG: Final = game.MOVE["pokex"]
_KEPT_MAX: Final = 4096
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
            code = packed(play.cards, "pokex.play.cards", CARDS, CARDS, ONES) | moves.PLAY
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


_MOVES: Final = Kept[Move, bytes](lambda move: framed(_TAG, pokex_move(move)), _KEPT_MAX)


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
    _KEPT_MAX,
    template=_template,
)
"""Legal moves of Pokex."""
