"""Events of any game as bytes: the public part for everybody, the private parts seat by seat.

A game gives two tables by type of the public part: what encodes that, and what encodes the private
parts beside it. The server part of an event never comes here.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from croupier_server.games.base import Event, Seat
from croupier_server.games.kept import Kept
from croupier_server.wire.encode import framed

# Any: a table by type cannot say that the key is the type of the argument.
Public = Mapping[type, tuple[bytes, Callable[[Any], bytes]]]
"""By type of a public part: its tag in the game's event, and what encodes its payload."""

Private = Mapping[type, Callable[[Any], bytes]]
"""By type of the public part: what encodes its private parts, which are all of one type, as payload
of ``GamePrivateEvent``."""

KEPT_MAX: Final = 1024
"""So many encoded events are kept of each type that is kept."""


class EventBytes:
    """Encodes the events of one game.

    Args:
        tag: of the game in ``GameEvent``.
        public, private: see `Public` and `Private`.
        kept: types of public parts of which the same come again and again.
    """

    __slots__ = ("_private", "_public", "_tag", "whole")

    def __init__(
        self, tag: bytes, public: Public, private: Private, kept: tuple[type, ...] = ()
    ) -> None:
        self._tag = tag
        self._public = public
        self._private = private
        self.whole: dict[type, Callable[[Any], bytes]] = {
            # A table each: parts of two types may be equal as tuples.
            part: Kept[Any, bytes](self.encode, KEPT_MAX).__getitem__
            if part in kept
            else self.encode
            for part in public
        }
        """By type of a public part: what makes the payload of ``GameEvent``. A game may put
        something faster in."""

    def encode(self, public: object) -> bytes:
        """Payload of ``GameEvent``."""
        tag, encode = self._public[type(public)]
        return framed(self._tag, framed(tag, encode(public)))

    def event_bytes(self, event: Event) -> tuple[bytes, dict[Seat, bytes]]:
        """See `GameWire.event_bytes`."""
        public, shown, _ = event
        kind = type(public)
        found = self.whole[kind](public)
        if not shown:
            return found, {}
        private = self._private[kind]
        return found, {seat: private(part) for seat, part in shown.items()}
