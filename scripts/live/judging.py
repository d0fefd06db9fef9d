"""Judges one match by what all of its clients noted, and by its record.

All validators of the simulation look at it. Beside them is one that only a real run needs: nobody
is charged for the time in which the server was dead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from croupier.v1 import table_pb2
from scripts.live.notes import merged
from tests.sim.promises import Broken, Judge
from tests.sim.promises.observed import (
    Acknowledged,
    Answered,
    Ended,
    Opened,
    Outage,
    Told,
)
from tests.sim.promises.retold import Retold, Step

WAIT_MAX_MS: Final = 60_000
"""Not judged here: nobody notes when the server wrote what came."""

GRACE_MS: Final = 500
SLACK_MS: Final = 250
"""A client notes an answer when it leaves; on a busy machine it is a while under way."""


class Span(NamedTuple):
    """When the server was down, in milliseconds: from its death until it listened again."""

    since_ms: int
    until_ms: int


class Verdict(NamedTuple):
    """What one match came to.

    Attributes:
        table_id, game: which.
        fault: what was broken; empty: nothing.
        counts: of what was compared, by name.
        charged_ms: to all seats, in decisions that an outage fell into.
        measured_ms: that clients had those questions open before them while the server was up.
        over_ms: most that was charged for a decision beyond that.
    """

    table_id: str
    game: str
    fault: str
    counts: Counter[str]
    charged_ms: int = 0
    measured_ms: int = 0
    over_ms: int = 0


class _Times:
    """When clients were asked what, and when they answered."""

    def __init__(self) -> None:
        self.asked: dict[str, list[int]] = {}
        self.answered: dict[str, list[int]] = {}

    def see(self, seen: object) -> None:
        """Take what was noted."""
        if isinstance(seen, Told) and seen.update.HasField("decision"):
            decision_id = seen.update.decision.decision_id
            self.asked.setdefault(decision_id, []).append(seen.at_ms)
        elif isinstance(seen, Answered):
            self.answered.setdefault(seen.decision_id, []).append(seen.at_ms)


def judge(
    table_id: str, game: str, paths: Sequence[Path], record: bytes, spans: Sequence[Span]
) -> Verdict:
    """Judge a match.

    Args:
        table_id: the table.
        game: its name.
        paths: files with the notes of all processes.
        record: its record.
        spans: when the server was down.
    """
    found = Judge(wait_max_ms=WAIT_MAX_MS, grace_ms=GRACE_MS, slack_ms=SLACK_MS)
    counts: Counter[str] = Counter()
    verdict = Verdict(table_id, game, "", counts)
    times = _Times()
    try:
        for span in spans:
            found.see(Outage(span.since_ms, span.until_ms, "killed"))
        last = 0
        for _, seen in merged(paths):
            found.see(seen)
            times.see(seen)
            counts.update(_names(seen))
            last = max(last, seen.at_ms)  # type: ignore[union-attr]  # an Outage is never noted
        story = found.story(table_id)
        counts["distinct events"] = len(story.public)
        counts["private parts"] = len(story.private)
        found.see(Ended(last, table_id, record))
        found.finish()
        return _clocks(verdict, Retold(record), times, spans)
    except Broken as error:
        return verdict._replace(fault=str(error))


def _names(seen: object) -> Iterable[str]:
    """Under which names an observation is counted."""
    match seen:
        case Told(update=update):
            kind: str = update.WhichOneof("update") or ""
            if kind == "reset":
                kind = table_pb2.ResetReason.Name(update.reset.reason).lower().replace("_", " ")
            yield {"event": "events told", "decision": "questions told"}.get(kind, kind)
        case Opened(after=after):
            yield "streams resumed" if after else "streams opened"
        case Acknowledged():
            yield "acknowledgements"
        case Answered():
            yield "answers sent"


def _clocks(verdict: Verdict, told: Retold, times: _Times, spans: Sequence[Span]) -> Verdict:
    """Nobody is charged for an outage: behind one a clock starts when its question is sent again.

    Raises:
        Broken: somebody was.
    """
    clock = told.record.table.spec.clock
    if not (clock.base.seconds or clock.increment.seconds or clock.per_move.seconds):
        return verdict
    charged = measured = over = 0
    for step in told.steps:
        due = told.times[int(step.decision_id.partition("-")[0])]
        took = open_ms(due, step, times.asked, times.answered, spans)
        if took is None:
            continue
        charged += step.charged_ms
        measured += took
        over = max(over, step.charged_ms - took)
        verdict.counts["timed decisions over an outage"] += 1
        if step.charged_ms > took + SLACK_MS:
            raise Broken(
                "Fair",
                verdict.table_id,
                f"{step.charged_ms} ms were charged for {step.decision_id}, which was open before "
                f"its seat for {took} ms since the server was back",
            )
    return verdict._replace(charged_ms=charged, measured_ms=measured, over_ms=over)


def open_ms(
    due: int,
    step: Step,
    asked: Mapping[str, Sequence[int]],
    answered: Mapping[str, Sequence[int]],
    spans: Sequence[Span],
) -> int | None:
    """How long a question was open behind the last outage that fell into it; None: none did, or it
    was never asked behind it.

    Args:
        due: when it could first be asked.
        step: its answer.
        asked: when it was asked, and when it was answered, by decision.
        answered: see *asked*.
        spans: when the server was down.
    """
    until = step.at_ms
    if not step.sequence:
        until = max(answered.get(step.decision_id, [0]))
    back = [span.until_ms for span in spans if due <= span.since_ms < until]
    if not back:
        return None
    again = [at for at in asked.get(step.decision_id, []) if at >= back[-1]]
    return max(until - again[0], 0) if again else None
