"""Token buckets: a burst, then so many a second, and debts that are paid off with time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_server.errors import Exhausted, Reason
from croupier_server.identity.quota import UNLIMITED, Quota, Quotas
from croupier_server.tables.clocks.clock import ManualClock


def spent(quota: Quota, tries: int) -> int:
    """How many of so many calls are let through."""
    done = 0
    for _ in range(tries):
        try:
            quota.spend()
        except Exhausted:
            pass
        else:
            done += 1
    return done


def test_a_burst_and_then_so_many_a_second() -> None:
    clock = ManualClock()
    quota = Quota(10, 50, clock.now_ms)
    assert spent(quota, 100) == 50
    clock.advance(1_000)
    assert spent(quota, 100) == 10
    clock.advance(3_600_000)
    assert spent(quota, 100) == 50


def test_waiting_as_long_as_a_refusal_says_helps() -> None:
    clock = ManualClock()
    quota = Quota(3, 1, clock.now_ms)
    for _ in range(20):
        quota.spend()
        with pytest.raises(Exhausted) as caught:
            quota.spend()
        assert caught.value.reason is Reason.RATE_LIMITED
        clock.advance(caught.value.retry_ms)


def test_what_was_done_already_is_charged_up_to_a_debt_as_large_as_the_burst() -> None:
    clock = ManualClock()
    quota = Quota(10, 5, clock.now_ms)
    for _ in range(9):
        quota.charge()
        assert not quota.is_overdrawn
    for _ in range(100):
        quota.charge()
    assert quota.is_overdrawn
    assert quota.is_empty
    assert 600 <= quota.wait_ms <= 601
    clock.advance(quota.wait_ms)
    assert spent(quota, 10) == 1


@pytest.mark.attack
def test_long_work_costs_a_token_for_each_millisecond() -> None:
    clock = ManualClock()
    quota = Quota(200, 2_000, clock.now_ms)
    pages = 0
    while not quota.is_empty and pages < 900:
        quota.spend()
        quota.charge_work(0.016)
        pages += 1
    assert pages == 125, "two seconds of processor time at once"
    clock.advance(1_000)
    assert not quota.is_empty
    for _ in range(13):
        quota.spend()
        quota.charge_work(0.016)
    assert quota.is_empty, "and a fifth of a processor after that"


def test_short_work_costs_the_token_of_its_call_alone() -> None:
    quota = Quota(10, 50, ManualClock().now_ms)
    for _ in range(50):
        quota.spend()
        quota.charge_work(0.000_5, 10_000)
    assert quota.is_empty


def test_long_answers_cost_a_token_for_64_kib() -> None:
    quota = Quota(10, 50, ManualClock().now_ms)
    quota.charge_work(0, 41 << 16)
    assert spent(quota, 100) == 10


def test_refusals_are_held_back_further_and_further_up_to_five_seconds() -> None:
    quota = Quota(10, 50, ManualClock().now_ms)
    assert quota.hold_back(100.0) == pytest.approx(0.005)
    assert quota.hold_back(100.0) == pytest.approx(0.010)
    assert max(quota.hold_back(100.0) for _ in range(2_000)) == pytest.approx(5.0)
    assert quota.hold_back(200.0) == pytest.approx(0.005)
    assert UNLIMITED.hold_back(100.0) == 0


def test_no_limit_is_no_limit() -> None:
    for quota in (UNLIMITED, Quota(0, 0), Quotas(0, 10, lambda: 0).of("ann")):
        for _ in range(100):
            quota.charge()
        assert spent(quota, 10_000) == 10_000
        assert (quota.is_limited, quota.is_empty, quota.is_overdrawn) == (False, False, False)
        assert quota.wait_ms == 0


def test_a_flood_of_one_principal_costs_no_other() -> None:
    quotas = Quotas(1, 5, ManualClock().now_ms)
    assert spent(quotas.of("ann"), 100) == 5
    assert spent(quotas.of("ann"), 100) == 0, "two keys of a principal share its bucket"
    assert spent(quotas.of("bob"), 100) == 5


@given(
    per_second=st.integers(1, 1_000),
    burst=st.integers(1, 100),
    steps=st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 200)), max_size=30),
)
def test_never_more_than_burst_and_rate_allow(
    per_second: int, burst: int, steps: list[tuple[int, int]]
) -> None:
    clock = ManualClock()
    quota = Quota(per_second, burst, clock.now_ms)
    done = 0
    for wait, tries in steps:
        clock.advance(wait)
        done += spent(quota, tries)
        assert done <= burst + clock.now * per_second / 1_000 + 1e-6


def test_callers_that_wait_as_they_are_told_find_a_token_each() -> None:
    """Forty at once: told the same wait, all but one of them would be refused again."""
    clock = ManualClock()
    quota = Quota(5, 10, clock.now_ms)
    assert spent(quota, 10) == 10
    waits = []
    for _ in range(10):
        with pytest.raises(Exhausted) as caught:
            quota.spend()
        waits.append(caught.value.retry_ms)
    assert [round(wait / 200) for wait in waits] == list(range(1, 11))
    start = clock.now_ms()
    for wait in waits:
        clock.advance(start + wait - clock.now_ms())
        quota.spend()


def test_no_caller_is_told_to_wait_for_longer_than_a_burst_takes() -> None:
    clock = ManualClock()
    quota = Quota(5, 10, clock.now_ms)
    assert spent(quota, 10 + 1_000) == 10
    with pytest.raises(Exhausted) as caught:
        quota.spend()
    assert caught.value.retry_ms <= 200 + 10 * 200 + 1
