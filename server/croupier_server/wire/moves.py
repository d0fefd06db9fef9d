"""What moves of all games have in common on the wire: cards and what is no move at all.

Must not be put here: any one game's move, and whether a move is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier.v1 import game_pb2
from croupier_server.errors import MalformedMove, Reason
from croupier_server.games.base import Move
from croupier_server.games.cards import CARD_MAX, CARD_NAMES, COPIES_MAX, Cards, single

SINGLES: Final[dict[int, Cards]] = {card: single(card) for card in range(1, CARD_MAX + 1)}
"""One of every card, by its number; what is no card is not in it."""


def malformed(path: str, why: str) -> MalformedMove:
    """The refusal of a message whose field *path*, from the game's arm on, is no part of a move."""
    return MalformedMove(Reason.MALFORMED_MOVE, why, field=f"move.{path}")


def no_kind(message: game_pb2.Move, game: str) -> MalformedMove:
    """The refusal of a message in which no move of *game* is set."""
    arm = message.WhichOneof("game")
    if arm is None:
        return malformed("game", "the move is empty")
    if arm != game:
        return malformed(arm, "a move of another game")
    return malformed(f"{game}.move", "no kind of move is set")


def no_code(move: Move, title: str) -> MalformedMove:
    """The refusal of a number that is no move of the game called *title*."""
    return MalformedMove(Reason.MALFORMED_MOVE, f"{move} is no move of {title}")


def card(number: int, path: str) -> Cards:
    """The packed count of one card, which comes from outside."""
    found = SINGLES.get(number)
    if found is None:
        raise malformed(path, f"{number} is no card")
    return found


def packed(cards: Sequence[int], path: str, least: int, most: int) -> Cards:
    """The packed counts of *cards*, which come from outside: from *least* to *most* of them."""
    number = len(cards)
    if not least <= number <= most:
        raise malformed(path, f"{number} cards are not from {least} to {most}")
    if number <= COPIES_MAX:
        try:
            return sum([SINGLES[card] for card in cards])
        except KeyError:
            pass  # told apart below
    copies = [0] * (CARD_MAX + 1)
    found = 0
    for place, one in enumerate(cards):
        found += card(one, f"{path}[{place}]")
        copies[one] += 1
        if copies[one] > COPIES_MAX:
            raise malformed(
                f"{path}[{place}]", f"more than {COPIES_MAX} copies of {CARD_NAMES[one]}"
            )
    return found
