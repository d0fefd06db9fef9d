"""The lobby and lists where there are many tables, and many who watch."""

from __future__ import annotations

import struct
from collections import Counter
from typing import Any

import pytest

from croupier.v1 import table_service_pb2
from croupier_server.errors import Exhausted, Reason
from croupier_server.tables.caller import Caller
from croupier_server.tables.feeds.lobby import SLICE, LobbyFeed, Place
from croupier_server.tables.spec import Status
from croupier_server.wire.encode import field_bytes
from tests.tables.test_publishing import lobby_of
from tests.tables.world import World, request

MANY = 2 * SLICE + 5


def crowded(**limits: Any) -> World:
    """A server with `MANY` open tables."""
    world = World(**limits)
    for _ in range(MANY):
        world.create()
    return world


def end(world: World, number: int) -> None:
    table = world.find(f"table-{number}")
    table.abort("", world.clock.now)
    world.shard.done(table)


def read(world: World, lobby: LobbyFeed) -> list[str]:
    """All that there is for a reader who takes it bit by bit."""
    found = []
    while some := lobby.take(0):
        assert len(some) <= 2 * SLICE + 1
        found += lobby_of(world, some)
    return found


# Streams ----------------------------------------------------------------------------------------


def test_a_lobby_with_many_tables_is_sent_in_slices() -> None:
    world = crowded()
    lobby = world.shard.watch_lobby()
    first = lobby_of(world, lobby.take(0))
    assert first == [f"table-{number} 1" for number in range(1, SLICE + 1)]
    rest = read(world, lobby)
    assert rest == [f"table-{number} 1" for number in range(SLICE + 1, MANY + 1)] + ["caught_up"]


def test_what_changes_before_it_is_read_is_sent_once_as_it_is_then() -> None:
    world = crowded()
    lobby = world.shard.watch_lobby()
    lobby.take(0)
    sent, waiting = world.find("table-1"), world.find("table-100")
    for table in (sent, waiting):
        for _ in range(3):
            world.join(table)
    end(world, 1)
    found = Counter(read(world, lobby))
    assert found["table-1 4"] == found["table-100 3"] == found["caught_up"] == 1
    assert not any(name.startswith(("table-1 1", "table-100 1")) for name in found)


def test_what_has_ended_before_it_is_read_is_not_sent_and_what_comes_is() -> None:
    world = crowded()
    lobby = world.shard.watch_lobby()
    lobby.take(0)
    end(world, MANY)
    end(world, MANY - 1)
    world.create()
    found = read(world, lobby)
    assert f"table-{MANY} 1" not in found
    assert f"table-{MANY} 4" not in found
    assert found[-2:] == ["caught_up", f"table-{MANY + 1} 1"]


def test_changes_come_in_slices_too() -> None:
    world = crowded()
    lobby = world.shard.watch_lobby()
    read(world, lobby)
    for number in range(1, MANY + 1):
        end(world, number)
    assert len(lobby.take(0)) == SLICE
    assert len(read(world, lobby)) == MANY - SLICE


async def test_a_reader_of_a_game_without_tables_is_told_that_it_has_seen_them_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("croupier_server.tables.feeds.lobby._SCANNED", 10)
    world = crowded()
    lobby = world.shard.watch_lobby(kind=5)
    assert lobby.take(0) == []
    assert lobby_of(world, [await anext(lobby)]) == ["caught_up"]


def test_tables_are_shown_as_they_are_to_whoever_comes_later() -> None:
    """What was encoded for one reader is not sent to another one when it is old."""
    world = World()
    table = world.create()

    def is_up_to_date() -> bool:
        fresh = world.shard.watch_lobby().take(0)
        return fresh[0] == field_bytes(1, table.resource())

    assert is_up_to_date()
    for _ in table.seats:
        world.join(table)
        assert is_up_to_date()
    while table.status is not Status.ENDED:
        assert is_up_to_date()
        world.step(table)


# Cursors ----------------------------------------------------------------------------------------


class Client:
    """Somebody who knows what streams of the lobby told, and the last cursor."""

    def __init__(self, world: World, **how: Any) -> None:
        self.world = world
        self.how = how
        self.known: dict[str, int] = {}
        self.heard: list[str] = []
        self.place: Place | None = None
        self.open()

    def open(self, after: Place | None = None) -> None:
        self.feed = self.world.shard.watch_lobby(after=after, seal=sealed, **self.how)
        self.items: list[bytes] = []

    def hear(self, items: int) -> bool:
        """Take in so many more items; returns whether there were as many."""
        for _ in range(items):
            self.items = self.items or self.feed.take(7_000)
            if not self.items:
                return False
            item = table_service_pb2.WatchLobbyResponse.FromString(self.items.pop(0))
            self.heard.append(item.WhichOneof("item") or "")
            if item.HasField("table"):
                self.known[item.table.table_id] = item.table.status
            elif item.HasField("lost"):
                self.known.pop(item.lost.table_id, None)
            elif item.HasField("reset"):
                self.known.clear()
            if item.cursor:
                self.place = Place(*struct.unpack(">QQ", item.cursor))
        return True


def sealed(place: Place) -> bytes:
    return struct.pack(">QQ", *place)


@pytest.mark.parametrize("cut", range(1, MANY + 20, 7))
def test_a_stream_goes_on_after_any_item_of_another_one(cut: int) -> None:
    """Whatever comes, changes and ends before, between and after: both know all that is there."""
    world = crowded()
    whole, torn = Client(world), Client(world)
    torn.hear(1)
    for number in (1, 70, MANY):
        end(world, number)
    world.join(world.find("table-2"))
    world.create()
    torn.hear(cut)
    for number in (3, 71, MANY - 1):
        end(world, number)
    world.create()
    torn.open(torn.place)
    torn.hear(1)
    assert torn.heard[-1] == "resumed"
    world.join(world.find("table-4"))
    for client in (whole, torn):
        while client.hear(1):
            pass
        assert "caught_up" in client.heard
        assert "reset" not in client.heard
        assert {name for name, status in client.known.items() if status != Status.ENDED} == {
            table.spec.table_id for table in world.shard.directory if table.status != Status.ENDED
        }


