"""Streams of a table: Ordered, Unique, Gapless, Resumable, Durable; never waited for."""

from __future__ import annotations

import pytest

from croupier.v1 import table_pb2, table_service_pb2
from croupier_server.errors import InvalidRequest, NotAllowed, Reason, Unavailable
from croupier_server.tables.caller import Caller
from croupier_server.tables.spec import DealSource, JoinTable, Status
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.toy_game import ToyViews
from tests.tables.world import World, asked, kinds


def numbers(found: list[table_pb2.TableUpdate]) -> list[int]:
    return [update.event.sequence for update in found if update.HasField("event")]


def end_of(found: list[table_pb2.TableUpdate]) -> int:
    assert found[-1].HasField("end")
    return found[-1].end.reason


# What a stream carries --------------------------------------------------------------------------


def test_ordered_unique_gapless() -> None:
    """Promise 1: every audience sees the events 1, 2, 3 ... with equal public parts."""
    world = World()
    table = world.create()
    spectator = world.shard.spectate(table, epoch=0, after=0)
    seen = world.take(spectator)
    tickets = [world.join(table).ticket for _ in range(3)]
    feeds = [world.watch(table, ticket, mode=2) for ticket in tickets]
    heard = [world.take(feed) for feed in feeds]
    while table.status is Status.PLAYING:
        world.step(table)
        seen += world.take(spectator)
        for feed, found in zip(feeds, heard, strict=True):
            found.extend(world.take(feed))
    assert numbers(seen) == list(range(2, table.journal.sequence + 1))
    for found in heard:
        first = found[0].snapshot.sequence
        assert numbers(found) == list(range(first + 1, table.journal.sequence + 1))
    for update in heard[0]:
        if update.HasField("event"):
            public = table_pb2.TableEvent()
            public.CopyFrom(update.event)
            public.ClearField("private_part")
            assert public in [other.event for other in seen]


def test_a_full_stream_carries_decisions_with_views_and_the_result() -> None:
    world = World()
    table, tickets = world.start()
    feeds = [world.watch(table, ticket) for ticket in tickets]
    found = [world.take(feed) for feed in feeds]
    while table.status is Status.PLAYING:
        decision = asked(table)[0]
        update = found[decision.seat][-1]
        assert update.decision.decision_id == decision.id
        assert update.decision.HasField("view")
        view = ToyViews().seat(table.match.state, decision.seat)
        assert update.decision.view.SerializeToString() == view
        world.step(table)
        for seat, feed in enumerate(feeds):
            found[seat] += world.take(feed)
    for updates in found:
        assert kinds(updates)[0] == "snapshot"
        assert set(kinds(updates)[1:-2]) == {"decision"}
        assert kinds(updates)[-2:] == ["result", "end"]
        assert end_of(updates) == table_pb2.STREAM_END_REASON_MATCH_ENDED
        assert len({one.decision.decision_id for one in updates if one.HasField("decision")}) == (
            len(updates) - 3
        )


def test_an_events_stream_carries_decisions_without_views() -> None:
    world = World()
    table, tickets = world.start()
    decision = world.to_turns(table)
    found = world.take(world.watch(table, tickets[decision.seat], mode=2))
    assert kinds(found) == ["snapshot", "decision"]
    assert not found[1].decision.HasField("view")
    assert found[1].decision.legal.moves


def test_a_decision_goes_to_its_seat_alone() -> None:
    world = World()
    table, tickets = world.start()
    decision = world.to_turns(table)
    for seat, ticket in enumerate(tickets):
        for mode in (1, 2):
            found = world.take(world.watch(table, ticket, mode=mode))
            assert ("decision" in kinds(found)) == (seat == decision.seat)
    assert kinds(world.take(world.shard.spectate(table, epoch=0, after=0))) == ["snapshot"]


def test_a_snapshot_is_of_its_audience() -> None:
    world = World()
    table, tickets = world.start()
    views = ToyViews()
    seat = world.take(world.watch(table, tickets[2]))[0].snapshot
    assert seat.seat_view.SerializeToString() == views.seat(table.match.state, 2)
    assert not seat.HasField("public_view")
    public = world.take(world.shard.spectate(table, epoch=0, after=0))[0].snapshot
    assert public.public_view.SerializeToString() == views.public(table.match.state)
    assert not public.HasField("seat_view")
    assert public.table == table_pb2.Table.FromString(table.resource())
    assert public.sequence == table.journal.sequence


