"""Runs in which seats open their nonces late, wrong, or never, where it hurts most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from random import Random

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from tests.sim.faults import Fault
from tests.sim.plan import HOUSE, Plan, Unveiling, make_plan, withhold
from tests.sim.runs import plans
from tests.sim.world import Run


def has_nonces(plan: Plan) -> bool:
    """At a table of it cards come from nonces, and nobody keeps it from being played."""
    return any(
        table.request.spec.deal_source.HasField("match")
        and table.is_whole
        and any(seat.has_nonce for seat in table.seats)
        for table in plan.tables
    )


def withheld(number: int) -> list[Plan]:
    """Plans in which seats withhold nonces at every table that wants some."""
    found = []
    for plan in plans(has_nonces, number):
        limits = withhold(Random(plan.seed), plan.tables, plan.limits, often=1.0)
        found.append(replace(plan, limits=limits))
    return found


def events(plan: Plan) -> Counter[str | None]:
    """How often what happened at the tables of a run."""
    run = Run(plan)
    run.play()
    return Counter(
        table_pb2.TableEvent.FromString(row.public_part).WhichOneof("event")
        for host in run._hosts
        for row in record_pb2.MatchRecord.FromString(host.record).rows
        if row.sequence
    )


@pytest.mark.more
@pytest.mark.attack
def test_fair_a_seat_that_goes_on_withholding_ends_the_table() -> None:
    """The deck is not rolled more often than the record may say."""
    seen = Counter[str | None]()
    for plan in withheld(4):
        never = (Unveiling(after_ms=None),) * 4
        tables = [deepcopy(table) for table in plan.tables]
        for table in tables:
            seats = [seat for seat in table.seats if seat.has_nonce and seat.client != HOUSE]
            if seats and table.request.spec.deal_source.HasField("match"):
                seats[0].withheld = never
        seen += events(replace(plan, tables=tables, faults=[]))
    assert seen["seat_no_show"] >= 4
    assert seen["match_ended"] >= 4


def every(kind: str, lasts_ms: int, times: range) -> list[Fault]:
    return [Fault(at_ms=at, kind=kind, line=0, lasts_ms=lasts_ms, step=2) for at in times]


def nothing(_: Plan) -> list[Fault]:
    return []


def crashes(_: Plan) -> list[Fault]:
    """The server dies over and over while it waits for nonces, also in the middle of a commit."""
    return every("crash", 20, range(300, 9_000, 1_100)) + every(
        "crash at a step", 20, range(800, 9_000, 1_100)
    )


def crash_when_it_is_due(plan: Plan) -> list[Fault]:
    """The server dies where seats are freed, or has just freed them."""
    due = plan.limits.nonce_ms
    return every("crash at a step", 100, range(due - 200, due + 1_000, 300))


def drains(_: Plan) -> list[Fault]:
    return every("drain", 200, range(1_000, 20_000, 6_000))


def full_disk(_: Plan) -> list[Fault]:
    return every("full disk", 4_000, range(500, 30_000, 9_000))


@pytest.mark.more
@pytest.mark.parametrize("faults", [nothing, crashes, crash_when_it_is_due, drains, full_disk])
def test_fair_while_nonces_are_withheld(faults: Callable[[Plan], list[Fault]]) -> None:
    seen = Counter[str | None]()
    for plan in withheld(8):
        seen += events(replace(plan, faults=faults(plan)))
    assert seen["match_started"] >= 8
    assert seen["seat_no_show"] >= 4
    assert seen["seats_filled"] > seen["match_started"]


def test_plans_have_seats_that_withhold_nonces_in_every_way() -> None:
    ways = {
        (one.after_ms is None, (one.after_ms or 0) > plan.limits.nonce_ms, one.is_wrong)
        for plan in map(make_plan, range(200))
        for table in plan.tables
        for seat in table.seats
        for one in seat.withheld
    }
    assert len(ways) == 6
