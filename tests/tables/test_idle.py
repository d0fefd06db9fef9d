"""Tables at which nothing happens any more are stopped."""

from __future__ import annotations

from croupier.v1 import game_pb2
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Status
from tests.tables.world import World

IDLE_MS = 60_000


def has_ended(table: Table) -> bool:
    return table.status is Status.ENDED


def test_a_table_that_nobody_comes_to_is_stopped() -> None:
    world = World(idle_ms=IDLE_MS)
    table = world.create()
    world.shard.heartbeat()
    world.clock.advance(IDLE_MS - 1)
    world.shard.heartbeat()
    assert not has_ended(table)
    world.clock.advance(1)
    world.shard.heartbeat()
    assert has_ended(table)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_ABORTED
    assert "nothing happened" in result.detail


def test_every_event_lets_a_table_live_on() -> None:
    world = World(idle_ms=IDLE_MS)
    table, _ = world.start()
    for _ in range(4):
        world.shard.heartbeat()
        world.clock.advance(IDLE_MS - 1)
        world.to_turns(table)
        world.step(table)
        world.shard.heartbeat()
        assert not has_ended(table)


def test_a_match_that_its_players_have_left_is_stopped() -> None:
    world = World(idle_ms=IDLE_MS)
    table, _ = world.start()
    world.to_turns(table)
    world.shard.heartbeat()
    world.clock.advance(IDLE_MS)
    world.shard.heartbeat()
    assert has_ended(table)
    assert world.shard.directory.live == 0
