"""The loop is shared fairly: turns go round the flows, and no turn is longer than its slice."""

from __future__ import annotations

import asyncio

import pytest

from croupier_server.rpc.turns import CROWD_S, SLICE_S, Crowd, Metered, Turns

LONG_S = 0.016


class Work:
    """A processor whose time passes only while work is done on it, and what was done."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[str] = []
        self.turns = Turns(lambda: self.now)

    async def call(self, flow: str, seconds: float) -> None:
        """A call that cannot be split up."""
        await self.turns.turn(flow)
        self.now += seconds
        self.done.append(flow)

    async def split(self, flow: str, steps: int, seconds: float) -> None:
        """A call that gives way when its turn is over."""
        await self.turns.turn(flow)
        for _ in range(steps):
            if self.turns.is_over():
                await self.turns.turn(flow, is_begun=True)
            self.now += seconds
        self.done.append(flow)


@pytest.mark.attack
def test_a_flood_of_one_flow_delays_another_by_one_turn_alone() -> None:
    work = Work()

    async def flood() -> None:
        calls = [asyncio.create_task(work.call("eve", LONG_S)) for _ in range(900)]
        await asyncio.sleep(0)
        before = work.now
        await work.call("ann", 0.0001)
        assert work.now - before <= 2 * LONG_S + SLICE_S, "the flood was in the way"
        await asyncio.gather(*calls)

    asyncio.run(flood())
    assert work.done.index("ann") < 4
    assert work.done.count("eve") == 900


@pytest.mark.attack
async def test_long_work_gives_way_after_each_slice() -> None:
    work = Work()
    flood = [asyncio.create_task(work.split("eve", 1_000, 0.000016)) for _ in range(900)]
    await asyncio.sleep(0)
    for _ in range(10):
        before = work.now
        await work.call("ann", 0)
        assert work.now - before <= 3 * SLICE_S
    assert "eve" not in work.done, "a call takes 16 turns"
    for task in flood:
        task.cancel()


async def test_turns_go_round_the_flows_and_keep_the_order_of_each() -> None:
    work = Work()
    calls = [
        asyncio.create_task(work.call(flow, LONG_S))
        for flow in ("eve", "eve", "eve", "eve", "bob", "bob", "ann")
    ]
    await asyncio.gather(*calls)
    assert work.done == ["eve", "eve", "bob", "ann", "eve", "bob", "eve"]


async def test_what_fits_into_a_slice_does_not_wait() -> None:
    work = Work()
    calls = [asyncio.create_task(work.call("eve", SLICE_S / 100)) for _ in range(90)]
    await asyncio.sleep(0)
    assert len(work.done) == 90
    await asyncio.gather(*calls)


async def test_a_flow_has_few_turns_in_a_slice_while_others_are_active() -> None:
    for others, done in (("", 90), ("ann", 3)):
        work = Work()
        work.turns = Turns(lambda: 0.0, rest_s=3_600, turns_max=2)
        if others:
            await work.call(others, 0)
        calls = [asyncio.create_task(work.call("eve", 0)) for _ in range(90)]
        await asyncio.sleep(0)
        assert len(work.done) == done
        for call in calls:
            call.cancel()


def test_a_crowd_is_two_flows_within_a_second() -> None:
    crowd = Crowd()
    crowd.saw("ann", 10)
    crowd.saw("ann", 10)
    assert not crowd.is_there(10)
    crowd.saw("bob", 10 + CROWD_S / 2)
    assert crowd.is_there(10 + CROWD_S / 2)
    crowd.saw("bob", 10 + CROWD_S)
    assert not crowd.is_there(10 + CROWD_S)
    crowd.saw("ann", 10 + CROWD_S)
    assert crowd.is_there(10 + CROWD_S)


async def test_calls_that_were_cancelled_take_no_turn() -> None:
    work = Work()
    calls = [asyncio.create_task(work.call("eve", LONG_S)) for _ in range(10)]
    await asyncio.sleep(0)
    for task in calls[1:]:
        task.cancel()
    last = asyncio.create_task(work.call("eve", LONG_S))
    await last
    assert len(work.done) == 2
    await work.call("ann", 0)


async def test_a_coroutine_is_measured_without_its_waits() -> None:
    work = Work()

    async def steps() -> str:
        work.now += 1
        await asyncio.sleep(0)
        work.now += 2
        return "done"

    async def others() -> None:
        work.now += 100

    metered = Metered(steps(), lambda: work.now)
    other = asyncio.create_task(others())
    assert await metered == "done"
    await other
    assert metered.seconds == 3


async def test_a_measured_coroutine_sees_what_it_would_see_unmeasured() -> None:
    found = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            found.append("cancelled")
            raise

    async def run() -> None:
        await Metered(waits(), lambda: 0.0)

    task = asyncio.create_task(run())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert found == ["cancelled"]

    async def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await Metered(fails(), lambda: 0.0)
