"""The web port on a real server: Connect, gRPC-Web and JSON, and what it holds clients to."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import logging
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
import structlog
import structlog.testing
from google.protobuf import json_format

from croupier.v1 import (
    play_service_pb2,
    system_service_pb2,
    table_pb2,
    table_service_pb2,
)
from croupier_server.config import Settings, SettingsError, load
from croupier_server.identity.keys import Scope
from croupier_server.rpc import play_service, web
from croupier_server.rpc.server import RunningServer
from tests.rpc.conftest import Running, server
from tests.rpc.hostile import PLAY, SESSION, TABLES, WATCH_TABLES
from tests.rpc.keyed import bearer, keyed
from tests.rpc.players import POKEX, TONGITS, Seats, first_move, make_full, ticket_of
from tests.rpc.test_clocks import until
from tests.rpc.test_session import opens
from tests.rpc.webcalls import END, Http, WebCaller, connect_refusal, envelope, post

INFO = "croupier.v1.SystemService/GetServerInfo"
PAGE = "https://play.example.org"


@pytest.fixture
async def whole() -> AsyncIterator[Running]:
    """A whole server with a web port."""
    async with server(web="0", web_origins=PAGE, web_connections_max=50) as found:
        yield found


def address(whole: Running) -> str:
    found = whole.app.server.web
    assert found is not None
    return found.address


def connections(running: RunningServer) -> int:
    assert running.web is not None
    return running.web.connections


# Protocols ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, TONGITS, POKEX])
async def test_a_match_by_grpc_web(whole: Running, text: str | None) -> None:
    call = WebCaller(address(whole))
    seats = await (make_full(call) if text is None else make_full(call, text))
    await seats.finish()


async def test_a_call_by_json_and_one_in_the_wire_format_say_the_same(whole: Running) -> None:
    seats = await make_full(whole.call)
    method, ticket = f"{PLAY}/GetSeatView", ticket_of(seats.tickets[0])
    request = play_service_pb2.GetSeatViewRequest(table_id=seats.id)
    answer = play_service_pb2.GetSeatViewResponse()
    told = await post(address(whole), method, json.dumps({"tableId": seats.id}), *ticket)
    sent = await post(address(whole), method, request.SerializeToString(), *ticket)
    json_format.Parse(told.body, answer)
    assert answer == play_service_pb2.GetSeatViewResponse.FromString(sent.body)
    view = json.loads(told.body)["snapshot"]["seatView"]["tractor"]
    assert view["seat"] == 0, "what has its default value is written out"


@pytest.mark.more
async def test_a_stream_by_connect_in_json(whole: Running) -> None:
    """Plays a match: one stream for all seats, and a call for each answer."""
    seats = await make_full(whole.call)
    request = {
        "opens": [
            {"channel": one.channel, "tableId": one.table_id, "ticket": one.ticket}
            for one in opens([seats])
        ]
    }
    ended = 0
    async with Http(address(whole)) as http:
        http.send(WATCH_TABLES, envelope(json.dumps(request).encode()), "application/connect+json")
        status, headers = await http.head()
        assert (status, headers["content-type"]) == (200, "application/connect+json")
        async for flags, message in http.envelopes():
            if flags & END:
                assert json.loads(message) == {}
                continue
            for item in json.loads(message)["items"]:
                ended += "end" in item["update"]
                if "decision" in item["update"]:
                    await _answer(whole, seats, item["update"]["decision"])
    assert ended == 4
    assert (await seats.table()).status == table_pb2.TABLE_STATUS_ENDED


async def _answer(whole: Running, seats: Seats, decision: dict[str, Any]) -> None:
    asked = json_format.ParseDict(decision, table_pb2.Decision())
    answer = {
        "tableId": seats.id,
        "decisionId": decision["decisionId"],
        "move": json_format.MessageToDict(first_move(asked)),
    }
    ticket = ticket_of(seats.tickets[asked.seat])
    done = await post(address(whole), f"{PLAY}/SubmitMove", json.dumps(answer), *ticket)
    assert json.loads(done.body)["accepted"]["decisionId"] == decision["decisionId"]


async def test_refusals_have_their_details(whole: Running) -> None:
    """The same by gRPC, by gRPC-Web, by Connect, and at the end of a stream."""
    request = table_service_pb2.GetTableRequest(table_id="none")
    wanted = await whole.call.refused(f"{TABLES}/GetTable", request)
    assert wanted.reason == "NOT_FOUND"
    assert await WebCaller(address(whole)).refused(f"{TABLES}/GetTable", request) == wanted
    told = await post(address(whole), f"{TABLES}/GetTable", '{"tableId": "none"}')
    assert (told.status, told.refusal()) == (404, wanted)
    watching = play_service_pb2.WatchTableRequest(table_id="none")
    wanted = await whole.call.refused(f"{PLAY}/WatchTable", watching)
    async with Http(address(whole)) as http:
        data = envelope(b'{"tableId": "none"}')
        http.send(f"{PLAY}/WatchTable", data, "application/connect+json")
        await http.head()
        ((flags, message),) = [one async for one in http.envelopes()]
    assert flags == END
    assert connect_refusal(json.loads(message)["error"]) == wanted


@pytest.mark.parametrize(
    "body",
    [
        "[",
        "7",
        "null",
        '{"tableIdd": "x"}',
        '{"tableId": 7}',
        "[" * 50_000,
        '{"tableId":"\\ud800"}',
    ],
)
async def test_what_is_no_request_in_json_is_refused(whole: Running, body: str) -> None:
    told = await post(address(whole), f"{TABLES}/GetTable", body)
    assert (told.status, told.refusal().reason) == (400, "MALFORMED_REQUEST")


async def test_a_session_is_refused(whole: Running) -> None:
    told = await post(address(whole), SESSION)
    assert told.status == 501
    assert "WatchTables" in json.loads(told.body)["message"]


async def test_grpc_itself_is_refused(whole: Running) -> None:
    async with Http(address(whole)) as http:
        http.send(INFO, envelope(b""), "application/grpc")
        told = await http.answer()
    assert told.status == 415
    assert "a port of its own" in json.loads(told.body)["message"]


async def test_a_deadline_ends_a_stream(whole: Running) -> None:
    seats = await make_full(whole.call)
    call = WebCaller(address(whole), ticket_of(seats.tickets[0]))
    request = play_service_pb2.WatchTableRequest(table_id=seats.id)
    late = (("grpc-timeout", "50m"),)
    with pytest.raises(Exception, match="timed out") as caught:
        async for _ in call.stream(
            f"{PLAY}/WatchTable", request, play_service_pb2.WatchTableResponse, late
        ):
            pass
    assert caught.value.code().name == "DEADLINE_EXCEEDED"  # type: ignore[attr-defined]
    assert whole.app.server.streams == 0


async def test_a_client_that_hangs_up_leaves_its_stream_and_its_seats(whole: Running) -> None:
    seats = await make_full(whole.call)
    request = play_service_pb2.WatchTablesRequest(opens=opens([seats]))
    stream = WebCaller(address(whole)).stream(
        WATCH_TABLES, request, play_service_pb2.WatchTablesResponse
    )
    await anext(stream)
    assert whole.app.server.streams == 1
    await stream.aclose()
    await until(lambda: whole.app.server.streams == 0)
    assert whole.app.shard.table(seats.id).seat_watchers == [None] * 4


async def test_streams_end_when_the_server_does() -> None:
    async with server(web="0") as whole:
        seats = await make_full(whole.call)
        request = play_service_pb2.WatchTablesRequest(opens=opens([seats])[:1])
        stream = WebCaller(address(whole)).stream(
            WATCH_TABLES, request, play_service_pb2.WatchTablesResponse
        )
        await anext(stream)
    items = [item async for message in stream for item in message.items]
    assert items[-1].update.end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING


# Who may call -------------------------------------------------------------------------------------


async def test_streams_of_a_principal_are_counted_with_those_over_grpc() -> None:
    async with server(web="0", streams_max=1) as whole:
        seats = await make_full(whole.call)
        request = play_service_pb2.WatchTableRequest(table_id=seats.id)
        answer, ticket = play_service_pb2.WatchTableResponse, ticket_of(seats.tickets[0])
        stream = whole.call.stream(f"{PLAY}/WatchTable", request, answer, ticket)
        await anext(stream)
        refused = await WebCaller(address(whole)).refused(f"{PLAY}/WatchTable", request, ticket)
        assert refused.reason == "TOO_MANY_STREAMS"
        await stream.aclose()


async def test_calls_of_a_principal_are_counted_with_those_over_grpc() -> None:
    async with keyed(web="0", calls_per_second=1, calls_burst=2) as live:
        key = bearer(await live.good("eve", Scope.SPECTATE))
        await live.running.call.unary(
            f"{TABLES}/ListTables", b"", table_service_pb2.ListTablesResponse, key
        )
        at = address(live.running)
        found = [(await post(at, f"{TABLES}/ListTables", "{}", *key)).status for _ in range(3)]
    assert found == [200, 429, 429]


async def test_a_key_counts_in_headers_alone() -> None:
    async with keyed(web="0") as live:
        key = await live.good("eve", Scope.SPECTATE)
        at, method = address(live.running), f"{TABLES}/ListTables"
        assert (await post(at, method, "{}", *bearer(key))).status == 200
        for query in (f"authorization=Bearer%20{key}", f"access_token={key}"):
            told = await post(at, f"{method}?{query}")
            assert (told.status, told.refusal().reason) == (401, "UNAUTHENTICATED")
        async with Http(at) as http:
            http.writer.write(
                f"GET /{method}?authorization=Bearer%20{key}&encoding=json&message=%7B%7D "
                f"HTTP/1.1\r\nhost: {at}\r\n\r\n".encode()
            )
            assert (await http.reader.readline()).split()[1] == b"405"


async def test_the_log_of_a_call_has_no_secret() -> None:
    async with keyed(web="0") as live:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
        key = await live.good("eve", Scope.SPECTATE)
        with structlog.testing.capture_logs() as lines:
            await post(address(live.running), f"{TABLES}/ListTables?x={key}", "{}", *bearer(key))
        assert [(line["method"], line["code"]) for line in lines] == [
            (f"{TABLES}/ListTables", "OK")
        ]
        assert key.rpartition("_")[2] not in repr(lines)


# Host and Origin ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil:{port}"],
)
async def test_a_name_that_is_not_ours_is_refused(whole: Running, host: str) -> None:
    at = address(whole)
    told = await post(at, INFO, "{}", ("host", host.format(port=at.rpartition(":")[2])))
    assert told.status == 421


@pytest.mark.parametrize("host", ["LOCALHOST:{port}", "127.0.0.1:{port}", "[::1]:{port}", "a.test"])
async def test_names_that_are_ours_are_answered(host: str) -> None:
    async with server(web="0", web_hosts="a.test") as whole:
        at = address(whole)
        told = await post(at, INFO, "{}", ("host", host.format(port=at.rpartition(":")[2])))
        assert told.status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "*",
        "https://evil.example",
        f"{PAGE}.evil.example",
        f"{PAGE}:444",
        "http://play.example.org",
    ],
)
async def test_a_page_of_another_origin_is_refused(whole: Running, origin: str) -> None:
    told = await post(address(whole), INFO, "{}", ("origin", origin))
    assert told.status == 403
    assert not any(name.startswith("access-control") for name in told.headers)


async def test_a_page_of_an_allowed_origin_is_answered(whole: Running) -> None:
    told = await post(address(whole), INFO, "{}", ("origin", PAGE))
    assert (told.status, told.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "access-control-allow-credentials" not in told.headers
    for origin, status in ((PAGE, b"204"), ("https://evil.example", b"403")):
        async with Http(address(whole)) as http:
            http.writer.write(
                f"OPTIONS /{INFO} HTTP/1.1\r\nhost: {http.address}\r\norigin: {origin}\r\n"
                "access-control-request-method: POST\r\n\r\n".encode()
            )
            assert (await http.reader.readline()).split()[1] == status
            head = await http.reader.readuntil(b"\r\n\r\n")
            assert (b"croupier-ticket" in head) is (status == b"204")


@pytest.mark.parametrize(
    "flags",
    [
        {"web": "nowhere"},
        {"web": "127.0.0.1:99999"},
        {"web": "0.0.0.0:7422", "insecure_listen": True},
        {"web": "0.0.0.0:7422", "web_hosts": "a.test"},
        {"web": "7422", "web_origins": "*"},
        {"web": "7422", "web_origins": "https://a.test/"},
        {"web": "7422", "web_origins": "null"},
        {"web": "7422", "web_hosts": "*.a.test"},
        {"web": "7422", "web_hosts": "http://a.test"},
    ],
)
def test_settings_that_would_let_anybody_in_are_refused(flags: dict[str, str | bool]) -> None:
    with pytest.raises(SettingsError, match="web"):
        load(flags)


def test_beyond_loopback_keys_are_asked_for() -> None:
    settings = {"web_hosts": "a.test", "insecure_listen": True}
    assert not Settings.model_validate({"web": "7422"}).asks_for_keys
    assert Settings.model_validate({"web": "0.0.0.0:7422", **settings}).asks_for_keys


# Attacks ------------------------------------------------------------------------------------------


async def refused_connection(http: Http) -> bytes:
    """All that comes before the server closes the connection."""
    return await http.reader.read()


async def test_a_huge_body_is_not_read(whole: Running) -> None:
    async with Http(address(whole)) as http:
        http.writer.write(
            f"POST /{INFO} HTTP/1.1\r\nhost: {http.address}\r\ncontent-type: application/proto\r\n"
            f"content-length: {1 << 40}\r\n\r\n".encode()
            + b"x" * 100_000
        )
        text = await refused_connection(http)
    assert text.startswith(b"HTTP/1.1 400")
    assert b"MALFORMED_REQUEST" in text


@pytest.mark.more
@pytest.mark.parametrize("kind", ["application/proto", "application/grpc-web+proto"])
async def test_a_compressed_request_is_refused_as_it_is(whole: Running, kind: str) -> None:
    bomb = gzip.compress(bytes(60_000_000))[:60_000]
    field = "content-encoding" if kind == "application/proto" else "grpc-encoding"
    body = bomb if kind == "application/proto" else b"\1" + envelope(bomb)[1:]
    async with Http(address(whole)) as http:
        http.send(INFO, body, kind, (field, "gzip"))
        told = await http.answer()
    assert b"compression is not supported" in told.body.replace(b"%20", b" ")


async def test_a_compressed_message_without_a_header_is_refused(whole: Running) -> None:
    async with Http(address(whole)) as http:
        body = b"\1" + envelope(gzip.compress(b"x" * 100))[1:]
        http.send(INFO, body, "application/grpc-web+proto")
        told = await http.answer()
    assert "grpc-status" in told.headers or b"grpc-status" in told.body


@pytest.mark.parametrize("header", ["x" * 17_000, "\r\n".join(["x: y"] * 5_000)])
async def test_a_flood_of_headers_is_refused(whole: Running, header: str) -> None:
    async with Http(address(whole)) as http:
        http.writer.write(
            f"POST /{INFO} HTTP/1.1\r\nhost: {http.address}\r\nx: {header}\r\n\r\n".encode()
        )
        assert (await http.reader.readline()).split()[1] in (b"400", b"431")


async def test_bytes_that_are_no_http_are_refused(whole: Running) -> None:
    async with Http(address(whole)) as http:
        http.writer.write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9)
        assert b" 400 " in (await refused_connection(http)).splitlines()[0]


@pytest.mark.parametrize(
    "begun", [b"", b"POST / HTTP/1.1\r\nhost:", b"POST / HTTP/1.1\r\nx: y\r\n"]
)
async def test_headers_that_do_not_come_end_the_connection(
    whole: Running, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.05)
    async with Http(address(whole)) as http:
        http.writer.write(begun)
        assert await refused_connection(http) == b""


async def test_a_body_that_does_not_come_ends_the_connection(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.05)
    async with Http(address(whole)) as http:
        http.writer.write(
            f"POST /{INFO} HTTP/1.1\r\nhost: {http.address}\r\ncontent-type: application/json\r\n"
            "content-length: 2\r\n\r\n{".encode()
        )
        assert b"did not arrive" in await refused_connection(http)


@pytest.mark.more
async def test_a_client_that_does_not_read_loses_its_connection(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks again and again and takes no answer."""
    monkeypatch.setattr(web, "STALLED_SECONDS", 0.05)
    host, _, port = address(whole).rpartition(":")
    request = (
        f"POST /croupier.v1.CatalogService/GetRuleset HTTP/1.1\r\nhost: {host}:{port}\r\n"
        'content-type: application/json\r\ncontent-length: 28\r\n\r\n{"game":"GAME_KIND_TRACTOR"}'
    ).encode()
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.setblocking(False)
        await loop.sock_connect(client, (host, int(port)))
        with contextlib.suppress(ConnectionError):
            while True:
                await loop.sock_sendall(client, request * 100)
    await until(lambda: connections(whole.app.server) == 0)


async def test_connections_are_counted() -> None:
    async with server(web="0", web_connections_max=2) as whole:
        at = address(whole)
        async with Http(at) as first, Http(at) as second:
            for http in (first, second):
                http.send(INFO, b"{}", "application/json")
                assert (await http.answer()).status == 200
            async with Http(at) as third:
                assert b" 503 " in (await refused_connection(third)).splitlines()[0]
        await until(lambda: connections(whole.app.server) == 0)
        assert (await post(at, INFO)).status == 200


async def test_many_requests_follow_on_one_connection(whole: Running) -> None:
    async with Http(address(whole)) as http:
        for _ in range(100):
            http.send(INFO, b"", "application/proto")
            told = await http.answer()
            system_service_pb2.GetServerInfoResponse.FromString(told.body)


async def test_a_fault_of_the_server_shows_as_internal_alone(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(play_service, "seat_at", fails)
    with structlog.testing.capture_logs():
        told = await post(address(whole), f"{PLAY}/GetSeatView", '{"tableId": "x"}')
    assert (told.status, told.refusal().reason) == (500, "INTERNAL")
    assert b"secret" not in told.body
