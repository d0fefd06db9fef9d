"""A real server for the tests of the services, on a free port of loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import grpc
import pytest

from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.validate import Requests
from tests.rpc.calls import Caller

Serve = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest.fixture(scope="session")
def requests() -> Requests:
    """Reads requests of up to 64 KiB."""
    return Requests(1 << 16)


@pytest.fixture
def serve(requests: Requests) -> Serve:
    """Serves a few services alone, for tests that need no tables."""

    @asynccontextmanager
    async def run(
        *services: Callable[[Calls], grpc.GenericRpcHandler], streams_max: int = 2
    ) -> AsyncIterator[Caller]:
        calls = Calls(requests, streams_max)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers([service(calls) for service in services])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield Caller(channel)
        finally:
            await server.stop(None)

    return run
