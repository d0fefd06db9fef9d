"""Token buckets that limit how much work each principal may ask for.

A call takes a token before it is carried out, and is refused if there is none. Work that turns out
to cost more is charged afterwards, one token for each millisecond of processor time. The answer to
a decision and an item of a session can only be judged by trying them: they are charged afterwards
if they were refused. Both may leave the bucket in debt. A session whose bucket owes the maximum
ends. A stream that reads on from the store pays step by step, and waits instead of being refused.

Services and sessions decide which work is charged.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

from croupier_server.errors import Exhausted, Reason

_MILLIS: Final = 1_000
_BYTES_PER_TOKEN: Final = 1 << 16
READ_FREE_MAX: Final = 1 << 12
"""Bytes of a request whose reading the token of its call covers; beyond, it is measured."""
_REFUSAL_S: Final = 0.005
_HELD_BACK_MAX_S: Final = 5.0


class Quota:
    """The token bucket of one principal.

    Args:
        per_second: tokens added a second; 0: no limit.
        burst: tokens that the bucket holds, and its maximum debt.
        now_ms: returns the time.
        used_s: returns the seconds of processor time that this thread has used.

    Attributes:
        is_limited: whether this bucket limits anything.
        stopwatch: *used_s*, to measure work for `charge_work`; always 0 where there is no limit.
    """

    __slots__ = (
        "_burst",
        "_due_ms",
        "_now_ms",
        "_per_second",
        "_refused_s",
        "_seen_ms",
        "_tokens",
        "is_limited",
        "stopwatch",
    )

    def __init__(
        self,
        per_second: int = 0,
        burst: int = 0,
        now_ms: Callable[[], int] = lambda: 0,
        used_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self.is_limited = per_second > 0
        self.stopwatch: Callable[[], float] = used_s if per_second else float
        self._per_second = per_second
        self._burst = max(burst, 1)
        self._now_ms = now_ms
        self._tokens = float(self._burst)
        self._seen_ms = now_ms()
        self._refused_s = 0.0
        self._due_ms = 0.0

    def spend(self) -> None:
        """Take a token for a call.

        Raises:
            Exhausted: RATE_LIMITED, there is none; retry after its delay.
        """
        if not self._per_second:
            return
        self._fill()
        if self._tokens < 1:
            raise self.refusal()
        self._tokens -= 1

    def charge(self, tokens: float = 1) -> None:
        """Take *tokens* for work that is done, if need be as debt."""
        if self._per_second:
            self._fill()
            self._tokens = max(self._tokens - tokens, -float(self._burst))

    def charge_work(self, seconds: float, size: int = 0, *, paid: float = 1) -> None:
        """Charge what work cost beyond the tokens that were taken for it.

        Args:
            seconds: processor time that it took; a millisecond costs a token.
            size: bytes of its reply; 64 KiB cost a token.
            paid: tokens that were taken.
        """
        tokens = seconds * _MILLIS + size / _BYTES_PER_TOKEN - paid
        if tokens > 0:
            self.charge(tokens)

    @contextmanager
    def measured(self, *, paid: float = 1) -> Iterator[None]:
        """Charge the processor time of a block, also if it raises; see `charge_work`."""
        began = self.stopwatch()
        try:
            yield
        finally:
            self.charge_work(self.stopwatch() - began, paid=paid)

    async def pay(
        self, seconds: float, size: int, sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        """Take a token for the next step of a long read, and charge what it cost beyond that; wait
        first while there is no token. Others always get their turn between two steps.

        Args:
            seconds, size: see `charge_work`.
            sleep: waits so many seconds.
        """
        await sleep(self.wait_ms / _MILLIS)
        self.charge()
        self.charge_work(seconds, size)

    def hold_back(self, now_s: float) -> float:
        """Count a refusal at *now_s*; returns the seconds to hold it back.

        Refusals of one principal go out one every 5 ms, so that a client that repeats a refused
        call at once is slowed down. None is held back for longer than 5 s.
        """
        if not self._per_second:
            return 0.0
        due = max(self._refused_s, now_s) + _REFUSAL_S
        self._refused_s = min(due, now_s + _HELD_BACK_MAX_S)
        return self._refused_s - now_s

    @property
    def is_empty(self) -> bool:
        """Whether there is no token."""
        if not self._per_second:
            return False
        self._fill()
        return self._tokens < 1

    @property
    def is_overdrawn(self) -> bool:
        """Whether the debt has reached its maximum."""
        return self._per_second > 0 and self._tokens <= -self._burst

    @property
    def wait_ms(self) -> int:
        """Time until there is a token again."""
        if not self.is_empty:
            return 0
        return int((1 - self._tokens) * _MILLIS / self._per_second) + 1

    def refusal(self) -> Exhausted:
        """The refusal of a call while there is no token.

        Each refusal names the time of the token after the one that the refusal before it named, up
        to the time in which a whole burst comes in. So callers that wait as told find a token each.
        """
        now = self._now_ms()
        first, each = now + self.wait_ms, _MILLIS / self._per_second
        self._due_ms = max(first, min(self._due_ms + each, first + self._burst * each))
        return Exhausted(
            Reason.RATE_LIMITED,
            f"rate limit exceeded: {self._per_second} tokens a second; a call costs one for "
            "each millisecond of processor time and for each 64 KiB of its reply, and at least "
            "one; wait for the retry delay",
            retry_ms=max(int(self._due_ms - now), 1),
        )

    def _fill(self) -> None:
        now = self._now_ms()
        if now > self._seen_ms:
            came = (now - self._seen_ms) * self._per_second / _MILLIS
            self._tokens = min(self._tokens + came, float(self._burst))
            self._seen_ms = now


UNLIMITED: Final = Quota()
"""The bucket of callers without a limit."""


class Quotas:
    """The buckets of all principals.

    Args:
        per_second: see `Quota`.
        burst: see `Quota`.
        now_ms: the time.
        used_s: see `Quota`.
    """

    __slots__ = ("_buckets", "_burst", "_now_ms", "_per_second", "_used_s")

    def __init__(
        self,
        per_second: int,
        burst: int,
        now_ms: Callable[[], int],
        used_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._used_s = used_s
        self._per_second = per_second
        self._burst = burst
        self._now_ms = now_ms
        self._buckets: dict[str, Quota] = {}

    def of(self, principal: str) -> Quota:
        """The bucket of *principal*; one is kept for each principal with a key."""
        if not self._per_second:
            return UNLIMITED
        bucket = self._buckets.get(principal)
        if bucket is None:
            bucket = Quota(self._per_second, self._burst, self._now_ms, self._used_s)
            self._buckets[principal] = bucket
        return bucket
