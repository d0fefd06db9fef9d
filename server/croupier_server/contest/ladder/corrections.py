"""What an organiser has corrected after the fact: boards that are void or played again, and matches
with other scores.

A correction changes what counted, so a log is folded with all of its corrections from the start.
What was scheduled before one stays scheduled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croupier_server.contest.ladder.events import Event, Kind, TableResult, read_table
from croupier_server.contest.results import Outcome

CORRECTIONS: Final = (Kind.VOIDED, Kind.REPLAYED, Kind.ADJUDICATED)


class Corrections:
    """The corrections in a log, by board.

    Args:
        events: the events of the kinds `CORRECTIONS`, in order.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._of_board: dict[int, list[Event]] = {}
        for event in events:
            self._of_board.setdefault(event.body["board"], []).append(event)

    def replays(self, board: int) -> int:
        """How many times an organiser has ordered *board* to be replayed."""
        return sum(one.kind is Kind.REPLAYED for one in self._of_board.get(board, ()))

    def results(self, played: Event) -> list[TableResult] | None:
        """The results of a `Kind.BOARD` as they count; None: its board is played again."""
        found = [read_table(one) for one in played.body["tables"]]
        for event in self._of_board.get(played.body["board"], ()):
            if event.number < played.number:
                continue
            why = event.body["why"]
            match event.kind:
                case Kind.REPLAYED:
                    return None
                case Kind.VOIDED:
                    found = [
                        TableResult(None, Outcome.VOID, detail=why, record=one.record)
                        for one in found
                    ]
                case _:
                    table = event.body["table"]
                    found[table] = TableResult(
                        tuple(event.body["scores"]),
                        Outcome.ADJUDICATED,
                        detail=why,
                        record=found[table].record,
                    )
        return found
