"""What a conductor does about faults and orders, with hosts that play nothing."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from croupier_server.contest.arena import ContestFailed
from croupier_server.contest.ladder.conductor import Limits, conduct, for_a_clock
from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.events import Body
from croupier_server.contest.ladder.executor import Host, Job, Work
from croupier_server.contest.ladder.log import ContestLog, open_log
from croupier_server.contest.ladder.opening import begin, draft, load, played_boards
from croupier_server.contest.ladder.spec import BadSpec, parse_spec
from croupier_server.contest.ladder.standings import make_report, reproducible
from croupier_server.contest.pairing import Match
from croupier_server.contest.report import as_json
from croupier_server.contest.results import MatchResult, Outcome

Fault = Callable[[Match], int | None]
"""The bot at fault in a match, if one is."""


class Hosts:
    """An executor whose hosts know the result of every match, and of whose matches *fault* says
    who spoils them."""

    def __init__(self, fault: Fault = lambda _: None) -> None:
        self.fault = fault
        self.played: Counter[int] = Counter()
        self.bots: dict[int, set[int]] = {}
        self.jobs: list[Job] = []
        self.broken = ""

    @asynccontextmanager
    async def host(self, number: int, job: Job) -> AsyncIterator[Host]:
        self.jobs.append(job)
        yield self

    async def play(self, hand: Sequence[Work]) -> list[list[MatchResult]]:
        # Later boards end first.
        for _ in range(20 - hand[0].matches[0].board % 20):
            await asyncio.sleep(0)
        return [[self._result(match) for match in work.matches] for work in hand]

    def _result(self, match: Match) -> MatchResult:
        self.played[match.board] += 1
        self.bots.setdefault(match.board, set()).update(match.players)
        ahead = (match.board * 7 + match.seating) % 11 - 5
        scores = tuple(float(ahead if team == 0 else -ahead) for team in match.teams)
        bot = self.fault(match)
        if bot is None or bot not in match.players:
            return MatchResult(match, "", scores, Outcome.PLAYED, reason="FINISHED")
        return MatchResult(match, "", scores, Outcome.CRASHED, (bot,))


BOTS = ("greedy", "random", "greedy")


async def played(
    folder: Path,
    hosts: Hosts,
    *orders: Body,
    tables: int = 32,
    cores: int = 0,
    **more: Any,
) -> tuple[Contest, dict[str, Any]]:
    """A contest as *hosts* have played it, and its export. It stops after its first half for each
    of the *orders*, and goes on with what is left."""
    entrants = [{"name": f"{bot}{n}", "bot": bot} for n, bot in enumerate(BOTS)]
    spec = parse_spec(
        {
            "name": "cup",
            "game": "pokex",
            "options": {"max_deals": "1"},
            "boards": 4,
            "batch": 3,
            "seed": 5,
            "entrant": entrants,
            **more,
        }
    )
    await asyncio.to_thread(folder.mkdir)
    async with open_log(f"sqlite:{folder / 'log.sqlite'}", "cup", create=True) as log:
        contest = await begin(spec, log, folder)
        await conduct(contest, log, folder, Limits(tables, 1, cores), executor=hosts)
        for order in orders:
            await log.order(order)
        await conduct(await load(log), log, folder, Limits(tables, 1, cores), executor=hosts)
        return await _read(log)


async def _read(log: ContestLog) -> tuple[Contest, dict[str, Any]]:
    contest = await load(log)
    found = as_json(reproducible(make_report(contest, await played_boards(contest, log))))
    return contest, json.loads(found)


LONGER: Body = {"kind": "length", "boards": 8}


async def test_a_substitute_plays_what_is_scheduled_after_it(tmp_path: Path) -> None:
    hosts = Hosts()
    order = {"kind": "substituted", "entrant": 1, "bot": "search", "why": "a better one"}
    contest, found = await played(tmp_path / "c", hosts, order, LONGER)
    (substitute,) = contest.substitutes
    assert substitute.start == 12
    for board, bots in hosts.bots.items():
        assert not bots & ({3} if board < substitute.start else {1})
    assert any(3 in bots for bots in hosts.bots.values())
    assert [job.setting.entrants[3].name for job in hosts.jobs[-1:]] == ["random1/substitute 1"]
    # Its results are those of the entrant.
    assert {row["entrant"]: row["boards"] for row in found["standings"]} == dict.fromkeys(
        range(3), 16
    )
    labels = make_report(contest).entrants[1].labels
    assert labels == ("search plays for it from board 13 on",)


async def test_a_substitute_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    order = {"kind": "substituted", "entrant": 1, "bot": "nobody", "why": "a better one"}
    contest, _ = await played(tmp_path / "c", Hosts(), order, LONGER)
    assert not contest.substitutes
    assert contest.counted == 24


async def test_who_is_quarantined_does_not_depend_on_what_is_played_at_a_time(
    tmp_path: Path,
) -> None:
    found = []
    for tables in (1, 6, 64):
        hosts = Hosts(lambda match: 1 if match.board % 7 < 5 else None)
        contest, export = await played(
            tmp_path / str(tables), hosts, tables=tables, boards=20, quarantine=3
        )
        assert set(contest.withdrawn) == {1}
        found.append(export)
    assert found[0] == found[1] == found[2]


async def test_who_was_quarantined_is_readmitted(tmp_path: Path) -> None:
    hosts = Hosts(lambda match: 1 if match.board < 12 else None)
    order = {"kind": "readmitted", "entrant": 1, "why": "mended"}
    contest, _ = await played(tmp_path / "c", hosts, order, LONGER, quarantine=2)
    assert not contest.withdrawn
    assert 1 in hosts.bots[max(hosts.bots)]


async def test_a_fault_of_the_house_is_nobodys(tmp_path: Path) -> None:
    house = len(BOTS)
    tried: set[int] = set()

    def once(match: Match) -> int | None:
        if match.board == 2 and len(tried) < 1:
            tried.add(match.number)
            return house
        return None

    quiet = await played(tmp_path / "quiet", Hosts(), form="field")
    hosts = Hosts(once)
    found = await played(tmp_path / "c", hosts, form="field")
    assert found[1] == quiet[1]
    assert hosts.played[2] == 2 * hosts.played[1]


async def test_a_house_that_always_fails_ends_the_runner(tmp_path: Path) -> None:
    with pytest.raises(ContestFailed, match=r"^board "):
        await played(tmp_path / "c", Hosts(lambda _: len(BOTS)), form="field")


@pytest.mark.parametrize(
    ("cores", "asked", "given", "load"),
    [
        (2, (32, 1), (1, 1), (2, 1)),
        (4, (32, 2), (3, 1), (3, 3)),
        (16, (32, 8), (11, 5), (11, 11)),
        (16, (4, 1), (4, 1), (4, 15)),
    ],
)
def test_under_a_clock_no_more_bots_think_than_cores_are_free(
    cores: int, asked: tuple[int, int], given: tuple[int, int], load: tuple[int, int]
) -> None:
    bots = [{"name": bot, "bot": bot} for bot in ("greedy", "random")]
    spec = parse_spec({"name": "cup", "game": "pokex", "entrant": bots, "clock": {"per_move": 1}})
    contest = draft(spec, Path())
    assert for_a_clock(contest, Limits(*asked, cores)) == (Limits(*given, cores), load)


async def test_oversubscribed_clocks_are_reported(tmp_path: Path) -> None:
    def told(found: dict[str, Any]) -> dict[str, str]:
        return dict(found["contest"]["provenance"])

    warning = "oversubscribed: up to 2 bots thought at once on 1 free cores"
    clock: Any = {"clock": {"per_move": 10}}
    for name, cores, more, words in (
        ("few", 2, clock, warning),
        ("many", 8, clock, None),
        ("unclocked", 2, {}, None),
    ):
        contest, found = await played(tmp_path / name, Hosts(), cores=cores, **more)
        assert told(found).get("Clocks") == words
        assert bool(contest.oversubscription) == bool(words)


def test_a_contest_in_which_nobody_may_meet_is_refused() -> None:
    bots = [{"name": bot, "bot": bot, "owner": "Ann"} for bot in ("greedy", "random")]
    spec = parse_spec({"name": "cup", "game": "pokex", "entrant": bots})
    with pytest.raises(BadSpec, match="nobody may meet"):
        draft(spec, Path())
