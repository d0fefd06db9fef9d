"""What carries a seat: a stream and calls of its own; and what that has in common with a session.

What breaks is opened again and goes on where the seat was.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from croupier.v1 import play_service_pb2, table_pb2, table_service_pb2
from tests.sim.chair import LATER, Chair, Client, World
from tests.sim.network import OK, Call, End
from tests.sim.promises.judge import reason_of
from tests.sim.promises.observed import (
    Answered,
    Broken,
    Closed,
    Opened,
    Refused,
    Shown,
    Stream,
)

PLAY: Final = "/croupier.v1.PlayService/"
_GONE: Final = ("TABLE_CLOSED", "NOT_FOUND", "TICKET_INVALID")
"""What is answered for a table that ended a while ago."""

_STALL_MS: Final = (500, 5_000, 20_000)


class Rider:
    """What both ways have in common.

    Args:
        world: the run.
        client: whose seats it carries.
    """

    def __init__(self, world: World, client: Client) -> None:
        self.world = world
        self.client = client
        self.line = client.line
        self.temper = client.temper

    def open_stream(self, chair: Chair) -> Stream:
        """Note that a stream of *chair* is being opened."""
        world = self.world
        stream = Stream(
            world.next_stream(),
            chair.table_id,
            chair.seat,
            self.client.name,
            chair.plan.mode == table_pb2.VIEW_MODE_EVENTS,
            self.client.is_prompt and self.temper.is_honest,
            self.client.is_house,
        )
        chair.stream, chair.shown_ticket = stream, chair.ticket
        world.see(Opened(world.now_ms(), stream, chair.epoch, chair.sequence))
        return stream

    def close_stream(self, chair: Chair) -> None:
        """Note that the stream of *chair* is gone without a word."""
        if chair.stream is not None:
            self.world.see(Closed(self.world.now_ms(), chair.stream))
            chair.stream = None

    def came(self, chair: Chair, decision_id: str, move: bytes) -> None:
        """An answer has come to the server."""
        self.world.see(Answered(self.world.now_ms(), chair.table_id, chair.seat, decision_id, move))

    def stall(self, call: Call) -> None:
        """Stop reading for a while, if that is how the client is."""
        world = self.world
        if self.temper.stall and world.rng.random() < self.temper.stall:
            call.incoming.hold(is_held=True)
            world.later(world.rng.choice(_STALL_MS), partial(call.incoming.hold, is_held=False))

    def refused_to_open(self, chair: Chair, status: bytes, call: str) -> float | None:
        """A stream could not be opened; returns milliseconds to wait, None if it is over."""
        world = self.world
        reason = reason_of(status)
        world.see(
            Refused(world.now_ms(), chair.table_id, chair.seat, call, status, b"", chair.sequence)
        )
        if reason in _GONE and world.has_ended(chair.table_id):
            chair.is_done = True
            return None
        if reason == "TICKET_SUPERSEDED" and chair.shown_ticket == chair.ticket:
            if chair.may_change:
                if self.client.is_house:
                    chair.is_done = True  # its player is back
                    return None
                self.rejoin(chair)
            if not chair.has_begun:
                chair.join_again()  # it was freed, as its nonce did not come
        if reason in LATER or reason in _GONE or reason == "TICKET_SUPERSEDED":
            return 300 + world.rng.random() * 500
        if reason == "SEQUENCE_AHEAD":
            chair.sequence = 0
            return 0.0
        raise Broken("Resumable", chair.table_id, f"{call} was refused with {reason}")

    def metadata(self, chair: Chair) -> tuple[tuple[str, str], ...]:
        """What goes with the calls of a seat."""
        return (("croupier-ticket", chair.ticket),)

    def list_legal(self, chair: Chair, decision_id: str) -> None:
        """See `chair.Carrier.list_legal`."""
        request = play_service_pb2.ListLegalMovesRequest(
            table_id=chair.table_id, decision_id=decision_id, page_size=16
        )

        def done(data: bytes | None, end: End) -> None:
            if data is not None:
                answer = self.world.exactly(play_service_pb2.ListLegalMovesResponse, data)
                chair.found_legal(decision_id, list(answer.moves))
            elif end.is_lost or reason_of(end.details) in LATER:
                self.world.later(300, self.list_legal, chair, decision_id)

        self.line.unary(
            f"{PLAY}ListLegalMoves", request.SerializeToString(), self.metadata(chair), done
        )

    def rejoin(self, chair: Chair) -> None:
        """Take the seat anew, which ends its streams."""
        request = table_service_pb2.JoinTableRequest(
            table_id=chair.table_id,
            seat=chair.seat,
            request_id=f"{self.world.rng.getrandbits(64):032x}",
        )
        self._rejoin(chair, request)

    def _rejoin(self, chair: Chair, request: table_service_pb2.JoinTableRequest) -> None:
        """The same request until there is an answer: it may have been done, which costs the
        ticket."""

        def done(data: bytes | None, end: End) -> None:
            if data is not None:
                answer = self.world.exactly(table_service_pb2.JoinTableResponse, data)
                chair.ticket = answer.ticket
            elif (end.is_lost or reason_of(end.details) in LATER) and not chair.is_done:
                self.world.later(300, self._rejoin, chair, request)

        self.line.unary(
            "/croupier.v1.TableService/JoinTable",
            request.SerializeToString(),
            self.metadata(chair),
            done,
        )

    def look(self, chair: Chair) -> None:
        """Ask for the seat's view, as it may at any time."""
        request = play_service_pb2.GetSeatViewRequest(table_id=chair.table_id)

        def done(data: bytes | None, _end: End) -> None:
            world = self.world
            if data is not None:
                world.exactly(play_service_pb2.GetSeatViewResponse, data)
                world.see(Shown(world.now_ms(), chair.table_id, chair.seat, "GetSeatView", data))

        self.line.unary(
            f"{PLAY}GetSeatView", request.SerializeToString(), self.metadata(chair), done
        )


