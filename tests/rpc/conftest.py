"""A real server for the tests of the services, on a free port of loopback."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from typing import NamedTuple

import grpc
import pytest
import structlog

from croupier_server.app import App, Sources, running
from croupier_server.config import Settings
from croupier_server.identity.rights import Right
from croupier_server.rpc.interceptors import Calls, Servant
from croupier_server.rpc.validate import Requests
from croupier_server.tables.clocks.clock import Clock, ManualClock
from tests.rpc.calls import Caller, serving

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
        *services: Servant | Callable[[Calls], grpc.GenericRpcHandler], streams_max: int = 2
    ) -> AsyncIterator[Caller]:
        calls = Calls(requests, streams_max, rights=lambda _path: Right())
        handlers = [one(calls) if callable(one) else calls.serve(one) for one in services]
        async with serving(*handlers) as channel:
            yield Caller(channel)

    return run


def settings(**changes: object) -> Settings:
    """Settings of a server for tests: a free port, no house bots, short requests."""
    values: dict[str, object] = {
        "port": 0,
        "house_bots": False,
        "record_bytes_max": 1 << 16,
        "shutdown_grace_ms": 100,
    }
    return Settings.model_validate(values | changes)


def sources(clock: Clock) -> Sources:
    """Given time, work that takes none, and bytes that look random and are the same in every
    run."""
    counter = count()

    def secrets(number: int) -> bytes:
        return hashlib.shake_256(f"test {next(counter)}".encode()).digest(number)

    return Sources(clock, secrets, lambda: 0.0)


class Running(NamedTuple):
    """A whole server, and a caller of it."""

    app: App
    call: Caller
    clock: ManualClock


@asynccontextmanager
async def server(**changes: object) -> AsyncIterator[Running]:
    """A whole server on a clock that the test moves; its log tells of faults alone."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    clock = ManualClock(1_700_000_000_000)
    async with (
        running(settings(**changes), sources(clock)) as app,
        grpc.aio.insecure_channel(app.server.address) as channel,
    ):
        try:
            yield Running(app, Caller(channel), clock)
        finally:
            structlog.reset_defaults()


@pytest.fixture
async def whole() -> AsyncIterator[Running]:
    """A whole server."""
    async with server() as found:
        yield found


@pytest.fixture
async def call(whole: Running) -> Caller:
    """A caller of a whole server."""
    return whole.call
