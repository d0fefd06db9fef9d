"""The messages of a game built with the generated classes, field by field: the readable version
of what `croupier_server.wire` writes as bytes.

`Oracle` is what all games have in common; each game has a file beside this one.

Must not be put here: anything taken from `croupier_server.wire`, and anything quick.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, cast

from croupier.v1 import cards_pb2, game_pb2
from croupier_server.games.base import Event, Legal, Move, Pattern, Seat
from croupier_server.games.cards import Cards

SUITS = (
    cards_pb2.SUIT_SPADES,
    cards_pb2.SUIT_HEARTS,
    cards_pb2.SUIT_DIAMONDS,
    cards_pb2.SUIT_CLUBS,
)


def card(number: int) -> cards_pb2.Card.ValueType:
    """The enum value of a card; the stubs know a number as such only by its name."""
    return cards_pb2.Card.Value(cards_pb2.Card.Name(cast("cards_pb2.Card.ValueType", number)))


def a_rank(number: int) -> cards_pb2.Rank.ValueType:
    """The enum value of a rank, or not set for 0."""
    return cards_pb2.Rank.Value(cards_pb2.Rank.Name(cast("cards_pb2.Rank.ValueType", number)))


def ids(cards: Cards) -> list[cards_pb2.Card.ValueType]:
    """The cards of a packed count, ascending, read digit by digit."""
    return [card(one) for one in range(1, 55) for _ in range(cards >> 4 * one & 15)]


class Oracle(ABC):
    """Messages of one game, whose arm in every oneof is ``name``.

    Messages, states and parts of events are `Any` here: each game's file says which they are.
    """

    name: ClassVar[str]

    # What a game says --------------------------------------------------------------------------

    @abstractmethod
    def game_move(self, code: Move) -> Any:
        """The game's message of a move."""

    @abstractmethod
    def game_result(self, scored: Any) -> Any:
        """The game's message of how a deal ended."""

    @abstractmethod
    def fill_event(self, message: Any, part: Any) -> None:
        """Put the public part of an event into the game's message."""

    @abstractmethod
    def fill_private(self, message: Any, public: Any, part: Any) -> None:
        """Put the private part of an event, which has the public part *public*, into the game's
        message."""

    @abstractmethod
    def game_public(self, public: Any) -> Any:
        """The game's message of what everybody knows."""

    @abstractmethod
    def game_seat(self, state: Any, seat: Seat) -> Any:
        """The game's message of what *seat* knows."""

    @abstractmethod
    def game_template(self, of: Pattern) -> Any:
        """The game's message of what the members of a pattern share."""

    def step(self, of: Pattern) -> int:
        """The distance of the numbers of a pattern; 0 for a pattern of cards."""
        return 0

    # What follows from it ----------------------------------------------------------------------

    def kind_of(self, number: int) -> game_pb2.MoveKind:
        """The message of a kind of move."""
        message = game_pb2.MoveKind()
        setattr(message, self.name, number)
        return message

    def move(self, code: Move) -> game_pb2.Move:
        """A move."""
        message = game_pb2.Move()
        getattr(message, self.name).CopyFrom(self.game_move(code))
        return message

    def legal_move(self, code: Move, kind: int) -> game_pb2.LegalMove:
        """A move with its kind."""
        return game_pb2.LegalMove(move=self.move(code), kind=self.kind_of(kind))

    def pattern(self, of: Pattern) -> game_pb2.MovePattern:
        """A family of moves."""
        message = game_pb2.MovePattern(kind=self.kind_of(of.kind))
        getattr(message.template, self.name).CopyFrom(self.game_template(of))
        step = self.step(of)
        if step:
            bounds = game_pb2.NumberRange(min=of.least, max=of.most, step=step)
            message.number.CopyFrom(bounds)
        else:
            choice = game_pb2.CardChoice(pool=ids(of.pool), min=of.least, max=of.most)
            message.cards.CopyFrom(choice)
        return message

    def legal_moves(self, legal: Legal) -> game_pb2.LegalMoves:
        """A whole answer (`LegalMode.FULL`)."""
        message = game_pb2.LegalMoves(
            moves=[
                self.legal_move(code, kind)
                for code, kind in zip(legal.moves, legal.kinds, strict=True)
            ]
        )
        for of in legal.patterns:
            if len(message.patterns) == 64:
                message.truncated = True
                break
            message.patterns.append(self.pattern(of))
        return message

    def game_event(self, event: Event) -> game_pb2.GameEvent:
        """The public part of an event."""
        message = game_pb2.GameEvent()
        self.fill_event(getattr(message, self.name), event.public)
        return message

    def private_event(self, event: Event, seat: Seat) -> game_pb2.GamePrivateEvent:
        """The private part of an event for *seat*."""
        message = game_pb2.GamePrivateEvent()
        self.fill_private(getattr(message, self.name), event.public, event.private[seat])
        return message

    def deal_result(self, scored: Any) -> game_pb2.DealResult:
        """How a deal ended."""
        message = game_pb2.DealResult()
        getattr(message, self.name).CopyFrom(self.game_result(scored))
        return message

    def public_view(self, state: Any) -> game_pb2.PublicView:
        """What everybody knows."""
        message = game_pb2.PublicView()
        getattr(message, self.name).CopyFrom(self.game_public(state.public))
        return message

    def seat_view(self, state: Any, seat: Seat) -> game_pb2.SeatView:
        """What *seat* knows."""
        message = game_pb2.SeatView()
        getattr(message, self.name).CopyFrom(self.game_seat(state, seat))
        return message
