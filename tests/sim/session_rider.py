"""A session that carries all the seats of a client, as the contract says that a client should.

What breaks is opened again, and every seat goes on where it was.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from croupier.v1 import session_service_pb2, table_pb2
from tests.sim import lies
from tests.sim.chair import Chair, Client, World
from tests.sim.network import Call, End
from tests.sim.promises.judge import reason_of, status_of
from tests.sim.promises.observed import Broken
from tests.sim.riders import Rider

_SESSION: Final = "/croupier.v1.SessionService/Session"
_FINAL: Final = (table_pb2.STREAM_END_REASON_MATCH_ENDED, table_pb2.STREAM_END_REASON_TABLE_HALTED)


class SessionRider(Rider):
    """All seats of a client on one session."""

    def __init__(self, world: World, client: Client) -> None:
        super().__init__(world, client)
        self._chairs: dict[int, Chair] = {}
        self._channels: dict[Chair, int] = {}
        self._call: Call | None = None
        self._out = session_service_pb2.SessionRequest()
        self._sent: list[tuple[Chair, str, bytes]] = []
        self._is_due = False
        self._frames = 0
        self._number = 0

    def add(self, chair: Chair) -> None:
        """Carry *chair* from now on."""
        chair.carrier = self
        if self._call is None:
            self._channels[chair] = 0
            self._dial()
        else:
            self._open(chair)

    def _dial(self) -> None:
        if self._call is not None or all(chair.is_done for chair in self._channels):
            return
        self._call = self.line.call(_SESSION, (), self._message, self._over)
        self._out = session_service_pb2.SessionRequest()
        self._out.hello.client = self.client.name
        self._sent = []
        self._frames = 0
        self._chairs.clear()
        for chair in list(self._channels):
            self._open(chair)
        self._wake()

    def _open(self, chair: Chair) -> None:
        if chair.is_done or self._call is None:
            return
        self._number += 1
        self._channels[chair] = self._number
        self._chairs[self._number] = chair
        self.open_stream(chair)
        self._out.opens.add(
            channel=self._number,
            table_id=chair.table_id,
            ticket=chair.ticket,
            view_mode=chair.plan.mode,
            table_epoch=chair.epoch,
            after_sequence=chair.sequence,
        )
        self._wake()

    def _reopen(self, chair: Chair) -> None:
        if self._channels.get(chair) == 0:
            self._open(chair)

    def _wake(self) -> None:
        if not self._is_due:
            self._is_due = True
            self.world.later(0, self._flush)

    def _flush(self) -> None:
        self._is_due = False
        frame, self._out = self._out, session_service_pb2.SessionRequest()
        sent, self._sent = self._sent, []
        if self._call is not None and self._call.is_open:
            self._call.send(
                frame.SerializeToString(), partial(self._landed, sent) if sent else None
            )

    def _landed(self, sent: list[tuple[Chair, str, bytes]]) -> None:
        for one in sent:
            self.came(*one)

    def _message(self, data: bytes, sent: int) -> None:
        frame = self.world.exactly(session_service_pb2.SessionResponse, data)
        self._frames += 1
        if frame.frame != self._frames:
            raise Broken("Gapless", "", f"frame {frame.frame} came as the {self._frames}th")
        self._out.acknowledged = frame.frame
        if frame.HasField("heartbeat"):
            self._out.heartbeat_echo = frame.heartbeat.heartbeat_id
        self._wake()
        for item in frame.items:
            chair = self._chairs.get(item.channel)
            if chair is None or chair.stream is None:
                continue
            if item.HasField("refusal"):
                self._failed(item.channel, chair, status_of(item.refusal))
                continue
            update = item.update
            chair.take(chair.stream, update, update.SerializeToString(deterministic=True), sent)
            if update.HasField("end"):
                self._ended(item.channel, chair, update.end)
        if self._call is not None:
            self.stall(self._call)

    def _ended(self, channel: int, chair: Chair, end: table_pb2.StreamEnd) -> None:
        del self._chairs[channel]
        self._channels[chair] = 0
        chair.stream = None
        if end.reason in _FINAL:
            chair.is_done = True
        else:
            wait = end.retry_after.ToMilliseconds() or 200
            self.world.later(wait, self._reopen, chair)

    def _failed(self, channel: int, chair: Chair, status: bytes) -> None:
        reason = reason_of(status)
        if reason == "NONCE_NOT_EXPECTED" or (reason == "NONCE_MISMATCH" and chair.plan.withheld):
            return
        if not self.temper.is_honest and reason in ("MALFORMED_REQUEST", "NONCE_MISMATCH"):
            return  # it was lied on this channel, which goes on
        self._chairs.pop(channel, None)
        self._channels[chair] = 0
        wait = self.refused_to_open(chair, status, "Session")
        self.close_stream(chair)
        if wait is not None:
            self.world.later(wait, self._reopen, chair)

    def _over(self, end: End) -> None:
        self._call = None
        for chair in self._channels:
            self._channels[chair] = 0
            self.close_stream(chair)
        self._chairs.clear()
        self.world.later(200 + self.world.rng.random() * 800, self._dial)

    def answer(self, chair: Chair, decision_id: str, move: bytes) -> None:
        """See `chair.Carrier.answer`."""
        channel = self._channels.get(chair)
        if channel and self._call is not None:
            item = self._out.moves.add(channel=channel, decision_id=decision_id)
            item.move.ParseFromString(move)
            self._sent.append((chair, decision_id, move))
            self._wake()

    def lie(self, chair: Chair, decision_id: str) -> None:
        """See `chair.Carrier.lie`."""
        channel = self._channels.get(chair)
        if not channel or self._call is None:
            return
        rng = self.world.rng
        lie = chair.make_lie(decision_id)
        if lie is not None:
            self._out.moves.add(channel=channel, decision_id=lie[0], move=lie[1])
        if rng.random() < 0.3:
            instead = lies.spoil(rng, self._out, chair, channel, self._frames)
            if instead is not None:
                self._call.send(instead)
        self._wake()

    def open_nonce(self, chair: Chair, nonce: bytes, next_hash: bytes) -> None:
        """See `chair.Carrier.open_nonce`."""
        channel = self._channels.get(chair)
        if channel and self._call is not None:
            self._out.nonces.add(channel=channel, nonce=nonce, next_nonce_hash=next_hash)
            self._wake()
