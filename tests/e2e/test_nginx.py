"""A match through nginx as docs/operations.md sets it up: TLS outside, plain gRPC behind."""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
import trustme

from croupier import Bot, Client, Credentials, Decision, Move
from croupier.bots import GreedyBot
from croupier.client import Transport
from croupier.errors import NotAllowed
from croupier.results import EndReason
from croupier.seat import Ticket
from croupier.v1 import session_service_pb2, session_service_pb2_grpc
from croupier.views import View
from tests.e2e.serving import SECONDS, Served, served
from tests.e2e.test_restart import Restarted
from tests.e2e.test_tls import new_key
from tests.meta.sources import ROOT

SNIPPET = ROOT / "docs/examples/nginx.conf"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
CALLS = 1_200
"""Over a connection from which nginx would send its 1,001st request away unless told otherwise."""

SILENT_S = 3
SHORT = "1s"
"""A time that nginx waits, shorter than that."""

pytestmark = pytest.mark.skipif(
    NGINX is None and not os.environ.get("CI"),
    reason="nginx is not installed (Debian: apt-get install nginx-light)",
)


class Front(NamedTuple):
    """nginx before a server.

    Attributes:
        address: where clients come.
        folder: with its logs.
        nginx: its process.
        server: what is behind it.
        credentials: a key, and the authority of the certificate.
    """

    address: str
    folder: Path
    nginx: subprocess.Popen[bytes]
    server: Served
    credentials: Credentials

    def asked(self) -> list[list[str]]:
        """Connection, path and status of every call.

        nginx ends first: a client may have its answer before the line about it is written.
        """
        self.nginx.send_signal(signal.SIGQUIT)
        assert self.nginx.wait(SECONDS) == 0
        return [line.split() for line in (self.folder / "access.log").read_text().splitlines()]

    def numbers(self) -> dict[str, float]:
        """What the server behind has counted."""
        with urllib.request.urlopen(f"http://{self.server.metrics}/metrics") as page:
            lines = page.read().decode().splitlines()
        pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
        return {name: float(value) for name, value in pairs}


def replaced(text: str, **changes: str) -> str:
    """*text* with each directive's value replaced; every one must be there once."""
    for name, value in changes.items():
        lines = text.splitlines(keepends=True)
        (number,) = [i for i, line in enumerate(lines) if line.split()[:1] == [name]]
        indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
        lines[number] = f"{indent}{name} {value};\n"
        text = "".join(lines)
    return text


def around(snippet: str, folder: Path) -> str:
    """A whole configuration with *snippet* in its http block; all that it writes is in *folder*."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    known = subprocess.run([str(NGINX), "-V"], capture_output=True, text=True, check=True).stderr
    paths = [
        f"{k}_temp_path {folder / k};" for k in kinds if f"http-{k.replace('_', '-')}" in known
    ]
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    return f"""
daemon off;
{user}
worker_processes 1;
pid {folder / "nginx.pid"};
error_log {folder / "error.log"} info;
events {{ worker_connections 512; }}
http {{
    {" ".join(paths)}
    log_format asked '$connection $request_uri $status';
    access_log {folder / "access.log"} asked;
{snippet}
}}
"""


@contextmanager
def front(
    folder: Path, server: str, **changes: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """nginx from the page's snippet, with *changes* to it, before *server*: address and process.

    It inherits a socket that listens already, as it would at an upgrade of itself: so the port is
    a free one, and whoever comes before it is ready waits.
    """
    assert NGINX is not None, "nginx is missing; under CI it has to be there"
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        address = "{}:{}".format(*listening.getsockname())
        snippet = replaced(
            SNIPPET.read_text(encoding="utf-8").replace("127.0.0.1:7421", server),
            listen=f"{address} ssl http2",
            ssl_certificate=str(folder / "cert.pem"),
            ssl_certificate_key=str(folder / "key.pem"),
            **changes,
        )
        (folder / "nginx.conf").write_text(around(snippet, folder))
        (folder / "access.log").touch()
        command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        process = subprocess.Popen(
            [*command, "-e", str(folder / "error.log")],
            pass_fds=[listening.fileno()],
            env=os.environ | {"NGINX": f"{listening.fileno()};"},
        )
    try:
        yield address, process
        assert not process.poll(), (folder / "error.log").read_text()
    finally:
        process.terminate()
        assert process.wait(SECONDS) == 0


def lay_certificates(folder: Path) -> None:
    """Lay a certificate of nginx, its key and its authority."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    issued = authority.issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(str(folder / "key.pem"))
    issued.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Front]:
    """nginx, a server that asks for keys, and somebody's key."""
    lay_certificates(tmp_path)
    store = f"sqlite:{tmp_path / 'croupier.db'}"
    key = new_key(store, "ann", "play", "host")
    # Nobody reads the log before the end, and a pipe that is full would hold the server up.
    flags = ["--auth", "keys", "--store", store, "--calls-per-second", "0", "--house-bots", "false"]
    flags += ["--log-level", "error", "--metrics-port", "0"]
    with served(*flags) as server, front(tmp_path, server.address) as (address, nginx):
        credentials = Credentials(key=key, ca=str(tmp_path / "ca.pem"))
        yield Front(address, tmp_path, nginx, server, credentials)


