"""What the contract needs of a game: how its values become messages, and moves become integers.

One `GameWire` a game, in its folder. Values of a game are `object` here, as tables never look
inside them.

Must not be put here: anything about one game, and the messages of tables and streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final, Protocol

from croupier.v1 import game_pb2
from croupier_server.games.base import Event, Legal, Move, Seat
from croupier_server.wire.views import Views

LISTED_MAX: Final = 64
"""At most so many moves and so many patterns go into one answer."""

SUMMARY_MAX: Final = 16
"""With `LegalMode.SUMMARY`: longer answers are left out."""


class LegalMode(IntEnum):
    """How much of the legal moves a decision lists; the numbers are those of the contract."""

    FULL = 1
    SUMMARY = 2
    OFF = 3


class GameWire(Protocol):
    """The messages of one game.

    Attributes:
        kind: number of its ``GameKind``.
        name: its name, which is that of its arm in every oneof.
        title: its name for people.
        seats_min, seats_max: bounds of the number of seats over all options.
        decision_kinds: by number: payload of ``DecisionKind``.
    """

    kind: int
    name: str
    title: str
    seats_min: int
    seats_max: int
    decision_kinds: Sequence[bytes]

    # Options -----------------------------------------------------------------------------------
    def options_overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        """The options that *message* sets, as text; what they mean together is not checked.

        Raises:
            InvalidRequest: options of another game (MALFORMED_REQUEST), or a value that is none
                of its enum (INVALID_OPTION); ``field`` is the path, such as
                ``options.tractor.protect``.
        """
        ...

    def option_number(self, name: str, text: str) -> int:
        """What the field of the option *name* holds for *text*, a listed value or level of it."""
        ...

    def options_message(self, options: object) -> game_pb2.GameOptions:
        """All options, each of them set."""
        ...

    # Moves -------------------------------------------------------------------------------------
    def move_code(self, message: game_pb2.Move, /) -> Move:
        """The move that *message* says.

        Raises:
            MalformedMove: it says none; ``field`` is the path, such as
                ``move.tractor.play.cards[3]``.
            IllegalMove: it says one that the rules never allow and that has no number, such as a
                bid out of range.
        """
        ...

    def move_message(self, move: Move) -> game_pb2.Move:
        """*move* as a message."""
        ...

    def move_bytes(self, move: Move, /) -> bytes:
        """Payload of ``Move``."""
        ...

    def legal_bytes(self, legal: Legal, mode: int) -> bytes:
        """Payload of ``LegalMoves``, as far as *mode* (a number of `LegalMode`) lets it.

        ``truncated`` is set whenever something is left out.
        """
        ...

    def legal_move_bytes(self, move: Move, kind: int) -> bytes:
        """Payload of ``LegalMove``."""
        ...

    # Events and views --------------------------------------------------------------------------
    def event_bytes(self, event: Event, /) -> tuple[bytes, dict[Seat, bytes]]:
        """Payload of ``GameEvent``, and by seat the payload of its ``GamePrivateEvent``."""
        ...

    def deal_result_bytes(self, result: object) -> bytes:
        """Payload of ``DealResult``; *result* is one of `Game.results`."""
        ...

    def views(self) -> Views[Any, Any]:
        """A new encoder, for one table."""
        ...
