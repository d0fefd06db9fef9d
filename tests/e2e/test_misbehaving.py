"""Entrants that misbehave in a contest: each costs only itself, is named rightly, and never scores
better than its honest twin, the same bot on the same boards without the misbehaviour."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from croupier_server.cli import run
from croupier_server.contest.supervisor import OUTPUT_MAX
from tests.clients.arena import SHORT
from tests.e2e import misbehaving_bots

SEED = 3
ENTRANTS = ("greedy", "random", "bad")
BAD = 2


class Case(NamedTuple):
    """A way to misbehave.

    Attributes:
        bot: class or program of `misbehaving_bots`.
        outcome: what every fault has to be called; empty: it commits none.
        settings: of the contest.
        always: whether every match of it is a fault.
        also: what faults may be called too, because no process is left for later matches.
    """

    bot: str
    outcome: str = ""
    settings: str = ""
    always: bool = True
    also: str = ""


CLOCK = "[clock]\nper_move = {per_move}\ndisconnect_grace = {grace}\n"

CASES = {
    "hang at start": Case("hang", "no show", "start_seconds = 6.0"),
    "hang in play": Case("Hangs", "stall", "stall_seconds = 3.0"),
    "exit": Case("Exits", "crash"),
    "exit when behind": Case("ExitsWhenBehind", "crash", always=False),
    "concede when behind": Case("Concedes", "crash", always=False),
    "raise": Case("Raises", "crash"),
    "leave at the start": Case("Leaves", "crash"),
    "garbage": Case("garbage", "crash"),
    "illegal moves": Case("Illegal", "illegal move"),
    "slow": Case("Slow", "time", CLOCK.format(per_move=0.5, grace=0)),
    "disconnect": Case(
        "disconnect",
        "disconnect",
        "start_seconds = 8.0\n" + CLOCK.format(per_move=30, grace=2),
        also="no show",
    ),
    "flood of output": Case("Floods"),
    "flood of calls": Case("flood"),
    "garbage on the wire": Case("babble"),
    "children": Case("Forks"),
}

QUICK = ("exit when behind", "flood of calls")


def contest(folder: Path, game: str, bot: str, settings: str, deals: int) -> dict[str, Any]:
    """Play a contest with *bot* in the place of the third entrant; returns its export."""
    folder.mkdir(parents=True)
    code = Path(misbehaving_bots.__file__)
    shutil.copy(code, folder)
    found = f"{code.name}:{bot}"
    if bot.islower():
        found = f"cmd:{sys.executable} {folder / code.name} {bot}"
    head, bracket, clock = settings.partition("[")
    lines = [
        f"game = {game!r}",
        f"options = {{ {SHORT[game]} = '{deals}' }}",
        f"boards = 2\nseed = {SEED}\nquarantine = 99",
        *(head, bracket + clock),
        *(
            f"[[entrant]]\nname = {name!r}\nbot = {json.dumps(found if name == 'bad' else name)}"
            for name in ENTRANTS
        ),
    ]
    (folder / "contest.toml").write_text("\n".join(lines))
    assert run(["ladder", "run", str(folder), "--quiet", "--concurrency", "12"]) == 0
    files = ["--json", str(folder / "out.json"), "--csv", str(folder / "csv")]
    assert run(["ladder", "export", str(folder), *files]) == 0
    assert run(["ladder", "export", str(folder), "--html", str(folder / "out.html")]) == 0
    data: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return data


def margins(match: dict[str, Any]) -> dict[int, float]:
    """What each entrant of a match is ahead, by mean score of its seats."""
    seats = match["seats"]
    return {
        one: sum(s for s, who in zip(match["scores"], seats, strict=True) if who == one)
        / seats.count(one)
        for one in set(seats)
    }


def assert_no_better_than_its_twin(bad: dict[str, Any], twin: dict[str, Any]) -> None:
    """The bot that misbehaves gains nothing by it, in any match, and nobody else pays."""
    assert len(bad["matches"]) == len(twin["matches"])
    for own, honest in zip(bad["matches"], twin["matches"], strict=True):
        assert own["seats"] == honest["seats"]
        if BAD not in own["seats"]:
            assert (own["scores"], own["outcome"]) == (honest["scores"], "played")
        elif own["at_fault"]:
            assert own["at_fault"] == [BAD]
            assert margins(own)[BAD] <= margins(honest)[BAD]
        else:
            assert own["scores"] == honest["scores"]
    rows = [
        next(row for row in found["standings"] if row["entrant"] == BAD) for found in (bad, twin)
    ]
    for name in ("score", "win_rate", "rating"):
        assert rows[0][name]["value"] <= rows[1][name]["value"] + 1e-9, name
    assert rows[0]["losses"] >= rows[1]["losses"]
    assert rows[0]["rank"] >= rows[1]["rank"]


def orphans() -> list[str]:
    """Processes that a bot has left behind."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if misbehaving_bots.ORPHAN.encode() in process.read_bytes().split(b"\0"):
                found.append(process.parent.name)
        except OSError:
            continue
    return found


