"""The moves of Tractor: their kinds, how they are made, and how they are written.

The numbers of both enums are those of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, cast

from croupier.cards import Card, text, to_cards
from croupier.moves import Move, card_number, card_numbers
from croupier.v1 import game_pb2, tractor_pb2

__all__ = [
    "DecisionKind",
    "MoveKind",
    "Suit",
    "TractorMove",
    "bury",
    "call",
    "declare",
    "decline",
    "name_trumps",
    "play",
    "show",
]


class DecisionKind(IntEnum):
    """What a seat is asked."""

    DECLARE = 1
    """T-3.5: declare or decline; a sealed window."""
    CALL = 2
    """T-11.1: call points or decline."""
    SHOW = 3
    """T-11.2: show one card."""
    NAME_TRUMPS = 4
    """T-11.3: name a trump suit or no trump."""
    BURY = 5
    """T-9.1: bury as many cards as the kitty had."""
    LEAD = 6
    """T-5: lead to a trick."""
    FOLLOW = 7
    """T-6: follow to a trick."""


class MoveKind(IntEnum):
    """What a listed move is, so that no bot needs rules code."""

    PASS = 1
    """Decline to declare or call."""
    DECLARE = 2
    """T-3: declare trumps."""
    CALL = 3
    """T-11.1: call points."""
    SHOW = 4
    """T-11.2: show a card."""
    NAME_TRUMPS = 5
    """T-11.3: name trumps."""
    BURY = 6
    """T-9.1: bury."""
    LEAD_SINGLE = 7
    """T-5.1: lead one card."""
    LEAD_PAIR = 8
    """T-5.1: lead two equal cards."""
    LEAD_TUPLE = 9
    """T-5.1: lead three or more equal cards."""
    LEAD_TRACTOR = 10
    """T-5.2: lead a tractor."""
    LEAD_THROW = 11
    """T-5.4: try a throw. A pattern of this kind also covers the plain leads of its suit."""
    FOLLOW = 12
    """T-6.2: follow with at least one card of the led suit."""
    RUFF = 13
    """T-6.3: void in a side suit led, trumps only."""
    DISCARD = 14
    """T-6.3: void, anything else."""


class Suit(IntEnum):
    """An effective suit (T-4): a side suit without its trumps, or all trumps."""

    SPADES = 1
    HEARTS = 2
    DIAMONDS = 3
    CLUBS = 4
    TRUMPS = 5


_NAMED: Final = ("?", "S", "H", "D", "C", "NT")
"""By number, what can be named as trumps."""


class TractorMove(Move):
    """A move of Tractor."""

    __slots__ = ()

    game = "tractor"

    @property
    def kind(self) -> MoveKind | None:
        """What the server says it is, such as ``LEAD_PAIR``; None if it did not list it."""
        return None if self._listed is None else MoveKind(self._listed.kind.tractor)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Its cards in canonical order; empty for a move without any."""
        move = self.message.tractor
        match move.WhichOneof("move"):
            case "play":
                return tuple(sorted(to_cards(move.play.cards)))
            case "bury":
                return tuple(sorted(to_cards(move.bury.cards)))
            case "declare":
                return tuple(sorted(to_cards(move.declare.cards)))
            case "show":
                return tuple(to_cards([move.show.card]))
            case _:
                return ()

    @property
    def points(self) -> int:
        """What its cards count."""
        return sum(card.points for card in self.cards)

    def __str__(self) -> str:
        move = self.message.tractor
        match move.WhichOneof("move"):
            case "decline":
                return "pass"
            case "call":
                return f"call {move.call.points}"
            case "name_trumps":
                named = move.name_trumps
                return f"trumps {_NAMED[named.suit]}"
            case None:
                return "no move"
            case arm:
                return f"{arm} {text(self.cards)}"


def _wrap(move: tractor_pb2.TractorMove) -> TractorMove:
    return TractorMove(game_pb2.Move(tractor=move))


def decline() -> TractorMove:
    """Declines to declare or to call."""
    return _wrap(tractor_pb2.TractorMove(decline=tractor_pb2.TractorDecline()))


def declare(cards: str | Iterable[int]) -> TractorMove:
    """Declares with these equal cards, all that are to lie exposed.

    Raises:
        ValueError: a name is that of no card. So with every function here that takes cards.
    """
    declared = tractor_pb2.TractorDeclare(cards=card_numbers(cards))
    return _wrap(tractor_pb2.TractorMove(declare=declared))


def call(points: int) -> TractorMove:
    """Calls points in the auction."""
    return _wrap(tractor_pb2.TractorMove(call=tractor_pb2.TractorCall(points=points)))


def show(card: str | int) -> TractorMove:
    """Shows a card."""
    shown = tractor_pb2.TractorShow(card=card_number(card))
    return _wrap(tractor_pb2.TractorMove(show=shown))


def name_trumps(suit: str | None) -> TractorMove:
    """Names a trump suit by its letter, or no trump with None.

    >>> name_trumps(None)
    <trumps NT>

    Raises:
        ValueError: it is no letter of a suit.
    """
    word = "NT" if suit is None else suit.upper()
    if suit is not None and word not in _NAMED[1:5]:
        raise ValueError(f"{suit!r} is not a suit; write S, H, D, C or None")
    number = cast("tractor_pb2.TractorTrumpSuit.ValueType", _NAMED.index(word))
    named = tractor_pb2.TractorNameTrumps(suit=number)
    return _wrap(tractor_pb2.TractorMove(name_trumps=named))


def bury(cards: str | Iterable[int]) -> TractorMove:
    """Buries cards in the kitty."""
    buried = tractor_pb2.TractorBury(cards=card_numbers(cards))
    return _wrap(tractor_pb2.TractorMove(bury=buried))


def play(cards: str | Iterable[int]) -> TractorMove:
    """Plays cards to a trick.

    >>> play("7S 7S")
    <play 7S 7S>
    """
    played = tractor_pb2.TractorPlay(cards=card_numbers(cards))
    return _wrap(tractor_pb2.TractorMove(play=played))
