"""`WIRE`: the `GameWire` of Pokex, gathered from the modules beside this one."""

from __future__ import annotations

from typing import Final

from croupier_server.games.pokex.rules import RULES
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.games.pokex.wire import moves, parts
from croupier_server.games.pokex.wire.events import EVENTS
from croupier_server.games.pokex.wire.reading import read_view
from croupier_server.games.pokex.wire.views import PokexViews
from croupier_server.wire.game import BaseWire

WIRE: Final = BaseWire(
    RULES,
    "Pokex",
    seats_min=PLAYERS,
    seats_max=PLAYERS,
    decision_kinds=moves.DECISION_KINDS,
    legal=moves.LEGAL,
    move_code=moves.move_code,
    move_bytes=moves.move_bytes,
    event_bytes=EVENTS.event_bytes,
    result_bytes=parts.result,
    views=PokexViews,
    read_view=read_view,
)
"""States are `pokex.state.State`."""
