"""The options that set the clock of a contest's tables."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from croupier_server.cli.common import fail

if TYPE_CHECKING:
    from croupier.clock import Clock

MOVE_TIME: Final = 10.0
"""Seconds for each move where no option says anything about time."""

MAX_STRIKES: Final = 3
"""Strikes that are a forfeit where there is a clock, if nothing else is asked for."""


class TimeoutPolicy(StrEnum):
    """What becomes of a bot whose time has run out."""

    FALLBACK = "fallback"
    STRIKE = "strike"
    FORFEIT = "forfeit"


MoveTime = Annotated[
    float | None,
    typer.Option(
        min=0,
        help=f"Seconds for each move; 0: no limit.  [{MOVE_TIME:g}, or 0 with --base-time]",
    ),
]
BaseTime = Annotated[
    float, typer.Option(min=0, help="Seconds for a match, used when those for a move are up.")
]
Increment = Annotated[
    float, typer.Option(min=0, help="Seconds added to --base-time after each move.")
]
TimeOut = Annotated[
    TimeoutPolicy,
    typer.Option(
        help="What follows when time is up: the match is lost (forfeit), or a move is played for "
        "the bot (fallback), and a strike counted (strike)."
    ),
]
MaxStrikes = Annotated[
    int | None, typer.Option(min=0, help=f"Strikes that lose the match; 0: none.  [{MAX_STRIKES}]")
]
Grace = Annotated[
    float,
    typer.Option(
        min=0,
        help="Seconds of a match for which a bot that lost its connection is charged nothing.",
    ),
]


def read_clock(
    move_time: float | None,
    base_time: float,
    increment: float,
    on_timeout: TimeoutPolicy,
    max_strikes: int | None,
    disconnect_grace: float,
) -> Clock | None:
    """The clock that the options ask for; None: none. Options without one end the command."""
    from croupier.clock import Clock

    if move_time is None:
        move_time = 0.0 if base_time or increment else MOVE_TIME
    if not (move_time or base_time or increment):
        if on_timeout is not TimeoutPolicy.FORFEIT or max_strikes is not None or disconnect_grace:
            fail("there is no clock; give --move-time or --base-time")
        return None
    return Clock(
        base=base_time,
        increment=increment,
        per_move=move_time,
        max_strikes=MAX_STRIKES if max_strikes is None else max_strikes,
        on_timeout=on_timeout.value,
        disconnect_grace=disconnect_grace,
    )
