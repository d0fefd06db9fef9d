"""What each call of an arbiter takes, and what it refuses, on a real port."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from croupier.v1 import system_service_pb2
from croupier.v1 import tournament_service_pb2 as pb
from croupier_server.arbiter.process import ArbiterSettings, FolderInUse, running
from croupier_server.identity.keys import Scope, new_key, with_implied
from croupier_server.identity.rights import ARBITER_RIGHTS
from croupier_server.storage.base import StoredKey
from croupier_server.storage.beside import beside
from tests.rpc.calls import Caller
from tests.rpc.keyed import bearer

TOURNAMENTS = "croupier.v1.TournamentService"

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Open:
    """An arbiter that listens, and a key of each scope for it."""

    def __init__(self, call: Caller, keys: dict[Scope, str], folder: Path) -> None:
        self.call = call
        self.keys = keys
        self.folder = folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Open]:
    folder = tmp_path_factory.mktemp("arbiter")
    settings = ArbiterSettings("127.0.0.1:1", folder)
    keys: dict[Scope, str] = {}
    async with beside(settings.keys_url, may_make=True) as store:
        for scope in Scope:
            made = new_key(secrets.token_bytes)
            keys[scope] = made.text
            stored = StoredKey(made.key_id, f"has-{scope}", frozenset((scope,)), made.hash, 0)
            await store.keys.add(stored)
    async with (
        running(settings) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        yield Open(Caller(channel), keys, folder)


@pytest.mark.parametrize("method", ARBITER_RIGHTS)
async def test_every_call_takes_a_key_with_its_scope(live: Open, method: str) -> None:
    needed = ARBITER_RIGHTS[method].scope
    assert (await live.call.refused(method, b"")).reason == "UNAUTHENTICATED"
    for scope, key in live.keys.items():
        # A request that is no message shows who is let in, and changes nothing.
        refused = await live.call.refused(method, b"\x0a\x7fshort", bearer(key))
        may = needed in with_implied(frozenset((scope,)))
        assert refused.reason == ("MALFORMED_REQUEST" if may else "PERMISSION_DENIED"), scope


async def test_fields_are_checked_and_named(live: Open) -> None:
    organiser = bearer(live.keys[Scope.ORGANISE])
    refused = await live.call.refused(f"{TOURNAMENTS}/CreateTournament", b"", organiser)
    assert (refused.reason, refused.fields) == ("MALFORMED_REQUEST", ("spec",))
    request = pb.CreateTournamentRequest(spec=pb.TournamentSpec(name="cup", game=3, boards=4))  # type: ignore[arg-type]  # Pokex
    request.spec.entrants.add(name="a", house_bot="greedy")
    request.spec.entrants.add(name="b", house_bot="cmd:sh")
    refused = await live.call.refused(f"{TOURNAMENTS}/CreateTournament", request, organiser)
    assert (refused.reason, refused.fields) == (
        "PROGRAM_NOT_ALLOWED",
        ("spec.entrants[1].house_bot",),
    )
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    unknown = pb.GetTournamentRequest(tournament_id="none")
    player = bearer(live.keys[Scope.PLAY])
    refused = await live.call.refused(f"{TOURNAMENTS}/GetTournament", unknown, player)
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")


async def test_an_arbiter_says_what_it_is_without_a_key(live: Open) -> None:
    info = await live.call.unary(
        "croupier.v1.SystemService/GetServerInfo", b"", system_service_pb2.GetServerInfoResponse
    )
    assert info.capabilities.tournaments
    assert not info.capabilities.seats


async def test_a_folder_is_for_one_arbiter(live: Open) -> None:
    with pytest.raises(FolderInUse):
        async with running(ArbiterSettings("127.0.0.1:1", live.folder)):
            pass
