"""What only the server may know of a table, put down with its log so that it can be taken up again.

`LogRow.kept` of a row holds one of these, as JSON. With some events comes what they do not tell:
hashes of tickets, secrets, nonces; a note is a row that holds nothing else. `Carried` is in
`Deal.carried`. Tickets, host tickets and invite codes are never here themselves, only their hashes.
Nothing here is ever sent, and none of it goes into a record before the reveal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from croupier_server.games.base import Seat

Slots: TypeAlias = Mapping[str, Any]
"""Attributes of an object by name. Renaming one makes the first start after an upgrade replay whole
logs. One that is not empty in a new object must never be emptied."""

NO_SLOTS: Final[Slots] = MappingProxyType({})


class Creation(NamedTuple):
    """With ``TableCreated``: what the table is besides, and who made it.

    Attributes:
        options: name and text of every option.
        secret: of the table (deal source MATCH).
        root: of its board (BOARD).
        seed: of its cards (FIXED).
        decks: that its host gave (FIXED).
        players: by seat, the name that it is reserved for.
        player_ids: by seat, the principal that it is reserved for; empty: for none.
        house_bots: by seat, the name of its house bot.
        host: hash of the host ticket.
        invites: by seat, the hash of its invite code, or empty.
        principal: whose key it was made with.
        request_id: of the call that made it.
        request: hash of that call; see ``idempotency.py``.
    """

    options: tuple[tuple[str, str], ...] = ()
    secret: bytes = b""
    root: bytes = b""
    seed: int | None = None
    players: tuple[str, ...] = ()
    player_ids: tuple[str, ...] = ()
    house_bots: tuple[str, ...] = ()
    host: bytes = b""
    invites: tuple[bytes, ...] = ()
    principal: str = ""
    request_id: str = ""
    request: bytes = b""
    decks: tuple[bytes, ...] = ()


class Sitting(NamedTuple):
    """With ``SeatJoined``: who holds the seat now.

    Attributes:
        ticket: hash of the ticket.
        principal: whose key it was joined with.
        nonce_hash: SHA-256 of the seat's nonce, or empty.
        relieves: a house bot has taken the seat over from a player who was away.
        request_id: of the call.
        request: hash of that call.
    """

    ticket: bytes = b""
    principal: str = ""
    nonce_hash: bytes = b""
    relieves: bool = False
    request_id: str = ""
    request: bytes = b""


class Opened(NamedTuple):
    """With ``NonceOpened``: the nonce, and the hash of the one that the seat would open next."""

    nonce: bytes = b""
    next_hash: bytes = b""


class Replaced(NamedTuple):
    """With ``SeatNoShow``: the table's new secret."""

    secret: bytes = b""


class Struck(NamedTuple):
    """A note: refusals on one decision became a strike."""

    seat: Seat = 0
    sealed: bool = False


class Conceded(NamedTuple):
    """A note: a seat gave the match up, and its partners have not yet."""

    seat: Seat = 0


class Relieved(NamedTuple):
    """A note: a house bot is to take a seat over; hash of the code that lets it."""

    seat: Seat = 0
    code: bytes = b""


class Invited(NamedTuple):
    """A note: host ticket and invite codes were given out anew; their hashes."""

    host: bytes = b""
    invites: tuple[bytes, ...] = ()


class Stopped(NamedTuple):
    """A note: the server was going down; what had been used of each open decision's time.

    Attributes:
        used: id of the decision, milliseconds.
    """

    used: tuple[tuple[str, int], ...] = ()


class Quarantined(NamedTuple):
    """A note: an operator has stopped play since that time, or let it go on (None)."""

    since_ms: int | None = None


class Watched(NamedTuple):
    """A note: these principals have begun to watch a table whose cards are those of others too."""

    principals: tuple[str, ...] = ()


class Carried(NamedTuple):
    """In `Deal.carried`: what a deal takes from all that came before, but for results of deals.

    Attributes:
        kept_from: number of the first event of the deal before.
        game: see `Game.carry`.
        accounts, opening: `slots` of these objects.
        seats: `slots` of each seat.
    """

    kept_from: int = 1
    game: tuple[int, ...] = ()
    accounts: Slots = NO_SLOTS
    opening: Slots = NO_SLOTS
    seats: tuple[Slots, ...] = ()


Kept: TypeAlias = (
    Creation
    | Sitting
    | Opened
    | Replaced
    | Struck
    | Conceded
    | Relieved
    | Invited
    | Stopped
    | Quarantined
    | Watched
    | Carried
)

