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
    float,
    typer.Option(min=0, help="Seconds for the whole match, used when the time for a move is up."),
]
Increment = Annotated[
    float, typer.Option(min=0, help="Seconds added to --base-time after each move.")
]
TimeOut = Annotated[
    TimeoutPolicy,
    typer.Option(
        help="What happens when time is up. forfeit: the bot loses the match. fallback: a move is "
        "played for it. strike: the same, and a strike is counted."
    ),
]
MaxStrikes = Annotated[
    int | None,
    typer.Option(min=0, help=f"Number of strikes that lose the match; 0: never.  [{MAX_STRIKES}]"),
]
Grace = Annotated[
    float,
    typer.Option(
        min=0,
        help="Seconds per match that are not charged while a bot is disconnected.",
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
            fail("this needs a clock; pass --move-time or --base-time")
        return None
    return Clock(
        base=base_time,
        increment=increment,
        per_move=move_time,
        max_strikes=MAX_STRIKES if max_strikes is None else max_strikes,
        on_timeout=on_timeout.value,
        disconnect_grace=disconnect_grace,
    )
