"""`WIRE`: the `GameWire` of Tractor, gathered from the modules beside this one."""

from __future__ import annotations

from typing import Final

from croupier_server.games.tractor.rules import RULES
from croupier_server.games.tractor.wire import moves, parts
from croupier_server.games.tractor.wire.events import EVENTS
from croupier_server.games.tractor.wire.reading import read_view
from croupier_server.games.tractor.wire.views import TractorViews
from croupier_server.wire.game import BaseWire

WIRE: Final = BaseWire(
    RULES,
    "Tractor",
    seats_min=4,
    seats_max=12,
    decision_kinds=moves.DECISION_KINDS,
    legal=moves.LEGAL,
    move_code=moves.move_code,
    move_bytes=moves.move_bytes,
    event_bytes=EVENTS.event_bytes,
    result_bytes=parts.result,
    views=TractorViews,
    read_view=read_view,
)
"""States are `tractor.state.State`."""
