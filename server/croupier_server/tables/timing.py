"""The clocks of a table's seats: what is left, what is charged, strikes.

A decision may take the time per move and then what is left of the base; what it took beyond the
time per move is charged to the base, and the increment is added after each move. Time and strikes
of sealed windows go to hidden accounts, which are opened when the deal has ended: until then
nothing shown tells who was asked.

Must not be put here: what time it is, and what follows when time runs out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.tables.spec import ClockSpec

_TRIPS_MAX: Final = 8


class RoundTrips:
    """What the network takes from a session's client and back: the smallest of the last eight
    heartbeats that it echoed. A client that echoes late once gains nothing by it."""

    __slots__ = ("_awaited", "_sent_ms", "_trips")

    def __init__(self) -> None:
        self._awaited = 0
        self._sent_ms = 0
        self._trips: deque[int] = deque(maxlen=_TRIPS_MAX)

    def sent(self, heartbeat: int, now: int) -> None:
        """The heartbeat of this number, from 1, is being written."""
        self._awaited = heartbeat
        self._sent_ms = now

    def echoed(self, heartbeat: int, now: int) -> None:
        """The client gave *heartbeat* back; only the last one, and only once, says anything."""
        if heartbeat == self._awaited != 0:
            self._awaited = 0
            self._trips.append(now - self._sent_ms)

    def network_ms(self, otherwise: int) -> int:
        """The smallest, or *otherwise* before there is any."""
        return min(self._trips, default=otherwise)


class Timing:
    """Clocks and strikes of all seats of one table."""

    __slots__ = ("_hidden", "_hidden_strikes", "_remaining", "_spec", "_strikes", "is_timed")

    def __init__(self, spec: ClockSpec, seats: int) -> None:
        self._spec = spec
        self.is_timed = spec.is_timed
        self._remaining = [spec.base_ms] * seats
        self._hidden = [0] * seats
        self._strikes = [0] * seats
        self._hidden_strikes = [0] * seats

    def budget_ms(self, seat: Seat, *, sealed: bool) -> int:
        """Time that *seat* may take for a decision now.

        The hidden account bounds sealed decisions alone: if it shortened others, everybody would
        see the seat's time run out too early, and know that it had been asked.
        """
        left = self._spec.per_move_ms + self._remaining[seat]
        if sealed:
            left -= self._hidden[seat]
        return max(left, 0)

    def charge(self, seat: Seat, used_ms: int, *, sealed: bool) -> int:
        """Charge a decision that took *used_ms*; returns what it was charged."""
        charged = min(used_ms, self.budget_ms(seat, sealed=sealed))
        beyond = max(charged - self._spec.per_move_ms, 0)
        if sealed:
            self._hidden[seat] += beyond
        else:
            self._remaining[seat] += self._spec.increment_ms - beyond
        return charged

    def strike(self, seat: Seat, *, sealed: bool) -> int:
        """Count a strike; returns how many are on show."""
        if sealed:
            self._hidden_strikes[seat] += 1
        else:
            self._strikes[seat] += 1
        return self._strikes[seat]

    def set_strikes(self, seat: Seat, strikes: int) -> None:
        """Let *seat* have so many strikes on show, for a replay."""
        self._strikes[seat] = strikes

    def open_hidden(self) -> None:
        """Add the hidden accounts to those on show: the deal has ended."""
        for seat in range(len(self._remaining)):
            self._remaining[seat] = max(self._remaining[seat] - self._hidden[seat], 0)
            self._strikes[seat] += self._hidden_strikes[seat]
            self._hidden[seat] = self._hidden_strikes[seat] = 0

    def struck_out(self) -> Seat | None:
        """The first seat that must forfeit by the strikes on show, if any."""
        if self._spec.strikes:
            for seat, strikes in enumerate(self._strikes):
                if strikes >= self._spec.strikes:
                    return seat
        return None

    def shown(self, running: Seat | None, used_ms: int) -> Iterator[tuple[Seat, int, int]]:
        """What everybody may see: seat, milliseconds of the base left, strikes.

        Args:
            running: the seat whose clock runs, if one does and everybody may know it.
            used_ms: time that it has taken for its decision so far.
        """
        for seat, remaining in enumerate(self._remaining):
            beyond = max(used_ms - self._spec.per_move_ms, 0) if seat == running else 0
            yield seat, max(remaining - beyond, 0), self._strikes[seat]
