"""G-1.1, G-3.1 and G-5.4: sets, runs, lay-offs and deadwood, from the tables that tables use."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_server.games.cards import Cards, parse, single, text, unpack
from croupier_server.games.tongits.melds import (
    PACK,
    PACK_CARDS,
    RUN,
    SET,
    MeldTable,
    fours_in,
    meld_table,
    points,
    set_ranks,
    sets_in,
)
from croupier_server.games.tongits.moves import DISCARD, MELD

STANDARD = meld_table(True, False)
HIGH = meld_table(True, True)
SETS = meld_table(False, True)

LOW_ORDER = "A23456789TJQK"


def hands(most: int = 13) -> st.SearchStrategy[Cards]:
    """Hands, half of them of few ranks, so that melds overlap."""
    cards = st.one_of(
        st.sets(st.sampled_from(PACK), max_size=most),
        st.sets(st.sampled_from([card for card in PACK if card % 13 in (4, 5, 6, 7)]), max_size=9),
    )
    return cards.map(lambda some: sum(map(single, some)))


def kind_of(names: tuple[str, ...], order: str) -> int:
    """`SET`, `RUN` or 0 by the words of G-3.1, for runs in one *order* of ranks."""
    ranks = "".join(name[0] for name in names)
    suits = {name[1] for name in names}
    if len(names) in (3, 4) and len(set(ranks)) == 1:
        return SET
    places = sorted(order.index(rank) for rank in ranks)
    follows = all(later - earlier == 1 for earlier, later in pairwise(places))
    return RUN if len(names) > 2 and len(suits) == 1 and follows else 0


def test_every_group_of_three_and_four() -> None:
    """G-3.1: all 22,100 triples and 270,725 quadruples of the pack, in words and in the table."""
    names = {card: text(single(card)) for card in PACK}
    for number in (3, 4):
        found = {meld for meld in STANDARD.kinds if meld.bit_count() == number}
        assert len(found) == {3: 52 + 44, 4: 13 + 40}[number]
        for meld in found:
            assert kind_of(tuple(text(meld).split()), LOW_ORDER) == STANDARD.kinds[meld]
    for some in combinations(PACK, 3):
        told = tuple(names[card] for card in some)
        meld = sum(map(single, some))
        assert STANDARD.kinds.get(meld, 0) == kind_of(told, LOW_ORDER)
        high = kind_of(told, "23456789TJQKA") or kind_of(told, LOW_ORDER)
        assert HIGH.kinds.get(meld, 0) == high


@pytest.mark.parametrize(
    ("table", "sets", "runs"), [(STANDARD, 65, 4 * 66), (HIGH, 65, 4 * 76), (SETS, 65, 0)]
)
def test_how_many_melds_there_are(table: MeldTable, sets: int, runs: int) -> None:
    """G-3.1: with runs that end king, ace there are ten more of each suit, the whole suit once."""
    kinds = list(table.kinds.values())
    assert (kinds.count(SET), kinds.count(RUN)) == (sets, runs)


def test_high_runs_need_runs() -> None:
    """G-3.1: without runs there are none that end king, ace either."""
    assert SETS.kinds == meld_table(False, False).kinds


@given(hands())
def test_what_extends_a_meld_makes_a_meld(hand: Cards) -> None:
    """G-4: the cards that can be laid off are just those that make a meld of the same kind."""
    for table in (STANDARD, HIGH, SETS):
        for meld in melds_in(table, hand | parse("4H 5H 6H")):
            rest = (hand | parse("2H 3H 7H 8H TD AC")) & ~meld
            found = table.extras_in(meld, rest)
            expected = [
                other - meld
                for other in table.kinds
                if other & meld == meld and other != meld and (other - meld) & ~rest == 0
            ]
            assert found == sorted(expected)
            assert all(table.extends(meld, extra) for extra in found)
            alone = [extra for extra in found if extra.bit_count() == 1]
            assert table.nexts[meld] & rest == sum(alone)


def test_a_lay_off_may_not_pass_the_ends() -> None:
    """G-4, G-3.1: nothing lies below the ace or above the king."""
    assert STANDARD.nexts[parse("AS 2S 3S")] == parse("4S")
    assert STANDARD.nexts[parse("JS QS KS")] == parse("TS")
    assert HIGH.nexts[parse("JS QS KS")] == parse("TS AS")
    assert HIGH.nexts[parse("QS KS AS")] == parse("JS")
    assert HIGH.nexts[parse("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")] == parse("AS")
    assert STANDARD.nexts[parse("7S 7H 7D 7C")] == 0


@given(hands(12), st.sampled_from(PACK))
def test_what_makes_a_meld_with_a_card(hand: Cards, card: int) -> None:
    """G-2.2: every choice of two or more hand cards that make a meld with the discard."""
    hand &= ~single(card)
    for table in (STANDARD, HIGH, SETS):
        expected = sorted(
            meld - single(card)
            for meld in table.kinds
            if meld & single(card) and (meld - single(card)) & ~hand == 0
        )
        assert table.needs_in(card, hand) == expected


@given(hands())
def test_rows_of_the_suits_and_sets_are_all_melds(hand: Cards) -> None:
    """G-2.3, G-2.4: the ready-made moves are the melds in the hand, and its cards."""
    for table in (STANDARD, HIGH, SETS):
        rows = [
            table.suit_rows[suit][
                (hand >> 52 * suit) & parse("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS")
            ]
            for suit in range(4)
        ]
        runs = [move for row in rows for move in row.runs]
        moves = sorted(runs + table.set_moves(hand, set_ranks(hand)))
        assert moves == [meld | MELD for meld in melds_in(table, hand)]
        discards = [move for row in rows for move in row.discards]
        assert discards == [single(card) | DISCARD for card in unpack(hand)]
        cards = [single(card) for card in unpack(hand)]
        in_melds = [card for card in cards if any(card & move for move in moves)]
        assert table.melded(hand) == sum(in_melds)


def test_points() -> None:
    """G-1.1: ace 1, faces what they show, pictures 10; 340 in the pack."""
    assert points(parse("AS")) == 1
    assert [points(single(card)) for card in unpack(parse("2H 9H TH JH QH KH"))] == [
        2,
        9,
        10,
        10,
        10,
        10,
    ]
    assert points(PACK_CARDS) == 4 * (55 + 30)


def melds_in(table: MeldTable, hand: Cards) -> list[Cards]:
    """Every meld in *hand*, ascending."""
    return sorted(meld for meld in table.kinds if meld & hand == meld)


def least(hand: Cards, table: MeldTable) -> int:
    """Deadwood by trying every choice of melds."""
    best = points(hand)
    for meld in melds_in(table, hand):
        # Melds may be taken out in any order, so each is tried above the ones before it alone.
        best = min(best, least(hand ^ meld, table))
    return best


@given(hands(8))
def test_deadwood_is_the_exact_minimum(hand: Cards) -> None:
    """G-5.4, beside every way of taking melds out of the hand one after the other."""
    for table in (STANDARD, HIGH, SETS):
        assert table.deadwood(hand) == least(hand, table)


def test_fours_and_sets_in_a_hand() -> None:
    """G-6.2: by rank, the ace's being 14."""
    hand = parse("AS AH AD AC 7S 7H 7D 7C 9S 9H 9D 2S 2H")
    assert fours_in(hand) == [7, 14]
    assert fours_in(parse("7S 7H 7D")) == []
    assert sets_in(hand) == 3
    assert sets_in(parse("2S 2H 3S 3H")) == 0