_KINDS: Final[dict[str, type[Kept]]] = {
    "creation": Creation,
    "sitting": Sitting,
    "opened": Opened,
    "replaced": Replaced,
    "struck": Struck,
    "conceded": Conceded,
    "relieved": Relieved,
    "invited": Invited,
    "stopped": Stopped,
    "quarantined": Quarantined,
    "watched": Watched,
    "carried": Carried,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}
_encode: Final = json.JSONEncoder(
    default=lambda blob: {"hex": blob.hex()}, separators=(",", ":"), ensure_ascii=False
).encode


def dump(fact: Kept) -> bytes:
    """*fact* as bytes; what has its default is left out, so that old rows are read by new code."""
    given = {
        name: value
        for name, value in zip(fact._fields, fact, strict=True)
        if value != fact._field_defaults[name]
    }
    return _encode([_NAMES[type(fact)], given]).encode()


def load(data: bytes) -> Kept:
    """The fact that `dump` made *data* of.

    Raises:
        ValueError: it is none.
    """
    try:
        name, fields = json.loads(data)
        make: Callable[..., Kept] = _KINDS[name]
        return make(**{key: plain(value) for key, value in fields.items()})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not a kept fact: {type(error).__name__}") from None


def slots(thing: object, without: Collection[str] = ()) -> Slots:
    """Attributes of *thing* that are not empty, zero or false, by name."""
    found = {name: getattr(thing, name) for name in names_of(type(thing)) if name not in without}
    return {name: value for name, value in found.items() if value}


class CarriedBytes:
    """Serialises `Carried` as `dump` would, but for fields that have their defaults.

    Opening and seats hardly ever change once the match has begun, so they are encoded again only
    when one of their slots does.

    Args:
        opening: the object whose `slots` are in `Carried.opening`.
        without: those of its slots that are not.
        seats: the objects whose `slots` are in `Carried.seats`.
    """

    __slots__ = (
        "_key",
        "_opening",
        "_seats",
        "_state_of_opening",
        "_state_of_seat",
        "_text",
        "_without",
    )

    def __init__(self, opening: object, without: frozenset[str], seats: Sequence[object]) -> None:
        self._opening = opening
        self._without = without
        self._seats = seats
        kinds: tuple[Any, Any] = type(opening), type(seats[0])
        self._state_of_opening = _state(kinds[0], without)
        self._state_of_seat = _state(kinds[1])
        self._key: tuple[object, ...] = ()
        self._text = ""

    def dump(self, kept_from: int, game: tuple[int, ...], accounts: Slots) -> bytes:
        """The serialised fact as of now; for the arguments see `Carried`."""
        key = (self._state_of_opening(self._opening), *map(self._state_of_seat, self._seats))
        if key != self._key:
            self._key = key
            opening = slots(self._opening, self._without)
            seats = [slots(seat) for seat in self._seats]
            self._text = _encode({"opening": opening, "seats": seats})[1:-1]
        rest = _encode({"kept_from": kept_from, "game": game, "accounts": accounts})[1:-1]
        return f'["carried",{{{rest},{self._text}}}]'.encode()


@cache
def _state(kind: Any, without: frozenset[str] = frozenset()) -> Callable[[object], object]:
    """Gives the values of all slots of an object, which cannot be changed in place."""
    return attrgetter(*[name for name in names_of(kind) if name not in without])


def names_of(kind: Any) -> list[str]:
    """The attributes of *kind*, sorted. Compiled classes have no slots, but a list of mypyc's."""
    return sorted(getattr(kind, "__slots__", ()) or kind.__mypyc_attrs__)


def dump_results(at: int, results: Sequence[object]) -> bytes:
    """`Deal.results`: *results* of the deals from number *at* on, counted from 0."""
    return _encode([at, results]).encode()


def load_results(data: bytes) -> tuple[int, tuple[Any, ...]]:
    """What `dump_results` was given; each result as a tuple of plain values.

    Raises:
        ValueError: it is something else.
    """
    try:
        at, results = plain(json.loads(data))
    except (TypeError, KeyError) as error:
        raise ValueError("not the results of deals") from error
    return at, results


def plain(value: Any) -> Any:
    """A value that was JSON: lists are tuples again, and bytes are bytes."""
    if isinstance(value, list):
        return tuple([plain(one) if isinstance(one, (list, dict)) else one for one in value])
    if isinstance(value, dict):
        if value.keys() == {"hex"}:
            return bytes.fromhex(value["hex"])
        return {key: plain(one) for key, one in value.items()}
    return value
