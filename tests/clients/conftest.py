"""A whole server in this process, for tests of the SDK against the real thing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from croupier_server.app import running
from croupier_server.config import Settings

RealServer = Callable[..., AbstractAsyncContextManager[str]]


@asynccontextmanager
async def _serve(**changes: object) -> AsyncIterator[str]:
    settings = Settings.model_validate(
        {"port": 0, "house_bots": False, "shutdown_grace_ms": 100, "log_level": "error"} | changes
    )
    async with running(settings) as app:
        yield app.server.address


@pytest.fixture
def real_server() -> RealServer:
    """Starts a server; gives its address."""
    return _serve
