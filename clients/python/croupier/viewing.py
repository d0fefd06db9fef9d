"""What the views of all games have in common.

Each game's folder has a subclass for its own message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from croupier.cards import Card, to_cards

__all__ = ["GameView"]


class _Public(Protocol):
    """What the public part of every game's view message has."""

    @property
    def deal(self) -> int: ...
    @property
    def hand_sizes(self) -> Sequence[int]: ...


P_co = TypeVar("P_co", bound=_Public, covariant=True)


class _Message(Protocol[P_co]):
    """What every game's view message has."""

    @property
    def public_view(self) -> P_co: ...
    @property
    def seat(self) -> int: ...
    @property
    def hand(self) -> Sequence[int]: ...


M = TypeVar("M", bound=_Message[_Public])


class GameView(Generic[M]):
    """One seat's view of a match, readable and lazy: a bot pays for what it reads.

    Attributes:
        message: the view as the contract writes it.
    """

    memory: ClassVar[Callable[[], Any] | None] = None
    """Makes what views of one seat leave for later ones, for games whose views are long."""

    def __init__(self, message: M, memory: Any = None) -> None:
        self.message = message

    @cached_property
    def seat(self) -> int:
        """The seat that sees this."""
        return self.message.seat

    @cached_property
    def hand(self) -> list[Card]:
        """The seat's hand in canonical order."""
        return to_cards(self.message.hand)

    @property
    def deal(self) -> int:
        """Number of the deal, from 1."""
        return self.message.public_view.deal

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.message.public_view.hand_sizes)

    @property
    def hand_sizes(self) -> list[int]:
        """Cards in each seat's hand."""
        return list(self.message.public_view.hand_sizes)

    @property
    def last_result(self) -> Any:
        """Result of the deal that was finished last, a message of the game; None before that."""
        raise NotImplementedError
