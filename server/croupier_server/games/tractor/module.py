"""The `GameModule` of Tractor."""

from __future__ import annotations

from typing import Final

from croupier.v1 import tractor_pb2
from croupier_server.games.module import GameModule, Positions
from croupier_server.games.tractor import vectors
from croupier_server.games.tractor.features import features
from croupier_server.games.tractor.guide import TractorGuide
from croupier_server.games.tractor.notation import TractorWords
from croupier_server.games.tractor.teller import TractorTeller
from croupier_server.games.tractor.wire import WIRE


def _scores(result: tractor_pb2.TractorDealResult, players: int) -> tuple[int, ...]:
    """Levels ahead of the other team (T-9.6)."""
    lead = result.levels[0] - result.levels[1]
    return (lead, -lead) * (players // 2)


MODULE: Final = GameModule(
    wire=WIRE,
    words=TractorWords(),
    teller=TractorTeller,
    scores=_scores,
    knows="hand, trumps, tricks, points",
    guide=TractorGuide(),
    features=features,
    positions=Positions(vectors.run, vectors.CONTEXT),
)
