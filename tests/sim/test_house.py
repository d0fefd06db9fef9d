"""Runs in which house bots play, and their process dies where it hurts most."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from croupier.record.v1 import record_pb2
from croupier_server.sim.faults import Fault
from croupier_server.sim.plan import HOUSE, Plan, invite_house, withhold
from croupier_server.sim.world import Run
from tests.sim.runs import plans

pytestmark = pytest.mark.timeout(120)


def with_house(number: int) -> list[Plan]:
    """Plans in which house bots sit at every table, beside seats that withhold their nonces."""
    found = []
    for plan in plans(lambda plan: all(table.is_whole for table in plan.tables), number):
        limits = withhold(Random(plan.seed), plan.tables, plan.limits, often=0.5)
        invite_house(Random(plan.seed), plan.tables, often=1.0)
        found.append(replace(plan, limits=limits))
    return found


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
            nonces = record_pb2.Record.FromString(host.record).reveal.nonces
            house = [seat for seat, plan in enumerate(host._plan.seats) if plan.client == HOUSE]
            assert house
            assert not any(nonces[seat] for seat in house if nonces)
    assert deaths >= 16
    assert (lives > 16) == with_crashes
