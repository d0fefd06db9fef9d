"""Tractor on the wire: `TractorWire`, which gathers options, moves, events and views.

Must not be put here: how anything is encoded; each of those has a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from croupier.v1 import game_pb2
from croupier_server.games.tractor.events import DealScored
from croupier_server.games.tractor.options import TractorOptions, option_text
from croupier_server.wire import tractor_moves, tractor_parts
from croupier_server.wire.encode import framed
from croupier_server.wire.game import BaseWire
from croupier_server.wire.generated import game
from croupier_server.wire.tractor_events import EVENTS
from croupier_server.wire.tractor_options import OPTION_FIELDS
from croupier_server.wire.tractor_views import TractorViews


class TractorWire(BaseWire):
    """The `GameWire` of Tractor. Options are `TractorOptions`, states `tractor.state.State`."""

    kind: int = game_pb2.GAME_KIND_TRACTOR
    name: str = "tractor"
    title: str = "Tractor"
    seats_min: int = 4
    seats_max: int = 12
    option_fields = OPTION_FIELDS
    legal = tractor_moves.LEGAL
    decision_kinds: Sequence[bytes] = tractor_moves.DECISION_KINDS

    # Called for every move, so without a call in between.
    move_code = staticmethod(tractor_moves.move_code)
    move_bytes = staticmethod(tractor_moves.move_bytes)
    legal_bytes = tractor_moves.LEGAL.answer
    event_bytes = EVENTS.event_bytes

    def _texts(self, options: object) -> dict[str, str]:
        assert isinstance(options, TractorOptions)
        return option_text(options)

    def deal_result_bytes(self, result: object) -> bytes:
        """Payload of ``DealResult``."""
        assert isinstance(result, DealScored)
        return framed(game.DEAL_RESULT["tractor"], tractor_parts.result(result))

    def views(self) -> TractorViews:
        """A new encoder, for one table."""
        return TractorViews()
