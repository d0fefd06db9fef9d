"""Facts about the server."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from croupier.v1 import system_service_pb2 as pb
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.rpc.system_service import SystemService
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.spec import ruleset_hash
from tests.rpc.conftest import Serve

METHOD = "croupier.v1.SystemService/GetServerInfo"


async def test_a_server_says_what_it_is(serve: Serve, root: Path) -> None:
    clock = ManualClock(1_234_567)
    limits = pb.ServerLimits(tables_max=7, page_size_max=9)
    can, bots = pb.ServerCapabilities(session=True), frozenset({"random", "greedy"})
    system = SystemService(limits, can, 2_500, clock.now_ms, bots)
    async with serve(system) as call:
        info = await call.unary(METHOD, pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
        clock.advance(1_000)
        later = await call.unary(METHOD, pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
    assert info.version == version("croupier-server")
    assert info.api_versions == ["croupier.v1", "croupier.record.v1"]
    assert info.capabilities == pb.ServerCapabilities(session=True)
    assert info.limits == limits
    assert info.house_bots == ["greedy", "random"]
    assert info.heartbeat_interval.ToMilliseconds() == 2_500
    assert info.server_time.ToMilliseconds() == 1_234_567
    assert later.server_time.ToMilliseconds() == 1_235_567
    image = root / "server/croupier_server/rpc/descriptors.binpb"
    assert info.descriptor_hash == hashlib.sha256(image.read_bytes()).digest()


async def test_every_ruleset_has_its_own_hash(serve: Serve) -> None:
    system = SystemService(pb.ServerLimits(), pb.ServerCapabilities(), 1, ManualClock().now_ms, ())
    async with serve(system) as call:
        info = await call.unary(METHOD, pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
    assert {(int(entry.game), entry.ruleset): entry.hash for entry in info.rulesets} == {
        (WIRES_BY_NAME[game.name].kind, name): ruleset_hash(
            game.option_text(game.options(name, {}))
        )
        for game in GAMES.values()
        for name in game.rulesets()
    }
    assert len({entry.hash for entry in info.rulesets}) == len(info.rulesets)
