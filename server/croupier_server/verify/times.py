"""Whether the times in a log fit each other; whether they are true nobody can tell from a file."""

from __future__ import annotations

from collections import Counter

from croupier.record.v1 import record_pb2
from croupier_server.tables.match.codec import read_clock
from croupier_server.verify.log import Line, RecordLog, Wrong
from croupier_server.verify.report import Caution


def check_times(log: RecordLog) -> str:
    """What was compared.

    A server writes an event and the answer that led to it with one time, which does not go back
    while it runs. The system's clock may have been set back between two runs, so what that explains
    is a caution and no fault.

    Raises:
        Wrong: times that no server writes.
    """
    last = turn = created = log.table.create_time.ToMilliseconds()
    is_timed = read_clock(log.table.spec.clock).is_timed
    cautions: list[str] = []
    absences: Counter[int] = Counter()
    answers = 0
    asked = 0
    unasked: list[str] = []
    for line in log.lines:
        answer = _answer(line)
        if line.row.sequence:
            now = line.event.time.ToMilliseconds()
        elif answer is not None:
            now = answer.answered_time.ToMilliseconds()
        else:
            continue
        if line.kind == "table_created" and now != created:
            raise Wrong("create_time of the table differs from the time of its first event")
        if now < last:
            cautions.append(f"{line.name} comes {last - now} ms before what it follows")
        if answer is not None:
            answers += 1
            absences[answer.seat] += answer.absent.ToMilliseconds()
            asked += answer.HasField("asked_time")
            if not answer.timed_out and not answer.HasField("asked_time"):
                unasked.append(line.name)
            if answer.HasField("charged") and not is_timed:
                raise Wrong(f"{line.name} was charged time, but the table has no clock")
            caution = _check_answer(line, answer, now, turn)
            if caution:
                cautions.append(caution)
        if line.kind in ("match_started", "game"):
            turn = now
        last = now
    most = log.table.spec.clock.disconnect_grace.ToMilliseconds()
    for seat, absent in sorted(absences.items()):
        if absent > most:
            raise Wrong(
                f"seat {seat} was forgiven {absent} ms of absence; its clock allows {most} ms"
            )
    told: list[str] = []
    if cautions:
        told.append(
            f"TIME GOES BACK: {cautions[0]}, and {len(cautions) - 1} more like it; either the "
            "server's clock was set back while it was down, or times were changed"
        )
    if asked and unasked:
        told.append(
            f"ASKED_TIME IS MISSING: {unasked[0]} and {len(unasked) - 1} more answer a question "
            "without the time at which it was sent; either the server restarted before it could "
            "send the question again, or the time was deleted"
        )
    if told:
        return Caution(". ".join(told))
    return f"events never go back in time; {answers} answers were charged no more than they took"


def _answer(line: Line) -> record_pb2.MoveInput | None:
    kind = line.cause.WhichOneof("input")
    if kind == "move":
        return line.cause.move
    return line.cause.answer if kind == "answer" else None


def _check_answer(line: Line, answer: record_pb2.MoveInput, now: int, turn: int) -> str:
    """What only a clock that was set back explains, in words; *turn*: when it can have been asked.

    Raises:
        Wrong: not even that does.
    """
    asked = answer.asked_time.ToMilliseconds() if answer.HasField("asked_time") else None
    if answer.answered_time.ToMilliseconds() != now:
        raise Wrong(f"{line.name} and the answer that caused it have different times")
    if asked is not None and asked > now:
        raise Wrong(f"{line.name} was answered before it was asked")
    if asked is not None and asked < turn:
        return f"{line.name} was asked {turn - asked} ms before its turn came"
    used = answer.charged.ToMilliseconds() + answer.absent.ToMilliseconds()
    if used > now - turn:
        return f"{line.name} was charged {used} ms for {now - turn} ms"
    return ""
