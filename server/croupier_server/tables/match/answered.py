"""The answers to the decisions of the last two deals, found in the rows that log them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final, NoReturn

from croupier_server.errors import InvalidRequest, NotYourTurn, Reason, StaleDecision
from croupier_server.games.base import AnyGame, Move, Seat
from croupier_server.storage.base import LogRow
from croupier_server.tables.clocks.decisions import Name
from croupier_server.tables.match import codec
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated.record import INPUT

_ANSWERS: Final = (INPUT["move"], INPUT["answer"])
"""What an input that is the answer to a decision begins with."""


class Answered:
    """Rows of the last two deals with the answers to decisions.

    An answer is read again only if a seat repeats it, which is rare.
    """

    __slots__ = ("_game", "_last", "_stale_to", "_this", "_wire")

    def __init__(self, game: AnyGame, wire: GameWire) -> None:
        self._game = game
        self._wire = wire
        self._this: list[LogRow] = []
        self._last: list[LogRow] = []
        self._stale_to = 0

    def add(self, row: LogRow) -> None:
        """The input of *row* is the answer to a decision."""
        self._this.append(row)

    def resume(self, last: Iterable[LogRow]) -> None:
        """Continue after the deal that has the rows *last*."""
        self._last = [row for row in last if row.input.startswith(_ANSWERS)]

    def start_deal(self, stale_to: int) -> None:
        """Discard all but the deal that ends, whose first event has the number *stale_to*."""
        self._last = self._this
        self._this = []
        self._stale_to = stale_to

    def again(
        self, seat: Seat, decision_id: str, move: Move | None, *, is_asked: bool, epoch: int
    ) -> int:
        """The number that *move* was accepted with, if it comes again; otherwise what is wrong.

        Ids of other seats are unknown whatever they name, so that they tell nothing.

        Args:
            seat: who answers.
            decision_id: what it answers; not the open decision.
            move: the answer; None: any is too late.
            is_asked: whether another decision of this seat is open.
            epoch: the life that the table is in.

        Raises:
            StaleDecision: DECISION_ANSWERED with another move, or STALE_DECISION.
            NotYourTurn: unknown, and no decision of the seat is open.
            InvalidRequest: UNKNOWN_DECISION.
        """
        name = Name.read(decision_id)
        if name is not None and name.seat == seat:
            found = self._find(decision_id)
            if found is not None:
                sequence, answer = found
                if answer.timed_out or move is None:
                    raise StaleDecision(
                        Reason.STALE_DECISION,
                        "the decision is over; answer the one that is open now, if any",
                    )
                if answer.move != move:
                    self._refuse_other(answer.move)
                return sequence
            if name.epoch < epoch:
                raise StaleDecision(
                    Reason.STALE_DECISION,
                    f"the decision is from epoch {name.epoch}, but the table has since been "
                    f"restored as epoch {epoch}; answer the decision that is sent after the reset",
                )
            if name.epoch == epoch and 0 < name.sequence < self._stale_to:
                raise StaleDecision(Reason.STALE_DECISION, "the decision was over long ago")
        if not is_asked:
            raise NotYourTurn(Reason.NOT_YOUR_TURN, "no decision of this seat is open")
        raise InvalidRequest(
            Reason.UNKNOWN_DECISION,
            "this seat was never sent a decision with this id",
            field="decision_id",
        )

    def _find(self, decision_id: str) -> tuple[int, codec.Moved] | None:
        """The number of its event, 0 for a sealed answer, and the answer to a decision."""
        part = decision_id.encode()
        for row in chain(self._this, self._last):
            if part in row.input:
                answer = codec.read_input(row.input, self._wire)
                assert isinstance(answer, codec.Moved)
                if answer.decision_id == decision_id:
                    return row.sequence, answer
        return None

    def _refuse_other(self, accepted: Move) -> NoReturn:
        raise StaleDecision(
            Reason.DECISION_ANSWERED,
            f"the decision was already answered with: {self._game.move_text(accepted)}",
            accepted=self._wire.move_bytes(accepted),
        )
