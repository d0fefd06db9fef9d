"""`BaseWire`: what the wires of all games do alike."""

from __future__ import annotations

from typing import Any, ClassVar

from croupier.v1 import game_pb2
from croupier_server.games.base import AnyGame, Move
from croupier_server.wire.base import GameWire
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.legal import LegalBytes
from croupier_server.wire.options import OptionFields


class BaseWire(GameWire):
    """The part of a `GameWire` that follows from the rules, the descriptors and a few tables.

    Attributes:
        rules: of the game.
        legal: encodes its legal moves.
    """

    rules: ClassVar[AnyGame]
    legal: ClassVar[LegalBytes]

    def __init__(self) -> None:
        self.name = self.rules.name
        self.kind = int(game_pb2.GameKind.Value(f"GAME_KIND_{self.name.upper()}"))
        self._option_fields = OptionFields(self.name, self.title, self.rules.option_specs())

    def options_overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        """See `GameWire.options_overrides`."""
        return self._option_fields.overrides(message)

    def options_message(self, options: object) -> game_pb2.GameOptions:
        """All options, each of them set but those that have no value."""
        return self._option_fields.message(self.rules.option_text(options))

    def option_number(self, name: str, text: str) -> int:
        """See `GameWire.option_number`."""
        return self._option_fields.number(name, text)

    def move_message(self, move: Move) -> game_pb2.Move:
        """*move* as a message."""
        return game_pb2.Move.FromString(self.move_bytes(move))

    def legal_move_bytes(self, move: Move, kind: int) -> bytes:
        """Payload of ``LegalMove``."""
        return self.legal.move(move, kind)

    def result_bytes(self, result: Any, /) -> bytes:
        """Payload of the game's own message for one of `Game.results`."""
        raise NotImplementedError

    def deal_result_bytes(self, result: object) -> bytes:
        """Payload of ``DealResult``; *result* is one of `Game.results`."""
        return framed(game.DEAL_RESULT[self.name], self.result_bytes(result))

    def read_view(self, message: Any, options: Any) -> Any:
        """The value of `Game.view` that *message*, the game's arm of a ``SeatView``, was made from,
        at a table with these *options*."""
        raise NotImplementedError