def test_a_nonce_is_wanted_of_whoever_promised_one() -> None:
    world = World()
    table = world.create(deal=DealSource())
    tickets = [
        world.join(table, nonce_hash=hashed(NONCES[seat]) if seat else b"").ticket
        for seat in range(3)
    ]
    feeds = [world.watch(table, ticket, mode=1 + seat % 2) for seat, ticket in enumerate(tickets)]
    found = [kinds(world.take(feed)) for feed in feeds]
    assert found == [["snapshot"], ["snapshot", "nonce_wanted"], ["snapshot", "nonce_wanted"]]
    assert world.take(feeds[1]) == []
    again = world.watch(table, tickets[1])
    assert kinds(world.take(again)) == ["snapshot", "nonce_wanted"]
    world.shard.open_nonce(table, 1, NONCES[1])
    third = world.watch(table, tickets[1])
    assert kinds(world.take(third)) == ["snapshot"]


# Resume -----------------------------------------------------------------------------------------


def test_resumable_from_every_event() -> None:
    """Promise 2: resumed streams join without a seam, and an open decision is sent again."""
    world = World()
    table, tickets = world.start()
    decision = world.to_turns(table)
    head = table.journal.sequence
    for after in range(1, head + 1):
        feed = world.watch(table, tickets[decision.seat], mode=2, epoch=1, after=after)
        found = world.take(feed)
        assert found[0].resumed.after_sequence == after
        assert found[0].resumed.sequence == head
        assert found[0].resumed.table_epoch == 1
        assert numbers(found) == list(range(after + 1, head + 1))
        assert found[-1].decision.decision_id == decision.id
    full = world.take(world.watch(table, tickets[decision.seat], epoch=1, after=head))
    assert kinds(full) == ["resumed", "decision"]
    assert full[1].decision.HasField("view")


@pytest.mark.parametrize("audience", ["seat", "public"])
def test_where_a_stream_starts(audience: str) -> None:
    world = World()
    table, tickets = world.start(options={"deals": 5})
    world.play(table, lambda: table.match.state.deal == 4)
    kept, head = table.journal.kept_from, table.journal.sequence
    assert kept > 10

    def start(epoch: int, after: int) -> list[table_pb2.TableUpdate]:
        if audience == "public":
            return world.take(world.shard.spectate(table, epoch=epoch, after=after))
        return world.take(world.watch(table, tickets[0], mode=2, epoch=epoch, after=after))

    assert kinds(start(0, 0))[0] == "snapshot"
    assert kinds(start(1, 0))[0] == "snapshot"
    assert kinds(start(0, head))[0] == "snapshot"
    assert kinds(start(1, kept - 1))[0] == "resumed"
    assert kinds(start(1, head))[0] == "resumed"
    old = start(1, kept - 2)
    assert kinds(old)[:2] == ["reset", "snapshot"]
    assert old[0].reset.reason == table_pb2.RESET_REASON_TOO_OLD
    for epoch in (2, 9):
        other = start(epoch, 3)
        assert kinds(other)[:2] == ["reset", "snapshot"]
        assert other[0].reset.reason == table_pb2.RESET_REASON_EPOCH
        assert other[1].snapshot.table.table_epoch == 1
    for epoch in (0, 1):
        with pytest.raises(InvalidRequest) as error:
            start(epoch, head + 1)
        assert (error.value.reason, error.value.field) == (
            Reason.SEQUENCE_AHEAD,
            "after_sequence",
        )


def test_events_are_kept_since_the_start_of_the_deal_before() -> None:
    world = World()
    table, _ = world.start(options={"deals": 4})
    starts = []
    while table.status is Status.PLAYING:
        deal = table.match.state.deal
        world.play(table, lambda deal=deal: table.match.state.deal != deal)  # type: ignore[misc]
        if table.status is Status.PLAYING:
            starts.append(table.journal.kept_from)
            first = table.journal.kept[0].public
            text = table_pb2.TableEvent.FromString(first).game.SerializeToString()
            assert f"deal {deal}".encode() in text or deal == 1
    assert starts == sorted(set(starts))


# Ends -------------------------------------------------------------------------------------------


def test_the_newest_stream_of_a_seat_replaces_the_older() -> None:
    world = World()
    table, tickets = world.start()
    older = world.watch(table, tickets[0])
    newer = world.watch(table, tickets[0])
    assert end_of(world.take(older)) == table_pb2.STREAM_END_REASON_REPLACED
    assert older.is_done
    older.close()
    assert kinds(world.take(newer))[0] == "snapshot"
    assert table.seat_watchers[0] is newer


def test_joining_again_ends_the_old_stream() -> None:
    world = World()
    table, tickets = world.start()
    feed = world.watch(table, tickets[0])
    world.take(feed)
    world.shard.join(Caller(ticket=tickets[0]), JoinTable(table.spec.table_id))
    assert end_of(world.take(feed)) == table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED
    with pytest.raises(NotAllowed):
        world.watch(table, tickets[0])


