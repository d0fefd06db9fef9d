"""The port of the operators: the Admin service by itself, always behind keys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import grpc

from croupier_server.rpc.admin_service import AdminService, Operated
from croupier_server.rpc.admin_turned_away import TurnedAwayLog
from croupier_server.rpc.callers import Gate
from croupier_server.rpc.interceptors import Calls, Meter
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.server import open_port, options
from croupier_server.rpc.tls import Certificates
from croupier_server.rpc.validate import Requests

_REQUEST_BYTES_MAX: Final = 1 << 16
_STREAMS_MAX: Final = 16
_PAGE_SIZE_MAX: Final = 1_000


@asynccontextmanager
async def listening(
    host: str,
    port: int,
    operated: Operated,
    *,
    gate: Gate,
    certificates: Certificates | None,
    secrets: Callable[[int], bytes],
    meter: Meter,
) -> AsyncIterator[str]:
    """Serve operators on *host* and *port*, 0 for any that is free; gives the address.

    Args:
        host, port: where.
        operated: what they operate.
        gate: asks for keys.
        certificates: what the port is encrypted with; None: it is not.
        secrets: random bytes, so many.
        meter: counts the calls.

    Raises:
        CannotListen: the port is taken, or the address is not of this machine.
    """
    calls = Calls(
        Requests(_REQUEST_BYTES_MAX),
        _STREAMS_MAX,
        gate,
        meter=meter,
        turned_away=TurnedAwayLog(operated.store.audit, operated.now_ms),
        certificates=certificates,
    )
    server = grpc.aio.server(options=options(_REQUEST_BYTES_MAX))
    service = AdminService(operated, PageTokens(secrets(32), size_max=_PAGE_SIZE_MAX))
    server.add_generic_rpc_handlers([calls.serve(service)])
    address = open_port(server, host, port, certificates)
    await server.start()
    try:
        yield address
    finally:
        await server.stop(None)
