"""Facts about the server: versions, capabilities, limits and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from importlib.metadata import version
from typing import Final

from croupier.v1 import system_service_pb2 as pb
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.rpc.validate import image_bytes
from croupier_server.tables.caller import Caller
from croupier_server.tables.spec import ruleset_hash

API_VERSIONS: Final = ("croupier.v1", "croupier.record.v1")


class SystemService:
    """``croupier.v1.SystemService``.

    Args:
        limits: what the server holds callers to.
        capabilities: what it can do beyond the base.
        heartbeat_ms: time between heartbeats on a stream.
        now_ms: the server's clock.
        house_bots: names of the house bots that a seat may have.
    """

    service = "croupier.v1.SystemService"

    def __init__(
        self,
        limits: pb.ServerLimits,
        capabilities: pb.ServerCapabilities,
        heartbeat_ms: int,
        now_ms: Callable[[], int],
        house_bots: Collection[str],
    ) -> None:
        self._now_ms = now_ms
        self._facts = pb.GetServerInfoResponse(
            version=version("croupier-server"),
            api_versions=API_VERSIONS,
            capabilities=capabilities,
            limits=limits,
            rulesets=_ruleset_hashes(),
            descriptor_hash=hashlib.sha256(image_bytes()).digest(),
            house_bots=sorted(house_bots),
        )
        self._facts.heartbeat_interval.FromMilliseconds(heartbeat_ms)

    async def get_server_info(
        self, _caller: Caller, _request: pb.GetServerInfoRequest
    ) -> pb.GetServerInfoResponse:
        """Everything, with the time as it is now."""
        answer = pb.GetServerInfoResponse()
        answer.CopyFrom(self._facts)
        answer.server_time.FromMilliseconds(self._now_ms())
        return answer


def _ruleset_hashes() -> Iterator[pb.RulesetHash]:
    """A hash for every ruleset of every game as it is without changed options."""
    for name, game in sorted(GAMES.items()):
        for ruleset in game.rulesets():
            texts = game.option_text(game.options(ruleset, {}))
            yield pb.RulesetHash(
                game=WIRES_BY_NAME[name].kind,  # type: ignore[arg-type]  # a number of GameKind
                ruleset=ruleset,
                hash=ruleset_hash(texts),
            )