def test_a_stream_of_an_ended_match_tells_its_result_and_ends() -> None:
    world = World()
    table, tickets = world.start()
    world.play(table)
    found = world.take(world.watch(table, tickets[0], mode=2, epoch=1, after=3))
    assert kinds(found)[0] in ("resumed", "reset")
    assert kinds(found)[-2:] == ["result", "end"]
    public = world.take(world.shard.spectate(table, epoch=0, after=0))
    assert kinds(public) == ["snapshot", "result", "end"]


def test_a_halted_table_ends_its_streams() -> None:
    world = World()
    table, tickets = world.start(options={"bomb": 4})
    feed = world.watch(table, tickets[0], mode=2)
    spectator = world.shard.spectate(table, epoch=0, after=0)
    world.take(feed)
    world.take(spectator)
    with pytest.raises(Exception, match="TABLE_HALTED"):
        world.play(table)
    for one in (feed, spectator):
        found = world.take(one)
        assert kinds(found)[-3:] == ["event", "result", "end"]
        assert found[-3].event.HasField("table_halted")
        assert end_of(found) == table_pb2.STREAM_END_REASON_TABLE_HALTED
    late = world.take(world.watch(table, tickets[1]))
    assert kinds(late) == ["result", "end"]


def test_a_view_that_cannot_be_made_halts_its_table_alone() -> None:
    class Broken(ToyViews):
        def seat(self, state: object, seat: int) -> bytes:
            raise AssertionError("hand of 7S")

    world = World()
    table, tickets = world.start()
    other, others = world.start()
    table.match.views = Broken()
    feed = world.watch(table, tickets[0])
    found = world.take(feed) + world.take(feed)
    assert kinds(found) == ["result", "end"]
    assert table.is_halted
    assert "7S" not in table.fault
    assert kinds(world.take(world.watch(other, others[0])))[0] == "snapshot"


def test_draining_ends_every_stream_and_takes_no_new_ones() -> None:
    world = World()
    table, tickets = world.start()
    feeds = [world.watch(table, tickets[0]), world.shard.spectate(table, epoch=0, after=0)]
    lobby = world.shard.watch_lobby()
    lobby.take(0)
    world.shard.drain(2_500)
    for feed in feeds:
        found = world.take(feed)
        assert end_of(found) == table_pb2.STREAM_END_REASON_SERVER_DRAINING
        assert found[-1].end.retry_after.ToMilliseconds() == 2_500
    last = table_service_pb2.WatchLobbyResponse.FromString(lobby.take(0)[-1])
    assert last.end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
    with pytest.raises(Unavailable) as error:
        world.watch(table, tickets[0])
    assert (error.value.reason, error.value.retry_ms) == (Reason.SERVER_DRAINING, 2_500)
    with pytest.raises(Unavailable):
        world.create()
    sequence = table.journal.sequence
    with pytest.raises(Unavailable):
        world.play(table)
    assert table.journal.sequence == sequence


# Slow readers -----------------------------------------------------------------------------------


def test_a_slow_reader_gets_one_snapshot_and_then_the_end() -> None:
    """Promise 6: the game never waits for a reader."""
    world = World(lag_max=4)
    table, _ = world.start(options={"deals": 3})
    feed = world.shard.spectate(table, epoch=0, after=0)
    world.take(feed)
    for _ in range(8):
        world.step(table)
    found = world.take(feed)
    assert kinds(found) == ["reset", "snapshot"]
    assert found[0].reset.reason == table_pb2.RESET_REASON_SLOW_CONSUMER
    assert found[1].snapshot.sequence == table.journal.sequence
    for _ in range(8):
        world.step(table)
    found = world.take(feed)
    assert end_of(found) == table_pb2.STREAM_END_REASON_SLOW_CONSUMER
    assert kinds(found) == ["end"]
    assert not table.spectators


def test_a_reader_that_has_caught_up_is_forgiven() -> None:
    world = World(lag_max=4)
    table, _ = world.start(options={"deals": 3})
    feed = world.shard.spectate(table, epoch=0, after=0)
    world.take(feed)
    for _ in range(2):
        for _ in range(8):
            world.step(table)
        assert kinds(world.take(feed)) == ["reset", "snapshot"]
        assert world.take(feed) == []
    world.step(table)
    assert kinds(world.take(feed)) == ["event"]


def test_a_reader_holds_no_queue() -> None:
    world = World()
    table, _ = world.start(options={"deals": 6})
    feed = world.shard.spectate(table, epoch=0, after=0)
    world.play(table)
    assert not feed._ahead
    assert len(table.journal.kept) < 40


def test_a_resume_over_more_than_the_lag_is_no_fault_of_the_reader() -> None:
    world = World(lag_max=2)
    table, _ = world.start()
    world.to_turns(table)
    found = world.take(world.shard.spectate(table, epoch=1, after=1))
    assert kinds(found)[0] == "resumed"
    assert numbers(found) == list(range(2, table.journal.sequence + 1))
