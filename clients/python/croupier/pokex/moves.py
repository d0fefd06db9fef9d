"""The moves of Pokex: their kinds, how they are made, and how they are written.

The numbers of both enums are those of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from croupier.cards import CARDS, Card, rank_text, text, to_cards
from croupier.moves import Move, card_number, card_numbers, rank_number
from croupier.v1 import game_pb2, pokex_pb2

__all__ = ["DecisionKind", "MoveKind", "PokexMove", "bid", "decline", "name_rank", "play"]


class DecisionKind(IntEnum):
    """What a seat is asked."""

    BID = 1
    """P-2.1: bid or pass."""
    NAME_RANK = 2
    """P-3.2: name the wild rank."""
    LEAD = 3
    """P-4: lead two cards to a trick."""
    FOLLOW = 4
    """P-4.2: play two cards to a trick."""


class MoveKind(IntEnum):
    """What a listed move is, so that no bot needs rules code."""

    PASS = 1
    """P-2.1: pass."""
    BID = 2
    """P-2.1: bid."""
    NAME_RANK = 3
    """P-3.2: name the wild rank."""
    PLAY = 4
    """P-4: two cards to a trick."""


class PokexMove(Move):
    """A move of Pokex."""

    __slots__ = ()

    game = "pokex"

    @property
    def kind(self) -> MoveKind | None:
        """What the server says it is, such as ``BID``; None if it did not list it."""
        return None if self._listed is None else MoveKind(self._listed.kind.pokex)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The two cards of a play in canonical order; otherwise empty."""
        return tuple(sorted(to_cards(self.message.pokex.play.cards)))

    @property
    def center(self) -> Card | None:
        """P-4.1: the centre card that the leader names."""
        move = self.message.pokex
        return CARDS[move.play.center] if move.play.HasField("center") else None

    @property
    def tricks(self) -> int | None:
        """Tricks of a bid."""
        move = self.message.pokex
        return move.bid.tricks if move.HasField("bid") else None

    @property
    def rank(self) -> int | None:
        """The wild rank that it names, 2 to 14."""
        move = self.message.pokex
        return int(move.name_rank.rank) if move.HasField("name_rank") else None

    def __str__(self) -> str:
        move = self.message.pokex
        match move.WhichOneof("move"):
            case "decline":
                return "pass"
            case "bid":
                return f"bid {move.bid.tricks}"
            case "name_rank":
                return f"wild {rank_text(move.name_rank.rank)}"
            case "play":
                center = self.center
                return f"play {text(self.cards)}" + (f" with {center}" if center else "")
            case _:
                return "no move"


def _wrap(move: pokex_pb2.PokexMove) -> PokexMove:
    return PokexMove(game_pb2.Move(pokex=move))


def decline() -> PokexMove:
    """Passes."""
    return _wrap(pokex_pb2.PokexMove(decline=pokex_pb2.PokexDecline()))


def bid(tricks: int) -> PokexMove:
    """Bids a number of tricks."""
    return _wrap(pokex_pb2.PokexMove(bid=pokex_pb2.PokexBid(tricks=tricks)))


def name_rank(rank: str | int) -> PokexMove:
    """Names the wild rank.

    >>> name_rank("T")
    <wild T>

    Raises:
        ValueError: it is no rank.
    """
    named = pokex_pb2.PokexNameRank(rank=rank_number(rank))
    return _wrap(pokex_pb2.PokexMove(name_rank=named))


def play(cards: str | Iterable[int], center: str | int | None = None) -> PokexMove:
    """Plays two cards to a trick, and names its centre card where the leader does that.

    >>> play("KH KS", "2D")
    <play KS KH with 2D>

    Raises:
        ValueError: a name is that of no card.
    """
    played = pokex_pb2.PokexPlay(cards=card_numbers(cards))
    if center is not None:
        played.center = card_number(center)
    return _wrap(pokex_pb2.PokexMove(play=played))
