"""How a match ended for a seat of ours, and lists of that which print well."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from croupier.v1 import game_pb2

__all__ = ["EndReason", "Result", "Results"]


class EndReason(IntEnum):
    """Why a match ended."""

    UNSPECIFIED = 0
    """The server gave no reason that this client knows."""
    FINISHED = 1
    """By the rules."""
    FORFEIT = 2
    """A seat forfeited."""
    CONCEDED = 3
    """A team conceded."""
    ABORTED = 4
    """The host or an operator stopped it; it does not count. ``message.aborted_by`` says which."""
    NO_SHOW = 5
    """A seat did not come, or withheld its nonce."""
    HALTED = 7
    """A fault of the server; it does not count."""
    ADJUDICATED = 8
    """An operator decided how it ended; it counts."""


_REASONS: Final = frozenset(map(int, EndReason))


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match as one seat sees it.

    Attributes:
        table_id: the table.
        seat: the seat that was ours.
        bot: name of the bot that sat there.
        reason: why the match ended.
        score: the seat's score; Tractor: levels above the other team. None if it does not count.
            After a forfeit or a concession it is that of the finished deals.
        place: the seat's place, 1 is best, and last for who gave the match away; None if it does
            not count.
        detail: one sentence for people, often empty.
        decisions: how many questions the bot was asked.
        nonce: the seat's 32 secret bytes that were mixed in, to verify the shuffle with once the
            record is out.
        message: the result as the contract writes it.
    """

    table_id: str
    seat: int
    bot: str
    reason: EndReason
    score: int | None
    place: int | None
    detail: str
    decisions: int
    nonce: bytes = field(repr=False)
    message: game_pb2.MatchResult = field(repr=False, compare=False)

    def __str__(self) -> str:
        score = "-" if self.score is None else f"{self.score:+d}"
        place = "-" if self.place is None else str(self.place)
        end = self.reason.name.lower() + (f": {self.detail}" if self.detail else "")
        return f"{self.table_id:<28} {self.seat:>4}  {score:>5}  {place:>5}  {self.bot}, {end}"


class Results(list[Result]):
    """Results in the order in which their tables were made; ``print`` shows them as a table."""

    def __str__(self) -> str:
        head = f"{'table':<28} {'seat':>4}  {'score':>5}  {'place':>5}  bot, end"
        counted = [result.score for result in self if result.score is not None]
        lines = [head, *map(str, self)]
        if len(counted) > 1:
            lines.append(f"mean score {sum(counted) / len(counted):+.2f} of {len(counted)}")
        return "\n".join(lines)


def make_result(
    message: game_pb2.MatchResult, table_id: str, seat: int, bot: str, decisions: int, nonce: bytes
) -> Result:
    """The result of *seat* from the message that everybody gets."""
    own = next((outcome for outcome in message.seats if outcome.seat == seat), None)
    reason = int(message.reason)
    return Result(
        table_id=table_id,
        seat=seat,
        bot=bot,
        reason=EndReason(reason) if reason in _REASONS else EndReason.UNSPECIFIED,
        score=None if own is None else own.score,
        place=None if own is None else own.place,
        detail=message.detail,
        decisions=decisions,
        nonce=nonce,
        message=message,
    )
