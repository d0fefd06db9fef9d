"""What the seats of a table have left: time, strikes, and grace for absences.

A decision may take the time per move and then what is left of the base; what it took beyond the
time per move is charged to the base, and the increment is added after each move. Time and strikes
of sealed windows go to hidden accounts, which are opened when the deal has ended: until then
nothing shown tells who was asked.

All of it follows from the log: from what each move was charged, from timeouts, from absences told
with a move, and from notes about strikes for refusals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple, TypeAlias

from croupier_server.games.base import Seat
from croupier_server.tables.kept import Slots
from croupier_server.tables.spec import ClockSpec, TimeoutPolicy

Clocks: TypeAlias = tuple[tuple[tuple[Seat, int, int], ...], tuple[Seat, int] | None]
"""Of each seat its number, milliseconds left and strikes, empty where there are no clocks; and the
seat whose clock is about to run, with its time for the move."""

OUT_OF_STRIKES: Final = "out of strikes"
OUT_OF_TIME: Final = "out of time"


class Forfeit(NamedTuple):
    """The seat that gives the match away, and why, in words for people."""

    seat: Seat
    why: str


class Accounts:
    """Time, strikes and grace of all seats of one table.

    Attributes:
        grace: by seat, milliseconds of absence that it is still forgiven.
    """

    __slots__ = (
        "_hidden",
        "_hidden_strikes",
        "_is_out",
        "_is_out_hidden",
        "_remaining",
        "_spec",
        "_strikes",
        "grace",
    )

    def __init__(self, spec: ClockSpec, seats: int) -> None:
        self._spec = spec
        self._remaining = [spec.base_ms] * seats
        self._hidden = [0] * seats
        self._strikes = [0] * seats
        self._hidden_strikes = [0] * seats
        self._is_out = [False] * seats
        self._is_out_hidden = [False] * seats
        self.grace = [spec.disconnect_grace_ms] * seats

    # Time ----------------------------------------------------------------------------------------

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

    # Strikes -------------------------------------------------------------------------------------

    def time_out(self, seat: Seat, *, sealed: bool) -> int:
        """*seat* has run out of time for a decision; returns its strikes on show."""
        if self._spec.on_timeout is TimeoutPolicy.STRIKE:
            return self.strike(seat, sealed=sealed)
        if self._spec.on_timeout is TimeoutPolicy.FORFEIT:
            flags = self._is_out_hidden if sealed else self._is_out
            flags[seat] = True
        return self._strikes[seat]

    def strike(self, seat: Seat, *, sealed: bool) -> int:
        """Count a strike; returns how many are on show."""
        if sealed:
            self._hidden_strikes[seat] += 1
        else:
            self._strikes[seat] += 1
        return self._strikes[seat]

    def set_strikes(self, seat: Seat, strikes: int) -> None:
        """Let *seat* have so many strikes on show once a timeout that comes now is counted, for a
        replay: those for refusals are in no event."""
        is_counted = self._spec.on_timeout is TimeoutPolicy.STRIKE
        self._strikes[seat] = strikes - is_counted

    def open_hidden(self) -> None:
        """Add the hidden accounts to those on show: the deal has ended."""
        for seat in range(len(self._remaining)):
            self._remaining[seat] = max(self._remaining[seat] - self._hidden[seat], 0)
            self._strikes[seat] += self._hidden_strikes[seat]
            self._is_out[seat] |= self._is_out_hidden[seat]
            self._hidden[seat] = self._hidden_strikes[seat] = 0
            self._is_out_hidden[seat] = False

    def forfeit(self) -> Forfeit | None:
        """The first seat that must forfeit by what is on show, if any."""
        for seat, strikes in enumerate(self._strikes):
            if self._is_out[seat]:
                return Forfeit(seat, OUT_OF_TIME)
            if self._spec.max_strikes and strikes >= self._spec.max_strikes:
                return Forfeit(seat, OUT_OF_STRIKES)
        return None

    def resume(self, given: Slots) -> None:
        """Become the accounts that have these `slots`."""
        for name, by_seat in given.items():
            setattr(self, name, list(by_seat))

    # Show ----------------------------------------------------------------------------------------

    def shown(self, running: Seat | None, used_ms: int) -> Iterator[tuple[Seat, int, int]]:
        """What everybody may see: seat, milliseconds of the base left, strikes.

        Args:
            running: the seat whose clock runs, if one does and everybody may know it.
            used_ms: time that it has taken for its decision so far.
        """
        for seat, remaining in enumerate(self._remaining):
            beyond = max(used_ms - self._spec.per_move_ms, 0) if seat == running else 0
            yield seat, max(remaining - beyond, 0), self._strikes[seat]

    def told(
        self, changed: Collection[Seat], running: Seat | None
    ) -> Iterator[tuple[Seat, int, int | None]]:
        """Clocks that an event carries: seat, milliseconds left of the base, and the milliseconds
        for the move if the clock runs next, else None.

        Args:
            changed: seats whose clocks stop or change with it.
            running: the seat whose clock runs next, if everybody may know of one.
        """
        for seat, remaining in enumerate(self._remaining):
            if seat == running:
                yield seat, remaining, self._spec.per_move_ms
            elif seat in changed:
                yield seat, remaining, None