async def play(client: Client, first: Bot | None = None) -> None:
    """A whole deal of Pokex, all seats by way of *client*."""
    bots = [first or GreedyBot()]
    bots += [GreedyBot() for _ in range(await client.players("pokex") - 1)]
    made = await client.create_table("pokex", options={"max_deals": 1}, shared_seats=True)
    tickets = [await client.join(made.table_id) for _ in bots]
    plays = [client.play(bot, ticket) for bot, ticket in zip(bots, tickets, strict=True)]
    results = await asyncio.gather(*plays)
    assert {result.reason for result in results} == {EndReason.FINISHED}


@pytest.mark.more
@pytest.mark.parametrize("transport", ["session", "watch"])
async def test_a_match_is_played_through_nginx(behind: Front, transport: Transport) -> None:
    async with Client(
        behind.address, transport=transport, credentials=behind.credentials
    ) as client:
        await play(client)
    found = behind.numbers()
    assert found['croupier_tables_ended_total{game="pokex"}'] == 1
    moves = found['croupier_decisions_total{game="pokex"}']
    assert moves > 0
    submit = 'croupier_call_seconds_count{code="OK",method="croupier.v1.PlayService/SubmitMove"}'
    assert found.get(submit, 0) == (moves if transport == "watch" else 0)
    asked = [path for _, path, _ in behind.asked()]
    assert asked.count("/croupier.v1.TableService/CreateTable") == 1
    assert asked.count("/croupier.v1.PlayService/SubmitMove") == found.get(submit, 0)


@pytest.mark.more
async def test_one_connection_carries_any_number_of_calls(behind: Front) -> None:
    async with Client(behind.address, credentials=behind.credentials) as client:
        made = await client.create_table("pokex")
        for _ in range(CALLS):
            await client.get_table(made.table_id)
    ended = behind.asked()
    assert len(ended) > CALLS
    assert len({connection for connection, _, _ in ended}) == 1


async def test_a_refusal_comes_through_with_its_reason(behind: Front) -> None:
    wrong = Credentials(key="crp_0123456789ab_" + "0" * 43, ca=behind.credentials.ca)
    with pytest.raises(NotAllowed):
        async with Client(behind.address, credentials=wrong):
            pass
    found = behind.numbers()
    assert found['croupier_refusals_total{reason="UNAUTHENTICATED"}'] >= 1


@pytest.mark.more
@pytest.mark.parametrize("shortened", ["", "client_body_timeout", "grpc_read_timeout"])
async def test_streams_live_where_nobody_says_anything(tmp_path: Path, shortened: str) -> None:
    """Each of the two timeouts would end a session, and the page's do not."""
    lay_certificates(tmp_path)
    flags = ("--house-bots", "false", "--log-level", "error", "--heartbeat-ms", "3600000")
    credentials = Credentials(ca=str(tmp_path / "ca.pem"))
    changes = {shortened: SHORT} if shortened else {}
    with (
        served(*flags) as server,
        front(tmp_path, server.address, **changes) as (address, _),
    ):
        async with Client(address, credentials=credentials) as client:
            ticket = await client.join((await client.create_table("pokex")).table_id)
        async with credentials.channel(address) as channel:
            stub = session_service_pb2_grpc.SessionServiceStub(channel)
            if shortened:
                with pytest.raises((grpc.aio.AioRpcError, asyncio.InvalidStateError)):
                    await stay_silent(stub.Session(), ticket)
            else:
                await stay_silent(stub.Session(), ticket)


async def stay_silent(session: Any, ticket: Ticket) -> None:
    """Open a channel, say nothing for a while, and open another."""
    opening = session_service_pb2.ChannelOpen(
        channel=1, table_id=ticket.table_id, ticket=ticket.secret
    )
    hello = session_service_pb2.SessionHello(client="test")
    await session.write(session_service_pb2.SessionRequest(hello=hello, opens=[opening]))
    frame = await opened(session, channel=1)
    await asyncio.sleep(SILENT_S)
    opening.channel = 2
    await session.write(session_service_pb2.SessionRequest(acknowledged=frame, opens=[opening]))
    assert await opened(session, channel=2) > frame


async def opened(session: Any, channel: int) -> int:
    """Waits for the first item of *channel*; the number of its frame."""
    while True:
        frame = await session.read()
        if frame is grpc.aio.EOF:
            raise asyncio.InvalidStateError("the session has ended")
        if channel in [item.channel for item in frame.items]:
            return int(frame.frame)


@pytest.mark.more
@pytest.mark.parametrize("transport", ["session", "watch"])
async def test_a_server_that_comes_back_behind_nginx_is_found_again(
    tmp_path: Path, transport: Transport
) -> None:
    server = Restarted(f"sqlite:{tmp_path / 'croupier.db'}")
    lay_certificates(tmp_path)
    try:
        server.start()
        with front(tmp_path, server.address) as (address, _):
            credentials = Credentials(ca=str(tmp_path / "ca.pem"))
            async with Client(address, transport=transport, credentials=credentials) as client:
                waiting = Waiting()
                playing = asyncio.create_task(play(client, waiting))
                await waiting.is_asked.wait()
                await asyncio.to_thread(server.stop, signal.SIGKILL)
                waiting.may_answer.set()
                assert not playing.done()
                await asyncio.to_thread(server.start)
                await playing
    finally:
        server.close()


class Waiting(GreedyBot):
    """Waits with its first decision until it may go on."""

    inline = False

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def decide(self, view: View, decision: Decision) -> Move:  # type: ignore[override]
        self.is_asked.set()
        await self.may_answer.wait()
        return super().decide(view, decision)
