"""`BaseWire`: what the wires of all games do alike.

Must not be put here: any one game's message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from croupier.v1 import game_pb2
from croupier_server.games.base import Move
from croupier_server.wire.legal import LegalBytes
from croupier_server.wire.options import OptionFields


class BaseWire:
    """The part of a `GameWire` that its tables say.

    Attributes:
        option_fields: of the game's options.
        legal: of its legal moves.
        decision_kinds: by number: payload of ``DecisionKind``.
    """

    option_fields: ClassVar[OptionFields]
    legal: ClassVar[LegalBytes]
    decision_kinds: Sequence[bytes]

    def options_overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        """See `GameWire.options_overrides`."""
        return self.option_fields.overrides(message)

    def options_message(self, options: object) -> game_pb2.GameOptions:
        """All options, each of them set but those that have no value."""
        return self.option_fields.message(self._texts(options))

    def option_number(self, name: str, text: str) -> int:
        """See `GameWire.option_number`."""
        return self.option_fields.number(name, text)

    def _texts(self, options: object) -> dict[str, str]:
        """All option values as text."""
        raise NotImplementedError

    def move_bytes(self, move: Move) -> bytes:
        """Payload of ``Move``."""
        raise NotImplementedError

    def move_message(self, move: Move) -> game_pb2.Move:
        """*move* as a message."""
        return game_pb2.Move.FromString(self.move_bytes(move))

    def legal_move_bytes(self, move: Move, kind: int) -> bytes:
        """Payload of ``LegalMove``."""
        return self.legal.move(move, kind)
