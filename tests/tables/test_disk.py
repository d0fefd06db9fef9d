"""Tables at which no match is played leave next to nothing in the store, and are limited a day."""

from __future__ import annotations

import pytest

from croupier_server.errors import Exhausted, Reason
from croupier_server.games.base import EndReason
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import LogRow
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.allowance import DAY_MS, PLAYED_EVENTS, Allowances, size_of
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, DealKind, DealSource, JoinTable, Status
from tests.tables.test_no_show import filled, pass_time, withhold
from tests.tables.world import World, now, request

ANN, BEN = Caller("ann"), Caller("ben")
MATCH = DealSource(DealKind.MATCH)


def sit(world: World, table: Table, caller: Caller, seats: int = 3) -> list[str]:
    wanted = JoinTable(table.spec.table_id)
    return [world.shard.join(caller, wanted).ticket for _ in range(seats)]


def began(world: World, caller: Caller = ANN) -> tuple[Table, list[str]]:
    """A table of *caller* that plays against itself."""
    table = world.shard.create_table(caller, request(shared_seats=True)).table
    return table, sit(world, table, caller)


def refusals(world: World, caller: Caller = ANN) -> int | None:
    """Milliseconds after which *caller* may make a table again; None: it just has."""
    try:
        created = world.shard.create_table(caller, request())
    except Exhausted as error:
        return error.retry_ms if error.reason is Reason.RATE_LIMITED else None
    world.shard.abort(
        caller._replace(host_ticket=created.host_ticket), created.table.spec.table_id, ""
    )
    return None


def tables_until_refused(world: World, caller: Caller = ANN) -> int:
    return next(done for done in range(10_000) if refusals(world, caller) is not None)


# What is left -----------------------------------------------------------------------------------


@pytest.mark.attack
@pytest.mark.parametrize("filled_up", [False, True])
def test_a_table_stopped_before_its_match_leaves_nothing(filled_up: bool) -> None:
    world = World()
    created = world.shard.create_table(Caller(), request(deal=MATCH))
    if filled_up:
        for seat in range(3):
            world.join(created.table, nonce_hash=bytes([seat]) * 32)
        assert created.table.status is Status.AWAITING_NONCES
    world.shard.abort(Caller(host_ticket=created.host_ticket), "table-1", "")
    assert world.record("table-1") is None
    assert world.logged() == ()


@pytest.mark.attack
def test_seats_that_were_never_all_taken_leave_no_record() -> None:
    world = World()
    table = world.create(clock=ClockSpec(start_timeout_ms=1_000))
    world.join(table)
    pass_time(world, 1_000)
    assert table.status is Status.ENDED
    assert world.record("table-1") is None
    assert world.logged() == ()


@pytest.mark.parametrize("restarted", [False, True])
def test_a_withheld_nonce_leaves_a_small_record(restarted: bool) -> None:
    """All had sat down and a commitment was published, so it can be checked later."""
    world, table, _ = filled(clock=ClockSpec(start_timeout_ms=60_000))
    withhold(world, table, 1)
    if restarted:
        world.restart()
    for _ in range(60):
        pass_time(world, 2_000)
    table = world.find()
    assert table.ending is not None
    assert table.ending.reason is EndReason.NO_SHOW
    entry = world.record("table-1")
    assert entry is not None
    assert len(entry.record) < 4_096
    assert world.logged() == ()


def test_a_match_that_began_leaves_its_record_however_it_ends() -> None:
    world = World()
    created = world.shard.create_table(Caller(), request())
    sit(world, created.table, Caller())
    world.restart()
    world.shard.abort(Caller(host_ticket=created.host_ticket), "table-1", "")
    assert world.record("table-1") is not None


# A day's allowance ------------------------------------------------------------------------------


