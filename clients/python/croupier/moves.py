"""A move as bots handle it: a message with its kind, its cards and its text.

`Move` wraps the contract's message and reads it only when asked. Moves come from `decision.legal`,
or are made by the functions below, such as ``croupier.moves.play("7S 7S")``.

Must not be put here: how a game's moves look on the wire; each game has a folder for that.
"""

from __future__ import annotations

from collections.abc import Iterable

from croupier.cards import Card
from croupier.tractor import moves as tractor
from croupier.tractor.moves import MoveKind, move_cards, move_text, move_type
from croupier.v1 import game_pb2

__all__ = ["Move", "bury", "call", "declare", "decline", "name_trumps", "play", "show"]


class Move:
    """One move, ready to be returned by a bot.

    Two moves are equal when they say the same, whatever the order of their cards.
    """

    __slots__ = ("_listed", "message")

    message: game_pb2.Move
    """The move as the contract writes it."""

    def __init__(
        self,
        message: game_pb2.Move,
        listed: game_pb2.LegalMove | game_pb2.MovePattern | None = None,
    ) -> None:
        self.message = message
        self._listed = listed

    @property
    def kind(self) -> MoveKind | None:
        """What the server says it is, such as ``LEAD_PAIR``; None if it did not list it."""
        return None if self._listed is None else MoveKind(self._listed.kind.tractor)

    @property
    def type(self) -> str:
        """Which move it is: ``decline``, ``declare``, ``call``, ``show``, ``play`` and so on."""
        return move_type(self.message.tractor)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Its cards in canonical order; empty for a move without any."""
        return move_cards(self.message.tractor)

    @property
    def points(self) -> int:
        """What its cards count."""
        return sum(card.points for card in self.cards)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Move) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return move_text(self.message.tractor)

    def __repr__(self) -> str:
        return f"<{self}>"


def decline() -> Move:
    """Tractor: declines to declare or to call."""
    return Move(tractor.decline_message())


def declare(cards: str | Iterable[int]) -> Move:
    """Tractor: declares with these equal cards, all that are to lie exposed.

    Raises:
        ValueError: a name is that of no card.
    """
    return Move(tractor.declare_message(cards))


def call(points: int) -> Move:
    """Tractor: calls points in the auction."""
    return Move(tractor.call_message(points))


def show(card: str | int) -> Move:
    """Tractor: shows a card.

    Raises:
        ValueError: it is no card.
    """
    return Move(tractor.show_message(card))


def name_trumps(suit: str | None) -> Move:
    """Tractor: names a trump suit by its letter, or no trump with None.

    Raises:
        ValueError: it is no letter of a suit.
    """
    return Move(tractor.name_trumps_message(suit))


def bury(cards: str | Iterable[int]) -> Move:
    """Tractor: buries cards in the kitty.

    Raises:
        ValueError: a name is that of no card.
    """
    return Move(tractor.bury_message(cards))


def play(cards: str | Iterable[int]) -> Move:
    """Tractor: plays cards to a trick.

    >>> play("7S 7S")
    <play 7S 7S>

    Raises:
        ValueError: a name is that of no card.
    """
    return Move(tractor.play_message(cards))
