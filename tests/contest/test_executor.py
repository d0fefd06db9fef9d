"""How a conductor hands boards out, with hosts that play nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from croupier_server.contest.arena import ContestFailed
from croupier_server.contest.ladder.conductor import FAILURES_MAX, Limits, conduct
from croupier_server.contest.ladder.executor import Host, Job, Work, hosts_for
from croupier_server.contest.ladder.log import open_log
from croupier_server.contest.ladder.opening import begin, load, played_boards
from croupier_server.contest.ladder.spec import BadSpec, parse_spec
from croupier_server.contest.ladder.standings import make_report, reproducible
from croupier_server.contest.report import as_json
from croupier_server.contest.results import MatchResult, Outcome


class FakeHost:
    """Gives each match a score that follows from its board, and fails when it is told to."""

    def __init__(self, hosts: FakeHosts) -> None:
        self._hosts = hosts
        self.broken = ""

    async def play(self, hand: Sequence[Work]) -> list[list[MatchResult]]:
        hosts = self._hosts
        boards = [work.matches[0].board for work in hand]
        tables = sum(len(work.matches) for work in hand)
        hosts.hands.append(boards)
        if len(hosts.hands) in hosts.lost:
            self.broken = "the node has died"
        hosts.tables += tables
        hosts.most = max(hosts.most, hosts.tables)
        await asyncio.sleep(0)
        hosts.tables -= tables
        if not self.broken:
            hosts.played.update(boards)
        return [[self._result(match) for match in work.matches] for work in hand]

    def _result(self, match: Any) -> MatchResult:
        if self.broken:
            return MatchResult(match, "", None, Outcome.SERVER_FAULT, detail=self.broken)
        ahead = (match.board * 7 + match.seating) % 11 - 5
        scores = tuple(float(ahead if team == 0 else -ahead) for team in match.teams)
        return MatchResult(match, "", scores, Outcome.PLAYED, reason="FINISHED")


class FakeHosts:
    """An executor whose hosts break while they play the hands with numbers in *lost*."""

    def __init__(self, lost: Sequence[int] = ()) -> None:
        self.lost = frozenset(lost)
        self.hands: list[list[int]] = []
        self.opened: list[int] = []
        self.tables = 0
        self.most = 0
        self.played: Counter[int] = Counter()

    @asynccontextmanager
    async def host(self, number: int, job: Job) -> AsyncIterator[Host]:
        self.opened.append(number)
        yield FakeHost(self)


async def played(
    folder: Path, hosts: FakeHosts, servers: int = 1, tables: int = 32, **more: Any
) -> str:
    """The export of a contest that *hosts* have played."""
    spec = parse_spec(
        {
            "name": "cup",
            "game": "pokex",
            "options": {"max_deals": "1"},
            "boards": 40,
            "batch": 16,
            "seed": 5,
            "entrant": [{"name": bot, "bot": bot} for bot in ("greedy", "random")],
            **more,
        }
    )
    await asyncio.to_thread(folder.mkdir)
    async with open_log(f"sqlite:{folder / 'log.sqlite'}", "cup", create=True) as log:
        contest = await begin(spec, log, folder)
        await conduct(contest, log, folder, Limits(tables, servers), executor=hosts)
        contest = await load(log)
        return as_json(reproducible(make_report(contest, await played_boards(contest, log))))


async def test_every_board_is_played_once_whatever_hosts_die(tmp_path: Path) -> None:
    quiet = await played(tmp_path / "quiet", FakeHosts())
    hosts = FakeHosts(lost=(2, 3, 9))
    assert await played(tmp_path / "lost", hosts, servers=3) == quiet
    assert hosts.played == Counter(range(40))
    assert len(hosts.opened) > 3


async def test_hands_grow_with_the_pace_and_leave_room_for_others(tmp_path: Path) -> None:
    hosts = FakeHosts()
    await played(tmp_path / "wide", hosts, tables=32)
    assert len(hosts.hands[0]) == 1  # nobody knows yet how long a board takes
    assert max(map(len, hosts.hands)) == 4  # a quarter of the room, with two tables a board
    assert hosts.most <= 32


async def test_a_host_plays_one_board_however_little_room_there_is(tmp_path: Path) -> None:
    hosts = FakeHosts()
    await played(tmp_path / "narrow", hosts, servers=2, tables=2)
    assert {len(hand) for hand in hosts.hands} == {1}


async def test_hosts_that_always_fail_end_the_runner(tmp_path: Path) -> None:
    hosts = FakeHosts(lost=range(1000))
    with pytest.raises(ContestFailed, match="the node has died"):
        await played(tmp_path / "failing", hosts)
    assert len(hosts.opened) == FAILURES_MAX + 1


async def test_every_server_that_a_contest_names_has_a_host(tmp_path: Path) -> None:
    hosts = FakeHosts()
    await played(tmp_path / "named", hosts, server=["localhost:1", "localhost:2"])
    assert sorted(hosts.opened) == [0, 1]


@pytest.mark.parametrize("servers", [["a:1", "a:1"], ["a:1", ""]])
def test_servers_are_different_addresses(servers: list[str]) -> None:
    bots = [{"name": bot, "bot": bot} for bot in ("greedy", "random")]
    with pytest.raises(BadSpec, match="must be different addresses"):
        parse_spec({"name": "cup", "game": "pokex", "entrant": bots, "server": servers})


def test_a_host_has_two_cores() -> None:
    assert [hosts_for(cores) for cores in (1, 2, 3, 4, 16)] == [1, 1, 1, 2, 8]
