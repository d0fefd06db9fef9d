"""Hosts on a Ray cluster, without Ray: `tests/e2e/test_ray_ladder.py` runs the real thing."""

from __future__ import annotations

import sys
from collections.abc import Awaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from croupier_server.contest.arena import ContestFailed
from croupier_server.contest.ladder.executor import Work
from croupier_server.contest.ladder.ray_executor import NoCluster, RayHosts, _Reply, cluster
from croupier_server.contest.pairing import Match
from croupier_server.contest.processes import ProcessFailed
from croupier_server.contest.results import MatchResult, Outcome

MATCH = Match(0, 4, (0, 1), (0, 1), 0)


class RayError(Exception):
    """As in `ray.exceptions`."""


class FakeRay:
    """What an executor uses of Ray: actors that answer with *answers*, call by call."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.killed = 0
        self.sent: list[Any] = []

    def remote(self, **_: Any) -> Any:
        return lambda _: SimpleNamespace(remote=self._actor)

    def kill(self, _: Any) -> None:
        self.killed += 1

    def _actor(self, *_: Any) -> Any:
        method = SimpleNamespace(remote=self._call)
        return SimpleNamespace(open=method, play=method, close=method)

    def _call(self, *given: Any) -> Awaitable[Any]:
        async def answer() -> Any:
            self.sent.append(given)
            found = self._answers.pop(0)
            if isinstance(found, Exception):
                raise found
            return found

        return answer()


def job(kept: dict[int, bytes], alone: set[int], servers: tuple[str, ...] = ()) -> Any:
    """A job whose records go to *kept*."""

    def keep(result: MatchResult, record: bytes) -> str:
        kept[result.match.board] = record
        return "kept"

    return SimpleNamespace(
        setting=None,
        folder=Path(),
        servers=servers,
        records=None,
        builds=[],
        alone=alone,
        keep=keep,
    )


async def test_what_an_actor_has_played_is_kept_here() -> None:
    result = MatchResult(MATCH, "table", (1.0, -1.0), Outcome.PLAYED)
    ray = FakeRay(None, _Reply([[result]], [b"record"], [1, 3], ""), None)
    kept: dict[int, bytes] = {}
    alone = {3}
    async with RayHosts(ray).host(0, job(kept, alone)) as host:
        found = await host.play([Work([MATCH], 0, 1)])
        assert not host.broken
    assert found == [[result._replace(record="kept")]]
    assert kept == {4: b"record"}
    assert alone == {1, 3}
    assert ray.sent[1][1] == [3]
    assert ray.killed == 1


async def test_boards_of_an_actor_that_dies_are_not_played() -> None:
    ray = FakeRay(None, RayError("The actor died\nand much more"), RayError("still"))
    async with RayHosts(ray).host(7, job({}, set())) as host:
        found = await host.play([Work([MATCH], 0, 1)])
        assert host.broken == "host 7 was lost: The actor died"
    assert [one.outcome for one in found[0]] == [Outcome.SERVER_FAULT]
    assert ray.killed == 1


async def test_an_actor_that_does_not_start_is_stopped() -> None:
    ray = FakeRay(RayError("no node"))
    with pytest.raises(ProcessFailed, match="host 0 did not start: no node"):
        async with RayHosts(ray).host(0, job({}, set())):
            pass
    assert ray.killed == 1


async def test_a_cluster_plays_at_servers_of_its_own() -> None:
    with pytest.raises(ContestFailed, match="remove `server`"):
        async with RayHosts(FakeRay()).host(0, job({}, set(), ("localhost:1",))):
            pass


def test_without_ray_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoCluster, match=r'pip install "croupier-server\[ray\]"'), cluster():
        pass
