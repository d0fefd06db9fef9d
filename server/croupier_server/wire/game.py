"""`GameWire`: what tables need of the messages of a game.

Values of a game are `object` here, as tables never look inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from croupier.v1 import game_pb2
from croupier_server.games.base import AnyGame, Event, Move, Seat
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import game
from croupier_server.wire.moves import LegalBytes
from croupier_server.wire.options import OptionFields
from croupier_server.wire.views import Views


class GameWire:
    """The messages of one game.

    The functions of the game are attributes, so that there is no call in between.

    Args:
        rules: of the game.
        title, seats_min, seats_max, decision_kinds, move_code, move_bytes, event_bytes, views,
            read_view: see the attributes.
        legal: encodes its legal moves.
        result_bytes: payload of the game's own message for one of `Game.results`.

    Attributes:
        kind: number of its ``GameKind``.
        name: its name, which is that of its arm in every oneof.
        title: its name for people.
        seats_min, seats_max: bounds of the number of seats over all options.
        decision_kinds: by number: payload of ``DecisionKind``.
        move_code: the move that a message says. Raises MalformedMove: it says none; ``field`` is
            the path, such as ``move.tractor.play.cards[3]``. Raises IllegalMove: it says one that
            the rules never allow and that has no number, such as a bid out of range.
        move_bytes: payload of ``Move``.
        legal_bytes: payload of ``LegalMoves``, as far as the mode (a number of `LegalMode`) lets
            it; ``truncated`` is set whenever something is left out.
        event_bytes: payload of ``GameEvent``, and by seat that of its ``GamePrivateEvent``.
        views: makes an encoder for one table.
        read_view: the value of `Game.view` that a message, the game's arm of a ``SeatView``, was
            made from, at a table with these options.
    """

    def __init__(
        self,
        rules: AnyGame,
        title: str,
        *,
        seats_min: int,
        seats_max: int,
        decision_kinds: Sequence[bytes],
        legal: LegalBytes,
        move_code: Callable[[game_pb2.Move], Move],
        move_bytes: Callable[[Move], bytes],
        event_bytes: Callable[[Event], tuple[bytes, dict[Seat, bytes]]],
        result_bytes: Callable[[Any], bytes],
        views: Callable[[], Views[Any, Any]],
        read_view: Callable[[Any, Any], Any],
    ) -> None:
        self.rules = rules
        self.title = title
        self.seats_min = seats_min
        self.seats_max = seats_max
        self.decision_kinds = decision_kinds
        self.legal = legal
        self.legal_bytes = legal.answer
        self.move_code = move_code
        self.move_bytes = move_bytes
        self.event_bytes = event_bytes
        self.result_bytes = result_bytes
        self.views = views
        self.read_view = read_view
        self.name = rules.name
        self.kind = int(game_pb2.GameKind.Value(f"GAME_KIND_{self.name.upper()}"))
        self._option_fields = OptionFields(self.name, title, rules.option_specs())

    def options_overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        """The options that *message* sets, as text; what they mean together is not checked.

        Raises:
            InvalidRequest: options of another game (MALFORMED_REQUEST), or a value that is none
                of its enum (INVALID_OPTION); ``field`` is the path, such as
                ``options.tractor.protect``.
        """
        return self._option_fields.overrides(message)

    def options_message(self, options: object) -> game_pb2.GameOptions:
        """All options, each of them set but those that have no value."""
        return self._option_fields.message(self.rules.option_text(options))

    def option_number(self, name: str, text: str) -> int:
        """What the field of the option *name* holds for *text*, a listed value or level of it."""
        return self._option_fields.number(name, text)

    def move_message(self, move: Move) -> game_pb2.Move:
        """*move* as a message."""
        return game_pb2.Move.FromString(self.move_bytes(move))

    def legal_move_bytes(self, move: Move, kind: int) -> bytes:
        """Payload of ``LegalMove``."""
        return self.legal.move(move, kind)

    def deal_result_bytes(self, result: object) -> bytes:
        """Payload of ``DealResult``; *result* is one of `Game.results`."""
        return framed(game.DEAL_RESULT[self.name], self.result_bytes(result))
