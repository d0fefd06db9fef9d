"""What a screen needs to draw clocks: told with the events that change them, never in a window."""

from __future__ import annotations

from croupier.v1 import table_pb2
from croupier_server.tables.feed import PublicFeed
from croupier_server.tables.spec import ClockSpec
from croupier_server.tables.table import Table
from tests.tables.world import World

CLOCK = ClockSpec(base_ms=60_000, per_move_ms=5_000)


def told(world: World, feed: PublicFeed) -> list[table_pb2.TableUpdate]:
    """All updates that carry an event or clocks."""
    kinds = ("event", "clocks_changed")
    return [one for one in world.take(feed) if one.WhichOneof("update") in kinds]


def watched(world: World, table: Table) -> PublicFeed:
    """A spectator's stream that has seen all so far."""
    feed = world.shard.spectate(table, epoch=0, after=0)
    world.take(feed)
    return feed


def test_clocks_follow_the_events_that_change_them() -> None:
    world = World()
    table, _ = world.start(clock=CLOCK)
    feed = watched(world, table)
    for _ in range(3):
        world.step(table)
        *events, last = told(world, feed)
        assert events
        assert all(one.HasField("event") for one in events)
        clocks = last.clocks_changed.clocks
        assert [clock.seat for clock in clocks] == [0, 1, 2]
        (asked,) = [decision for decision in table.match.decisions if decision is not None]
        assert [clock.seat for clock in clocks if clock.running] == [asked.seat]
        assert clocks[asked.seat].move_left.ToMilliseconds() == 5_000
        assert all(clock.remaining.ToMilliseconds() == 60_000 for clock in clocks)


def test_a_table_without_clocks_tells_none() -> None:
    world = World()
    table, _ = world.start()
    feed = watched(world, table)
    world.step(table)
    assert all(one.HasField("event") for one in told(world, feed))
