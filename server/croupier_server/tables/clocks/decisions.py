"""Decisions: questions to seats, and what was answered to those of the last two deals.

A decision is named by the last event before it, its seat, and the life of its table: restoring a
backup loses events, so the same numbers name other questions in the table's next life.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, NoReturn, TypeAlias

from croupier_server.errors import InvalidRequest, NotYourTurn, Reason, StaleDecision
from croupier_server.games.base import AnyGame, Move, Seat
from croupier_server.tables.clocks.clock import FOREVER

DUE_GRACE_MS: Final = 50
"""A decision's clock starts so long after it was stored, unless its frame is written before."""

FIRST_EPOCH: Final = 1
"""The first life of a table."""

_DIGITS_MAX: Final = 18
_SEAT_BITS: Final = 8
_SEQUENCE_BITS: Final = 32
_SEQUENCE_MASK: Final = (1 << _SEQUENCE_BITS) - 1


class Name(NamedTuple):
    """What a decision id says.

    Attributes:
        sequence: number of the last event before the decision.
        seat: who is asked.
        epoch: life of the table that asks. Ids of the first one do not say it, so that those in
            older logs and records are as they were.
    """

    sequence: int
    seat: Seat
    epoch: int = FIRST_EPOCH

    def __str__(self) -> str:
        return id_of(*self)

    @classmethod
    def read(cls, decision_id: str) -> Name | None:
        """The name that *decision_id* is, or None."""
        parts = decision_id.split("-", 3)
        if not 2 <= len(parts) <= 3:
            return None
        if not all(one.isdecimal() and len(one) <= _DIGITS_MAX for one in parts):
            return None
        name = cls(*map(int, parts))
        is_ours = name.sequence <= _SEQUENCE_MASK and str(name) == decision_id
        return name if is_ours else None


def id_of(sequence: int, seat: Seat, epoch: int) -> str:
    """The id of the decision that a `Name` of these parts names."""
    return f"{sequence}-{seat}" if epoch == FIRST_EPOCH else f"{sequence}-{seat}-{epoch}"


def _key(sequence: int, seat: Seat, epoch: int) -> int:
    """A number of its own for each `Name`; a small one in the first life."""
    life = 0 if epoch == FIRST_EPOCH else epoch << _SEQUENCE_BITS
    return (life | sequence) << _SEAT_BITS | seat


class Decision:
    """A question to a seat that is open, or a sealed one whose window is.

    Attributes:
        id: names it; a function of public facts and the seat. See `Name`.
        epoch: life of the table that asks it.
        seat: who is asked.
        kind: the game's number of what is asked.
        sequence: number of the last event before it.
        sealed: whether nobody may know that it was asked.
        answer: the sealed answer, once given.
        due_ms: when it came due.
        clock_from_ms: when its clock starts, or did; later by all that the seat is not charged
            for. `FOREVER` before it is stored. See ``timing.py``.
        asked_ms: when the frame that asks it was first written; None: it was not.
        before_ms: what was used of its time before the server last started.
        absent_ms: time of it that the seat was forgiven as it was gone.
        refusals: answers to it that were refused.
    """

    __slots__ = (
        "absent_ms",
        "answer",
        "asked_ms",
        "before_ms",
        "clock_from_ms",
        "due_ms",
        "epoch",
        "id",
        "kind",
        "refusals",
        "sealed",
        "seat",
        "sequence",
    )

    def __init__(
        self,
        seat: Seat,
        kind: int,
        sequence: int,
        due_ms: int,
        *,
        sealed: bool,
        epoch: int = FIRST_EPOCH,
    ) -> None:
        self.seat = seat
        self.kind = kind
        self.sequence = sequence
        self.sealed = sealed
        self.due_ms = due_ms
        self.clock_from_ms = FOREVER
        self.asked_ms: int | None = None
        self.before_ms = 0
        self.absent_ms = 0
        self.answer: Move | None = None
        self.refusals = 0
        self.begin_life(epoch)

    @property
    def name(self) -> Name:
        """What its id says."""
        return Name(self.sequence, self.seat, self.epoch)

    def begin_life(self, epoch: int) -> None:
        """It is asked in another life of its table."""
        self.epoch = epoch
        self.id = id_of(self.sequence, self.seat, epoch)

    def used_ms(self, now: int) -> int:
        """Time that its clock has run for."""
        return max(now - self.clock_from_ms, 0) + self.before_ms


Over: TypeAlias = tuple[Name, Move | None, int]
"""A decision that is over: its name; its seat's answer, or None: time ran out; the number of the
move's event, 0 for a sealed answer."""


def _packed(move: Move | None, sequence: int) -> int:
    return 0 if move is None else move + 1 << _SEQUENCE_BITS | sequence


class Answered:
    """Decisions of the last two deals that are over, and the answers to them.

    There are hundreds at every table, so one is an integer by an integer: the move, one added, over
    the number of its event, by `_key`.
    """

    __slots__ = ("_game", "_last", "_move_bytes", "_read_last", "_stale_to", "_this")

    def __init__(self, game: AnyGame, move_bytes: Callable[[Move], bytes]) -> None:
        self._game = game
        self._move_bytes = move_bytes
        self._this: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._read_last: Callable[[], Iterable[Over]] | None = None
        self._stale_to = 0

    def add(self, decision: Decision, move: Move | None, sequence: int) -> None:
        """*decision* is over; for the others see `Over`."""
        key = _key(decision.sequence, decision.seat, decision.epoch)
        self._this[key] = _packed(move, sequence)

    def resume(self, read_last: Callable[[], Iterable[Over]]) -> None:
        """Let *read_last* give those of the last deal once one of them is asked for: that is rare,
        and reading them would be most of a restart."""
        self._read_last = read_last

    def start_deal(self, stale_to: int) -> None:
        """Let go of all but the deal that ends, whose first event has the number *stale_to*."""
        self._last = self._this
        self._this = {}
        self._read_last = None
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
            found = self._find(_key(*name))
            if found is not None:
                accepted = (found >> _SEQUENCE_BITS) - 1
                if not found or move is None:
                    raise StaleDecision(Reason.STALE_DECISION, "the decision is over")
                if accepted != move:
                    self._refuse_other(accepted)
                return found & _SEQUENCE_MASK
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

    def _find(self, key: int) -> int | None:
        found = self._this.get(key)
        if found is None and self._read_last is not None:
            self._last = {
                _key(*name): _packed(move, sequence) for name, move, sequence in self._read_last()
            }
            self._read_last = None
        return self._last.get(key) if found is None else found

    def _refuse_other(self, accepted: Move) -> NoReturn:
        raise StaleDecision(
            Reason.DECISION_ANSWERED,
            f"the decision was already answered with: {self._game.move_text(accepted)}",
            accepted=self._move_bytes(accepted),
        )
