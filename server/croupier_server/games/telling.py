"""What telling a game in words asks of it (`Teller`), and what all tellers share: names of seats,
and the hands that may be seen.

The hands of seats whose private parts are given are kept up to date from those parts and from the
moves, and told with each move that takes cards from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Protocol

from croupier.cards import text as card_text
from croupier.v1 import game_pb2

Private = Mapping[int, game_pb2.GamePrivateEvent]
"""Private parts of an event by seat: those that the audience may see."""


class Teller(Protocol):
    """Tells the events of one game, for a table whose seats have these names."""

    score: ClassVar[str]
    """What a match's score is."""
    ends: ClassVar[Mapping[str, tuple[str, ...]]]
    """By the key of `croupier replay` that goes on to it: words of which the last line of a trick
    or turn (t), or of a deal (d), has one."""

    def __init__(self, names: Mapping[int, str]) -> None: ...

    def tell(self, event: game_pb2.GameEvent, private: Private) -> list[str]:
        """Lines for *event*; none while it is better told together with what follows."""
        ...

    def flush(self) -> list[str]:
        """Lines for what was held back."""
        ...

    def position(self, view: game_pb2.PublicView) -> list[str]:
        """Lines for a view."""
        ...


class Table:
    """The names and the known hands of a table."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names
        self._hands: dict[int, list[int]] = {}

    def name(self, seat: int) -> str:
        """A seat and who sits there."""
        return self._names.get(seat, str(seat))

    def new_deal(self) -> None:
        """Forget the hands of the last deal."""
        self._hands.clear()

    def gain(self, seat: int, cards: Iterable[int]) -> None:
        """*seat* takes *cards*, which may be seen, into its hand."""
        self._hands.setdefault(seat, []).extend(cards)

    def lose(self, seat: int, cards: Iterable[int]) -> str:
        """*seat* parts with *cards*; what is left of its hand, if that may be seen."""
        hand = self._hands.get(seat)
        if hand is None:
            return ""
        for card in cards:
            hand.remove(card)
        return f"   [left: {card_text(sorted(hand)) or 'no card'}]"

    def dealt(self, private: Mapping[int, Sequence[int]]) -> list[str]:
        """Lines for hands that were dealt and may be seen."""
        for seat, cards in private.items():
            self.gain(seat, cards)
        return [
            f"  {self.name(seat)} is dealt {card_text(sorted(cards))}"
            for seat, cards in sorted(private.items())
        ]

    def lay(self, seat: int, cards: Iterable[int], verb: str) -> str:
        """The line of a move that takes *cards* from a hand."""
        laid = list(cards)
        return f"{self.name(seat)} {verb} {card_text(laid)}{self.lose(seat, laid)}"
