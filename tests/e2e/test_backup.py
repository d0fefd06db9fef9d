"""A store is backed up while a server runs on it, and another server goes on from the backup."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from croupier.v1 import game_pb2, table_pb2
from croupier.v1 import spectate_service_pb2 as spectate
from croupier.v1 import spectate_service_pb2_grpc as spectate_grpc
from croupier.v1 import table_service_pb2 as tables
from croupier.v1 import table_service_pb2_grpc as tables_grpc
from croupier_server.cli import run
from tests.e2e.serving import SECONDS, served
from tests.storage.postgres import Cluster


@contextmanager
def serving(store: str) -> Iterator[grpc.Channel]:
    """A server on *store* that is stopped in good order."""
    arguments = ("--store", store, "--log-level", "error", "--records-days", "1")
    with served(*arguments) as server, grpc.insecure_channel(server.address) as channel:
        yield channel
        server.process.send_signal(signal.SIGTERM)
        assert server.end() == (0, "")


def updates(channel: grpc.Channel, table_id: str, **place: int) -> Iterator[table_pb2.TableUpdate]:
    """What a spectator is sent who has been there before, once the table has been taken up."""
    request = spectate.SpectateTableRequest(table_id=table_id, **place)
    stub = spectate_grpc.SpectateServiceStub(channel)
    until = time.monotonic() + SECONDS
    while True:
        try:
            for message in stub.SpectateTable(request, timeout=SECONDS):
                yield message.update
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > until:
                raise
            time.sleep(0.05)


def make(channel: grpc.Channel) -> str:
    """A table with open seats."""
    request = tables.CreateTableRequest(spec=table_pb2.TableSpec(game=game_pb2.GAME_KIND_TONGITS))
    return str(tables_grpc.TableServiceStub(channel).CreateTable(request).table.table_id)


def join(channel: grpc.Channel, table_id: str) -> None:
    request = tables.JoinTableRequest(
        table_id=table_id, player=table_pb2.Player(display_name="ann")
    )
    tables_grpc.TableServiceStub(channel).JoinTable(request)


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'croupier.db'}"
    cluster: Cluster = request.getfixturevalue("cluster")
    return await cluster.create()


@pytest.mark.more
def test_resumable_whoever_has_seen_more_than_the_backup_is_sent_a_reset(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "backup")
    with serving(store) as channel:
        table_id = make(channel)
        assert run(["backup", file, "--store", store]) == 0
        join(channel, table_id)
        seen = next(updates(channel, table_id)).snapshot
        assert seen.sequence == 2
        capsys.readouterr()
        assert run(["restore", file, "--store", store, "--replace"]) == 1
        refused = capsys.readouterr().err
        assert "is in use by process" in refused or "another server holds" in refused
    assert run(["restore", file, "--store", store, "--replace"]) == 0
    assert capsys.readouterr().out == "restored, with 1 live table\n"
    with serving(store) as channel:
        again = updates(
            channel, table_id, table_epoch=seen.table.table_epoch, after_sequence=seen.sequence
        )
        assert next(again).reset.reason == table_pb2.RESET_REASON_EPOCH
        snapshot = next(again).snapshot
        assert snapshot.table.table_epoch > seen.table.table_epoch
        assert snapshot.sequence == 1
        join(channel, table_id)
        assert next(again).event.sequence == 2
