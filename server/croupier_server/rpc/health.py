"""Health of the server and of each service, by the standard protocol ``grpc.health.v1``."""

from __future__ import annotations

from collections.abc import Iterable

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio

OVERALL = ""
"""The name that stands for the whole server."""


class Health:
    """Says SERVING for the server and every service until it is told otherwise."""

    def __init__(self, services: Iterable[str]) -> None:
        self._servicer = aio.HealthServicer()
        self._services = (OVERALL, *services)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Register the health service itself."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)

    async def serving(self) -> None:
        """Report SERVING."""
        for name in self._services:
            await self._servicer.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def drain(self) -> None:
        """Report NOT_SERVING, for good; those who watch are told at once."""
        await self._servicer.enter_graceful_shutdown()
