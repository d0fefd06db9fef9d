"""What the tellers of all games share: names of seats, and the hands that may be seen.

The hands of seats whose private parts are given are kept up to date from those parts and from the
moves, and told with each move that takes cards from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from croupier.cards import text as card_text


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
