"""Runs in which house bots play, also for who is away, and their process dies where it hurts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from tests.sim.faults import Fault
from tests.sim.plan import HOUSE, Plan, invite_house, relieve, withhold
from tests.sim.promises.observed import RELIEF
from tests.sim.runs import plans
from tests.sim.world import Run


def with_house(number: int) -> list[Plan]:
    """Plans in which house bots sit at every table, beside seats that withhold their nonces."""
    found = []
    for plan in plans(lambda plan: all(table.is_whole for table in plan.tables), number):
        limits = withhold(Random(plan.seed), plan.tables, plan.limits, often=0.5)
        invite_house(Random(plan.seed), plan.tables, often=1.0)
        found.append(replace(plan, limits=limits))
    return found


@pytest.mark.more
@pytest.mark.parametrize("with_crashes", [False, True])
def test_durable_while_house_bots_die(with_crashes: bool) -> None:
    """Over and over while seats are taken, nonces opened and cards played; the server as well."""
    faults = [
        Fault(at_ms=at, kind="crash at a step", line=0, lasts_ms=50, step=3)
        for at in range(900, 9_000, 2_700)
    ]
    deaths = lives = 0
    for plan in with_house(8):
        dies = tuple(range(400, 12_000, 1_900))
        run = Run(replace(plan, faults=faults if with_crashes else [], house_dies_ms=dies))
        lives += run.play().lives
        deaths += run.house.deaths
        for host in run._hosts:
            nonces = record_pb2.MatchRecord.FromString(host.record).reveal.nonces
            house = [seat for seat, plan in enumerate(host._plan.seats) if plan.client == HOUSE]
            assert house
            assert not any(nonces[seat] for seat in house if nonces)
    assert deaths >= 16
    assert (lives > 16) == with_crashes


def joined(record: record_pb2.MatchRecord) -> Iterator[tuple[int, bool]]:
    """Seats as they were taken, and whether by a bot that was sent for."""
    for row in record.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.HasField("seat_joined"):
            seat = event.seat_joined.seat
            yield seat.seat, seat.player.display_name.startswith(RELIEF)


@pytest.mark.more
@pytest.mark.parametrize(("lasts_ms", "dies_every_ms"), [(8_000, 9_000), (2_200, 900)])
def test_isolated_who_comes_back_has_the_seat_again(lasts_ms: int, dies_every_ms: int) -> None:
    """Lines are down for longer than a seat may be away, while house bots and server die too; or so
    long that bots who are slow to come find their players there."""
    faults = [
        Fault(at_ms=at, kind="no route", line=0, lasts_ms=lasts_ms, step=0)
        for at in range(1_000, 60_000, 2_500 + lasts_ms)
    ]
    faults.append(Fault(at_ms=14_000, kind="crash", line=0, lasts_ms=700, step=0))
    relieved = given_back = 0
    for plan in plans(lambda plan: all(table.is_whole for table in plan.tables), 12):
        relieve(Random(plan.seed), plan.tables, often=1.0)
        prompt = [False, *plan.prompt[1:]]
        limits = plan.limits._replace(away_ms=2_000)
        dies = tuple(range(5_000, 60_000, dies_every_ms))
        run = Run(replace(plan, faults=faults, prompt=prompt, limits=limits, house_dies_ms=dies))
        run.play()
        for host in run._hosts:
            is_relief: dict[int, bool] = {}
            for seat, by_bot in joined(record_pb2.MatchRecord.FromString(host.record)):
                relieved += by_bot
                given_back += is_relief.get(seat, False) and not by_bot
                is_relief[seat] = by_bot
    assert relieved > 10
    assert given_back >= 3
