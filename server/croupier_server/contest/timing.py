"""How long bots think: counts of decisions by time, in buckets of a quarter of an octave.

A bucket *b* holds times of about 2^(b/4) microseconds, so a quantile is right within a tenth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from croupier.record.v1 import record_pb2

_PER_OCTAVE: Final = 4
_SECOND_US: Final = 1_000_000

Times = Counter[int]
"""Number of decisions by bucket."""


def thinking_times(record: record_pb2.MatchRecord, players: Sequence[int]) -> dict[int, Times]:
    """Times of all decisions in *record* by the bot that took them, from when the decision was
    first sent to when its answer was received.

    Args:
        record: of a match.
        players: number of the bot in each seat.
    """
    found: dict[int, Times] = {}
    for row in record.rows:
        if row.input.WhichOneof("input") != "move":
            continue
        move = row.input.move
        if not move.HasField("asked_time"):
            continue
        asked, answered = move.asked_time, move.answered_time
        micros = (answered.seconds - asked.seconds) * _SECOND_US
        micros += (answered.nanos - asked.nanos) // 1_000
        bucket = round(_PER_OCTAVE * math.log2(max(1, micros)))
        found.setdefault(players[move.seat], Times())[bucket] += 1
    return found


def quantile(times: Mapping[int, int], share: float) -> float:
    """The time in milliseconds below which *share* of the decisions lie; 0 without any."""
    wanted = share * sum(times.values())
    seen = 0
    for bucket, count in sorted(times.items()):
        seen += count
        if seen >= wanted:
            return float(2 ** (bucket / _PER_OCTAVE) / 1_000)
    return 0.0
