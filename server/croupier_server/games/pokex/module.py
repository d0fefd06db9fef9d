"""The `GameModule` of Pokex."""

from __future__ import annotations

from typing import Final

from croupier.v1 import pokex_pb2
from croupier_server.games.module import Bench, GameModule, Positions
from croupier_server.games.pokex import bench, vectors
from croupier_server.games.pokex.features import features
from croupier_server.games.pokex.guide import PokexGuide
from croupier_server.games.pokex.notation import PokexWords
from croupier_server.games.pokex.teller import PokexTeller
from croupier_server.games.pokex.wire import WIRE


def _scores(result: pokex_pb2.PokexDealResult, players: int) -> tuple[int, ...]:
    """Points ahead of the other side (P-6)."""
    lead = result.totals[0] - result.totals[1]
    return (lead, -lead) * (players // 2)


MODULE: Final = GameModule(
    wire=WIRE,
    words=PokexWords(),
    teller=PokexTeller,
    scores=_scores,
    knows="hand, centre, calls, tricks",
    guide=PokexGuide(),
    features=features,
    positions=Positions(vectors.run, vectors.CONTEXT),
    bench=Bench("hands with wild cards", bench.measure_fresh),
)
