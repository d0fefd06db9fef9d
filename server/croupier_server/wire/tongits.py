"""Tong-its on the wire: `TongitsWire`, which gathers options, moves, events and views.

Must not be put here: how anything is encoded; each of those has a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from croupier.v1 import game_pb2
from croupier_server.games.tongits.events import DealResult
from croupier_server.games.tongits.options import TongitsOptions, option_text
from croupier_server.games.tongits.state import PLAYERS
from croupier_server.wire import tongits_moves, tongits_parts
from croupier_server.wire.encode import framed
from croupier_server.wire.game import BaseWire
from croupier_server.wire.generated import game
from croupier_server.wire.tongits_events import EVENTS
from croupier_server.wire.tongits_options import OPTION_FIELDS
from croupier_server.wire.tongits_views import TongitsViews


class TongitsWire(BaseWire):
    """The `GameWire` of Tong-its. Options are `TongitsOptions`, states `tongits.state.State`."""

    kind: int = game_pb2.GAME_KIND_TONGITS
    name: str = "tongits"
    title: str = "Tong-its"
    seats_min: int = PLAYERS
    seats_max: int = PLAYERS
    option_fields = OPTION_FIELDS
    legal = tongits_moves.LEGAL
    decision_kinds: Sequence[bytes] = tongits_moves.DECISION_KINDS

    # Called for every move, so without a call in between.
    move_code = staticmethod(tongits_moves.move_code)
    move_bytes = staticmethod(tongits_moves.move_bytes)
    legal_bytes = tongits_moves.LEGAL.answer
    event_bytes = EVENTS.event_bytes

    def _texts(self, options: object) -> dict[str, str]:
        assert isinstance(options, TongitsOptions)
        return option_text(options)

    def deal_result_bytes(self, result: object) -> bytes:
        """Payload of ``DealResult``."""
        assert isinstance(result, DealResult)
        return framed(game.DEAL_RESULT["tongits"], tongits_parts.result(result))

    def views(self) -> TongitsViews:
        """A new encoder, for one table."""
        return TongitsViews()
