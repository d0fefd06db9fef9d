"""What the rows of a record say, as messages, and the facts of the table that stand in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.storage.base import FinishedMatch, LogRow
from croupier_server.storage.codec import read_record
from croupier_server.tables.match import deals
from croupier_server.tables.match.codec import read_spec
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.spec import DealKind, TableSpec


class Wrong(Exception):
    """Something in a record is not as it must be; the text says what."""


class Line(NamedTuple):
    """A row of the log with what stands in it.

    Attributes:
        row: as stored.
        event: its public part; empty for a sealed answer.
        kind: name of the event's arm, or empty.
        cause: what led to it; empty where nothing is given.
    """

    row: LogRow
    event: table_pb2.TableEvent
    kind: str
    cause: record_pb2.Input

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return f"event {self.row.sequence}" if self.row.sequence else "a sealed answer"


class Nonces(NamedTuple):
    """By seat the hash of its nonce, or nothing; and the seats that opened theirs."""

    promised: Mapping[int, bytes]
    opened: Set[int]


class VainOpening(NamedTuple):
    """All sat, and a promised nonce did not come.

    Attributes:
        promised: by seat, the hash of its nonce; only seats that gave one.
        opened: seats that opened theirs.
        withheld: seats that did not.
        where: the event that says so.
        commitments: that the events name for the next secret, each once.
        is_last: the match ended with it; otherwise it was restarted.
    """

    promised: Mapping[int, bytes]
    opened: Set[int]
    withheld: Sequence[int]
    where: str
    commitments: Sequence[bytes] = ()
    is_last: bool = False

    def warning(self) -> str:
        """What a reader of the record should know of it."""
        seats = " and ".join(str(seat) for seat in self.withheld)
        what = "ENDED" if self.is_last else "RESTARTED"
        return (
            f"OPENING {what} ({self.where}): the server says that seat {seats} withheld the nonce "
            f"after {len(self.opened)} others had opened theirs; seat {seats} and the operator "
            "together could have known every card of the match that was given up, and the operator "
            "alone could if it received the nonce and hid it"
        )


class RecordLog:
    """A record whose hashes are right, as messages.

    Attributes:
        match: what its header says.
        rows: its log.
        lines: the same, read.
        table: the table as it was created.

    Raises:
        RecordError: the bytes are no record, or were changed.
    """

    def __init__(self, data: bytes) -> None:
        self.match: FinishedMatch
        self.rows: Sequence[LogRow]
        self.match, self.rows = read_record(data)
        self.table = table_pb2.Table.FromString(self.match.table)
        self.lines = tuple(_line(row) for row in self.rows)

    def spec(self, entry: GameEntry) -> TableSpec:
        """What the table was for life, with what is revealed of the source of its cards."""
        spec = read_spec(self.match.table, dict(self.match.option_text), entry)
        reveal = self.match.reveal
        deal = replace(spec.deal, root=reveal.root, seed=reveal.seed, decks=reveal.decks)
        return replace(spec, deal=deal)

    @cached_property
    def deal_kind(self) -> DealKind:
        """Where the cards come from.

        Raises:
            Wrong: it does not say.
        """
        arm = self.table.spec.deal_source.WhichOneof("source")
        if arm is None:
            raise Wrong("the table names no source of its cards")
        return DealKind[arm.upper()]

    def events(self, kind: str) -> list[Line]:
        """The events of one kind, in order."""
        return [line for line in self.lines if line.kind == kind]

    def check_leavers(self) -> None:
        """Raise `Wrong` if a seat is left in which nobody sits."""
        sitting: set[int] = set()
        for line in self.lines:
            if line.kind == "seat_joined":
                sitting.add(line.event.seat_joined.seat.seat)
            elif line.kind in ("seat_left", "seat_no_show"):
                seat = getattr(line.event, line.kind).seat
                if seat not in sitting:
                    raise Wrong(f"{line.name}: nobody sits in seat {seat}")
                sitting.remove(seat)

    @cached_property
    def commitments(self) -> list[bytes]:
        """The commitments to the table's secrets, in order; the last one is that of the secret
        that was used. Seats that were freed together name the same one."""
        named = [line.event.seat_no_show.commitment for line in self.events("seat_no_show")]
        return list(dict.fromkeys([self.table.commitment, *named]))

    def commits_to(self, commitment: bytes, secret: bytes) -> bool:
        """Whether *secret* is the one of *commitment*."""
        table = self.table
        if len(secret) != deals.SECRET_BYTES:
            return False
        terms = table_pb2.Table()
        terms.CopyFrom(table)
        terms.ClearField("commitment")
        return deals.commitment(terms.SerializeToString(deterministic=True), secret) == commitment

    @cached_property
    def vain_openings(self) -> list[VainOpening]:
        """The openings in which a promised nonce did not come, in order.

        Each was given up, unless the match ended with it. Whether a nonce was waited for is for
        `nonces`.
        """
        found: list[VainOpening] = []
        promised: dict[int, bytes] = {}
        opened: set[int] = set()
        freed: list[int] = []
        named: list[bytes] = []
        for line in self.lines:
            if line.kind == "seats_filled":
                seats = line.event.seats_filled.seats
                promised = {one.seat: one.nonce_hash for one in seats if one.nonce_hash}
                opened, freed, named = set(), [], []
            elif line.kind == "nonce_opened":
                opened.add(line.event.nonce_opened.seat)
            elif line.kind == "seat_no_show":
                if not freed:
                    found.append(VainOpening(promised, opened, freed, line.name, named))
                freed.append(line.event.seat_no_show.seat)
                if line.event.seat_no_show.commitment not in named:
                    named.append(line.event.seat_no_show.commitment)
            elif line.kind in ("match_ended", "table_halted") and not self.is_begun:
                missing = sorted(promised.keys() - opened)
                if missing and not freed and self.deal_kind is DealKind.MATCH:
                    found.append(VainOpening(promised, opened, missing, line.name, is_last=True))
        return found

    @cached_property
    def nonces(self) -> Nonces | None:
        """What was promised and opened since all sat; None if they do not all sit in the end.

        Raises:
            Wrong: a nonce was opened, or a seat freed for it, that was not waited for.
        """
        promised: dict[int, bytes] | None = None
        opened: set[int] = set()
        freed: set[int] = set()
        for line in self.lines:
            if line.kind == "seats_filled":
                seats = line.event.seats_filled.seats
                promised, opened, freed = {one.seat: one.nonce_hash for one in seats}, set(), set()
            elif line.kind in ("nonce_opened", "seat_no_show"):
                seat = getattr(line.event, line.kind).seat
                if not (promised or {}).get(seat) or seat in opened | freed:
                    raise Wrong(f"{line.name}: unexpected nonce of seat {seat}")
                (opened if line.kind == "nonce_opened" else freed).add(seat)
        return None if promised is None or freed else Nonces(promised, opened)

    @cached_property
    def is_begun(self) -> bool:
        """Whether the match began, so that there is a root."""
        return bool(self.events("match_started"))


def _line(row: LogRow) -> Line:
    event = table_pb2.TableEvent.FromString(row.public)
    cause = record_pb2.Input.FromString(row.input)
    return Line(row, event, event.WhichOneof("event") or "", cause)
