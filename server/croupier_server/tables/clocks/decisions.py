"""Decisions: questions to seats.

A decision is named by the last event before it, its seat, and the life of its table: restoring a
backup loses events, so the same numbers name other questions in the table's next life.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from croupier_server.games.base import Move, Seat
from croupier_server.tables.clocks.clock import FOREVER

DUE_GRACE_MS: Final = 50
"""A decision's clock starts so long after it was stored, unless its frame is written before."""

AFTER_REFUSAL: Final = "after a refused move"
"""Detail of a concession by a seat whose open decision has had an answer refused."""

FIRST_EPOCH: Final = 1
"""The first life of a table."""

_DIGITS_MAX: Final = 18
_SEQUENCE_MAX: Final = (1 << 32) - 1


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
        is_ours = name.sequence <= _SEQUENCE_MAX and str(name) == decision_id
        return name if is_ours else None


def id_of(sequence: int, seat: Seat, epoch: int) -> str:
    """The id of the decision that a `Name` of these parts names."""
    return f"{sequence}-{seat}" if epoch == FIRST_EPOCH else f"{sequence}-{seat}-{epoch}"


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
