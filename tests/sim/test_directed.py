"""Runs in which one thing goes wrong again and again, where it hurts most."""

from __future__ import annotations

from dataclasses import replace

import pytest

from croupier.v1 import tractor_pb2
from tests.sim.faults import Fault
from tests.sim.plan import Plan, Temper
from tests.sim.runs import plans, play


def waits_for_all(plan: Plan) -> bool:
    """At a table of it windows stay open until all who are asked have answered."""
    return any(
        table.game == "tractor"
        and table.request.spec.options.tractor.trump_making
        == tractor_pb2.TRACTOR_TRUMP_MAKING_DECLARE
        and not table.request.spec.clock.HasField("window_time")
        for table in plan.tables
    )


def is_timed(plan: Plan) -> bool:
    return any(table.is_timed for table in plan.tables)


def again_and_again(kind: str, lasts_ms: int, times: range) -> list[Fault]:
    return [Fault(at_ms=at, kind=kind, line=0, lasts_ms=lasts_ms, step=1) for at in times]


@pytest.mark.more
def test_durable_while_answers_are_sealed() -> None:
    """The server dies over and over while the cards of Tractor are drawn and declared."""
    for plan in plans(waits_for_all, 6):
        tempers = [Temper(think_ms=20 if one % 2 else 2_500) for one in range(len(plan.tempers))]
        faults = again_and_again("crash", 20, range(2_000, 20_000, 1_300))
        assert play(replace(plan, tempers=tempers, faults=faults)).lives > 3


@pytest.mark.more
def test_fair_while_the_server_is_busy() -> None:
    for plan in plans(is_timed, 8):
        faults = again_and_again("busy", 1_500, range(1_000, 9_000, 2_000))
        assert play(replace(plan, faults=faults)).matches


@pytest.mark.more
@pytest.mark.parametrize("on_sqlite", [False, True])
def test_fair_while_the_disk_hangs(on_sqlite: bool) -> None:
    """It neither writes nor fails: at first for too short a time to be noticed, then for long."""
    for plan in plans(is_timed, 4):
        faults = again_and_again("hung disk", 1_000, range(500, 3_000, 1_500))
        faults += again_and_again("hung disk", 20_000, range(4_000, 64_000, 30_000))
        report = play(replace(plan, faults=faults, on_sqlite=on_sqlite))
        assert report.matches


@pytest.mark.more
@pytest.mark.fault
def test_fair_while_the_disk_fills_up_again_and_again() -> None:
    """Seats that are refused wait for as long as they are told, and pay for none of it."""
    for plan in plans(is_timed, 8):
        tempers = [Temper(think_ms=600) for _ in plan.tempers]
        faults = again_and_again("full disk", 700, range(500, 30_000, 3_000))
        assert play(replace(plan, tempers=tempers, faults=faults)).matches


@pytest.mark.more
def test_private_while_everybody_lies() -> None:
    for plan in plans(lambda plan: True, 8):
        tempers = [Temper(think_ms=20, lie=0.5) for _ in plan.tempers]
        assert play(replace(plan, tempers=tempers)).matches


@pytest.mark.more
def test_isolated_while_spectators_do_not_read() -> None:
    """They stall for half a minute with next to nothing on its way."""
    for plan in plans(lambda plan: any(table.spectators for table in plan.tables), 8):
        assert play(replace(plan, window=256, slow_spectators=1.0)).matches
