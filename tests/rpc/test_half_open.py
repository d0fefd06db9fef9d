"""A connection whose far end vanished without a word is closed soon, by the server and by the SDK.

The line is a proxy that stops forwarding and closes nothing. The ping interval and its timeout are
shortened here, in the proportion that they have.
"""

from __future__ import annotations

import asyncio

import grpc
import pytest

from croupier import connection
from croupier.v1 import session_service_pb2 as pb
from croupier_server.rpc import server, session_service
from croupier_server.tables.sessions.session import Session
from tests.clients.proxy import CuttingProxy
from tests.rpc import conftest
from tests.rpc.test_session import HELLO, Stream

pytestmark = pytest.mark.fault

FASTER = 20


async def greeted(channel: grpc.aio.Channel) -> Stream:
    """A session on *channel* that was welcomed."""
    method: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
        "/croupier.v1.SessionService/Session"
    )
    stream = Stream(method())
    await stream.say(pb.SessionRequest(hello=HELLO))
    assert (await stream.hear()).HasField("welcome")
    return stream


@pytest.mark.more
async def test_fair_the_server_closes_a_half_open_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("_KEEPALIVE_MS", "_PING_TIMEOUT_MS"):
        monkeypatch.setattr(server, name, getattr(server, name) // FASTER)
    closed = asyncio.Event()

    class Watched(Session):
        def close(self) -> None:
            super().close()
            closed.set()

    monkeypatch.setattr(session_service, "Session", Watched)
    async with (
        conftest.server() as whole,
        CuttingProxy(whole.app.server.address, lambda mine, every: False) as line,
        grpc.aio.insecure_channel(line.address) as channel,
    ):
        stream = await greeted(channel)
        assert whole.app.server.streams == 1
        line.freeze()
        await closed.wait()
        stream.call.cancel()


@pytest.mark.more
async def test_fair_the_client_gives_a_half_open_connection_up(whole: conftest.Running) -> None:
    times = {"grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms"}
    assert times <= {name for name, _ in connection._OPTIONS}
    options = [
        (name, value // FASTER if name in times else value) for name, value in connection._OPTIONS
    ]
    async with (
        CuttingProxy(whole.app.server.address, lambda mine, every: False) as line,
        grpc.aio.insecure_channel(line.address, options=options) as channel,
    ):
        stream = await greeted(channel)
        line.freeze()
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await stream.hear()
        assert error.value.code() is grpc.StatusCode.UNAVAILABLE
