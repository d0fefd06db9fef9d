"""The events of a contest's log, as JSON.

The state of a contest follows entirely from its log. Wall times are only in `Event.time_ms`, and no
result is computed from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from croupier_server.contest.results import MatchResult, Outcome
from croupier_server.contest.timing import Times

Body = dict[str, Any]


class Kind(StrEnum):
    """What happened."""

    CREATED = "created"
    """``spec`` and ``seed``, and ``bots``: what each bot was at that time."""
    RESUMED = "resumed"
    """A runner resumes; no other runner can store anything after this. ``builds``: builds of all
    bots, as they are now. With a clock, and bots on this machine: ``bots`` is the maximum number
    that think at once, and ``cores`` the number of cores that no server uses."""
    BATCH = "batch"
    """``boards``: the groups of each."""
    DEALT = "dealt"
    """``board`` goes to bots that dial in, with the cards of ``redeal``."""
    BOARD = "board"
    """``board`` was played; ``tables``: the results in order; ``times``: how long bots thought."""
    ALONE = "alone"
    """The process of ``bot`` ended while it played several matches, ``why``. From here on it gets a
    process for each match, and what it was playing is played again."""
    WITHDRAWN = "withdrawn"
    """``entrant`` takes part in no further batch, ``why``."""
    READMITTED = "readmitted"
    """``entrant`` takes part again from the next batch on, ``why``."""
    SUBSTITUTED = "substituted"
    """From the next batch on ``bot`` plays for ``entrant``, ``why``; ``build``: what it is."""
    VOIDED = "voided"
    """The results of ``board`` are excluded from all standings, ``why``."""
    REPLAYED = "replayed"
    """The results of ``board`` are dropped, and it is played again, ``why``."""
    ADJUDICATED = "adjudicated"
    """``table`` of ``board`` gets ``scores``, one a seat, ``why``."""
    LENGTH = "length"
    """The contest has ``boards`` boards, as `Spec.boards` counts them."""
    REFUSED = "refused"
    """An order could not be applied, ``why``."""
    STATE = "state"
    """The organiser has set the ``state``, a word of `State`, ``why``."""
    TABLES = "tables"
    """At most ``tables`` are played at the same time; no result depends on it."""
    FINISHED = "finished"
    """Nothing is left to play; ``verdict``."""


class State(StrEnum):
    """The state that an organiser has set. A contest that is run by a command has none."""

    CREATED = "created"
    """It waits for its start."""
    RUNNING = "running"
    PAUSED = "paused"
    """Boards in progress are played to their end, and no others begin."""
    CANCELLED = "cancelled"
    """Nothing is played any more."""


class Event(NamedTuple):
    """One event. ``number`` counts from 1 without gaps."""

    number: int
    kind: Kind
    body: Body
    time_ms: int = 0


class TableResult(NamedTuple):
    """How one table of a board ended.

    Attributes:
        scores: of every seat; None: there are none.
        outcome: how the match came to its end.
        at_fault: numbers of the bots at fault.
        reason: word of the contract's EndReason.
        detail: one sentence for people, or empty.
        record: name of the record's file, or empty.
    """

    scores: tuple[float, ...] | None
    outcome: Outcome
    at_fault: tuple[int, ...] = ()
    reason: str = ""
    detail: str = ""
    record: str = ""


def board_body(board: int, results: Sequence[MatchResult]) -> Body:
    """The body of a `Kind.BOARD`."""
    times: dict[int, Times] = {}
    for result in results:
        for bot, found in result.times.items():
            times.setdefault(bot, Times()).update(found)
    body: Body = {"board": board, "tables": [_table_body(result) for result in results]}
    if times:
        body["times"] = {str(bot): dict(sorted(times[bot].items())) for bot in sorted(times)}
    return body


def _table_body(result: MatchResult) -> list[Any]:
    return [
        None if result.scores is None else list(result.scores),
        result.outcome.value,
        list(result.at_fault),
        result.reason,
        result.detail,
        result.record,
    ]


def read_times(body: Body) -> dict[int, Times]:
    """How long bots thought, by number, of the body of a `Kind.BOARD`."""
    return {
        int(bot): Times({int(bucket): count for bucket, count in found.items()})
        for bot, found in body.get("times", {}).items()
    }


def read_table(body: list[Any]) -> TableResult:
    """The result of a table, of the body of a `Kind.BOARD`."""
    scores, outcome, at_fault, reason, detail, record = body
    return TableResult(
        None if scores is None else tuple(scores),
        Outcome(outcome),
        tuple(at_fault),
        reason,
        detail,
        record,
    )
