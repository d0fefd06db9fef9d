"""Who has been away for too long, at tables that do something about it (`AbsencePolicy`).

A seat is away while it has no stream and makes no call. Where there is no clock, a seat that lets
its turn wait as long counts as away too; sealed windows are left out of this, as it would show who
was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.clocks.decisions import Decision

_ABSENT: Final = "absent"


class Presence:
    """When each seat of one table was last heard of.

    Args:
        seats: number of seats.
        away_ms: time after which a seat is away; `FOREVER`: none ever is.
        waits_for_turns: whether a turn may wait for ever.

    Attributes:
        is_watched: whether this table minds now.
    """

    __slots__ = (
        "_away_ms",
        "_granted",
        "_missed",
        "_seen",
        "_stands",
        "_waits_for_turns",
        "is_watched",
    )

    def __init__(self, seats: int, away_ms: int, *, waits_for_turns: bool) -> None:
        self._away_ms = away_ms
        self._waits_for_turns = waits_for_turns
        self._seen = [0] * seats
        self._granted = [0] * seats
        self._missed = [""] * seats
        """For whom somebody was sent: `_ABSENT`, or the id of the decision that it let wait."""
        self.stand(still=False)

    def stand(self, *, still: bool) -> None:
        """Miss nobody for now, or go on as before."""
        self._stands = still
        self.is_watched = self._away_ms != FOREVER and not still

    def last_seen_ms(self, seats: Iterable[Seat]) -> int:
        """When any of *seats* was last heard of; 0: none ever was."""
        return max((self._seen[seat] for seat in seats), default=0)

    def seen(self, seat: Seat, now: int) -> None:
        """*seat* was heard of."""
        self._seen[seat] = now

    def grant(self, seat: Seat, now: int) -> None:
        """*seat* is taken, and whoever does so is given as long to come."""
        self._seen[seat] = self._granted[seat] = now
        self._missed[seat] = ""

    def seen_all(self, now: int) -> None:
        """The match begins: nobody has been away yet."""
        self._seen = [now] * len(self._seen)

    def give_back(self, since: int, now: int) -> None:
        """The time from *since* to *now* makes nobody absent. While nobody is missed that is to be
        said once, when it is over."""
        if self._stands:
            return
        for times in (self._seen, self._granted):
            for seat, at in enumerate(times):
                times[seat] = at + max(now - max(since, at), 0)

    def _deadlines(
        self, watchers: Sequence[object | None], decisions: Sequence[Decision | None]
    ) -> Iterator[tuple[int, Seat]]:
        """When each seat that is not here counts as away, if nothing is heard of it."""
        for seat, watcher in enumerate(watchers):
            if watcher is None:
                yield self._seen[seat] + self._away_ms, seat
        if not self._waits_for_turns:
            for decision in decisions:
                if decision is not None and not decision.sealed:
                    since = max(decision.due_ms, self._granted[decision.seat])
                    yield since + self._away_ms, decision.seat

    def deadline(
        self, watchers: Sequence[object | None], decisions: Sequence[Decision | None]
    ) -> int:
        """When the next seat counts as away, or `FOREVER`."""
        return min((at for at, _ in self._deadlines(watchers, decisions)), default=FOREVER)

    def send_for(
        self,
        seat: Seat,
        watchers: Sequence[object | None],
        decisions: Sequence[Decision | None],
        now: int,
    ) -> None:
        """Somebody is sent to take *seat*, which is away, and is given as long to come."""
        is_absent = watchers[seat] is None and self._seen[seat] + self._away_ms <= now
        turns = [one.id for one in decisions if one and one.seat == seat and not one.sealed]
        self.grant(seat, now)
        self._missed[seat] = _ABSENT if is_absent or not turns else turns[0]

    def is_missed(self, seat: Seat, decisions: Sequence[Decision | None]) -> bool:
        """Whether *seat*, for which somebody was sent, is away still: nothing was heard of it
        since, or its turn waits as it did then."""
        missed = self._missed[seat]
        return missed == _ABSENT or any(one is not None and one.id == missed for one in decisions)

    def is_back(self, seat: Seat) -> None:
        """*seat* has a stream again, or made a call."""
        if self._missed[seat] == _ABSENT:
            self._missed[seat] = ""

    def away(
        self, watchers: Sequence[object | None], decisions: Sequence[Decision | None], now: int
    ) -> list[Seat]:
        """Seats that are away, in seat order."""
        return sorted({seat for at, seat in self._deadlines(watchers, decisions) if at <= now})
