"""`PokexWire`: the `GameWire` of Pokex, gathered from the modules beside this one."""

from __future__ import annotations

from collections.abc import Sequence

from croupier_server.games.pokex.rules import RULES
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.games.pokex.wire import moves, parts
from croupier_server.games.pokex.wire.events import EVENTS
from croupier_server.games.pokex.wire.reading import read_view
from croupier_server.games.pokex.wire.views import PokexViews
from croupier_server.wire.game import BaseWire


class PokexWire(BaseWire):
    """The `GameWire` of Pokex. States are `pokex.state.State`."""

    rules = RULES
    title: str = "Pokex"
    seats_min: int = PLAYERS
    seats_max: int = PLAYERS
    legal = moves.LEGAL
    decision_kinds: Sequence[bytes] = moves.DECISION_KINDS

    # Called for every move, so without a call in between.
    move_code = staticmethod(moves.move_code)
    move_bytes = staticmethod(moves.move_bytes)
    legal_bytes = moves.LEGAL.answer
    event_bytes = EVENTS.event_bytes
    result_bytes = staticmethod(parts.result)
    read_view = staticmethod(read_view)

    def views(self) -> PokexViews:
        """A new encoder, for one table."""
        return PokexViews()
