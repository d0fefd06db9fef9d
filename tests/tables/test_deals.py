"""Promise 7, Verifiable: decks and lots follow from secret and nonces, by the documented bytes."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import islice

import pytest

from croupier_server.tables.match import deals
from croupier_server.tables.spec import DealKind, DealSource

SECRET = bytes(range(32))
NONCES = [bytes([seat]) * 32 for seat in range(3)] + [b""]


def fields(*blobs: bytes) -> bytes:
    """Fields behind their lengths, written down once more."""
    return b"".join(len(blob).to_bytes(4, "big") + blob for blob in blobs)


def number(value: int) -> bytes:
    return value.to_bytes(8, "big")


def keyed(key: bytes, *blobs: bytes) -> bytes:
    return hmac.new(key, fields(*blobs), hashlib.sha256).digest()


def test_a_commitment_is_the_hash_of_its_fields() -> None:
    expected = hashlib.sha256(fields(b"croupier/commitment/v2", b"terms", SECRET)).digest()
    assert deals.commitment(b"terms", SECRET) == expected


def test_the_root_of_a_match_takes_every_nonce_in_seat_order() -> None:
    expected = keyed(SECRET, b"croupier/root/v1", b"table-1", *NONCES)
    assert deals.match_root(SECRET, "table-1", NONCES) == expected
    assert deals.match_root(SECRET, "table-1", NONCES[::-1]) != expected
    assert deals.match_root(SECRET, "table-2", NONCES) != expected


def test_fields_cannot_run_into_each_other() -> None:
    assert deals.pack(b"ab", b"c") != deals.pack(b"a", b"bc")
    assert deals.pack(b"", b"a") != deals.pack(b"a", b"")


def test_a_board_has_its_own_root_and_a_seed_makes_one() -> None:
    board = DealSource(DealKind.BOARD, root=SECRET)
    assert deals.source_root(board, b"", "any", []) == SECRET
    fixed = DealSource(DealKind.FIXED, seed=7)
    expected = keyed(b"croupier/fixed/v1", number(7))
    assert deals.source_root(fixed, b"", "one", []) == expected
    assert deals.source_root(fixed, b"x", "other", [b"y"]) == expected
    match = DealSource(DealKind.MATCH)
    assert deals.source_root(match, SECRET, "t", NONCES) == deals.match_root(SECRET, "t", NONCES)


def test_a_deck_is_shuffled_from_the_top_by_the_draws_of_its_key() -> None:
    root = hashlib.sha256(b"root").digest()
    key = keyed(root, b"deck", number(3), number(1))
    blocks = b"".join(keyed(key, number(block)) for block in range(40))
    draws = [int.from_bytes(blocks[at : at + 8], "big") for at in range(0, len(blocks), 8)]
    assert list(islice(deals.draws(key), len(draws))) == draws
    deck = list(range(1, 55)) * 2
    expected = list(deck)
    place = len(deck) - 1
    for draw in draws:
        if place and draw < 2**64 - 2**64 % (place + 1):
            other = draw % (place + 1)
            expected[place], expected[other] = expected[other], expected[place]
            place -= 1
    assert place == 0
    assert deals.RootDealer(root).deck(3, 1, deck) == expected


def test_a_lot_has_a_key_of_its_own_for_each_deal() -> None:
    root = hashlib.sha256(b"root").digest()
    for deal in range(1, 20):
        key = keyed(root, b"lot", number(deal))
        expected = int.from_bytes(keyed(key, number(0))[:8], "big") % 4
        assert deals.RootDealer(root).lot(deal, 4) == expected


def test_draws_that_would_favour_small_numbers_are_passed_over() -> None:
    top = 2**64 - 1
    assert deals.draw_below(iter([top, 5]), 3) == 2
    assert 2**64 % 3 == 1
    assert deals.draw_below(iter([top - 1]), 3) == (top - 1) % 3
    assert deals.draw_below(iter([top]), 4) == 3


def test_decks_differ_by_deal_and_redeal_and_every_card_goes_everywhere() -> None:
    dealer = deals.RootDealer(hashlib.sha256(b"root").digest())
    pack = tuple(range(1, 9))
    decks = [
        tuple(dealer.deck(deal, attempt, pack)) for deal in range(1, 500) for attempt in (0, 1)
    ]
    assert all(sorted(deck) == sorted(pack) for deck in decks)
    assert len(set(decks)) > 950
    for place in range(8):
        seen = Counter(deck[place] for deck in decks)
        assert min(seen.values()) > 80
        assert max(seen.values()) < 180


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_root_has_32_bytes(size: int) -> None:
    with pytest.raises(AssertionError):
        deals.RootDealer(bytes(size))
