"""Plays a schedule of matches in memory, some boards at a time; behind ``croupier play``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from croupier_server.contest.arena import Setting, arena
from croupier_server.contest.pairing import Match
from croupier_server.contest.results import MatchResult

IN_FLIGHT = 32
"""Tables at a time where nothing else is said."""


async def play(
    setting: Setting,
    matches: Sequence[Match],
    folder: Path,
    report: Callable[[MatchResult], None],
    address: str = "",
    *,
    in_flight: int = IN_FLIGHT,
) -> None:
    """Play *matches*; *report* is called with their results, board by board as they end.

    Records and logs go to *folder*, which exists.

    Args:
        setting: what is played, and by whom.
        matches: the schedule.
        folder: takes records and logs.
        report: takes results.
        address: of a server; empty: one is started for the time of the contest.
        in_flight: tables at a time; one board at least.

    Raises:
        ContestFailed: there is no server, or it does not take the first call.
        ProcessFailed: the server or an entrant cannot be started.
    """
    boards: dict[int, list[Match]] = {}
    for match in matches:
        boards.setdefault(match.board, []).append(match)
    waiting = iter(boards.values())

    def keep(result: MatchResult, record: bytes) -> str:
        match = result.match
        sides = "-".join(setting.entrants[number].file_name for number in match.sides)
        name = f"{match.number + 1:04d}-board-{match.board + 1:04d}-{sides}.croupier"
        (folder / name).write_bytes(record)
        return name

    async with arena(setting, folder, address, keep=keep) as place:
        for player in place.players:
            await player.start()

        async def lane() -> None:
            for board in waiting:
                for result in await place.play_board(board):
                    report(result)

        largest = max(map(len, boards.values()), default=1)
        async with asyncio.TaskGroup() as lanes:
            for _ in range(min(max(1, in_flight // largest), len(boards))):
                lanes.create_task(lane())
