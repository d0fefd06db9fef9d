"""Questions to bots without a server: view and decision of a state, as a client gets them."""

from __future__ import annotations

from typing import Any

from croupier.bot import Bot, Decision
from croupier.moves import Move as SdkMove
from croupier.randomness import SeatRandom
from croupier.v1 import game_pb2, table_pb2
from croupier.views import View, view_of
from croupier_server.games.base import AnyGame, Move, Seat
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.wire.moves import LegalMode

TABLE = "table"


def question(
    game: AnyGame,
    state: Any,
    seat: Seat,
    name: str = "1",
    *,
    seed: int = 1,
    mode: LegalMode = LegalMode.FULL,
) -> tuple[View, Decision]:
    """What *seat* is asked in *state*; *name* is that of the decision."""
    wire = WIRES_BY_NAME[game.name]
    message = table_pb2.Decision(decision_id=name, seat=seat)
    message.legal.MergeFromString(wire.legal_bytes(game.legal_moves(state, seat), mode))
    message.kind.MergeFromString(wire.decision_kinds[game.decision_kind(state, seat)])
    view = view_of(game_pb2.SeatView.FromString(wire.views().seat(state, seat)))
    return view, Decision(message, TABLE, SeatRandom(seed, TABLE, seat))


def sit(bot: Bot, game: AnyGame, options: Any, *seats: Seat) -> None:
    """Tell *bot* the house rules, as it is told when it takes its seats."""
    message = WIRES_BY_NAME[game.name].options_message(options)
    for seat in seats:
        bot.on_start(
            table_pb2.Table(table_id=TABLE, spec=table_pb2.TableSpec(options=message)), seat
        )


def answer(bot: Bot, asked: tuple[View, Decision]) -> Move:
    """The code of what *bot* answers."""
    move = bot.decide(*asked)
    assert isinstance(move, SdkMove)
    return WIRES_BY_NAME[move.game].move_code(move.message)
