"""Write ``tests/vectors/fairness.json``: worked examples of everything in ``docs/fairness.md``.

They are worked out here a second time, slowly and from the page alone: this file shares no code
with the server, down to HMAC, which it makes of SHA-256. ``--check`` fails if the file differs.
``--record FILE`` and ``--restarted FILE`` take other records as the examples, the second one with
restarted openings; otherwise those in the file stay.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "tests" / "vectors" / "fairness.json"

Field = str | int | bytes


# From the page ------------------------------------------------------------------------------------


def number(value: int, size: int) -> bytes:
    """*value* in *size* bytes, the highest first."""
    return bytes((value >> (8 * place)) % 256 for place in reversed(range(size)))


def pack(fields: Sequence[Field]) -> bytes:
    """The fields one after the other, each behind its length."""
    packed = b""
    for field in fields:
        if isinstance(field, str):
            blob = field.encode("utf-8")
        elif isinstance(field, int):
            blob = number(field, 8)
        else:
            blob = field
        packed += number(len(blob), 4) + blob
    return packed


def hmac(key: bytes, fields: Sequence[Field]) -> bytes:
    """HMAC-SHA-256 as RFC 2104 has it; no key here is longer than a block."""
    block = key + bytes(64 - len(key))
    inner = sha256(bytes(byte ^ 0x36 for byte in block) + pack(fields)).digest()
    return sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


def draws(key: bytes) -> Iterator[int]:
    """64-bit numbers, four of each block."""
    block = 0
    while True:
        data = hmac(key, [block])
        for start in (0, 8, 16, 24):
            value = 0
            for byte in data[start : start + 8]:
                value = 256 * value + byte
            yield value
        block += 1


def below(numbers: Iterator[int], sides: int) -> int:
    """A number from 0 to *sides* - 1; draws of the last, incomplete round are passed over."""
    rounds = 2**64 // sides
    for drawn in numbers:
        if drawn < rounds * sides:
            return drawn % sides
    raise AssertionError


def deck(root: bytes, deal: int, attempt: int, cards: Sequence[str]) -> list[str]:
    """The pack, shuffled from its last place down."""
    numbers = draws(hmac(root, ["deck", deal, attempt]))
    shuffled = list(cards)
    place = len(shuffled) - 1
    while place > 0:
        other = below(numbers, place + 1)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
        place -= 1
    return shuffled


SUITS = [[rank + suit for rank in "23456789TJQKA"] for suit in "SHDC"]
PLAIN = [card for suit in SUITS for card in suit]
PACKS = {
    "tractor, 2 packs": [card for card in [*PLAIN, "BJ", "RJ"] for _ in range(2)],
    "tractor, 3 packs": [card for card in [*PLAIN, "BJ", "RJ"] for _ in range(3)],
    "tongits": PLAIN,
    "pokex": [*PLAIN, "BJ", "RJ"],
}
"""Every pack in its documented order."""


def dealt(game: str, cards: Sequence[str], first: int, players: int, hand: int) -> dict[str, Any]:
    """Who is dealt what: one card at a time from *first* on; what is left, in order."""
    hands: list[list[str]] = [[] for _ in range(players)]
    number_dealt = players * hand + (1 if game == "tongits" else 0)
    for place in range(number_dealt):
        hands[(first + place) % players].append(cards[place])
    return {"hands": [" ".join(own) for own in hands], "left": " ".join(cards[number_dealt:])}


# A record, read by hand ---------------------------------------------------------------------------


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = shift = 0
    while True:
        value += (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
        shift += 7


def parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and payload of every field with a length; numbers are passed over."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        size, at = varint(data, at)
        if tag % 8 == 2:
            yield tag // 8, data[at : at + size]
            at += size


def terms(table: bytes) -> bytes:
    """A serialised table less its field 8, the commitment."""
    found, at = b"", 0
    while at < len(table):
        start = at
        tag, at = varint(table, at)
        size, at = varint(table, at)
        if tag % 8 == 2:
            at += size
        if tag // 8 != 8:
            found += table[start:at]
    return found


def restarted(data: bytes) -> dict[str, Any]:
    """The commitments of a record whose opening was restarted, from the table and its secrets."""
    record = dict(parts(data))
    pinned = terms(record[2])
    reveal = list(parts(record[4]))
    secrets = [dict(parts(blob))[1] for field, blob in reveal if field == 5]
    secrets += [blob for field, blob in reveal if field == 1]
    return {
        "hex": data.hex(),
        "terms": pinned.hex(),
        "secrets": [secret.hex() for secret in secrets],
        "commitments": [commitment_v2(pinned, secret) for secret in secrets],
    }


def chain(data: bytes) -> list[str]:
    """Hash 0 and the hash of every row."""
    fields = list(parts(data))
    table = next(payload for field, payload in fields if field == 2)
    hashes = [sha256(b"croupier/record/v1" + table).digest()]
    for field, row in fields:
        if field == 5:
            body = row[:-34]
            hashes.append(sha256(hashes[-1] + body).digest())
            assert row[-34:] == b"\x2a\x20" + hashes[-1], "the record is not one"
    return [one.hex() for one in hashes]


# The file -----------------------------------------------------------------------------------------


def example(name: str) -> bytes:
    """32 bytes that anybody can make again."""
    return sha256(name.encode()).digest()


def as_json(fields: Sequence[Field]) -> list[dict[str, Any]]:
    """Fields as the file has them."""
    names = {str: "text", int: "number", bytes: "hex"}
    return [
        {names[type(field)]: field.hex() if isinstance(field, bytes) else field} for field in fields
    ]


def commitment_v2(pinned: bytes, secret: bytes) -> str:
    """To a table as it was created, less its commitment, and a secret."""
    return sha256(pack(["croupier/commitment/v2", pinned, secret])).hexdigest()


def _secrets() -> dict[str, Any]:
    packed: list[list[Field]] = [
        [],
        [""],
        ["ab", 1],
        [b"\x00\xff", 2**64 - 1, "ä"],
        ["a", "bc"],
        ["ab", "c"],
    ]
    secret = example("secret")
    nonces = [example("nonce 0"), b"", example("nonce 2")]
    return {
        "pack": [{"fields": as_json(fields), "hex": pack(fields).hex()} for fields in packed],
        "hmac": [
            {
                "key": secret.hex(),
                "fields": as_json(["lot", 1]),
                "hex": hmac(secret, ["lot", 1]).hex(),
            }
        ],
        "commitment_v2": [
            {
                "terms": pinned.hex(),
                "secret": secret.hex(),
                "commitment": commitment_v2(pinned, secret),
            }
            for pinned in (b"", example("terms"))
        ],
        "match_root": [
            {
                "secret": secret.hex(),
                "table_id": "table-1",
                "nonces": [nonce.hex() for nonce in some],
                "nonce_hashes": [sha256(nonce).hexdigest() if nonce else "" for nonce in some],
                "root": hmac(secret, ["croupier/root/v1", "table-1", *some]).hex(),
            }
            for some in (nonces, [b"", b"", b""], [*nonces, example("nonce 3")])
        ],
        "fixed_root": [
            {"seed": str(seed), "root": hmac(b"croupier/fixed/v1", [seed]).hex()}
            for seed in (0, 7, 2**64 - 1)
        ],
        "board": [
            {"root": example("board").hex(), "commitment": sha256(example("board")).hexdigest()}
        ],
    }


def _cards() -> dict[str, Any]:
    root, key = example("root"), example("key")
    numbers, found = draws(key), []
    for sides in (2, 3, 52, 216, 2**63 + 1, 2**63 + 1, 2**63 + 1, 2**64 - 1):
        found.append({"sides": str(sides), "number": str(below(numbers, sides))})
    first = draws(key)
    dealing = []
    for game, name, players, hand, start in (
        ("tractor", "tractor, 2 packs", 4, 25, 1),
        ("tongits", "tongits", 3, 12, 2),
        ("pokex", "pokex", 4, 12, 3),
    ):
        cards = deck(root, 1, 0, PACKS[name])
        told = dealt(game, cards, start, players, hand)
        dealing.append({"game": game, "deck": " ".join(cards), "first": start, **told})
    return {
        "draws": [{"key": key.hex(), "numbers": [str(next(first)) for _ in range(9)]}],
        "below": [{"key": key.hex(), "in_turn": found}],
        "packs": {name: " ".join(cards) for name, cards in PACKS.items()},
        "decks": [
            {
                "pack": name,
                "root": root.hex(),
                "deal": deal,
                "attempt": attempt,
                "key": hmac(root, ["deck", deal, attempt]).hex(),
                "deck": " ".join(deck(root, deal, attempt, cards)),
            }
            for name, cards in PACKS.items()
            for deal, attempt in ((1, 0), (1, 2), (9, 0))
        ],
        "lots": [
            {
                "root": root.hex(),
                "deal": 1,
                "sides": sides,
                "lot": below(draws(hmac(root, ["lot", 1])), sides),
            }
            for sides in (3, 4, 6, 12)
        ],
        "dealing": dealing,
    }


def vectors(record: bytes, again: bytes) -> dict[str, Any]:
    """The whole file."""
    return {
        "about": "Examples for docs/fairness.md, written by scripts/fairness_vectors.py.",
        **_secrets(),
        **_cards(),
        "record": {
            "hex": record.hex(),
            "chain": chain(record),
            "hash": sha256(record[:-34]).hexdigest(),
        },
        "restarted": restarted(again),
    }


def main() -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it differs")
    parser.add_argument("--record", type=Path, help="the record to take as the example")
    parser.add_argument("--restarted", type=Path, help="the one with restarted openings")
    arguments = parser.parse_args()
    before = json.loads(FILE.read_text(encoding="utf-8"))
    examples = []
    for name in ("record", "restarted"):
        file = getattr(arguments, name)
        given = bytes.fromhex(before[name]["hex"]) if file is None else file.read_bytes()
        examples.append(given)
    text = json.dumps(vectors(*examples), indent=1, ensure_ascii=True) + "\n"
    if not arguments.check:
        FILE.write_text(text, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is not what this script writes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
