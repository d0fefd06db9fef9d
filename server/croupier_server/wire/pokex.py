"""Pokex on the wire: `PokexWire`, which gathers options, moves, events and views.

Must not be put here: how anything is encoded; each of those has a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from croupier.v1 import game_pb2
from croupier_server.games.pokex.events import DealResult
from croupier_server.games.pokex.options import PokexOptions, option_text
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.wire import pokex_moves, pokex_parts
from croupier_server.wire.encode import framed
from croupier_server.wire.game import BaseWire
from croupier_server.wire.generated import game
from croupier_server.wire.pokex_events import EVENTS
from croupier_server.wire.pokex_options import OPTION_FIELDS
from croupier_server.wire.pokex_views import PokexViews


class PokexWire(BaseWire):
    """The `GameWire` of Pokex. Options are `PokexOptions`, states `pokex.state.State`."""

    kind: int = game_pb2.GAME_KIND_POKEX
    name: str = "pokex"
    title: str = "Pokex"
    seats_min: int = PLAYERS
    seats_max: int = PLAYERS
    option_fields = OPTION_FIELDS
    legal = pokex_moves.LEGAL
    decision_kinds: Sequence[bytes] = pokex_moves.DECISION_KINDS

    # Called for every move, so without a call in between.
    move_code = staticmethod(pokex_moves.move_code)
    move_bytes = staticmethod(pokex_moves.move_bytes)
    legal_bytes = pokex_moves.LEGAL.answer
    event_bytes = EVENTS.event_bytes

    def _texts(self, options: object) -> dict[str, str]:
        assert isinstance(options, PokexOptions)
        return option_text(options)

    def deal_result_bytes(self, result: object) -> bytes:
        """Payload of ``DealResult``."""
        assert isinstance(result, DealResult)
        return framed(game.DEAL_RESULT["pokex"], pokex_parts.result(result))

    def views(self) -> PokexViews:
        """A new encoder, for one table."""
        return PokexViews()
