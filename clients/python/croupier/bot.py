"""What a bot is: a class with one method, and the decision that it is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import IntEnum
from typing import Any, ClassVar

from croupier.arms import decision_kind, game_of
from croupier.errors import Refused
from croupier.legal import LegalMoves
from croupier.moves import Move
from croupier.randomness import DecisionRandom, SeatRandom
from croupier.results import Result
from croupier.v1 import game_pb2, table_pb2

__all__ = ["Bot", "Decision"]


class Decision:
    """A question to one seat: what is asked, what may be answered, and a source of chance.

    Attributes:
        message: the decision as the contract writes it. At a table that does not list legal moves
            (`LegalMode`) its ``legal`` is empty; `legal` is not.
        table_id: the table.
    """

    __slots__ = ("_legal", "_list_legal", "_random", "_source", "message", "table_id")

    def __init__(
        self,
        message: table_pb2.Decision,
        table_id: str,
        source: SeatRandom,
        list_legal: Callable[[str], game_pb2.LegalMoves] | None = None,
    ) -> None:
        self.message = message
        self.table_id = table_id
        self._source = source
        self._list_legal = list_legal
        self._legal: LegalMoves | None = None
        self._random: DecisionRandom | None = None

    @property
    def id(self) -> str:
        """Names the decision; opaque."""
        return self.message.decision_id

    @property
    def seat(self) -> int:
        """The seat that is asked."""
        return self.message.seat

    @property
    def kind(self) -> IntEnum:
        """What is asked, as the game says it, such as `croupier.tractor.DecisionKind`."""
        return decision_kind(self.message.kind)

    @property
    def legal(self) -> LegalMoves:
        """The legal answers, as one lazy sequence.

        Where the table does not list them the server is asked for them, once a decision: a bot that
        runs in a thread waits for that here, for any other they were asked for before it was.

        Raises:
            Refused: the decision is over, or the server does not answer.
            ConnectionFailed: it could not be reached for too long.
        """
        legal = self._legal
        if legal is None:
            listed = self.message.legal
            if self.is_unlisted and self._list_legal is not None:
                listed = self._list_legal(self.id)
            legal = self._legal = LegalMoves(listed)
        return legal

    @property
    def fallback(self) -> Move:
        """The legal move that the rules play for the seat when its time is up."""
        fallback = self.message.fallback
        return game_of(fallback).move(fallback)

    @property
    def is_unlisted(self) -> bool:
        """Whether the table has left the legal answers out of the question."""
        listed = self.message.legal
        return listed.truncated and not (listed.moves or listed.patterns)

    def list_legal(self, listed: game_pb2.LegalMoves) -> None:
        """Take the legal answers, which the question has left out."""
        self._legal = LegalMoves(listed)

    @property
    def random(self) -> DecisionRandom:
        """Random numbers that depend on seed, table, seat and decision alone."""
        chance = self._random
        if chance is None:
            chance = self._random = self._source.at(self.id)
        return chance

    @property
    def time_left(self) -> float | None:
        """Seconds for the answer when the question was sent; None without a limit."""
        if not self.message.HasField("time_left"):
            return None
        left = self.message.time_left
        return left.seconds + left.nanos / 1e9

    @property
    def is_sealed(self) -> bool:
        """Whether nobody learns that this seat was asked, or when it answered."""
        return self.message.sealed

    def __repr__(self) -> str:
        return f"<Decision {self.id} of seat {self.seat}: {self.kind.name}, {self.legal!r}>"


class Bot:
    """Something that plays. Write a subclass with `decide`; the rest is optional.

    A plain `decide` runs in a thread of its own and may take its time: other tables go on. An
    ``async def decide`` runs on the event loop and must not block it. With ``inline = True`` a
    plain `decide` runs on the event loop itself, which is the fastest for bots that answer in less
    than a millisecond and never wait for anything.

    One instance may be asked about several tables at once, from several threads, when it plays
    more than one seat; give `croupier.run` the class in place of an instance to get one a seat.
    """

    inline: ClassVar[bool] = False
    """Whether `decide` never blocks and shall run on the event loop."""

    name: str = ""
    """Name shown at the table; empty: the name of the class."""

    def decide(self, view: Any, decision: Decision) -> Move | Awaitable[Move]:
        """Choose one of ``decision.legal``.

        Args:
            view: what the seat knows: a `croupier.View`. A bot for one game writes the view of its
                game here, such as `croupier.TongitsView`, which is why the base class does not.
            decision: what is asked.
        """
        raise NotImplementedError(f"{type(self).__name__} has no decide(self, view, decision)")

    def on_start(self, table: table_pb2.Table, seat: int) -> Awaitable[None] | None:
        """The bot took *seat* at *table*; called before its first decision."""

    def on_end(self, result: Result) -> Awaitable[None] | None:
        """The match has ended."""

    def on_refused(
        self, view: Any, decision: Decision, move: Move, error: Refused
    ) -> Move | Awaitable[Move]:
        """The server refused *move*; give another one, or raise (which is what this does).

        Runs where `decide` runs.
        """
        raise error
