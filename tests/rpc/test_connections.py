"""What one connection may hold, on every port, and what many connections lose: nothing."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pytest
import trustme
from h2.connection import H2Connection
from h2.events import RemoteSettingsChanged
from h2.settings import SettingCodes

from croupier.connection import STREAMS_PER_CHANNEL, Connection
from croupier.v1 import system_service_pb2, table_service_pb2
from croupier_server.app import running
from croupier_server.rpc.server import STREAMS_PER_CONNECTION
from tests.rpc.calls import SECONDS
from tests.rpc.conftest import server, settings

pytestmark = pytest.mark.attack

STREAMS = 2_000


async def limit_of(line: socket.socket) -> int | None:
    """The maximum number of streams that a server on *line* announces; None: it names none."""
    line.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=line)
    client = H2Connection()
    client.initiate_connection()
    writer.write(client.data_to_send())
    try:
        while data := await reader.read(1 << 16):
            for event in client.receive_data(data):
                if isinstance(event, RemoteSettingsChanged):
                    found = event.changed_settings.get(SettingCodes.MAX_CONCURRENT_STREAMS)
                    return None if found is None else found.new_value
        raise AssertionError("the server closed the connection without settings")
    finally:
        writer.close()


def tcp(address: str) -> socket.socket:
    """A connection to *address*."""
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)))


def house_bots_line(folder: str) -> socket.socket:
    """A connection to the socket that a server has opened in *folder*."""
    (path,) = Path(folder).glob("croupier-*/house")
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(path))
    return line


def test_the_public_port_and_the_admin_port_limit_the_streams_of_a_connection() -> None:
    """Otherwise one client, with or without a key, fills the queue that everybody's calls share."""

    async def look() -> None:
        async with server(admin_port=0) as whole:
            for address in (whole.app.server.address, whole.app.operators.admin):
                assert await limit_of(tcp(address)) == STREAMS_PER_CONNECTION, address

    asyncio.run(look())


async def test_the_socket_of_the_house_bots_limits_the_streams_of_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to the same server as the public port."""
    certificate = trustme.CA().issue_cert("localhost")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    # Paths of Unix sockets are short; those of tests are not.
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        files = {"tls_cert": tmp_path / "cert.pem", "tls_key": tmp_path / "key.pem"}
        async with running(settings(**files)):
            assert await limit_of(house_bots_line(folder)) == STREAMS_PER_CONNECTION


@pytest.mark.more
def test_none_of_2000_streams_that_are_opened_at_once_is_lost() -> None:
    """And a call beside them is answered: it does not wait for a stream to end."""

    async def open_them() -> None:
        async with server(watchers_max=0) as whole, AsyncExitStack() as stack:
            connection = Connection(whole.app.server.address, SECONDS)
            stack.push_async_callback(connection.close)

            async def watch() -> grpc.StatusCode | None:
                stubs = stack.enter_context(connection.streams.stream())
                call = stubs.tables.WatchLobby(table_service_pb2.WatchLobbyRequest(follow=True))
                stack.callback(call.cancel)
                try:
                    await call.read()
                except grpc.aio.AioRpcError as error:
                    return error.code()
                return None

            codes = await asyncio.gather(*(watch() for _ in range(STREAMS)))
            assert Counter(codes) == {None: STREAMS}
            request = system_service_pb2.GetServerInfoRequest()
            await connection.system.GetServerInfo(request, timeout=SECONDS)

    asyncio.run(open_them())


def test_the_sdk_keeps_well_below_the_limit() -> None:
    """Streams that were cancelled a moment ago may still count for the server."""
    assert 2 * STREAMS_PER_CHANNEL <= STREAMS_PER_CONNECTION
