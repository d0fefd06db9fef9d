"""Those who do not play: a host, who makes a table and asks for its record, and spectators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from croupier.record.v1 import record_service_pb2
from croupier.v1 import game_pb2, spectate_service_pb2, table_pb2, table_service_pb2
from tests.sim.chair import LATER, Chair, World
from tests.sim.network import OK, Call, End, Line
from tests.sim.plan import TablePlan
from tests.sim.promises.judge import reason_of
from tests.sim.promises.observed import (
    RELIEF,
    Broken,
    Closed,
    Created,
    Ended,
    Opened,
    Refused,
    Seated,
    Shown,
    Stream,
    Told,
    Unrecorded,
)
from tests.sim.promises.story import only_field

TABLES: Final = "/croupier.v1.TableService/"
RECORDS: Final = "/croupier.record.v1.RecordService/"
_STOPPED: Final = ("TABLE_CLOSED", "TABLE_STARTED", "NOT_FOUND")
"""What is answered to who comes to a table that its host has stopped."""

_BACK: Final = ("SEAT_TAKEN", "SEAT_RESERVED", "TICKET_SUPERSEDED")
"""What is answered to a house bot whose player was back first."""

_RETRY_MS: Final = 400
_POLL_MS: Final = 2_000
_IN_VAIN_MAX: Final = 100
"""A table whose match no stream told of has no record if it was asked for this often in vain."""

_UNPLAYED: Final = (game_pb2.END_REASON_ABORTED, game_pb2.END_REASON_NO_SHOW)
"""How a match can end that never began."""


class Host:
    """Makes a table, tells who may sit, and asks for the record until it is there.

    Args:
        world: the run.
        line: its connection.
        plan: the table.
        made: called with the table's id and its invite codes by seat, once it is there.
    """

    def __init__(
        self,
        world: World,
        line: Line,
        plan: TablePlan,
        made: Callable[[str, Mapping[int, str]], None],
    ) -> None:
        self._world = world
        self._line = line
        self._plan = plan
        self._made = made
        self.table_id = ""
        self._ticket = ""
        self.record = b""
        self.is_over = False
        self._may_be_unrecorded = False
        self._asked_in_vain = 0
        self._create()

    def _create(self) -> None:
        if self.table_id:
            return  # a server that was started since would make the codes anew that are out
        request = self._plan.request.SerializeToString()
        for copy in range(2 if self._world.rng.random() < 0.1 else 1):
            made = partial(self._created, is_insisted_on=not copy)
            self._line.unary(f"{TABLES}CreateTable", request, (), made)

    def _created(self, data: bytes | None, end: End, *, is_insisted_on: bool) -> None:
        world = self._world
        if data is None:
            if not end.is_lost and (reason := reason_of(end.details)) not in LATER:
                if self.table_id and reason == "NOT_FOUND":
                    return  # a copy that came when all was over
                raise Broken("Isolated", "", f"CreateTable was refused with {reason}")
            if is_insisted_on:  # of one copy alone: they would become more and more
                world.later(_RETRY_MS, self._create)
            return
        answer = world.exactly(table_service_pb2.CreateTableResponse, data)
        table_id = answer.table.table_id
        self._ticket = answer.host_ticket
        if self.table_id:
            if table_id != self.table_id:
                raise Broken("Unique", table_id, "one request made two tables")
            return
        self.table_id = table_id
        tables = answer.table.spec.deal_source.board.table_count or 1
        world.see(Created(world.now_ms(), table_id, tables))
        self._made(table_id, {one.seat: one.code for one in answer.invites})
        self._poll()
        if self._plan.aborts:
            world.later(world.rng.random() * 5_000, self._abort)

    def _start(self) -> None:
        """Start the table; it is tried again with the next look as long as it takes."""
        request = table_service_pb2.StartTableRequest(table_id=self.table_id)
        self._line.unary(
            f"{TABLES}StartTable", request.SerializeToString(), self._metadata, lambda *_: None
        )

    def _abort(self) -> None:
        board = self._plan.request.spec.deal_source.board
        if board.table_count > 1 and not self._world.has_begun(self.table_id):
            # Its board would wait for another table, and the others for their records.
            self._world.later(_RETRY_MS, self._abort)
            return
        request = table_service_pb2.AbortTableRequest(table_id=self.table_id, detail="enough")

        def done(_data: bytes | None, end: End) -> None:
            if end.is_lost or reason_of(end.details) in LATER:
                self._world.later(_RETRY_MS, self._abort)

        self._line.unary(f"{TABLES}AbortTable", request.SerializeToString(), self._metadata, done)

    @property
    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("croupier-host-ticket", self._ticket),)

    def _poll(self) -> None:
        """Look at the table, and ask for the record."""
        if self.is_over:
            return
        request = record_service_pb2.GetRecordRequest(table_id=self.table_id)
        chunks: list[bytes] = []

        def ended(end: End) -> None:
            self._polled(b"".join(map(only_field, chunks)) if end.code is OK else None, end)

        call = self._line.call(
            f"{RECORDS}GetRecord", (), lambda data, _sent: chunks.append(data), ended
        )
        call.send(request.SerializeToString())
        looked = table_service_pb2.GetTableRequest(table_id=self.table_id)
        self._line.unary(f"{TABLES}GetTable", looked.SerializeToString(), (), self._looked)

    def _looked(self, data: bytes | None, end: End) -> None:
        world = self._world
        if data is not None:
            table = world.exactly(table_service_pb2.GetTableResponse, data).table
            self._may_be_unrecorded = table.result.reason in _UNPLAYED
            is_manual = table.spec.start_mode == table_pb2.START_MODE_MANUAL
            if is_manual and table.status == table_pb2.TABLE_STATUS_OPEN:
                self._start()
            world.see(Shown(world.now_ms(), self.table_id, None, "GetTable", data))
        elif not end.is_lost:
            self._may_be_unrecorded = reason_of(end.details) == "NOT_FOUND"
            world.see(Refused(world.now_ms(), self.table_id, None, "GetTable", end.details))

    def _polled(self, data: bytes | None, end: End) -> None:
        world = self._world
        if data is not None:
            if not self.is_over:
                self.is_over = True
                self.record = data
                world.see(Ended(world.now_ms(), self.table_id, self.record))
            return
        if not end.is_lost and reason_of(end.details) not in {*LATER, "NOT_FOUND"}:
            reason = reason_of(end.details)
            raise Broken("Verifiable", self.table_id, f"GetRecord was refused with {reason}")
        if not self._may_be_unrecorded or world.has_begun(self.table_id):
            self._asked_in_vain = 0
        elif not end.is_lost:
            self._asked_in_vain += 1
        if self._asked_in_vain > _IN_VAIN_MAX:
            self.is_over = True
            world.see(Unrecorded(world.now_ms(), self.table_id))
            return
        world.later(_POLL_MS, self._poll)


class Joiner:
    """Sits a player down at a table; *seated* is called with its chair."""

    def __init__(
        self,
        world: World,
        chair: Chair,
        invite: str,
        seated: Callable[[Chair], None],
        *,
        is_whole: bool,
    ) -> None:
        self._world = world
        self._line = chair.client.line
        self._chair = chair
        self._seated = seated
        self._is_whole = is_whole
        self._is_expected = is_whole and chair.client.is_prompt  # else it may be over by then
        self._is_relief = chair.client.is_house and chair.may_change
        rng = world.rng
        nonce = rng.randbytes(32) if chair.plan.has_nonce else b""
        self._request = table_service_pb2.JoinTableRequest(
            request_id=f"{rng.getrandbits(64):032x}",
            table_id=chair.table_id,
            seat=chair.seat,
            invite_code=invite,
            player=table_pb2.Player(
                display_name=f"{RELIEF if self._is_relief else 'player'} {chair.seat}",
            ),
            nonce_hash=chair.promise(nonce) if nonce else b"",
        )
        self._is_joining = True
        chair.join_again = self._join_again
        self._join()

    def _join_again(self) -> None:
        """The seat was freed: take it with another nonce; its streams go on with the new ticket."""
        if self._is_joining:
            return
        self._is_joining = True
        rng = self._world.rng
        self._request.request_id = f"{rng.getrandbits(64):032x}"
        self._request.nonce_hash = self._chair.promise(rng.randbytes(32))
        self._join()

    def _join(self) -> None:
        if self._chair.is_done:
            return  # whoever wanted to sit is gone
        self._line.unary(f"{TABLES}JoinTable", self._request.SerializeToString(), (), self._joined)

    def _joined(self, data: bytes | None, end: End) -> None:
        world, chair = self._world, self._chair
        if chair.is_done:
            return
        if data is None:
            reason = reason_of(end.details)
            if end.is_lost or reason in LATER:
                world.later(_RETRY_MS, self._join)
            elif self._is_relief and reason in _BACK:
                chair.is_done = True
            elif reason == "TICKET_SUPERSEDED" and not chair.ticket:
                self._is_joining = False  # the answer was lost, and then the seat was freed
                self._join_again()
            elif reason not in _STOPPED or (self._is_expected and not chair.ticket):
                what = f"JoinTable was refused with {reason}"
                raise Broken("Durable", chair.table_id, what)
            return
        self._is_joining = False
        answer = world.exactly(table_service_pb2.JoinTableResponse, data)
        was_there, chair.ticket = bool(chair.ticket), answer.ticket
        if was_there:
            return
        if not self._is_relief:  # the seat is its player's still
            self._see()
        self._seated(chair)

    def _see(self) -> None:
        world, chair = self._world, self._chair
        world.see(
            Seated(
                world.now_ms(),
                chair.table_id,
                chair.seat,
                chair.client.is_prompt and self._is_whole and not chair.plan.withheld,
                chair.temper.is_honest and self._is_whole,
            )
        )


class Spectator:
    """Somebody without a seat, who comes, looks, loses the line, and goes on where it was."""

    def __init__(
        self, world: World, line: Line, table_id: str, name: str, *, is_slow: bool, is_late: bool
    ) -> None:
        self._world = world
        self._line = line
        self._table_id = table_id
        self._name = name
        self._is_slow = is_slow
        self._is_late = is_late
        self._epoch = 0
        self._sequence = 0
        self._is_done = False
        self._call: Call | None = None
        self._open()

    def _open(self) -> None:
        if self._is_done:
            return
        world = self._world
        is_prompt = not self._is_slow and not self._is_late
        stream = Stream(world.next_stream(), self._table_id, None, self._name, True, is_prompt)
        world.see(Opened(world.now_ms(), stream, self._epoch, self._sequence))
        request = spectate_service_pb2.SpectateTableRequest(
            table_id=self._table_id, table_epoch=self._epoch, after_sequence=self._sequence
        )
        self._call = self._line.call(
            "/croupier.v1.SpectateService/SpectateTable",
            (),
            partial(self._message, stream),
            partial(self._over, stream),
        )
        self._call.send(request.SerializeToString())

    def _message(self, stream: Stream, data: bytes, sent: int) -> None:
        world = self._world
        update = world.exactly(spectate_service_pb2.SpectateTableResponse, data).update
        payload = update.SerializeToString(deterministic=True)
        world.see(Told(world.now_ms(), stream, update, payload, sent))
        match update.WhichOneof("update"):
            case "snapshot":
                self._epoch = update.snapshot.table.table_epoch
                self._sequence = update.snapshot.sequence
            case "event":
                self._sequence = update.event.sequence
            case "end":
                self._is_done = update.end.reason in (
                    table_pb2.STREAM_END_REASON_MATCH_ENDED,
                    table_pb2.STREAM_END_REASON_TABLE_HALTED,
                )
        if self._is_slow and self._call is not None and world.rng.random() < 0.05:
            held = self._call.incoming
            held.hold(is_held=True)
            world.later(world.rng.choice((1_000, 30_000)), partial(held.hold, is_held=False))

    def _over(self, stream: Stream, end: End) -> None:
        world = self._world
        self._call = None
        world.see(Closed(world.now_ms(), stream))
        if end.code is not OK and not end.is_lost:
            reason = reason_of(end.details)
            world.see(
                Refused(
                    world.now_ms(), self._table_id, None, "SpectateTable", end.details, b"",
                    self._sequence,
                )
            )  # fmt: skip
            if reason == "SEQUENCE_AHEAD":
                self._sequence = 0
            elif world.has_ended(self._table_id):
                return
            elif reason not in {*LATER, "NOT_FOUND"}:
                raise Broken("Resumable", self._table_id, f"a spectator is refused: {reason}")
        world.later(500 + world.rng.random() * 500, self._open)
