"""`WIRE`: the `GameWire` of Tong-its, gathered from the modules beside this one."""

from __future__ import annotations

from typing import Final

from croupier_server.games.tongits.rules import RULES
from croupier_server.games.tongits.state import PLAYERS
from croupier_server.games.tongits.wire import moves, parts
from croupier_server.games.tongits.wire.events import EVENTS
from croupier_server.games.tongits.wire.reading import read_view
from croupier_server.games.tongits.wire.views import TongitsViews
from croupier_server.wire.game import BaseWire

WIRE: Final = BaseWire(
    RULES,
    "Tong-its",
    seats_min=PLAYERS,
    seats_max=PLAYERS,
    decision_kinds=moves.DECISION_KINDS,
    legal=moves.LEGAL,
    move_code=moves.move_code,
    move_bytes=moves.move_bytes,
    event_bytes=EVENTS.event_bytes,
    result_bytes=parts.result,
    views=TongitsViews,
    read_view=read_view,
)
"""States are `tongits.state.State`."""
