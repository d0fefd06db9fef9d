"""How fast a principal may call: a bucket of tokens that fills with time.

A call takes a token before it is carried out, and is refused when there is none. What can only be
judged by trying (the answer to a decision, an item of a session) is tried and charged afterwards if
it was refused; that may leave the bucket in debt, which ends a session that goes on all the same.

Must not be put here: what costs a token; services and sessions know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier_server.errors import Exhausted, Reason

_MILLIS: Final = 1_000


class Quota:
    """What one principal may still do.

    Args:
        per_second: tokens that come in each second; 0: there is no limit.
        burst: tokens that the bucket holds, and the debt that it can have.
        now_ms: the time.
    """

    __slots__ = ("_burst", "_now_ms", "_per_second", "_seen_ms", "_tokens")

    def __init__(
        self, per_second: int = 0, burst: int = 0, now_ms: Callable[[], int] = lambda: 0
    ) -> None:
        self._per_second = per_second
        self._burst = max(burst, 1)
        self._now_ms = now_ms
        self._tokens = float(self._burst)
        self._seen_ms = now_ms()

    def spend(self) -> None:
        """Take a token for a call.

        Raises:
            Exhausted: RATE_LIMITED, there is none; waiting as long as it says helps.
        """
        if not self._per_second:
            return
        self._fill()
        if self._tokens < 1:
            raise self.refusal()
        self._tokens -= 1

    def charge(self) -> None:
        """Take a token for what was done already."""
        if self._per_second:
            self._fill()
            self._tokens = max(self._tokens - 1, -float(self._burst))

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to hold to."""
        return self._per_second > 0

    @property
    def is_empty(self) -> bool:
        """Whether there is no token."""
        if not self._per_second:
            return False
        self._fill()
        return self._tokens < 1

    @property
    def is_overdrawn(self) -> bool:
        """Whether the debt is as large as it gets: somebody went on and on."""
        return self._per_second > 0 and self._tokens <= -self._burst

    @property
    def wait_ms(self) -> int:
        """Time until there is a token again."""
        if not self.is_empty:
            return 0
        return int((1 - self._tokens) * _MILLIS / self._per_second) + 1

    def refusal(self) -> Exhausted:
        """What a call is refused with while there is no token."""
        return Exhausted(
            Reason.RATE_LIMITED,
            f"too many calls: {self._per_second} a second are allowed",
            retry_ms=self.wait_ms,
        )

    def _fill(self) -> None:
        now = self._now_ms()
        if now > self._seen_ms:
            came = (now - self._seen_ms) * self._per_second / _MILLIS
            self._tokens = min(self._tokens + came, float(self._burst))
            self._seen_ms = now


UNLIMITED: Final = Quota()
"""For whoever is held to no rate."""


class Quotas:
    """The buckets of all principals.

    Args:
        per_second: see `Quota`.
        burst: see `Quota`.
        now_ms: the time.
    """

    __slots__ = ("_buckets", "_burst", "_now_ms", "_per_second")

    def __init__(self, per_second: int, burst: int, now_ms: Callable[[], int]) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now_ms = now_ms
        self._buckets: dict[str, Quota] = {}

    def of(self, principal: str) -> Quota:
        """The bucket of *principal*. There are as many as there are principals with keys."""
        if not self._per_second:
            return UNLIMITED
        bucket = self._buckets.get(principal)
        if bucket is None:
            bucket = Quota(self._per_second, self._burst, self._now_ms)
            self._buckets[principal] = bucket
        return bucket
