"""How a match came to begin, by its record: who sat, who opened a nonce, who was freed for one."""

from __future__ import annotations

from typing import Final

from croupier.v1 import game_pb2, table_pb2
from tests.sim.promises.retold import Retold

_RESTARTS_MAX: Final = 2
"""How often withheld nonces may start an opening again."""


class Unfair(Exception):
    """What a table did before its match that it should not have done, in words."""


class Opening:
    """A table before its match, told event by event; each raises `Unfair`.

    Args:
        told: the match.
        nonce_ms: how long nonces are waited for; 0: nobody knows.

    Attributes:
        waits: each time in which nonces were waited for in vain: number of the event with which
            it began, and until when.
        freed: seats that were freed for their nonces.
    """

    def __init__(self, told: Retold, nonce_ms: int) -> None:
        table = told.record.table
        self.waits: list[tuple[int, int]] = []
        self.freed: set[int] = set()
        self._nonce_ms = nonce_ms
        self._is_match = table.spec.deal_source.HasField("match")
        self._table = table
        self._sits = [False] * len(table.seats)
        self._missing: set[int] = set()
        self._opened: dict[int, bytes] = {}
        self._promised: dict[int, bytes] = {}
        self._commitments = {table.commitment}
        self._filled = 0
        self._filled_ms: int | None = None
        self._freed_ms: int | None = None
        for row in told.rows:
            if row.sequence:
                event = table_pb2.TableEvent.FromString(row.public)
                if self._is_over(event, told.times[row.sequence]):
                    return

    def _is_over(self, event: table_pb2.TableEvent, at_ms: int) -> bool:
        kind = event.WhichOneof("event")
        if kind != "seat_no_show" or at_ms != self._freed_ms:
            self._all_were_freed()
        match kind:
            case "seat_joined":
                self._sits[event.seat_joined.seat.seat] = True
            case "seat_left":
                self._sits[event.seat_left.seat] = False
            case "seats_filled":
                self._all_sit(event, at_ms)
            case "nonce_opened":
                self._open(event.nonce_opened.seat)
            case "seat_no_show":
                self._no_show(event.seat_no_show, at_ms)
            case "match_started":
                self._started()
                return True
            case "match_ended":
                self._ended(event.match_ended, at_ms)
                return True
        return False

    def _all_sit(self, event: table_pb2.TableEvent, at_ms: int) -> None:
        if not all(self._sits):
            raise Unfair("all were said to sit while a seat was empty")
        before, self._opened = self._opened, {}
        self._promised = {
            seat.seat: seat.nonce_hash for seat in event.seats_filled.seats if seat.nonce_hash
        }
        for seat, promised in before.items():
            if self._promised.get(seat) == promised:
                raise Unfair(f"seat {seat} is to open the nonce once more that it opened in vain")
        self._missing = set(self._promised) if self._is_match else set()
        self._filled, self._filled_ms = event.sequence, at_ms

    def _open(self, seat: int) -> None:
        if seat not in self._missing:
            raise Unfair(f"seat {seat} opened a nonce that was not wanted")
        self._missing.remove(seat)
        self._opened[seat] = self._promised[seat]

    def _no_show(self, event: table_pb2.SeatNoShow, at_ms: int) -> None:
        seat = event.seat
        if seat not in self._missing or self._filled_ms is None:
            raise Unfair(f"seat {seat} was freed for a nonce that it did not withhold")
        if at_ms < self._filled_ms + self._nonce_ms:
            raise Unfair(f"seat {seat} was freed {at_ms - self._filled_ms} ms after all sat")
        if self._freed_ms is None:
            if len(self.waits) == _RESTARTS_MAX:
                raise Unfair(f"the opening was restarted more than {_RESTARTS_MAX} times")
            if event.commitment in self._commitments:
                raise Unfair("a nonce was withheld and the secret is what it was")
            self._commitments.add(event.commitment)
            self.waits.append((self._filled, at_ms))
        elif event.commitment not in self._commitments:
            raise Unfair("seats that were freed together have two secrets")
        self._freed_ms = at_ms
        self._missing.remove(seat)
        self._sits[seat] = False
        self._opened.pop(seat, None)
        self.freed.add(seat)

    def _all_were_freed(self) -> None:
        """Seats are freed all at once, so that nobody sees who else withholds before it chooses."""
        if self._freed_ms is None:
            return
        if self._missing:
            raise Unfair(f"seat {min(self._missing)} withheld its nonce too, and was not freed")
        self._freed_ms = self._filled_ms = None

    def _started(self) -> None:
        if self._filled_ms is None:
            raise Unfair("the match began before all sat")
        if self._missing:
            raise Unfair(f"the match began without the nonce of seat {min(self._missing)}")

    def _ended(self, result: game_pb2.MatchResult, at_ms: int) -> None:
        """It ended before it began."""
        if result.reason != game_pb2.END_REASON_NO_SHOW:
            return
        table = self._table
        timeout_ms = table.spec.clock.start_timeout.ToMilliseconds()
        is_withheld = (
            len(self.waits) == _RESTARTS_MAX
            and bool(self._missing)
            and self._filled_ms is not None
            and at_ms >= self._filled_ms + self._nonce_ms
        )
        if is_withheld:
            self.waits.append((self._filled, at_ms))
        elif not timeout_ms or at_ms < table.create_time.ToMilliseconds() + timeout_ms:
            raise Unfair("the match was given up before the time was over in which it may begin")
        absent = [seat for seat, sits in enumerate(self._sits) if not sits]
        missing = min((*absent, *self._missing), default=None)
        told = result.seat_at_fault if result.HasField("seat_at_fault") else None
        if missing != told:
            raise Unfair(f"seat {told} is said to have kept the match from beginning")
