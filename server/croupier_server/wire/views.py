"""What views and events of all games share on the wire: what they are made from, and bytes that are
kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeAlias, TypeVar

from google.protobuf.message import Message

from croupier_server.games.base import PUBLIC, Event, Seat
from croupier_server.games.kept import Kept
from croupier_server.wire.encode import TAGS, framed
from croupier_server.wire.generated.game import PUBLIC_VIEW, SEAT_VIEW

P = TypeVar("P")
T = TypeVar("T")
V = TypeVar("V")

SplitView: TypeAlias = tuple[bytes, bytes, bytes]
"""A view in three parts that have no field in common, each with its fields in order.

- The base: fields of the game's public view that seldom change, the same object as before if they
  have not.
- A repeated field of the public view: the same object as before if it has not changed, and the
  bytes of before with more behind them if it has only grown.
- The rest.
"""

_PUBLIC_VIEW: Final = TAGS[1]
"""``public_view`` in the view of every game."""


def part_of_view(game: str, fields: bytes) -> bytes | None:
    """Payload of a ``SeatView`` that has nothing but *fields* of the public view of *game*; None:
    there are none."""
    return framed(SEAT_VIEW[game], framed(_PUBLIC_VIEW, fields)) if fields else None


class Views(ABC, Generic[P, V]):
    """Views of one table as bytes, each made from what `Game.view` returns and nothing else.

    What is kept between two calls is checked against the view each time, so states may be given in
    any order; it pays when they follow each other.

    Args:
        name: of the game.
        view: its `Game.view`.
    """

    def __init__(self, name: str, view: Callable[[Any, Seat], Any]) -> None:
        self._view = view
        self._public_tag = PUBLIC_VIEW[name]
        self._seat_tag = SEAT_VIEW[name]

    def public(self, state: Any) -> bytes:
        """Payload of ``PublicView``: what everybody knows."""
        return framed(self._public_tag, self.of_all(self._view(state, PUBLIC).public))

    def seat(self, state: Any, seat: Seat) -> bytes:
        """Payload of ``SeatView``: what *seat* knows."""
        view = self._view(state, seat)
        return framed(self._seat_tag, self.of_seat(view, self.of_all(view.public)))

    def split(self, state: Any, seat: Seat) -> SplitView:
        """The same in parts, for streams that send the first ones once; the rest is the payload of
        ``SeatView`` without them."""
        view = self._view(state, seat)
        base, grown, rest = self.of_all_split(view.public)
        return base, grown, framed(self._seat_tag, self.of_seat(view, rest))

    @abstractmethod
    def of_all(self, public: P) -> bytes:
        """The game's public view, its fields in the order of their numbers."""

    @abstractmethod
    def of_seat(self, view: V, public: bytes) -> bytes:
        """The game's view of a seat, with *public* as its public part."""

    def of_all_split(self, public: P) -> SplitView:
        """The game's public view in parts. A game whose views are short need not have this: then
        every field is sent each time."""
        return b"", b"", self.of_all(public)


class Growing(Generic[T]):
    """Elements of a repeated field that mostly grows, such as finished tricks.

    What was encoded is compared with the elements each time, by identity where they are the same
    objects, so that it cannot be sent when it is no longer true.

    Args:
        encode: the field with one element.

    Attributes:
        kept: all elements, with tags and lengths.
    """

    __slots__ = ("_encode", "_of", "kept")

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._of: tuple[T, ...] = ()
        self.kept = b""

    def keep(self, elements: tuple[T, ...]) -> None:
        """Let the elements be *elements*."""
        if elements is self._of:
            return
        known = len(self._of)
        if elements[:known] != self._of:
            known = 0
            self.kept = b""
        self.kept += b"".join([self._encode(element) for element in elements[known:]])
        self._of = elements


class Latest(Generic[T]):
    """A message field whose value is replaced as a whole now and then, such as the last result.

    Args:
        encode: the field with a value.

    Attributes:
        kept: the value with tag and length; nothing for None.
    """

    __slots__ = ("_encode", "_of", "kept")

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._of: T | None = None
        self.kept = b""

    def keep(self, value: T | None) -> None:
        """Let the value be *value*."""
        if value is not self._of:
            self._of = value
            self.kept = b"" if value is None else self._encode(value)


def seat_of(message: Message, field: str) -> Seat:
    """The seat or side in an optional *field*, or -1 if it is not set."""
    value: int = getattr(message, field)
    return value if message.HasField(field) else -1


# Events -----------------------------------------------------------------------------------------

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
