"""The `GameModule` of Tong-its."""

from __future__ import annotations

from typing import Final

from croupier.v1 import tongits_pb2
from croupier_server.games.module import GameModule, Positions
from croupier_server.games.tongits import vectors
from croupier_server.games.tongits.features import features
from croupier_server.games.tongits.guide import TongitsGuide
from croupier_server.games.tongits.notation import TongitsWords
from croupier_server.games.tongits.teller import TongitsTeller
from croupier_server.games.tongits.wire import WIRE


def _scores(result: tongits_pb2.TongitsDealResult, players: int) -> tuple[int, ...]:
    """Chips of each seat, with an equal share of the pot (G-7)."""
    return tuple(seat.chips + result.pot // players for seat in result.seats)


MODULE: Final = GameModule(
    wire=WIRE,
    words=TongitsWords(),
    teller=TongitsTeller,
    scores=_scores,
    knows="hand, melds, discards, deadwood",
    guide=TongitsGuide(),
    features=features,
    positions=Positions(vectors.run, vectors.CONTEXT),
)
