"""What the views of all games have in common.

Each game's folder has a subclass for its own message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

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


def _refuse() -> Any:
    raise RuntimeError("nobody read this view while its decision was open")


class GameView(Generic[M]):
    """One seat's view of a match, readable and lazy: a bot pays for what it reads."""

    memory: ClassVar[Callable[[], Any] | None] = None
    """Makes what views of one seat leave for later ones, for games whose views are long."""

    _make: Callable[[], M]

    def __init__(self, message: M, memory: Any = None) -> None:
        self.message = message

    @classmethod
    def later(cls, make: Callable[[], M], memory: Any = None) -> Self:
        """A view whose message is made when it is first read, by *make*; until `close`."""
        view = cls(None, memory)  # type: ignore[arg-type]
        del view.message
        view._make = make
        return view

    def close(self, *, is_kept: bool) -> None:
        """The match goes on. Who has kept the view will find it as it is now."""
        if is_kept:
            self.message  # noqa: B018 - is made
        self._make = _refuse

    @cached_property
    def message(self) -> M:
        """The view as the contract writes it."""
        return self._make()

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
