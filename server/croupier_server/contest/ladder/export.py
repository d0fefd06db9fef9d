"""The results of a contest as JSON that depends on the contest alone.

It holds what counts and nothing else: no time, no id of a table, no address, no path. So for bots
whose moves follow from what they are asked, its bytes are the same however often the contest was
interrupted, and however many boards were played at a time.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.events import Kind, TableResult, read_table
from croupier_server.contest.ladder.log import ContestLog
from croupier_server.contest.pairing import Match


class PlayedBoard(NamedTuple):
    """A board with its results, table by table."""

    number: int
    matches: list[Match]
    results: list[TableResult]
    counts: bool


async def played_boards(contest: Contest, log: ContestLog) -> AsyncIterator[PlayedBoard]:
    """The boards of *contest* that have results, in the order in which they ended."""
    async for event in log.read(kinds=(Kind.BOARD,)):
        number = event.body["board"]
        results = [read_table(table) for table in event.body["tables"]]
        yield PlayedBoard(number, contest.tables(number), results, number < contest.counted)


async def results_json(contest: Contest, log: ContestLog) -> str:
    """Everything that counts: the contest, its boards in order, and what entrants have reached."""
    boards = {
        board.number: _board(contest, board)
        async for board in played_boards(contest, log)
        if board.counts
    }
    spec = contest.spec
    data = {
        "format": 1,
        "contest": spec.name,
        "game": spec.game,
        "ruleset": spec.ruleset,
        "options": contest.options,
        "schedule": spec.format.value,
        "boards_form": spec.form.value,
        "primary": spec.primary.value,
        "seed": str(contest.seed) if contest.is_finished else None,
        "verdict": contest.verdict.text if contest.verdict else "",
        "counted_boards": contest.counted,
        "entrants": [_entrant(contest, number) for number in range(len(spec.entrants))],
        "boards": [boards[number] for number in sorted(boards)],
    }
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _board(contest: Contest, board: PlayedBoard) -> dict[str, Any]:
    names = contest.bot_names
    return {
        "board": board.number + 1,
        "tables": [
            {
                "seats": [names[bot] for bot in match.players],
                "scores": None if result.scores is None else list(result.scores),
                "outcome": result.outcome.value,
                "at_fault": [names[bot] for bot in result.at_fault],
            }
            for match, result in zip(board.matches, board.results, strict=True)
        ],
    }


def _entrant(contest: Contest, number: int) -> dict[str, Any]:
    entrant, tally = contest.spec.entrants[number], contest.tallies[number]
    return {
        "name": entrant.name,
        "version": entrant.version,
        "owner": entrant.owner,
        "builds": [contest.bots[bot]["build"] for bot in contest.roster.bots[number]],
        "boards": tally.boards,
        "matches": tally.matches,
        "won": tally.wins,
        "drawn": tally.draws,
        "lost": tally.losses,
        "faults": {kind.value: count for kind, count in sorted(tally.faults.items())},
        "withdrawn": contest.withdrawn.get(number, ""),
    }
