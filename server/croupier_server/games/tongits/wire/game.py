"""`TongitsWire`: the `GameWire` of Tong-its, gathered from the modules beside this one."""

from __future__ import annotations

from collections.abc import Sequence

from croupier_server.games.tongits.rules import RULES
from croupier_server.games.tongits.state import PLAYERS
from croupier_server.games.tongits.wire import moves, parts
from croupier_server.games.tongits.wire.events import EVENTS
from croupier_server.games.tongits.wire.reading import read_view
from croupier_server.games.tongits.wire.views import TongitsViews
from croupier_server.wire.game import BaseWire


class TongitsWire(BaseWire):
    """The `GameWire` of Tong-its. States are `tongits.state.State`."""

    rules = RULES
    title: str = "Tong-its"
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

    def views(self) -> TongitsViews:
        """A new encoder, for one table."""
        return TongitsViews()
