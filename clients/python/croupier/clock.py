"""The clock that a new table gets, in seconds, and what it does about seats that are away."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from google.protobuf.duration_pb2 import Duration

from croupier.errors import UsageError
from croupier.v1 import table_pb2

__all__ = ["AbsencePolicy", "Clock", "TimeoutPolicy", "absence_policy"]

AbsencePolicy: TypeAlias = Literal["wait", "house_bot", "forfeit"]
"""What becomes of a seat whose player is away."""

TimeoutPolicy: TypeAlias = Literal["fallback", "strike", "forfeit"]
"""What becomes of a seat whose time has run out."""

_POLICIES: Final = {
    "fallback": table_pb2.TIMEOUT_POLICY_FALLBACK,
    "strike": table_pb2.TIMEOUT_POLICY_STRIKE,
    "forfeit": table_pb2.TIMEOUT_POLICY_FORFEIT,
}

_ABSENCE: Final = {
    "wait": table_pb2.ABSENCE_POLICY_WAIT,
    "house_bot": table_pb2.ABSENCE_POLICY_HOUSE_BOT,
    "forfeit": table_pb2.ABSENCE_POLICY_FORFEIT,
}


def absence_policy(word: AbsencePolicy) -> table_pb2.AbsencePolicy.ValueType:
    """The contract's value.

    Raises:
        UsageError: it has none for *word*.
    """
    if word not in _ABSENCE:
        raise UsageError(f"absence must be {' or '.join(_ABSENCE)}, not {word!r}")
    return _ABSENCE[word]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A clock; times in seconds, zero for what it does not have.

    ``Clock(base=300, increment=2)`` is a clock of chess, ``Clock(per_move=5)`` gives five seconds
    for each move, and ``Clock(per_move=5, base=60)`` a bank of a minute beside them.

    Attributes:
        base: time for the whole match.
        increment: added to it after each move.
        per_move: time for each move before the base is touched.
        window_time: how long a sealed window stays open; 0: until all have answered.
        max_strikes: strikes that are a forfeit; 0: none are.
        on_timeout: when time has run out, ``fallback`` has a move played for the seat, ``strike``
            counts a strike besides, and with ``forfeit`` the seat has lost the match.
        disconnect_grace: time of a match, in all, in which a seat without a stream is charged
            nothing.
        start_timeout: the match must have begun so long after the table was made; 0: whenever.
    """

    base: float = 0
    increment: float = 0
    per_move: float = 0
    window_time: float = 0
    max_strikes: int = 0
    on_timeout: TimeoutPolicy = "strike"
    disconnect_grace: float = 0
    start_timeout: float = 0

    def message(self) -> table_pb2.ClockSpec:
        """The clock as the contract writes it.

        Raises:
            UsageError: a time that is none, or no such policy.
        """
        if self.on_timeout not in _POLICIES:
            raise UsageError(
                f"on_timeout must be {' or '.join(_POLICIES)}, not {self.on_timeout!r}"
            )
        return table_pb2.ClockSpec(
            base=_duration("base", self.base),
            increment=_duration("increment", self.increment),
            per_move=_duration("per_move", self.per_move),
            window_time=_duration("window_time", self.window_time),
            max_strikes=self.max_strikes,
            on_timeout=_POLICIES[self.on_timeout],
            disconnect_grace=_duration("disconnect_grace", self.disconnect_grace),
            start_timeout=_duration("start_timeout", self.start_timeout),
        )


def _duration(name: str, seconds: float) -> Duration | None:
    """A duration; None for zero."""
    if not math.isfinite(seconds) or seconds < 0:
        raise UsageError(f"{name} must be a finite number of seconds of at least 0, not {seconds}")
    if not seconds:
        return None
    duration = Duration()
    duration.FromNanoseconds(round(seconds * 1e9))
    return duration