@pytest.mark.attack
def test_tables_made_and_stopped_are_limited_a_day() -> None:
    world = World(rows_per_day=10_000)
    most = tables_until_refused(world)
    assert 5 < most < 50
    retry_ms = refusals(world)
    assert retry_ms is not None
    assert retry_ms <= DAY_MS / most * 2
    assert refusals(world, BEN) is None  # everybody has an allowance of their own
    world.clock.advance(retry_ms)
    assert refusals(world) is None
    assert refusals(world) is not None
    world.clock.advance(2 * DAY_MS)
    assert most - 1 <= tables_until_refused(world) <= most


@pytest.mark.attack
def test_joining_and_leaving_is_limited_too_and_costs_the_host_nothing() -> None:
    world = World(rows_per_day=10_000)
    table = world.shard.create_table(BEN, request()).table

    def come_and_go() -> None:
        for _ in range(1_000):
            (ticket,) = sit(world, table, ANN, 1)
            world.shard.leave(ANN._replace(ticket=ticket), table.spec.table_id)

    with pytest.raises(Exhausted, match="a principal may write per day") as error:
        come_and_go()
    assert error.value.reason is Reason.RATE_LIMITED
    assert error.value.retry_ms
    assert size_of(world.rows("table-1")) < 12_000
    assert refusals(world) is not None
    assert refusals(world, BEN) is None


@pytest.mark.attack
def test_matches_begun_and_given_up_at_once_are_charged_to_who_gave_up() -> None:
    world = World(rows_per_day=20_000)

    def give_up() -> None:
        for _ in range(1_000):
            table, _ = began(world)
            world.shard.concede(table, 0)

    with pytest.raises(Exhausted):
        give_up()
    entries = now(world.records.since(0, 1_000))
    assert sum(len(entry.record) for entry in entries) < 3 * 20_000


def test_whoever_plays_is_never_refused() -> None:
    """A hundred matches cost no more than those that are not over."""
    world = World(rows_per_day=10_000)
    for _ in range(100):
        table, _ = began(world)
        world.play(table)
        assert table.status is Status.ENDED
    assert refusals(world) is None


@pytest.mark.more
def test_a_long_match_that_is_given_up_was_played() -> None:
    world = World(rows_per_day=10_000)
    for _ in range(100):
        table = world.shard.create_table(
            ANN, request(shared_seats=True, overrides={"deals": "9"})
        ).table
        sit(world, table, ANN)
        began_at = table.journal.sequence
        world.play(table, lambda: table.journal.sequence - began_at > PLAYED_EVENTS)  # noqa: B023
        if table.status is Status.PLAYING:
            world.shard.concede(table, 0)
    assert refusals(world) is None


@pytest.mark.attack
def test_a_match_under_way_is_never_refused() -> None:
    """Its seats are taken again, and it is played, with nothing left of the allowance."""
    world = World(rows_per_day=10_000)
    table, tickets = began(world)
    tables_until_refused(world)
    again = world.shard.join(ANN._replace(ticket=tickets[0]), JoinTable(table.spec.table_id))
    assert again.seat == 0
    world.play(table)
    assert table.status is Status.ENDED
    assert world.record(table.spec.table_id) is not None


def test_house_bots_sit_at_the_cost_of_the_host_and_are_never_refused() -> None:
    world = World(rows_per_day=10_000)
    table = world.shard.create_table(ANN, request()).table
    tables_until_refused(world)
    world.shard.join(Caller(HOUSE), JoinTable(table.spec.table_id))
    with pytest.raises(Exhausted):
        world.shard.join(ANN, JoinTable(table.spec.table_id))


def test_without_a_limit_nothing_is_counted() -> None:
    world = World()
    for _ in range(50):
        assert refusals(world) is None


def test_what_is_given_back_never_exceeds_a_day() -> None:
    allowances = Allowances(1_000, lambda: 0)
    row = LogRow("table-1", 1, 1, b"x" * 500)
    allowances.charge("ann", "table-1", [row])
    allowances.charge("ann", "table-1", [row], 0)
    allowances.add("ann", "table-1", [row], 0)
    with pytest.raises(Exhausted) as error:
        allowances.expect("ann")
    assert 0 < (error.value.retry_ms or 0) <= DAY_MS
