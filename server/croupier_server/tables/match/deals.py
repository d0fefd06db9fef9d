"""Where decks and lots come from, so that anybody can work them out again from a record.

The derivation, byte for byte. ``pack(a, b, ...)`` joins fields, each behind its length as four
bytes, big-endian; numbers are fields of eight bytes, big-endian; text is UTF-8. HMAC is
HMAC-SHA-256, and ``HMAC(key, a, b)`` means ``HMAC(key, pack(a, b))``.

* MATCH. The server's secret has 32 bytes. Published when the table is made::

      commitment = SHA-256(pack("croupier/commitment/v2", terms, secret))
      root       = HMAC(secret, "croupier/root/v1", table_id, nonce 0, nonce 1, ...)

  where ``terms`` is the serialised ``Table`` as it was created, less its field ``commitment``, so
  that everything a table says of itself is pinned too.

  A seat that gave no nonce has the empty field. A nonce's hash is the plain SHA-256 of its 32
  bytes; the hashes are published when all sit, in ``SeatsFilled``, before any nonce is opened.

  Seats that do not open their nonces in time are freed, each by a ``SeatNoShow`` of the log with
  the commitment to another secret of 32 random bytes, in the form above; seats that are freed
  together name the same one. Nothing was derived from the secret before, which is never used, and
  what had been opened counts for nothing: a seat may have given the hash of its next nonce when it
  opened the one before. Once all sit again another ``SeatsFilled`` follows. The abandoned secrets
  and opened nonces are revealed with the record. The cards of a record are checked by its last
  ones: the secret against the commitment of the last ``SeatNoShow``,
  or that of ``TableCreated`` if there is none; the nonces against the hashes of the last
  ``SeatsFilled``, where a seat without a hash has the empty nonce.
* BOARD. The root is given; its plain SHA-256 is published.
* FIXED. ``root = HMAC("croupier/fixed/v1", seed)``: equal seeds give equal cards at every table.
  Decks that the host gave are those of the first deals, before any redeal; the root has no part in
  them.

From the root, for deal *d* (from 1) and redeal *a* of it (from 0)::

      deck key = HMAC(root, "deck", d, a)
      lot key  = HMAC(root, "lot", d)

A key gives 64-bit draws: block *i* (from 0) is ``HMAC(key, i)``, four big-endian numbers. A number
in ``range(n)`` is a draw modulo *n*; draws of ``2**64 - 2**64 % n`` and above are passed over.
A deck is the pack in its documented order, shuffled by Fisher-Yates from the top: for *i* from the
last place down to 1, swap places *i* and a number in ``range(i + 1)``.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeAlias

from croupier_server.tables.spec import DealKind, DealSource, TableSpec

SECRET_BYTES: Final = 32
"""Length of secrets, nonces and roots."""

_DRAW_BITS: Final = 64
_DRAW_BYTES: Final = 8
_NUMBER_SIZE: Final = _DRAW_BYTES.to_bytes(4, "big")
_NUMBERS: Final = struct.Struct(">4Q").unpack
"""The numbers of a block."""

_DRAWS: Final = 1 << _DRAW_BITS


class Dealer(Protocol):
    """Gives a table its chance outcomes."""

    def deck(self, deal: int, attempt: int, cards: Sequence[int]) -> list[int]:
        """*cards* shuffled for redeal *attempt* of *deal*."""
        ...

    def lot(self, deal: int, sides: int) -> int:
        """A number in ``range(sides)`` for *deal*."""
        ...


MakeDealer: TypeAlias = Callable[[TableSpec, bytes], Dealer]
"""Makes the dealer of a table from its root."""


def pack(*fields: bytes | str | int) -> bytes:
    """The fields, each behind its length.

    >>> pack("ab", 1).hex()
    '000000026162000000080000000000000001'
    """
    parts: list[bytes] = []
    for field in fields:
        if isinstance(field, int):
            parts.append(_packed_number(field))
        else:
            blob = field.encode() if isinstance(field, str) else field
            parts += (len(blob).to_bytes(4, "big"), blob)
    return b"".join(parts)


def _packed_number(number: int) -> bytes:
    return _NUMBER_SIZE + number.to_bytes(_DRAW_BYTES, "big")


def _hmac(key: bytes, *fields: bytes | str | int) -> bytes:
    return hmac.digest(key, pack(*fields), "sha256")


def commitment(terms: bytes, secret: bytes) -> bytes:
    """What is published in place of a table's secret (MATCH).

    Args:
        terms: the serialised ``Table`` as it was created, without its commitment.
        secret: of the server.
    """
    return hashlib.sha256(pack("croupier/commitment/v2", terms, secret)).digest()


def match_root(secret: bytes, table_id: str, nonces: Sequence[bytes]) -> bytes:
    """The root of a match from the server's secret and the seats' nonces, in seat order."""
    return _hmac(secret, "croupier/root/v1", table_id, *nonces)


def fixed_root(seed: int) -> bytes:
    """The root of a FIXED table."""
    return _hmac(b"croupier/fixed/v1", seed)


def source_root(source: DealSource, secret: bytes, table_id: str, nonces: Sequence[bytes]) -> bytes:
    """The root of a table's decks and lots, whatever its source."""
    if source.kind is DealKind.MATCH:
        return match_root(secret, table_id, nonces)
    if source.kind is DealKind.BOARD:
        return source.root
    assert source.seed is not None
    return fixed_root(source.seed)


def draws(key: bytes) -> Iterator[int]:
    """The endless 64-bit numbers of *key*."""
    block = 0
    while True:
        yield from _NUMBERS(hmac.digest(key, _packed_number(block), "sha256"))
        block += 1


def draw_below(numbers: Iterator[int], sides: int) -> int:
    """A number in ``range(sides)``, all equally likely."""
    bound = _DRAWS - _DRAWS % sides
    for number in numbers:
        if number < bound:
            return number % sides
    raise AssertionError("draws never end")


class RootDealer:
    """Decks and lots of one root, behind the decks that a host gave for the first deals."""

    __slots__ = ("_given", "_root")

    def __init__(self, root: bytes, given: Sequence[bytes] = ()) -> None:
        assert len(root) == SECRET_BYTES
        self._root = root
        self._given = given

    def deck(self, deal: int, attempt: int, cards: Sequence[int]) -> list[int]:
        """See `Dealer.deck`."""
        if not attempt and deal <= len(self._given):
            return list(self._given[deal - 1])
        numbers = draws(_hmac(self._root, "deck", deal, attempt))
        deck = list(cards)
        for place in range(len(deck) - 1, 0, -1):
            other = draw_below(numbers, place + 1)
            deck[place], deck[other] = deck[other], deck[place]
        return deck

    def lot(self, deal: int, sides: int) -> int:
        """See `Dealer.lot`."""
        return draw_below(draws(_hmac(self._root, "lot", deal)), sides)
