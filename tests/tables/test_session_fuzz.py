"""Sessions and tables under clients that do anything at all: promise 6, Isolated."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from croupier.v1 import session_service_pb2 as pb
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, Status
from tests.tables.test_session import Client, answer
from tests.tables.toy_game import ToyWire
from tests.tables.world import World, asked, exactly, kinds


class Rogue:
    """A client that holds seats 0 and 1 of some tables and says whatever comes to mind."""

    def __init__(self, world: World, tables: list[tuple[Table, list[str]]], seed: int) -> None:
        self.world = world
        self.tables = tables
        self.rng = random.Random(seed)
        self.client = Client(world)
        self.client.say(hello=pb.SessionHello())
        self.heard: Counter[str] = Counter()

    def word(self) -> str:
        """A decision id: open, of another seat, of another time, or none."""
        rng = self.rng
        table, _ = rng.choice(self.tables)
        decision = rng.choice([one for one in table.match.decisions if one] or [None])
        ids = ["", "x", "1-0", f"{rng.randrange(60)}-{rng.randrange(4)}", "9" * 70]
        return rng.choice([*ids, decision.id if decision else "0-0"])

    def frame(self) -> pb.SessionRequest:
        rng = self.rng
        frame = pb.SessionRequest()
        if rng.random() < 0.7:
            frame.acknowledged = self.client.last
        for _ in range(rng.randrange(3)):
            table, tickets = rng.choice(self.tables)
            ticket = rng.choice([*tickets[:2], *tickets[:2], "", "wrong"])
            frame.opens.add(
                channel=rng.randrange(5),
                table_id=rng.choice([table.spec.table_id] * 5 + ["nowhere"]),
                ticket=ticket,
                view_mode=rng.randrange(4),
                table_epoch=rng.randrange(3),
                after_sequence=rng.choice([0, 1, 5, table.journal.sequence, 99]),
            )
        for _ in range(rng.randrange(5)):
            move = ToyWire().move_message(rng.choice([1, 2, 100 + rng.randrange(12), 7]))
            frame.moves.add(channel=rng.randrange(5), decision_id=self.word(), move=move)
        if rng.random() < 0.5:
            self.play_well(frame)
        if rng.random() < 0.1:
            frame.moves.add(channel=rng.randrange(5), decision_id=self.word())
        if rng.random() < 0.1:
            frame.nonces.add(channel=rng.randrange(5), nonce=rng.randbytes(rng.randrange(40)))
        if rng.random() < 0.1:
            frame.closes.add(channel=rng.randrange(5))
        frame.heartbeat_echo = rng.randrange(3)
        return frame

    def play_well(self, frame: pb.SessionRequest) -> None:
        """Answer what is open on the channels that are open."""
        for number, channel in self.client.session._channels.items():
            decision = channel.table.match.decisions[channel.seat]
            if decision is not None and decision.answer is None:
                legal = channel.table.legal(decision.seat, decision.id).moves
                move = ToyWire().move_message(self.rng.choice(legal))
                frame.moves.add(channel=number, decision_id=decision.id, move=move)

    def act(self) -> None:
        self.client.session.receive(self.frame().SerializeToString())
        data = self.client.session.next_frame()
        if data is not None:
            found = exactly(pb.SessionResponse, data)
            self.client.last += 1
            assert found.frame == self.client.last
            assert not found.HasField("end")
            for item in found.items:
                self.heard[item.update.WhichOneof("update") or "error"] += 1
                assert item.HasField("refusal") != item.HasField("update")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("clock", [ClockSpec(), ClockSpec(per_move_ms=50, window_ms=80)])
def test_a_rogue_client_harms_nobody(seed: int, clock: ClockSpec) -> None:
    world = World(lag_max=20)
    tables = [world.start(options={"deals": 3}, clock=clock) for _ in range(2)]
    honest, tickets = world.start(options={"deals": 3})
    feeds = [world.watch(table, all_[2], mode=2) for table, all_ in tables]
    spectators = [world.shard.spectate(table, epoch=0, after=0) for table, _ in tables]
    mine = Client(world)
    mine.say(
        hello=pb.SessionHello(),
        opens=[
            pb.ChannelOpen(channel=seat + 1, table_id=honest.spec.table_id, ticket=ticket)
            for seat, ticket in enumerate(tickets)
        ],
    )
    rogue = Rogue(world, tables, seed)
    for _ in range(150):
        rogue.act()
        world.clock.advance(rogue.rng.choice((0, 1, 30)))
        world.shard.tick()
        if rogue.rng.random() < 0.05:
            world.shard.heartbeat()
        if honest.status is Status.PLAYING:
            mine.say(acknowledged=mine.last, moves=[answer(honest)])
            mine.hear()
        for table, _ in tables:
            if any(decision.seat == 2 for decision in asked(table)):
                world.step(table)
        for feed in (*feeds, *spectators):
            world.take(feed)
    assert rogue.heard.keys() >= {"error", "move_accepted", "move_refused", "snapshot"}
    for table, _ in tables:
        assert not table.is_halted, table.fault
        while table.status is Status.PLAYING:
            if asked(table):
                world.step(table)
            world.clock.advance(100)
            world.shard.tick()
    world.play(honest)
    for feed in spectators:
        last = world.take(feed)
        assert feed.is_done
        assert not last or kinds(last)[-1] == "end"
    rogue.client.session.close()
    assert rogue.client.session.next_frame() is None
    for table, _ in tables:
        assert all(seat is None for seat in table.seat_watchers[:2])
