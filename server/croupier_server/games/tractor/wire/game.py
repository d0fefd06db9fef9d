"""`TractorWire`: the `GameWire` of Tractor, gathered from the modules beside this one."""

from __future__ import annotations

from collections.abc import Sequence

from croupier_server.games.tractor.rules import RULES
from croupier_server.games.tractor.wire import moves, parts
from croupier_server.games.tractor.wire.events import EVENTS
from croupier_server.games.tractor.wire.reading import read_view
from croupier_server.games.tractor.wire.views import TractorViews
from croupier_server.wire.game import BaseWire


class TractorWire(BaseWire):
    """The `GameWire` of Tractor. States are `tractor.state.State`."""

    rules = RULES
    title: str = "Tractor"
    seats_min: int = 4
    seats_max: int = 12
    legal = moves.LEGAL
    decision_kinds: Sequence[bytes] = moves.DECISION_KINDS

    # Called for every move, so without a call in between.
    move_code = staticmethod(moves.move_code)
    move_bytes = staticmethod(moves.move_bytes)
    legal_bytes = moves.LEGAL.answer
    event_bytes = EVENTS.event_bytes
    result_bytes = staticmethod(parts.result)
    read_view = staticmethod(read_view)

    def views(self) -> TractorViews:
        """A new encoder, for one table."""
        return TractorViews()
