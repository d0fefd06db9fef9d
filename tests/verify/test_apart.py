"""Records are checked in a process of their own, one at a time, within bounds."""

from __future__ import annotations

import asyncio
import gc
import shutil
import subprocess
import sys

import pytest

from croupier_server.errors import Exhausted, Reason
from croupier_server.verify import apart, verify
from croupier_server.verify.apart import WAITING_EACH_MAX, WAITING_MAX, Verifier
from tests.verify.matches import Case, record

DATA = record(Case("tongits", "standard"))
ME = "me"


def never_ending() -> subprocess.Popen[bytes]:
    """A check that reads its record and ends only when it is killed."""
    code = "import sys, time; sys.stdin.buffer.read(); time.sleep(1e6)"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@pytest.mark.more
async def test_a_process_says_what_the_function_says() -> None:
    verifier = Verifier()
    for data in (DATA, DATA[:-1], b""):
        assert await verifier.verify(data, ME) == verify(data)


async def test_what_takes_too_long_is_given_up() -> None:
    report = await Verifier(wall_s=0).verify(DATA, ME)
    assert [(check.name, check.holds) for check in report.checks] == [("time", False)]


async def test_isolated_only_so_many_wait() -> None:
    verifier = Verifier(wall_s=0)
    who = [f"bot {number}" for number in range(WAITING_MAX + 5)]
    asked = [asyncio.create_task(verifier.verify(DATA, one)) for one in who]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, Exhausted)]
    assert len(refused) == 4
    assert {(one.reason, one.retry_ms > 0) for one in refused} == {(Reason.RATE_LIMITED, True)}
    task = asyncio.create_task(verifier.verify(DATA, ME))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not (await verifier.verify(DATA, ME)).verified, "its turn came after a cancelled one"


async def test_isolated_nobody_keeps_all_others_out() -> None:
    verifier = Verifier(wall_s=0)
    who = [ME] * (WAITING_MAX + 1) + ["another"]
    asked = [asyncio.create_task(verifier.verify(DATA, one)) for one in who]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [isinstance(answer, Exhausted) for answer in answers]
    served = WAITING_EACH_MAX + 1  # one whose turn it is, and those that wait
    assert refused == [False] * served + [True] * (WAITING_MAX + 1 - served) + [False]


async def test_what_is_given_up_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a process nor a pipe: one that is let go of late complains, which fails a test."""
    monkeypatch.setattr(apart, "_start", never_ending)
    for seconds in (0, 0.01, 0.05):
        report = await Verifier(wall_s=seconds).verify(DATA * 50, ME)
        assert [(check.name, check.holds) for check in report.checks] == [("time", False)]
    cancelled = asyncio.create_task(Verifier().verify(DATA * 50, ME))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    gc.collect()


def test_a_process_that_ends_at_once_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on the loop of a server either, which says it in its own way."""
    loops = pytest.importorskip("uvloop")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))

    async def check() -> None:
        for size in range(0, 500_000, 20_000):
            report = await Verifier().verify(bytes(size), ME)
            assert [(one.name, one.holds) for one in report.checks] == [("time", False)]

    with asyncio.Runner(loop_factory=loops.new_event_loop) as runner:
        runner.run(check())
