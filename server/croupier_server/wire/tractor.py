"""Tractor on the wire: `TractorWire`, which gathers options, moves, events and views.

Must not be put here: how anything is encoded; each of those has a file of its own.
"""

from __future__ import annotations

from typing import Final

from croupier.v1 import game_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import Move
from croupier_server.games.tractor.options import TractorOptions, option_text
from croupier_server.wire import tractor_events, tractor_moves, tractor_options
from croupier_server.wire.tractor_views import TractorViews

_NAME: Final = "tractor"


class TractorWire:
    """The `GameWire` of Tractor. Options are `TractorOptions`, states `tractor.state.State`."""

    kind: int = game_pb2.GAME_KIND_TRACTOR
    name: str = _NAME
    title: str = "Tractor"
    seats_min: int = 4
    seats_max: int = 12

    # Called for every move, so without a call in between.
    move_code = staticmethod(tractor_moves.move_code)
    move_bytes = staticmethod(tractor_moves.move_bytes)
    legal_bytes = staticmethod(tractor_moves.legal_bytes)
    event_bytes = staticmethod(tractor_events.event_bytes)

    def options_overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        """See `GameWire.options_overrides`."""
        arm = message.WhichOneof("game")
        if arm not in (None, _NAME):
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST, f"not options of {self.title}", field=f"options.{arm}"
            )
        return tractor_options.overrides(message.tractor)

    def options_message(self, options: object) -> game_pb2.GameOptions:
        """All options; ``starter`` alone stays unset where there is none."""
        assert isinstance(options, TractorOptions)
        return game_pb2.GameOptions(tractor=tractor_options.message(option_text(options)))

    def move_message(self, move: Move) -> game_pb2.Move:
        """*move* as a message."""
        return tractor_moves.move_message(move)

    def legal_move_bytes(self, move: Move, kind: int) -> bytes:
        """Payload of ``LegalMove``."""
        return tractor_moves.legal_move_bytes(move, kind)

    def decision_kind_bytes(self, kind: int) -> bytes:
        """Payload of ``DecisionKind``."""
        return tractor_moves.DECISION_KINDS[kind]

    def views(self) -> TractorViews:
        """A new encoder, for one table."""
        return TractorViews()
