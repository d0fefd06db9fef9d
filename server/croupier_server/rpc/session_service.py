"""The session: the one stream that a bot plays all its tables on.

The protocol is in ``tables/session.py``; this joins it to gRPC. Must not be put here: frames.
"""

from __future__ import annotations

import asyncio
import contextlib

import grpc

from croupier_server.errors import CroupierError
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.errors import to_status
from croupier_server.rpc.interceptors import Calls, Link, Meter, Unmetered
from croupier_server.tables.caller import Caller
from croupier_server.tables.session import Session
from croupier_server.tables.shard import Shard


class SessionService:
    """``croupier.v1.SessionService``.

    Args:
        shard: owner of the tables.
    """

    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        self._meter: Meter = Unmetered()

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """The service, wrapped by *calls*."""
        self._meter = calls.meter
        service = calls.service("croupier.v1.SessionService")
        service.session("Session", self.session)
        return service.handler()

    async def session(self, caller: Caller, link: Link) -> None:
        """Carries frames both ways until one side ends."""
        session = Session(self._shard, caller, self._status)
        reader = asyncio.create_task(_read(session, link), name="session reader")
        try:
            with while_key_lasts(caller, session):
                while not session.is_done:
                    frame = session.next_frame()
                    if frame is not None:
                        await link.write(frame)
                    elif not session.is_done:
                        await session.wait()
            if reader.done():
                reader.result()
        finally:
            session.close()
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader

    def _status(self, error: CroupierError) -> bytes:
        self._meter.refused(error.reason.value)
        status: bytes = to_status(error).SerializeToString(deterministic=True)
        return status


async def _read(session: Session, link: Link) -> None:
    """Frames of the client, until it hangs up or something fails."""
    try:
        while (data := await link.read()) is not None:
            session.receive(data)
        await session.shard.committed()
        session.hang_up()
    except BaseException:
        session.close()
        raise
