"""Duel for bots."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from croupier.cards import CARDS, Card
from croupier.game import GameWords
from croupier.moves import Move
from croupier.v1 import duel_pb2
from croupier.viewing import GameView

__all__ = ["WORDS", "DecisionKind", "DuelMove", "DuelView", "MoveKind"]


class DecisionKind(IntEnum):
    """What a seat is asked."""

    STAKE = 1
    PLAY = 2


class MoveKind(IntEnum):
    """What a listed move is."""

    KEEP = 1
    DOUBLE = 2
    PLAY = 3


class DuelMove(Move):
    """A move of Duel."""

    __slots__ = ()
    game = "duel"

    @property
    def kind(self) -> MoveKind | None:
        return None if self._listed is None else MoveKind(self._listed.kind.duel)

    @property
    def cards(self) -> tuple[Card, ...]:
        return (CARDS[self.message.duel.play.card],) if self.type == "play" else ()

    def __str__(self) -> str:
        return " ".join((self.type, *map(str, self.cards)))


class DuelView(GameView[duel_pb2.DuelView]):
    """One seat's view."""

    @property
    def last_result(self) -> duel_pb2.DuelDealResult | None:
        public = self.message.public_view
        return public.last_result if public.HasField("last_result") else None

    def __str__(self) -> str:
        hand = " ".join(str(CARDS[card]) for card in self.message.hand)
        return f"deal {self.deal}, seat {self.seat}\nhand {hand}"

    def __repr__(self) -> str:
        return f"<DuelView of seat {self.seat}, deal {self.deal}>"


WORDS: Final = GameWords(DuelMove, DuelView, MoveKind, DecisionKind)
