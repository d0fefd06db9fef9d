"""The score of a match that an entrant did not play to its end. Pure.

A fault (a crash, an illegal move, a concession, a timeout, an absence) is a loss, and never pays:
the seats of the entrant at fault score what they had after the last finished deal, less the most
that one deal can cost for each deal that was still to play. The other seats receive that in equal
parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.games.base import AnyGame
from croupier_server.games.modules import MODULES

DEALS_MAX: Final = 10
"""Maximum deals still to play that a fault is charged for: a match may have no end."""


class Standing(NamedTuple):
    """A match at the end of a deal: the score of every seat, and the number of finished deals."""

    scores: tuple[int, ...]
    deals: int


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a fault in a match can cost.

    Attributes:
        start: scores of all seats before the first deal.
        worst_deal: maximum that one deal can take from a seat, see `Game.worst_deal`.
        deals: maximum deals of a match; None: no limit.
    """

    start: tuple[int, ...]
    worst_deal: int
    deals: int | None

    def cost(self, finished: int) -> int:
        """What a fault takes from each seat of its side after *finished* deals."""
        left = DEALS_MAX if self.deals is None else min(self.deals - finished, DEALS_MAX)
        return self.worst_deal * left


def stakes(game: AnyGame, options: Any) -> Stakes:
    """The stakes of a match of *game* with *options*."""
    return Stakes(
        game.standing(game.new(options)), game.worst_deal(options), game.deals_max(options)
    )


def fault_scores(standing: Standing, at_fault: Sequence[int], stakes: Stakes) -> list[float]:
    """Scores of all seats of a match that ended by a fault of some, but not all, of them.

    >>> fault_scores(Standing((4, -1, -3), 8), [0], Stakes((0, 0, 0), 6, 9))
    [-2, 2.0, 0.0]
    """
    cost = stakes.cost(standing.deals)
    gain = cost * len(at_fault) / (len(standing.scores) - len(at_fault))
    return [
        score - cost if seat in at_fault else score + gain
        for seat, score in enumerate(standing.scores)
    ]


# Reading a record -------------------------------------------------------------------------------


def standing(record: record_pb2.MatchRecord, stakes: Stakes) -> Standing:
    """The standing after the last finished deal of *record*."""
    for row in reversed(record.rows):
        event = table_pb2.TableEvent.FromString(row.public_part).game
        game = event.WhichOneof("game")
        if game is not None:
            told = getattr(event, game)
            if told.WhichOneof("event") == "deal_scored":
                players = len(record.table.seats)
                scores = MODULES[game].scores(told.deal_scored, players)
                return Standing(scores, told.deal_scored.deal)
    return Standing(stakes.start, 0)