class WatchRider(Rider):
    """One seat on `WatchTable` and unary calls."""

    def __init__(self, world: World, chair: Chair) -> None:
        super().__init__(world, chair.client)
        self.chair = chair
        self._call: Call | None = None
        chair.carrier = self
        self.open()

    def open(self) -> None:
        """Open the stream, or open it again."""
        chair = self.chair
        if chair.is_done or self._call is not None:
            return
        request = play_service_pb2.WatchTableRequest(
            table_id=chair.table_id,
            table_epoch=chair.epoch,
            after_sequence=chair.sequence,
            view_mode=chair.plan.mode,  # type: ignore[arg-type]  # a number of ViewMode
        )
        stream = self.open_stream(chair)
        call = self.line.call(
            f"{PLAY}WatchTable",
            self.metadata(chair),
            partial(self._message, stream),
            partial(self._over, stream),
        )
        self._call = call
        call.send(request.SerializeToString())

    def _message(self, stream: Stream, data: bytes, sent: int) -> None:
        message = self.world.exactly(play_service_pb2.WatchTableResponse, data)
        update = message.update
        self.chair.take(stream, update, update.SerializeToString(deterministic=True), sent)
        if self._call is not None:
            self.stall(self._call)

    def _over(self, stream: Stream, end: End) -> None:
        self._call = None
        chair = self.chair
        wait: float | None = 200 + self.world.rng.random() * 800
        if end.is_lost:
            self.close_stream(chair)
        elif end.code is not OK:
            wait = self.refused_to_open(chair, end.details, "WatchTable")
            self.close_stream(chair)
        if wait is not None and not chair.is_done:
            self.world.later(wait, self.open)

    def answer(self, chair: Chair, decision_id: str, move: bytes) -> None:
        """See `chair.Carrier.answer`."""
        rng = self.world.rng
        request = play_service_pb2.SubmitMoveRequest(
            table_id=chair.table_id, decision_id=decision_id
        )
        request.move.ParseFromString(move)
        for copy in range(2 if rng.random() < self.temper.repeat else 1):
            self.line.unary(
                f"{PLAY}SubmitMove",
                request.SerializeToString(),
                self.metadata(chair),
                partial(self._answered, decision_id, not copy),
                partial(self.came, chair, decision_id, move),
            )

    def _answered(
        self, decision_id: str, is_insisted_on: bool, data: bytes | None, end: End
    ) -> None:
        chair = self.chair
        if data is not None:
            answer = self.world.exactly(play_service_pb2.SubmitMoveResponse, data)
            chair.accepted(decision_id, answer.accepted.sequence)
        elif not end.is_lost:
            chair.refused(decision_id, end.details, "SubmitMove", is_insisted_on=is_insisted_on)
        elif is_insisted_on:  # of one copy alone: they would become more and more
            self.world.later(300, chair.send, decision_id)

    def lie(self, chair: Chair, decision_id: str) -> None:
        """See `chair.Carrier.lie`."""
        lie = chair.make_lie(decision_id)
        if lie is None:
            return
        request = play_service_pb2.SubmitMoveRequest(table_id=chair.table_id, decision_id=lie[0])
        request.move.CopyFrom(lie[1])
        ticket = self.world.rng.choice((chair.ticket, chair.ticket, chair.ticket[::-1], "x"))

        def done(data: bytes | None, end: End) -> None:
            if data is None and not end.is_lost:
                is_due = ticket == chair.ticket
                chair.refused(request.decision_id, end.details, "SubmitMove", is_due=is_due)

        self.line.unary(
            f"{PLAY}SubmitMove", request.SerializeToString(), (("croupier-ticket", ticket),), done
        )

    def open_nonce(self, chair: Chair, nonce: bytes, next_hash: bytes) -> None:
        """See `chair.Carrier.open_nonce`."""
        request = play_service_pb2.OpenNonceRequest(
            table_id=chair.table_id, nonce=nonce, next_nonce_hash=next_hash
        )

        def done(data: bytes | None, end: End) -> None:
            if end.is_lost or (data is None and reason_of(end.details) in LATER):
                self.world.later(300, self.open_nonce, chair, nonce, next_hash)

        self.line.unary(f"{PLAY}OpenNonce", request.SerializeToString(), self.metadata(chair), done)
