"""A move as bots handle it: a message with its kind, its cards and its text.

`Move` wraps the contract's message and reads it only when asked. Moves come from `decision.legal`,
or are made by the functions of a game's folder, such as ``croupier.tractor.play("7S 7S")``.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import ClassVar, cast

from croupier.cards import Card, parse_cards, parse_rank
from croupier.v1 import cards_pb2, game_pb2

__all__ = ["Move", "card_number", "card_numbers", "rank_number"]


class Move:
    """One move, ready to be returned by a bot.

    Two moves are equal when they say the same, whatever the order of their cards.
    """

    __slots__ = ("_listed", "message")

    game: ClassVar[str] = ""
    """Name of its game, which is also that of the arm of its message."""

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
    def kind(self) -> IntEnum | None:
        """What the server says it is, a ``MoveKind`` of its game; None if it did not list it."""
        raise NotImplementedError

    @property
    def type(self) -> str:
        """Which move it is: the name of the arm of its message, such as ``play``."""
        arm: str | None = getattr(self.message, self.game).WhichOneof("move")
        return arm or ""

    @property
    def cards(self) -> tuple[Card, ...]:
        """Its cards in canonical order; empty for a move without any."""
        raise NotImplementedError

    @property
    def points(self) -> int:
        """What its cards count, in games whose cards count something."""
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Move) and self.game == other.game and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self}>"


def card_numbers(cards: str | Iterable[int]) -> list[cards_pb2.Card.ValueType]:
    """Cards, or their names between blanks, as the contract writes them: in canonical order.

    Raises:
        ValueError: a name is that of no card.
    """
    found: Iterable[int] = parse_cards(cards) if isinstance(cards, str) else cards
    return cast("list[cards_pb2.Card.ValueType]", sorted(found))


def card_number(card: str | int) -> cards_pb2.Card.ValueType:
    """One card, or its name, as the contract writes it.

    Raises:
        ValueError: it is the name of no card.
    """
    number = Card.parse(card) if isinstance(card, str) else card
    return cast("cards_pb2.Card.ValueType", int(number))


def rank_number(rank: str | int) -> cards_pb2.Rank.ValueType:
    """A rank, or its letter, as the contract writes it.

    Raises:
        ValueError: it is no rank.
    """
    return cast("cards_pb2.Rank.ValueType", parse_rank(rank))
