"""The session: the one stream that a bot plays all its tables on.

The protocol is in ``tables/sessions/session.py``; this joins it to gRPC.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import Final

from croupier.v1.system_service_pb2 import ServerCapabilities
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.interceptors import Calls, Link
from croupier_server.tables.caller import Caller
from croupier_server.tables.sessions.session import Session
from croupier_server.tables.shard.shard import Shard

FRAME_SLICES: Final = 4
"""Slices of a turn after which a frame is sent as it is. A frame cannot be interrupted; clients far
away get at most two for each round trip."""


class SessionService:
    """``croupier.v1.SessionService``.

    Args:
        shard: owner of the tables.
        capabilities: what the server can do beyond the base.
        calls: wraps the service.
    """

    service = "croupier.v1.SessionService"

    def __init__(self, shard: Shard, capabilities: ServerCapabilities, calls: Calls) -> None:
        self._shard = shard
        self._capabilities = capabilities.SerializeToString()
        self._refusal = calls.refusal
        self._turns = calls.turns

    async def session(self, caller: Caller, link: Link) -> None:
        """Carries frames both ways until one side ends."""
        session = Session(self._shard, caller, self._refusal, self._capabilities)
        is_full = partial(self._turns.is_over, FRAME_SLICES)
        reader = asyncio.create_task(self._read(session, caller, link), name="session reader")
        try:
            with while_key_lasts(caller, session):
                while not session.is_done:
                    await self._turns.turn(caller.flow)
                    frame = session.next_frame(is_full)
                    if frame is not None:
                        await link.write(frame)
                    elif not session.is_done:
                        await session.wait()
            if reader.done():
                reader.result()
        finally:
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader

    async def _read(self, session: Session, caller: Caller, link: Link) -> None:
        """Frames of the client, until it hangs up or something fails."""
        turns, flow = self._turns, caller.flow
        try:
            while (data := await link.read()) is not None:
                await turns.turn(flow)
                for _ in session.steps(data):
                    if turns.is_over():
                        session.shard.commits.flush()
                        await turns.turn(flow, is_begun=True)
            await session.shard.committed()
            session.hang_up()
        except BaseException:
            session.close()
            raise