def test_what_was_missed_comes_before_the_mark_and_nothing_comes_twice() -> None:
    world = crowded()
    client = Client(world, follow=False)
    while client.hear(1):
        pass
    assert client.feed.is_done
    assert client.heard == ["table"] * MANY + ["caught_up"]
    client.heard.clear()
    end(world, 5)
    world.create()
    client.open(client.place)
    world.create()
    while client.hear(1):
        pass
    assert client.heard == ["resumed", "table", "table", "caught_up"]
    assert client.known["table-5"] == Status.ENDED
    client.open(client.place)
    client.heard.clear()
    while client.hear(1):
        pass
    assert client.heard == ["resumed", "table", "caught_up"]
    assert client.known[f"table-{MANY + 2}"] == Status.OPEN


def test_a_reader_who_missed_a_table_that_is_gone_begins_anew() -> None:
    world = crowded(ended_max=1)
    client = Client(world)
    while client.hear(1):
        pass
    end(world, 1)
    end(world, 2)
    client.open(client.place)
    client.hear(1)
    assert client.heard[-1] == "reset"
    while client.hear(1):
        pass
    assert len(client.known) == MANY - 2
    assert client.heard[-1] == "caught_up"
    end(world, 3)
    client.open(client.place)
    client.hear(2)
    assert client.heard[-2:] == ["resumed", "table"], "the table that went had been heard of"


def test_signs_of_life_come_with_the_cursor() -> None:
    world = World()
    world.create()
    client = Client(world)
    client.hear(2)
    before = client.place
    world.shard.heartbeat()
    client.hear(1)
    assert (client.heard[-1], client.place) == ("heartbeat", before)


def test_a_table_that_the_server_has_lost_is_voided() -> None:
    world = World()
    table, gone = world.create(), world.create()
    client = Client(world)
    client.hear(3)
    place = client.place
    world.shard._lose(gone, OSError("no such disk"))
    client.hear(1)
    assert client.heard[-1] == "lost"
    assert list(client.known) == [table.spec.table_id]
    client.open(client.place)
    client.hear(1)
    assert client.heard[-1] == "resumed"
    client.open(place)
    client.hear(1)
    assert client.heard[-1] == "reset", "nobody can say what became of it"


# How many ---------------------------------------------------------------------------------------


def refused(error: pytest.ExceptionInfo[Exhausted]) -> bool:
    return error.value.reason is Reason.TOO_MANY_STREAMS and error.value.retry_ms > 0


def test_a_key_watches_the_lobby_so_often_and_no_more() -> None:
    world = World(watchers_max=2)
    ann = Caller("ann")
    feeds = [world.shard.watch_lobby(caller=ann) for _ in range(2)]
    with pytest.raises(Exhausted) as error:
        world.shard.watch_lobby(caller=ann)
    assert refused(error)
    assert error.value.metadata == {"most": "2"}
    world.shard.watch_lobby(caller=Caller("bob"))
    feeds[0].close()
    world.shard.watch_lobby(caller=ann)


def test_a_key_watches_a_table_so_often_and_others_besides() -> None:
    world = World(watchers_max=2)
    ann = Caller("ann")
    tables = [world.create() for _ in range(3)]
    feeds = [
        world.shard.spectate(table, epoch=0, after=0, caller=ann)
        for table in tables
        for _ in range(2)
    ]
    with pytest.raises(Exhausted) as error:
        world.shard.spectate(tables[0], epoch=0, after=0, caller=ann)
    assert refused(error)
    world.shard.spectate(tables[0], epoch=0, after=0, caller=Caller("bob"))
    feeds[0].close()
    world.shard.spectate(tables[0], epoch=0, after=0, caller=ann)


def test_streams_of_seats_are_not_counted_and_nought_is_no_bound() -> None:
    world = World(watchers_max=1)
    for _ in range(5):
        table, tickets = world.start()
        for ticket in tickets:
            world.watch(table, ticket)
    world = World(watchers_max=0)
    table = world.create()
    for _ in range(500):
        world.shard.watch_lobby()
        world.shard.spectate(table, epoch=0, after=0)
    assert len(table.spectators) == 500


# Lists ------------------------------------------------------------------------------------------


def test_a_list_looks_at_so_many_tables_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_server.tables.directory.directory.SCANNED_MAX", 10)
    world = crowded(ended_max=1)
    for number in (3, 50, 51):  # two of them are let go
        end(world, number)
    world.start()
    pages, found, before = 0, [], None
    while True:
        page = world.shard.list_tables(status=Status.OPEN, before=before, limit=7)
        assert len(page.tables) <= 7
        pages += 1
        found += [table.number for table in page.tables]
        before = page.before
        if before is None:
            break
    assert found == [n for n in range(MANY, 0, -1) if n not in (3, 50, 51)]
    assert pages >= MANY / 7
    (first,) = world.shard.list_tables(status=Status.PLAYING).tables
    assert first.number == MANY + 1
    empty = world.shard.list_tables(status=Status.PLAYING, before=MANY)
    assert (empty.tables, empty.before) == ([], MANY - 10)


def test_a_list_of_nothing_ends_at_once() -> None:
    page = World().shard.list_tables()
    assert (page.tables, page.before) == ([], None)
    world = World()
    world.shard.create_table(Caller(), request())
    assert world.shard.list_tables(limit=1).before is None
