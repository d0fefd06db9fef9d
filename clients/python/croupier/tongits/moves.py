"""The moves of Tong-its: their kinds, how they are made, and how they are written.

The numbers of both enums are those of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from croupier.cards import CARDS, Card, text, to_cards
from croupier.moves import Move, card_number, card_numbers, rank_number
from croupier.v1 import game_pb2, tongits_pb2

__all__ = [
    "DecisionKind",
    "MoveKind",
    "TongitsMove",
    "call_draw",
    "card_points",
    "challenge",
    "discard",
    "draw_stock",
    "end_turn",
    "fold",
    "lay_off",
    "meld",
    "secret_four",
    "take_and_lay_off",
    "take_discard",
]


class DecisionKind(IntEnum):
    """What a seat is asked."""

    START_TURN = 1
    """G-2.1: call draw, draw from the stock or take the discard."""
    PLAY = 2
    """G-2.3, G-2.4: meld, lay off, or end the turn with a discard."""
    ANSWER = 3
    """G-5.2: fold or challenge."""


class MoveKind(IntEnum):
    """What a listed move is, so that no bot needs rules code."""

    DRAW_STOCK = 1
    """G-2.1: draw the top card of the stock."""
    TAKE_DISCARD = 2
    """G-2.2: take the top discard for a new meld."""
    TAKE_AND_LAY_OFF = 3
    """G-2.2: take the top discard and lay it off at once."""
    CALL_DRAW = 4
    """G-5.2: call draw."""
    MELD_SET = 5
    """G-3.1: expose a set."""
    MELD_RUN = 6
    """G-3.1: expose a run."""
    SECRET_FOUR = 7
    """G-3.4: lay a secret four."""
    LAY_OFF = 8
    """G-4: lay off."""
    DISCARD = 9
    """G-2.4: discard, which ends the turn."""
    END_TURN = 10
    """G-2.4: end the turn without a discard."""
    FOLD = 11
    """G-5.2: fold."""
    CHALLENGE = 12
    """G-5.2: challenge."""


def card_points(card: int) -> int:
    """G-1.1: what a card counts: ace 1, number cards their pips, jack, queen and king 10.

    >>> [card_points(card) for card in to_cards([13, 1, 9, 12])]
    [1, 2, 10, 10]
    """
    rank = CARDS[card].rank
    return 1 if rank == 14 else min(rank, 10)


class TongitsMove(Move):
    """A move of Tong-its."""

    __slots__ = ()

    game = "tongits"

    @property
    def kind(self) -> MoveKind | None:
        """What the server says it is, such as ``MELD_RUN``; None if it did not list it."""
        return None if self._listed is None else MoveKind(self._listed.kind.tongits)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Its cards from the hand in canonical order; empty for a move without any."""
        move = self.message.tongits
        match move.WhichOneof("move"):
            case "take_discard":
                return tuple(sorted(to_cards(move.take_discard.cards)))
            case "meld":
                return tuple(sorted(to_cards(move.meld.cards)))
            case "lay_off":
                return tuple(sorted(to_cards(move.lay_off.cards)))
            case "discard":
                return tuple(to_cards([move.discard.card]))
            case "secret_four":
                return tuple(CARDS[move.secret_four.rank - 1 + suit] for suit in (0, 13, 26, 39))
            case _:
                return ()

    @property
    def points(self) -> int:
        """What its cards count (G-1.1)."""
        return sum(map(card_points, self.cards))

    @property
    def rank(self) -> int | None:
        """The rank of a secret four, 2 to 14."""
        move = self.message.tongits
        return int(move.secret_four.rank) if move.HasField("secret_four") else None

    @property
    def meld(self) -> int | None:
        """Number of the meld on which cards are laid off."""
        move = self.message.tongits
        if move.HasField("lay_off"):
            return move.lay_off.meld
        if move.HasField("take_discard") and move.take_discard.HasField("meld"):
            return move.take_discard.meld
        return None

    def __str__(self) -> str:
        move = self.message.tongits
        match move.WhichOneof("move"):
            case "take_discard" if self.meld is not None:
                return f"take discard on {self.meld}"
            case "take_discard":
                return f"take discard with {text(self.cards)}"
            case "lay_off":
                return f"lay off {text(self.cards)} on meld {move.lay_off.meld}"
            case "meld" | "discard" | "secret_four" as arm:
                return f"{arm.replace('_', ' ')} {text(self.cards)}"
            case None:
                return "no move"
            case arm:
                return arm.replace("_", " ")


def _wrap(move: tongits_pb2.TongitsMove) -> TongitsMove:
    return TongitsMove(game_pb2.Move(tongits=move))


def draw_stock() -> TongitsMove:
    """Draws the top card of the stock."""
    return _wrap(tongits_pb2.TongitsMove(draw_stock=tongits_pb2.TongitsDrawStock()))


def take_discard(cards: str | Iterable[int]) -> TongitsMove:
    """Takes the top discard for a new meld with these cards of the hand.

    Raises:
        ValueError: a name is that of no card. So with every function here that takes cards.
    """
    taken = tongits_pb2.TongitsTakeDiscard(cards=card_numbers(cards))
    return _wrap(tongits_pb2.TongitsMove(take_discard=taken))


def take_and_lay_off(meld: int) -> TongitsMove:
    """Takes the top discard and lays it off at once on the meld of that number."""
    return _wrap(tongits_pb2.TongitsMove(take_discard=tongits_pb2.TongitsTakeDiscard(meld=meld)))


def call_draw() -> TongitsMove:
    """Calls draw."""
    return _wrap(tongits_pb2.TongitsMove(call_draw=tongits_pb2.TongitsCallDraw()))


def meld(cards: str | Iterable[int]) -> TongitsMove:
    """Exposes a meld from the hand.

    >>> meld("7S 7H 7D")
    <meld 7S 7H 7D>
    """
    exposed = tongits_pb2.TongitsMeldCards(cards=card_numbers(cards))
    return _wrap(tongits_pb2.TongitsMove(meld=exposed))


def secret_four(rank: str | int) -> TongitsMove:
    """Lays the four cards of a rank face down.

    Raises:
        ValueError: it is no rank.
    """
    laid = tongits_pb2.TongitsSecretFour(rank=rank_number(rank))
    return _wrap(tongits_pb2.TongitsMove(secret_four=laid))


def lay_off(meld: int, cards: str | Iterable[int]) -> TongitsMove:
    """Lays cards off on the meld of that number.

    >>> lay_off(2, "9S 8S")
    <lay off 8S 9S on meld 2>
    """
    laid = tongits_pb2.TongitsLayOff(meld=meld, cards=card_numbers(cards))
    return _wrap(tongits_pb2.TongitsMove(lay_off=laid))


def discard(card: str | int) -> TongitsMove:
    """Discards a card, which ends the turn."""
    gone = tongits_pb2.TongitsDiscard(card=card_number(card))
    return _wrap(tongits_pb2.TongitsMove(discard=gone))


def end_turn() -> TongitsMove:
    """Ends a turn that was begun with the discard, where that takes no discard."""
    return _wrap(tongits_pb2.TongitsMove(end_turn=tongits_pb2.TongitsEndTurn()))


def fold() -> TongitsMove:
    """Folds after a draw call."""
    return _wrap(tongits_pb2.TongitsMove(fold=tongits_pb2.TongitsFold()))


def challenge() -> TongitsMove:
    """Challenges a draw call."""
    return _wrap(tongits_pb2.TongitsMove(challenge=tongits_pb2.TongitsChallenge()))