def assert_misbehaviour_does_not_pay(game: str, kind: str, folder: Path, deals: int = 1) -> None:
    """Play the contest of *kind*, and the same with its honest twin, and compare them."""
    case = CASES[kind]
    found = contest(folder / "bad", game, case.bot, case.settings, deals)
    twin = contest(folder / "twin", game, "Greedy", "", deals)
    assert_no_better_than_its_twin(found, twin)
    assert not any(row["faults"] for row in twin["standings"])
    rows = {row["entrant"]: row for row in found["standings"]}
    assert not rows[0]["faults"]
    assert not rows[1]["faults"]
    own = [match for match in found["matches"] if BAD in match["seats"]]
    faults = Counter(match["outcome"] for match in own if match["at_fault"])
    if case.outcome:
        assert case.outcome in faults
        assert set(faults) <= {case.outcome, case.also}
        assert not case.always or faults.total() == len(own)
    else:
        assert not faults
    assert rows[BAD]["faults"] == dict(faults)
    lines = (folder / "bad" / "csv" / "standings.csv").read_text().splitlines()
    table = list(csv.DictReader(lines))
    row = next(row for row in table if row["name"] == "bad")
    named = {name: int(row[name]) for name in row if name.startswith("fault_") and row[name] != "0"}
    assert named == {f"fault_{name.replace(' ', '_')}": count for name, count in faults.items()}
    page = (folder / "bad" / "out.html").read_text()
    assert not case.outcome or case.outcome in page.lower()
    assert not any(sign in page for sign in "\x1b\x00\u202e")
    assert all(log.stat().st_size <= OUTPUT_MAX for log in (folder / "bad").glob("logs/*/*.log"))
    assert not orphans()


@pytest.mark.attack
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.more if kind in QUICK else pytest.mark.slow)
        for kind in CASES
    ],
)
def test_misbehaviour_costs_only_who_misbehaves(kind: str, tmp_path: Path) -> None:
    assert_misbehaviour_does_not_pay("pokex", kind, tmp_path)


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("kind", ["exit when behind", "concede when behind", "illegal moves"])
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
@pytest.mark.parametrize("deals", [1, 3])
def test_who_leaves_when_behind_gains_nothing(
    game: str, kind: str, deals: int, tmp_path: Path
) -> None:
    """In games of teams the partner loses too, and nobody wins by it."""
    assert_misbehaviour_does_not_pay(game, kind, tmp_path, deals)


@pytest.mark.slow
@pytest.mark.attack
def test_private_a_bot_sees_nothing_of_tables_at_which_it_does_not_sit(tmp_path: Path) -> None:
    """It asks for lists, records and the moves of all tables as long as the contest runs."""
    contest(tmp_path / "c", "pokex", "spy", "", 1)
    found = json.loads((tmp_path / "c" / "seen.json").read_text())
    assert found["asked"] > 10
    assert not [one for one in found["seen"].values() if one == "record"]
    assert set(found["seen"]) <= set(found["own"])
