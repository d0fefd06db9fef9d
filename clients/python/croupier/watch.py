"""The plain transport: one server stream a seat, one unary call a move.

It is what a client can do that has no bidirectional streams. Answers and results are those of the
session; only the speed differs.
"""

from __future__ import annotations

import asyncio

import grpc

from croupier.background import Background
from croupier.connection import Backoff, Connection, is_worth_waiting
from croupier.errors import ConnectionFailed, Error, Refused, from_rpc_error
from croupier.seat import Seat
from croupier.v1 import game_pb2, play_service_pb2, table_pb2

__all__ = ["Watches"]


class Watches:
    """Carries seats, each on a WatchTable stream of its own."""

    def __init__(
        self, connection: Connection, background: Background, silence_seconds: float
    ) -> None:
        self._connection = connection
        self._background = background
        self._silence_seconds = silence_seconds
        self._running: dict[Seat, asyncio.Task[None]] = {}

    def add(self, seat: Seat) -> None:
        """Carry *seat* from now on."""
        seat.link = self
        self._running[seat] = self._background.start(self._carry(seat))

    def remove(self, seat: Seat) -> None:
        """Carry *seat* no longer."""
        seat.link = None
        task = self._running.pop(seat, None)
        if task is not None:
            task.cancel()

    def answer(self, seat: Seat, decision_id: str, move: game_pb2.Move) -> None:
        """Submit the answer to a decision."""
        self._background.start(self._submit(seat, decision_id, move))

    def open_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        """Send a nonce of the seat."""
        self._background.start(self._send_nonce(seat, nonce, next_hash))

    async def _submit(self, seat: Seat, decision_id: str, move: game_pb2.Move) -> None:
        request = play_service_pb2.SubmitMoveRequest(
            table_id=seat.ticket.table_id, decision_id=decision_id, move=move
        )
        method = self._connection.play.SubmitMove
        try:
            await self._connection.call(method, request, ticket=seat.ticket.secret)
        except Refused as error:
            seat.refused(decision_id, error)
        except ConnectionFailed as error:
            seat.fail(error)

    async def _send_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        request = play_service_pb2.OpenNonceRequest(
            table_id=seat.ticket.table_id, nonce=nonce, next_nonce_hash=next_hash
        )
        method = self._connection.play.OpenNonce
        try:
            await self._connection.call(method, request, ticket=seat.ticket.secret)
        except Error as error:
            if not (isinstance(error, Refused) and error.reason == "NONCE_NOT_EXPECTED"):
                seat.fail(error)

    async def _carry(self, seat: Seat) -> None:
        """Keep the seat's stream open until it is done."""
        backoff = self._connection.backoff()
        while not seat.done.done():
            try:
                wait = await self._watch(seat, backoff)
                if not seat.done.done():
                    await backoff.pause("the server closed the stream", wait)
            except Refused as error:
                if error.reason == "SEQUENCE_AHEAD":
                    seat.sequence = 0
                elif seat.is_over(error):
                    seat.finish(None)
                elif not is_worth_waiting(error):
                    seat.turned_away(error)
                else:
                    try:
                        await backoff.pause(error.message, error.retry_after)
                    except ConnectionFailed as failed:
                        seat.fail(failed)
            except ConnectionFailed as error:
                seat.fail(error)

    async def _watch(self, seat: Seat, backoff: Backoff) -> float | None:
        """One stream to its end; returns how long the server asks to wait.

        Raises:
            Refused: the stream broke or was refused.
        """
        request = play_service_pb2.WatchTableRequest(
            table_id=seat.ticket.table_id,
            table_epoch=seat.epoch,
            after_sequence=seat.sequence,
            view_mode=table_pb2.VIEW_MODE_FULL,
        )
        metadata = (("croupier-ticket", seat.ticket.secret),)
        task = asyncio.current_task()
        assert task is not None
        with self._connection.streams.stream() as stubs:
            call = stubs.play.WatchTable(request, metadata=metadata)
            try:
                return await self._receive(call, seat, backoff)
            except grpc.aio.AioRpcError as error:
                raise from_rpc_error(error) from None
            except TimeoutError:
                return None
            except asyncio.CancelledError:
                if task.cancelling():
                    raise
                return None
            finally:
                call.cancel()

    async def _receive(
        self,
        call: grpc.aio.UnaryStreamCall[
            play_service_pb2.WatchTableRequest, play_service_pb2.WatchTableResponse
        ],
        seat: Seat,
        backoff: Backoff,
    ) -> float | None:
        """Hand over what comes; returns how long the server asks to wait when it ends the stream.

        Raises:
            TimeoutError: the server was silent for too long.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._silence_seconds) as deadline:
            while True:
                response = await call.read()
                if not isinstance(response, play_service_pb2.WatchTableResponse):
                    return None
                deadline.reschedule(loop.time() + self._silence_seconds)
                backoff.succeeded()
                update = response.update
                kind = update.WhichOneof("update")
                if kind == "end":
                    return seat.end(update.end)
                seat.receive(update, kind)
