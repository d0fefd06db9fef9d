"""The moves of Tractor: their kinds, how they are made, and how they are written.

The numbers of both enums are those of the contract. Must not be put here: which moves are legal;
the server says so in every decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, cast

from croupier.cards import Card, parse_cards, text, to_cards
from croupier.v1 import cards_pb2, game_pb2, tractor_pb2

__all__ = [
    "DecisionKind",
    "MoveKind",
    "Suit",
    "bury_message",
    "call_message",
    "card_move_message",
    "declare_message",
    "decline_message",
    "move_cards",
    "move_text",
    "move_type",
    "name_trumps_message",
    "play_message",
    "show_message",
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


_SUIT_LETTERS: Final = "?SHDC"


def _numbers(cards: str | Iterable[int]) -> list[cards_pb2.Card.ValueType]:
    """Cards as the contract writes them: numbers in canonical order."""
    found: Iterable[int] = parse_cards(cards) if isinstance(cards, str) else cards
    return cast("list[cards_pb2.Card.ValueType]", sorted(found))


def _wrap(move: tractor_pb2.TractorMove) -> game_pb2.Move:
    return game_pb2.Move(tractor=move)


def decline_message() -> game_pb2.Move:
    """Declines to declare or to call."""
    return _wrap(tractor_pb2.TractorMove(decline=tractor_pb2.TractorDecline()))


def declare_message(cards: str | Iterable[int]) -> game_pb2.Move:
    """Declares with these equal cards, all that are to lie exposed."""
    return _wrap(tractor_pb2.TractorMove(declare=tractor_pb2.TractorDeclare(cards=_numbers(cards))))


def call_message(points: int) -> game_pb2.Move:
    """Calls points in the auction."""
    return _wrap(tractor_pb2.TractorMove(call=tractor_pb2.TractorCall(points=points)))


def show_message(card: str | int) -> game_pb2.Move:
    """Shows a card."""
    number = Card.parse(card) if isinstance(card, str) else card
    shown = tractor_pb2.TractorShow(card=cast("cards_pb2.Card.ValueType", int(number)))
    return _wrap(tractor_pb2.TractorMove(show=shown))


def name_trumps_message(suit: str | None) -> game_pb2.Move:
    """Names a trump suit by its letter, or no trump with None.

    Raises:
        ValueError: it is no letter of a suit.
    """
    named = tractor_pb2.TractorNameTrumps()
    if suit is not None:
        if len(suit) != 1 or suit.upper() not in "SHDC":
            raise ValueError(f"{suit!r} is no suit; write S, H, D, C or None")
        named.suit = cast("cards_pb2.Suit.ValueType", _SUIT_LETTERS.index(suit.upper()))
    return _wrap(tractor_pb2.TractorMove(name_trumps=named))


def bury_message(cards: str | Iterable[int]) -> game_pb2.Move:
    """Buries cards."""
    return _wrap(tractor_pb2.TractorMove(bury=tractor_pb2.TractorBury(cards=_numbers(cards))))


def play_message(cards: str | Iterable[int]) -> game_pb2.Move:
    """Plays cards to a trick."""
    return _wrap(tractor_pb2.TractorMove(play=tractor_pb2.TractorPlay(cards=_numbers(cards))))


def card_move_message(kind: int, cards: Iterable[int]) -> game_pb2.Move:
    """The move of a pattern's member: *kind* says whether cards are buried or played."""
    return bury_message(cards) if kind == MoveKind.BURY else play_message(cards)


def move_type(move: tractor_pb2.TractorMove) -> str:
    """Name of the arm that is set; empty if none is."""
    return move.WhichOneof("move") or ""


def move_cards(move: tractor_pb2.TractorMove) -> tuple[Card, ...]:
    """The cards of a move in canonical order."""
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


def move_text(move: tractor_pb2.TractorMove) -> str:
    """The move as a card player writes it.

    >>> move_text(play_message("7S 7S").tractor), move_text(name_trumps_message(None).tractor)
    ('play 7S 7S', 'trumps NT')
    """
    match move.WhichOneof("move"):
        case "decline":
            return "pass"
        case "call":
            return f"call {move.call.points}"
        case "name_trumps":
            named = move.name_trumps
            return f"trumps {_SUIT_LETTERS[named.suit] if named.HasField('suit') else 'NT'}"
        case None:
            return "no move"
        case arm:
            return f"{arm} {text(move_cards(move))}"
