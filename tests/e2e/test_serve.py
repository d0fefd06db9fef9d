"""``croupier serve`` as a process: it announces itself, serves, stops, and says what is wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha.reflection_pb2 import (
    ServerReflectionRequest,
    ServerReflectionResponse,
)

from croupier.record.v1 import record_pb2
from croupier.record.v1 import record_service_pb2 as records
from croupier.record.v1 import record_service_pb2_grpc as records_grpc
from croupier.v1 import game_pb2, table_pb2
from croupier.v1 import system_service_pb2 as system
from croupier.v1 import system_service_pb2_grpc as system_grpc
from croupier.v1 import table_service_pb2 as tables
from croupier.v1 import table_service_pb2_grpc as tables_grpc
from tests.e2e.serving import COMMAND, SECONDS, clean_environment, served

BUF = str(Path(sys.executable).parent / "buf")


def run(*arguments: str, **changes: str) -> tuple[int, str, str]:
    """Status, output and errors of a ``serve`` that ends by itself."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        env=clean_environment(**changes),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def watch_health(
    channel: grpc.Channel, service: str = ""
) -> Iterator[health_pb2.HealthCheckResponse]:
    """The health of a service, now and whenever it changes."""
    watch: grpc.UnaryStreamMultiCallable[
        health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse
    ] = channel.unary_stream(
        "/grpc.health.v1.Health/Watch",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    return iter(watch(health_pb2.HealthCheckRequest(service=service)))


@pytest.mark.more
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("loop", ["asyncio", "auto"])
def test_it_announces_itself_serves_and_stops(number: signal.Signals, loop: str) -> None:
    with served("--loop", loop, "--log-format", "json") as server:
        assert server.pid == server.process.pid
        with grpc.insecure_channel(server.address) as channel:
            stub = system_grpc.SystemServiceStub(channel)
            info = stub.GetServerInfo(system.GetServerInfoRequest(), timeout=SECONDS)
            assert info.capabilities.house_bots
        os.kill(server.pid, number)
        status, log = server.end()
    assert status == 0
    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert events == ["listening", "call", "stopping", "stopped"]


def test_streams_are_told_and_health_changes_before_it_stops() -> None:
    with served("--log-level", "error") as server:
        with grpc.insecure_channel(server.address) as channel:
            health = watch_health(channel, "croupier.v1.TableService")
            assert next(health).status == health_pb2.HealthCheckResponse.SERVING
            lobby = tables_grpc.TableServiceStub(channel).WatchLobby(
                tables.WatchLobbyRequest(follow=True)
            )
            assert next(lobby).HasField("caught_up")
            os.kill(server.pid, signal.SIGTERM)
            assert next(health).status == health_pb2.HealthCheckResponse.NOT_SERVING
            end = next(lobby).end
            assert end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
            assert end.retry_after.ToMilliseconds() > 0
            assert list(lobby) == []
        assert server.end() == (0, "")


@pytest.mark.more
def test_a_reader_that_never_goes_does_not_hold_it_up() -> None:
    with (
        served("--log-level", "error", "--shutdown-grace-ms", "100") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        health = watch_health(channel)
        next(health)
        os.kill(server.pid, signal.SIGTERM)
        assert server.end() == (0, "")


@pytest.mark.more
def test_a_second_signal_ends_it_at_once() -> None:
    with (
        served("--log-level", "error", "--shutdown-grace-ms", "600000") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        health = watch_health(channel)
        assert next(health).status == health_pb2.HealthCheckResponse.SERVING
        os.kill(server.pid, signal.SIGINT)
        # The watcher of health is what keeps the server now.
        assert next(health).status == health_pb2.HealthCheckResponse.NOT_SERVING
        os.kill(server.pid, signal.SIGINT)
        assert server.end() == (128 + signal.SIGINT, "")


@pytest.mark.more
def test_reflection_names_every_service() -> None:
    from google.protobuf.descriptor_pool import DescriptorPool
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
        ProtoReflectionDescriptorDatabase,
    )

    with (
        served("--log-level", "error") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        database = ProtoReflectionDescriptorDatabase(channel)
        names = set(database.get_services())
        pool = DescriptorPool(database)
        service = pool.FindServiceByName("croupier.v1.PlayService")
        method = service.methods_by_name["SubmitMove"]
        move = method.input_type.fields_by_name["move"].message_type
        assert move is not None
        assert move.name == "Move"
    assert names == {
        "croupier.v1.SystemService",
        "croupier.v1.CatalogService",
        "croupier.v1.TableService",
        "croupier.v1.PlayService",
        "croupier.v1.SeatService",
        "croupier.v1.SessionService",
        "croupier.v1.SpectateService",
        "croupier.record.v1.RecordService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }


@pytest.mark.more
@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_every_version_of_reflection_describes_calls_and_details_of_errors(version: str) -> None:
    with (
        served("--log-level", "error") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        ask: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
            f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
        )
        question = ServerReflectionRequest(file_containing_symbol="google.rpc.ErrorInfo")
        (answer,) = ask(iter([question.SerializeToString()]), timeout=SECONDS)
        done = subprocess.run(
            [
                *(BUF, "curl", "--http2-prior-knowledge", "--protocol", "grpc"),
                *("--reflect-protocol", f"grpc-{version}"),
                f"http://{server.address}/croupier.v1.SystemService/GetServerInfo",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    files = ServerReflectionResponse.FromString(answer).file_descriptor_response
    names = [FileDescriptorProto.FromString(one).name for one in files.file_descriptor_proto]
    assert "google/rpc/error_details.proto" in names
    assert "apiVersions" in json.loads(done.stdout)


@pytest.mark.more
def test_without_reflection_there_is_none() -> None:
    with (
        served("--log-level", "error", "--reflection", "false") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        listing: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
        )
        with pytest.raises(grpc.RpcError) as caught:
            list(listing(iter([b"\x3a\x00"]), timeout=SECONDS))
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.more
def test_a_port_that_is_taken_is_one_clear_line(taken: int) -> None:
    status, out, text = run("--port", str(taken))
    assert (status, out) == (1, "")
    assert text == (
        f"croupier: cannot listen on 127.0.0.1:{taken}: already in use, or not an address of this "
        "machine\n"
    )


@pytest.mark.more
def test_two_servers_do_not_share_a_port() -> None:
    with served("--log-level", "error") as server:
        port = server.address.rpartition(":")[2]
        status, _, text = run("--port", port)
    assert status == 1
    assert text.count("\n") == 1


@pytest.mark.more
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--prot", "1"), "No such option: --prot"),
        (("--port", "x"), "--port"),
        (("--port", "70000"), "--port: Input should be less than or equal to 65535, not 70000"),
        (("--loop", "trio"), "--loop"),
        (("--host", "0.0.0.0"), "--insecure-listen"),
        (("--auth", "keys", "--store", "memory:"), "store: a store in memory cannot have keys"),
        (("--config", "nowhere.toml"), "nowhere.toml: No such file"),
        (("--announce-fd", "99"), "--announce-fd: 99 is not an open file descriptor"),
        (("--until-fd", "99"), "--until-fd: 99 is not an open file descriptor"),
        (("extra",), "extra"),
    ],
)
def test_wrong_input_is_one_clear_line(arguments: tuple[str, ...], line: str) -> None:
    status, out, text = run(*arguments)
    assert (status, out) == (2, "")
    assert text.startswith("croupier: ")
    assert line in text
    assert text.count("\n") == 1


@pytest.mark.more
def test_a_wrong_environment_is_one_clear_line() -> None:
    status, _, text = run(CROUPIER_PORT="x")
    assert status == 2
    assert text.startswith("croupier: CROUPIER_PORT: ")


@pytest.mark.more
def test_help_names_every_setting() -> None:
    from croupier_server.config import Settings

    status, text, _ = run("--help", COLUMNS="120")
    assert status == 0
    missing = [
        name
        for name in (*Settings.model_fields, "config", "announce_fd", "until_fd")
        if f"--{name.replace('_', '-')}" not in text
    ]
    assert missing == []


def server_info(*arguments: str) -> tuple[int, str, str]:
    """Status, output and errors of ``server-info``."""
    command = (sys.executable, "-m", "croupier_server", "server-info", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.more
def test_server_info_prints_what_the_server_says() -> None:
    with served("--log-level", "error") as server:
        status, text, errors = server_info("--server", server.address)
        assert (status, errors) == (0, "")
        assert "speaks croupier.v1, croupier.record.v1" in text
        assert "tractor standard: " in text
        status, text, _ = server_info("--server", server.address, "--json")
        assert json.loads(text)["heartbeat_interval"] == "10s"


@pytest.mark.more
def test_server_info_without_a_server_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"127.0.0.1:{gone.getsockname()[1]}"
    status, text, errors = server_info("--server", address)
    assert (status, text) == (1, "")
    assert errors.startswith(f"croupier: no Croupier server answers at {address}: ")
    assert errors.count("\n") == 1


@pytest.mark.more
def test_house_seats_are_played_to_the_end_by_bots_that_dial_in() -> None:
    seat = "seats {{ access: SEAT_ACCESS_HOUSE house_bot: '{}' }}"
    request = text_format.Parse(
        "spec { game: GAME_KIND_TRACTOR options { tractor { max_deals: 1 } } }"
        + "".join(seat.format(bot) for bot in ("greedy", "random", "greedy", "random")),
        tables.CreateTableRequest(),
    )
    with (
        served("--log-level", "warning") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        made = tables_grpc.TableServiceStub(channel).CreateTable(request, timeout=SECONDS)
        since = records.StreamRecordsRequest(since=made.table.create_time, follow=True)
        stream = records_grpc.RecordServiceStub(channel).StreamRecords(since, timeout=SECONDS)
        chunks = []
        for item in stream:
            chunks.append(item.chunk.data)
            if item.chunk.last:
                break
        record = record_pb2.MatchRecord.FromString(b"".join(chunks))
        stream.cancel()
        os.kill(server.pid, signal.SIGTERM)
        assert server.end() == (0, "")
    assert record.table.table_id == made.table.table_id
    assert record.result.reason == game_pb2.END_REASON_FINISHED
    assert record.reveal.secret
    assert not any(record.reveal.nonces), "they would be the server's own"
