"""A crowd of spectators, to see what they cost the server in memory.

Run as ``python -m croupier_server.bench.crowd ADDRESS WATCHERS``: every listed table gets so many
streams. Counts the messages that come.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Final

import grpc

from croupier.v1 import (
    spectate_service_pb2,
    spectate_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
)
from croupier_server.bench.loop import run
from croupier_server.bench.marks import Counter, answer_marks

STREAMS_PER_CHANNEL: Final = 500


async def _tables(channel: grpc.aio.Channel) -> list[str]:
    """Ids of the listed tables."""
    stub = table_service_pb2_grpc.TableServiceStub(channel)
    ids: list[str] = []
    token = ""
    while True:
        request = table_service_pb2.ListTablesRequest(page_token=token)
        page = await stub.ListTables(request)
        ids += [table.table_id for table in page.tables]
        token = page.next_page_token
        if not token:
            return ids


async def watch(address: str, watchers: int) -> None:
    """Watch every listed table so many times until the input ends."""
    counter = Counter()
    async with grpc.aio.insecure_channel(address) as lobby:
        wanted = [table for table in await _tables(lobby) for _ in range(watchers)]
    channels: list[grpc.aio.Channel] = []
    opened = [asyncio.Event() for _ in wanted]

    async def spectate(channel: grpc.aio.Channel, table: str, is_open: asyncio.Event) -> None:
        stub = spectate_service_pb2_grpc.SpectateServiceStub(channel)
        call = stub.SpectateTable(spectate_service_pb2.SpectateTableRequest(table_id=table))
        try:
            async for _ in call:
                counter.done += 1
                is_open.set()
        finally:
            is_open.set()
            call.cancel()

    streams = []
    for number, (table, is_open) in enumerate(zip(wanted, opened, strict=True)):
        if number % STREAMS_PER_CHANNEL == 0:
            # Without a pool of its own a channel would share the connection of the last one.
            options = [("grpc.use_local_subchannel_pool", 1)]
            channels.append(grpc.aio.insecure_channel(address, options=options))
        streams.append(asyncio.ensure_future(spectate(channels[-1], table, is_open)))
    for is_open in opened:
        await is_open.wait()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    port = int(address.rpartition(":")[2])
    answer_marks(counter, port, lambda: loop.call_soon_threadsafe(ended.set))
    await ended.wait()
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    for channel in channels:
        await channel.close()


if __name__ == "__main__":
    run(watch(sys.argv[1], int(sys.argv[2])))
