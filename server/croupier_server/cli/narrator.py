"""Tells the events of a table in words: for `croupier watch` and `croupier replay`.

What is told is what the messages hold that are put in; nothing is worked out from the rules. Each
game has a teller of its own, found by the arm that its messages use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from croupier.v1 import game_pb2, table_pb2
from croupier_server.games.modules import MODULES
from croupier_server.games.telling import Private, Teller

if TYPE_CHECKING:
    from google.protobuf.descriptor import EnumDescriptor


class Untellable(Exception):
    """Something that no server sends: a file or a server made it up; the text says where."""


@contextmanager
def _untrusted(what: str) -> Iterator[None]:
    """Raise `Untellable` for whatever our own code trips over while it tells *what*.

    Events come from a file or from a server, and either may be anybody's.
    """
    try:
        yield
    except Exception as error:
        raise Untellable(f"{what} does not fit the game ({type(error).__name__})") from error


class Narrator:
    """Tells one table from its events, in order.

    Raises:
        Untellable: the table is of no game that is known here; as do the methods, for what does not
            fit the game.
    """

    def __init__(self, table: table_pb2.Table) -> None:
        self._names = {seat.seat: seat_name(seat) for seat in table.seats}
        self._clocks = ""
        with _untrusted("the table"):
            self._teller: Teller = MODULES[game_name(table.spec.game)].teller(self._names)

    def snapshot(self, snapshot: table_pb2.Snapshot) -> list[str]:
        """Lines for where the table stands."""
        with _untrusted("the snapshot"):
            lines = table_lines(snapshot.table)
            if snapshot.WhichOneof("view") == "public_view":
                lines += self._teller.position(snapshot.public_view)
            lines += self.clocks(snapshot.clocks)
            if snapshot.table.HasField("result"):
                lines += result_lines(snapshot.table.result, self._names)
            return lines

    def clocks(self, clocks: Iterable[table_pb2.SeatClock]) -> list[str]:
        """A line for the clocks, unless they stand as they were last told."""
        told = ", ".join(
            f"{self._names.get(clock.seat, str(clock.seat))} {_minutes(clock)}" for clock in clocks
        )
        if not told or told == self._clocks:
            return []
        self._clocks = told
        return [f"       clocks: {told}"]

    def tell(self, event: table_pb2.TableEvent, private: Private) -> list[str]:
        """Lines for *event*, each with its number; perhaps none yet."""
        kind = event.WhichOneof("event")
        with _untrusted(f"event {event.sequence}"):
            if kind == "game":
                lines = self._teller.tell(event.game, private)
            else:
                lines = self._teller.flush() + self._about_table(event, kind or "")
        return [f"{event.sequence:>5}  {line}" for line in lines]

    def _about_table(self, event: table_pb2.TableEvent, kind: str) -> list[str]:
        """Lines for an event that is the same in every game."""
        if kind == "table_created":
            return table_lines(event.table_created.table)
        if kind == "match_started":
            return ["the match begins"]
        if kind == "seat_timed_out":
            out = event.seat_timed_out
            return [f"{self._names[out.seat]} runs out of time ({out.strikes} strikes so far)"]
        if kind == "match_ended":
            return result_lines(event.match_ended, self._names)
        if kind == "table_halted":
            return ["a fault stopped the table; the match does not count"]
        return self._about_seats(event, kind)

    def _about_seats(self, event: table_pb2.TableEvent, kind: str) -> list[str]:
        """Lines for what happens before a match begins."""
        if kind == "seat_joined":
            seat = event.seat_joined.seat
            self._names[seat.seat] = seat_name(seat)
            return [f"{seat_name(seat)} sits down"]
        if kind == "seat_left":
            return [f"{self._names[event.seat_left.seat]} leaves"]
        if kind == "seats_filled":
            return ["all seats are taken"]
        if kind == "nonce_opened":
            return [f"{self._names[event.nonce_opened.seat]} opens its nonce"]
        if kind == "seat_no_show":
            return [f"{self._names[event.seat_no_show.seat]} withholds its nonce; the seat is free"]
        return ["something happened that this version does not know"]


def _minutes(clock: table_pb2.SeatClock) -> str:
    """What a clock shows, such as ``4:58`` or ``0:07 (2 strikes)``."""
    minutes, seconds = divmod(clock.remaining.seconds, 60)
    strikes = f" ({clock.strikes} strike{'s' * (clock.strikes > 1)})" if clock.strikes else ""
    return f"{minutes}:{seconds:02}{strikes}"


def game_name(kind: int) -> str:
    """The name of a game by its number; of an unknown one, the number."""
    return word(game_pb2.GameKind.DESCRIPTOR, kind)


def word(enum: EnumDescriptor, number: int) -> str:
    """A value of *enum* as a word, such as ``host_abort``; of one of a newer server, the number."""
    value = enum.values_by_number.get(number)
    if value is None:
        return str(number)
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return value.name.removeprefix(prefix).lower()


def seat_name(seat: table_pb2.SeatInfo) -> str:
    """A seat and who sits there, such as ``0 greedy``."""
    return f"{seat.seat} {seat.player.display_name or '(empty)'}"


def table_lines(table: table_pb2.Table) -> list[str]:
    """One line on a table."""
    status = word(table_pb2.TableStatus.DESCRIPTOR, table.status)
    game = game_name(table.spec.game)
    seats = ", ".join(seat_name(seat) for seat in table.seats)
    title = f' "{table.spec.title}"' if table.spec.title else ""
    line = f"table {table.table_id}{title}: {game} {table.spec.ruleset}, {status}; seats: {seats}"
    if table.spec.HasField("spectator_delay"):
        line += f"; shown {_delay_words(table.spec.spectator_delay)} late"
    return [line]


def _delay_words(delay: table_pb2.SpectatorDelay) -> str:
    """How late spectators are."""
    words = []
    if delay.decisions:
        words.append("1 decision" if delay.decisions == 1 else f"{delay.decisions} decisions")
    if delay.HasField("time"):
        words.append(f"{delay.time.ToMilliseconds() / 1000:g} s")
    return " and ".join(words)


def result_lines(result: game_pb2.MatchResult, names: Mapping[int, str]) -> list[str]:
    """Lines on the end of a match."""
    reason = word(game_pb2.EndReason.DESCRIPTOR, result.reason)
    lines = [f"the match ends: {reason.replace('_', ' ')}"]
    if result.aborted_by:
        by = word(game_pb2.AbortedBy.DESCRIPTOR, result.aborted_by)
        lines[0] += f" by the {by}"
    if result.HasField("seat_at_fault"):
        seat = result.seat_at_fault
        lines[0] += f" by seat {names.get(seat, seat)}"
    if result.detail:
        lines[0] += f" ({result.detail})"
    lines += [
        f"  seat {names.get(seat.seat, seat.seat)}: score {seat.score:+d}, place {seat.place}"
        for seat in result.seats
    ]
    return lines
