"""Cards by id and text, and multisets of cards as packed counts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_server.games.cards import (
    BLACK_JOKER,
    CARD_MAX,
    COPIES_MAX,
    JOKER_SUIT,
    RED_JOKER,
    at_least,
    card_of,
    card_text,
    contains,
    count,
    every_copy,
    one_pack_ids,
    pack,
    parse,
    parse_card,
    rank,
    single,
    suit,
    text,
    unpack,
)

IDS = range(1, CARD_MAX + 1)


def multisets() -> st.SearchStrategy[list[int]]:
    """Ids of cards, at most `COPIES_MAX` of each."""
    counts = st.dictionaries(st.sampled_from(list(IDS)), st.integers(1, COPIES_MAX))
    return counts.map(lambda held: sorted(Counter(held).elements()))


def test_ids_are_those_of_the_contract() -> None:
    names = ["2S", "AS", "2H", "AH", "2D", "AD", "2C", "AC", "BJ", "RJ"]
    assert [parse_card(name) for name in names] == [1, 13, 14, 26, 27, 39, 40, 52, 53, 54]


def test_every_card_has_one_name() -> None:
    assert [parse_card(card_text(card)) for card in IDS] == list(IDS)


def test_suit_and_rank_give_the_card_back() -> None:
    assert all(card_of(suit(card), rank(card)) == card for card in IDS if card < BLACK_JOKER)
    assert [(suit(card), rank(card)) for card in (BLACK_JOKER, RED_JOKER)] == [(JOKER_SUIT, 0)] * 2


@pytest.mark.parametrize("name", ["", "1S", "10S", "7s", "S7", "JB", "R", "7S "])
def test_other_names_are_no_cards(name: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        parse_card(name)


@given(multisets())
def test_packing_and_unpacking_are_inverse(ids: list[int]) -> None:
    cards = pack(reversed(ids))
    assert list(unpack(cards)) == ids
    assert count(cards) == len(ids)
    assert parse(text(cards)) == cards


@given(st.sets(st.sampled_from(list(IDS))))
def test_cards_of_one_pack_are_unpacked_alike(ids: set[int]) -> None:
    cards = pack(ids)
    assert one_pack_ids(cards) == unpack(cards)


@pytest.mark.more
@given(multisets())
def test_planes_tell_which_cards_are_held_so_often(ids: list[int]) -> None:
    cards = pack(ids)
    for copies in range(1, COPIES_MAX + 3):
        often = sorted({card for card in ids if ids.count(card) >= copies})
        assert list(unpack(at_least(cards, copies))) == often


@pytest.mark.more
@given(multisets(), multisets())
def test_contains_counts_copies(hand: list[int], cards: list[int]) -> None:
    assert contains(pack(hand), pack(cards)) == (Counter(cards) <= Counter(hand))


def test_nothing_contains_a_move_code() -> None:
    assert not contains(pack(IDS), single(5) | 7)


def test_every_copy_masks_all_copies() -> None:
    assert pack([5] * 6 + [6]) & every_copy(single(5)) == pack([5] * 6)


@pytest.mark.parametrize("ids", [[0], [55], [-1], [7] * 7])
def test_what_is_no_multiset_of_cards_is_refused(ids: list[int]) -> None:
    with pytest.raises(ValueError, match=r"is not a card|copies"):
        pack(ids)
