"""The floor to compare with: a server that echoes messages of the contract, and its client.

Unary: an answered move comes in, its acceptance goes out. Batched: a frame of moves comes in, a
frame with an item for each goes out. Both build every reply afresh and do nothing else, so they
cost what gRPC and Protobuf cost in this Python, on this machine, at this moment.

Run as ``python -m croupier_server.bench.echo serve`` or ``... echo unary|batched ADDRESS N``.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any, Final

import grpc

from croupier.v1 import (
    cards_pb2,
    game_pb2,
    play_service_pb2,
    session_service_pb2,
    table_pb2,
)
from croupier_server.bench.loop import run
from croupier_server.bench.marks import Counter, answer_marks, say
from croupier_server.games import NAMES

SERVICE: Final = "croupier.bench.Echo"
IN_FLIGHT: Final = 2
"""Frames that may be under way on the batched stream, as on a session."""

_Unary = play_service_pb2.SubmitMoveRequest
_UnaryReply = play_service_pb2.SubmitMoveResponse
_Frame = session_service_pb2.SessionRequest
_FrameReply = session_service_pb2.SessionResponse


async def _echo_move(
    request: _Unary, _: grpc.aio.ServicerContext[_Unary, _UnaryReply]
) -> _UnaryReply:
    accepted = table_pb2.MoveAccepted(decision_id=request.decision_id, sequence=1)
    return _UnaryReply(accepted=accepted)


async def _echo_frames(
    requests: AsyncIterator[_Frame], _: grpc.aio.ServicerContext[_Frame, _FrameReply]
) -> AsyncIterator[_FrameReply]:
    number = 0
    async for request in requests:
        number += 1
        reply = _FrameReply(frame=number)
        for move in request.moves:
            item = reply.items.add(channel=move.channel)
            accepted = item.update.move_accepted
            accepted.decision_id = move.decision_id
            accepted.sequence = number
        yield reply


async def serve() -> None:
    """Serve both echoes until the input ends."""
    server = grpc.aio.server()
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "Unary": grpc.unary_unary_rpc_method_handler(
            _echo_move, _Unary.FromString, _UnaryReply.SerializeToString
        ),
        "Batched": grpc.stream_stream_rpc_method_handler(
            _echo_frames, _Frame.FromString, _FrameReply.SerializeToString
        ),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    say({"port": port})
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(0)


def _move() -> game_pb2.Move:
    cards = [cards_pb2.CARD_SEVEN_OF_SPADES, cards_pb2.CARD_SEVEN_OF_SPADES]
    move = game_pb2.Move()
    getattr(move, NAMES[0]).play.cards.extend(cards)
    return move


async def call_unary(channel: grpc.aio.Channel, counter: Counter, callers: int) -> None:
    """So many callers, each of which calls again when it has its answer."""
    method = channel.unary_unary(
        f"/{SERVICE}/Unary", _Unary.SerializeToString, _UnaryReply.FromString
    )
    request = _Unary(table_id="0123456789abcdefghij", decision_id="123-2", move=_move())

    async def caller() -> None:
        while True:
            await method(request)
            counter.done += 1

    await asyncio.gather(*(caller() for _ in range(callers)))


async def call_batched(channel: grpc.aio.Channel, counter: Counter, items: int) -> None:
    """One stream with frames of so many items."""
    method = channel.stream_stream(
        f"/{SERVICE}/Batched", _Frame.SerializeToString, _FrameReply.FromString
    )
    frame = _Frame()
    for number in range(items):
        frame.moves.add(channel=number + 1, decision_id="123-2", move=_move())
    call = method()
    for _ in range(IN_FLIGHT):
        await call.write(frame)
    while True:
        reply = await call.read()
        assert isinstance(reply, _FrameReply), "the echo ended its stream"
        counter.done += len(reply.items)
        counter.frames += 1
        await call.write(frame)


async def call(kind: str, address: str, size: int) -> None:
    """Call one of the echoes until the input ends."""
    counter = Counter()
    work = call_unary if kind == "unary" else call_batched
    async with grpc.aio.insecure_channel(address) as channel:
        task = asyncio.ensure_future(work(channel, counter, size))
        loop = asyncio.get_running_loop()
        port = int(address.rpartition(":")[2])
        answer_marks(counter, port, lambda: loop.call_soon_threadsafe(task.cancel))
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()


if __name__ == "__main__":
    run(serve() if sys.argv[1] == "serve" else call(sys.argv[1], sys.argv[2], int(sys.argv[3])))
