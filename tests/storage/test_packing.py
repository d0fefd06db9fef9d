"""Packed rows come back as they were, and are records' rows already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_server.storage.base import NO_PRIVATE, Deal, LogRow, StoredDeal
from croupier_server.storage.codec import row_body
from croupier_server.storage.packing import bodies, pieces, since_last_deals, unpack

BYTES = st.one_of(st.binary(max_size=300), st.sampled_from([b"", b"\x00", b"x" * 20_000]))
EVENTS = st.builds(
    LogRow,
    table_id=st.just("t"),
    epoch=st.just(1),
    sequence=st.integers(1, 1 << 40),
    public=BYTES,
    private=st.one_of(st.just(NO_PRIVATE), st.dictionaries(st.integers(0, 11), BYTES, min_size=1)),
    input=BYTES,
    kept=BYTES,
    deal=st.none() | st.builds(Deal, BYTES, BYTES),
)
UNNUMBERED = st.builds(
    lambda cause, kept: LogRow("t", 1, 0, b"", NO_PRIVATE, cause, kept), cause=BYTES, kept=BYTES
)
ROWS = st.lists(st.one_of(EVENTS, UNNUMBERED), max_size=6)


@pytest.mark.more
@given(ROWS, ROWS)
def test_rows_come_back(first: list[LogRow], second: list[LogRow]) -> None:
    made = [piece for rows in (first, second) for piece in pieces(rows)]
    packed = b"".join(piece.packed for piece in made)
    found = list(unpack("t", 1, packed))
    assert found == [row._replace(deal=None) for row in first + second]
    marked = [(row.sequence, row.deal.results) for row in first + second if row.deal is not None]
    assert [deal for piece in made for deal in piece.deals] == marked
    assert [dict(row.private) for row in found] == [dict(row.private) for row in first + second]
    assert list(bodies(packed)) == [row_body(row) for row in first + second]


def row(table_id: str, sequence: int, epoch: int = 1) -> LogRow:
    return LogRow(table_id, epoch, sequence, b"e" if sequence else b"", kept=b"k")


def test_a_piece_is_of_one_table_and_epoch() -> None:
    rows = [row("b", 1), row("a", 1), row("b", 0), row("a", 2), row("b", 2, 2), row("c", 0)]
    found = pieces(rows)
    assert [(piece.table_id, piece.epoch, piece.last_sequence) for piece in found] == [
        ("b", 1, 1),
        ("a", 1, 2),
        ("b", 2, 2),
        ("c", 1, 0),
    ]
    assert [list(unpack(one.table_id, one.epoch, one.packed)) for one in found] == [
        [row("b", 1), row("b", 0)],
        [row("a", 1), row("a", 2)],
        [row("b", 2, 2)],
        [row("c", 0)],
    ]
    assert pieces([]) == []


def test_rows_since_the_last_deal_but_one() -> None:
    rows = [row("a", 1), row("a", 2), row("a", 0), row("a", 3), row("a", 4)]
    one, two, three = (StoredDeal(number, b"results") for number in (2, 3, 4))
    assert since_last_deals(rows, ()) == since_last_deals(rows, (one,)) == rows
    assert since_last_deals(rows, (one, two)) == rows[1:]
    assert since_last_deals(rows, (one, two, three)) == rows[3:]
