"""What is put down of a table beside its events: it comes back, and holds no ticket."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_server.tables import kept
from croupier_server.tables.caller import Caller
from croupier_server.tables.spec import Access, DealSource, SeatSpec
from tests.tables.world import World, request

SECRET = st.binary(max_size=32)
NAME = st.text(max_size=20)
FACTS = st.one_of(
    st.builds(
        kept.Creation,
        options=st.lists(st.tuples(NAME, NAME)).map(tuple),
        secret=SECRET,
        root=SECRET,
        seed=st.none() | st.integers(0, (1 << 64) - 1),
        players=st.lists(NAME).map(tuple),
        house_bots=st.lists(NAME).map(tuple),
        host=SECRET,
        invites=st.lists(SECRET).map(tuple),
        principal=NAME,
        request_id=NAME,
        request=SECRET,
    ),
    st.builds(
        kept.Sitting,
        ticket=SECRET,
        principal=NAME,
        nonce_hash=SECRET,
        relieves=st.booleans(),
        request_id=NAME,
        request=SECRET,
    ),
    st.builds(kept.Opened, nonce=SECRET, next_hash=SECRET),
    st.builds(kept.Replaced, secret=SECRET),
    st.builds(kept.Struck, seat=st.integers(0, 63), sealed=st.booleans()),
    st.builds(kept.Conceded, seat=st.integers(0, 63)),
    st.builds(kept.Relieved, seat=st.integers(0, 63), code=SECRET),
    st.builds(kept.Invited, host=SECRET, invites=st.lists(SECRET).map(tuple)),
    st.builds(kept.Quarantined, since_ms=st.none() | st.integers(0)),
    st.builds(kept.Watched, principals=st.lists(NAME).map(tuple)),
    st.builds(
        kept.Carried,
        kept_from=st.integers(1),
        game=st.lists(st.integers()).map(tuple),
        accounts=st.fixed_dictionaries({"grace": st.tuples(st.integers(), st.integers())}),
        opening=st.fixed_dictionaries({"watched": st.lists(NAME).map(tuple), "host": SECRET}),
        seats=st.lists(
            st.fixed_dictionaries({"ticket": SECRET, "player": st.tuples(NAME, st.integers())})
        ).map(tuple),
    ),
    st.builds(kept.Stopped, used=st.lists(st.tuples(NAME, st.integers(0))).map(tuple)),
)


@given(FACTS)
def test_what_is_kept_comes_back(fact: kept.Kept) -> None:
    again = kept.load(kept.dump(fact))
    assert type(again) is type(fact)
    assert again == fact


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"1",
        b'["nothing",{}]',
        b'["struck",{"who":1}]',
        b'["struck",[]]',
        b'["opened",{"nonce":{"hex":"zz"}}]',
        b'["opened",{"nonce":{"hex":1}}]',
    ],
)
def test_what_is_no_fact_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a kept fact"):
        kept.load(data)


def test_no_ticket_is_ever_stored() -> None:
    world = World()
    seats = (SeatSpec(Access.RESERVED), SeatSpec(Access.HOUSE, house_bot="greedy"))
    created = world.shard.create_table(
        Caller(), request(deal=DealSource(), seats=seats, request_id="one")
    )
    table = created.table
    joined = [
        world.join(table, invite_code=created.invite_codes[0]),
        world.join(table, invite_code=world.house[0].invite_code),
        world.join(table, request_id="two"),
        world.join(table, invite_code=created.invite_codes[0]),
    ]
    secrets = [created.host_ticket, created.invite_codes[0], world.house[0].invite_code]
    secrets += [one.ticket for one in joined]
    stored = b"".join(
        b"".join((row.public, *row.private.values(), row.input, row.kept))
        for row in world.rows(table.spec.table_id)
    )
    assert len(set(secrets)) == len(secrets) == 7
    for secret in secrets:
        assert secret.encode() not in stored
