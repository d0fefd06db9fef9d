"""What moves of all games have in common on the wire: cards and what is no move at all.

Must not be put here: any one game's move, and whether a move is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier.v1 import game_pb2
from croupier_server.errors import MalformedMove, Reason
from croupier_server.games.base import Move
from croupier_server.games.cards import CARD_MAX, CARD_NAMES, COPIES_MAX, EVERY, Cards, single

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
        return malformed(arm, "the move is for another game")
    return malformed(f"{game}.move", "no kind of move is set")


def no_code(move: Move, title: str) -> MalformedMove:
    """The refusal of a number that is no move of the game called *title*."""
    return MalformedMove(Reason.MALFORMED_MOVE, f"{move} is no move of {title}")


def card(number: int, path: str, pack: Cards = EVERY) -> Cards:
    """The packed count of one card, which comes from outside; *pack* is that of `packed`."""
    found = SINGLES.get(number)
    if found is None:
        raise malformed(path, f"{number} is not a card")
    if not found & pack:
        raise malformed(path, f"there is no {CARD_NAMES[number]} in this game")
    return found


def packed(cards: Sequence[int], path: str, least: int, most: int, pack: Cards = EVERY) -> Cards:
    """The packed counts of *cards*, which come from outside: from *least* to *most* of them.

    *pack* has the bits that they may have: all of them, or in a game of one pack its cards.
    """
    number = len(cards)
    if not least <= number <= most:
        raise malformed(path, f"{number} cards given; {least} to {most} needed")
    if number <= COPIES_MAX:
        try:
            found = sum([SINGLES[card] for card in cards])
        except KeyError:
            pass  # told apart below
        else:
            if not found & ~pack:
                return found
    copies_max = COPIES_MAX if pack == EVERY else 1
    copies = [0] * (CARD_MAX + 1)
    found = 0
    for place, one in enumerate(cards):
        found += card(one, f"{path}[{place}]", pack)
        copies[one] += 1
        if copies[one] > copies_max:
            raise malformed(
                f"{path}[{place}]",
                f"there are no more copies of {CARD_NAMES[one]} than {copies_max} in this game",
            )
    return found
