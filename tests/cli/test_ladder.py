"""`croupier ladder` with real servers and bots in processes of their own."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from croupier_server.cli import run
from croupier_server.contest.ladder.conductor import Limits, conduct
from croupier_server.contest.ladder.events import Event
from croupier_server.contest.ladder.log import ContestLog, LogError, open_log
from croupier_server.contest.ladder.opening import begin, load, played_boards
from croupier_server.contest.ladder.spec import parse_spec
from croupier_server.contest.ladder.standings import make_report, reproducible
from croupier_server.contest.report import as_json
from croupier_server.contest.supervisor import OUTPUT_MAX
from croupier_server.games import NAMES
from tests.clients.arena import SHORT
from tests.more import first_of

EXAMPLES = Path(__file__).parents[2] / "clients" / "python" / "examples"
HALF = f"{EXAMPLES / 'half_greedy.py'}:HalfGreedy"

BOTS = """
import os
import sys
import time

import croupier
from croupier.bots import load_bot


class Greedy(croupier.Bot):
    def __init__(self):
        self.greedy = load_bot("greedy")()

    def decide(self, view, decision):
        return self.greedy.decide(view, decision)


class ExitsInPlay(Greedy):
    decisions = 0

    def decide(self, view, decision):
        self.decisions += 1
        if self.decisions == 3:
            os._exit(7)
        return super().decide(view, decision)


class Hangs(Greedy):
    def decide(self, view, decision):
        time.sleep(3600)


class Illegal(croupier.Bot):
    def decide(self, view, decision):
        return croupier.pokex.bid(99) if decision.kind.name == "BID" else decision.legal[0]


class Floods(Greedy):
    def decide(self, view, decision):
        sys.stderr.write("noise " * 200_000)
        return super().decide(view, decision)


class Leaves(croupier.Bot):
    def on_start(self, table, seat):
        raise ValueError("I do not want to")


if __name__ == "__main__":
    kind = sys.argv[1]
    if kind == "garbage":
        print("\\x1b[31m\\x00garbage\\u202e")
        sys.exit(3)
    if kind == "hang":
        time.sleep(3600)
"""


def spec(folder: Path, game: str = "pokex", **changes: Any) -> None:
    """Write the file of a small contest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bots.py").write_text(BOTS)
    data: dict[str, Any] = {
        "game": game,
        "options": {SHORT[game]: "1"},
        "boards": 2,
        "seed": 3,
        "entrant": [{"name": bot, "bot": bot} for bot in ("greedy", "random")],
    } | changes
    entrants = data.pop("entrant")
    tables = {name: data.pop(name) for name in ("clock", "sprt") if name in data}
    lines = [f"{name} = {_toml(value)}" for name, value in data.items()]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    for entrant in entrants:
        lines += ["[[entrant]]", *(f"{key} = {_toml(value)}" for key, value in entrant.items())]
    (folder / "contest.toml").write_text("\n".join(lines))


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + "}"
    return json.dumps(value)


def ladder(*arguments: object) -> int:
    return run(["ladder", *map(str, arguments)])


def exported(folder: Path) -> dict[str, Any]:
    """What the contest in *folder* exports."""
    assert ladder("export", folder, "--json", folder / "out.json") == 0
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


def test_a_contest_from_its_file_to_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "open"
    options = [f"--option={SHORT['pokex']}=1"]
    bots = ["--bots", f"greedy,random,{HALF}"]
    assert ladder("new", folder, "--game", "pokex", *bots, *options, "--boards", 2) == 0
    assert ladder("run", folder, "--dry-run") == 0
    assert "6 boards, about 12 matches" in capsys.readouterr().out
    assert ladder("run", folder, "--html", folder / "end.html") == 0
    assert re.search(r"1 . greedy", capsys.readouterr().out)
    assert ladder("status", folder) == 0
    assert "finished; 6 of 6 boards, 12 matches" in capsys.readouterr().out
    assert ladder("games", folder, "--entrant", "random") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    record = folder / lines[0].split()[-1]
    assert run(["verify", str(record)]) == 0
    files = ["--html", folder / "report.html", "--csv", folder / "tables"]
    assert ladder("export", folder, *files) == 0
    assert "HalfGreedy" in (folder / "report.html").read_text()
    assert (folder / "report.html").read_text() == (folder / "end.html").read_text()
    assert {file.name for file in (folder / "tables").iterdir()} == {
        "standings.csv",
        "head_to_head.csv",
        "games.csv",
    }


@pytest.mark.parametrize(
    ("verb", "text", "words"),
    [
        ("run", None, "cannot read"),
        ("run", "game = 'chess'", "entrant: Field required"),
        ("run", "game = 'pokex'\nbord = 3\n[[entrant]]\nname = 'a'", "there is no such setting"),
        ("run", "x = ", "not TOML"),
        ("resume", "{good}", "no contest log"),
        ("status", "{good}", "no contest log"),
        ("run", "{unknown}", "there is no bot 'nobody'"),
        ("run", "{options}", "max_deals"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    verb: str, text: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(tmp_path)
    good = (tmp_path / "contest.toml").read_text()
    if text is None:
        (tmp_path / "contest.toml").unlink()
    else:
        unknown = good.replace('bot = "random"', 'bot = "nobody"')
        bad_options = good.replace('max_deals = "1"', 'max_deals = "none at all"')
        for name, whole in (("good", good), ("unknown", unknown), ("options", bad_options)):
            text = text.replace(f"{{{name}}}", whole)
        (tmp_path / "contest.toml").write_text(text)
    assert ladder(verb, tmp_path) in (1, 2)
    errors = capsys.readouterr().err
    assert words in errors
    assert len(errors.splitlines()) == 1


def test_a_contest_that_has_begun_is_resumed_and_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(tmp_path, boards=1)
    assert ladder("run", tmp_path, "--quiet") == 0
    assert ladder("run", tmp_path) == 2
    assert "has begun already; use `croupier ladder resume" in capsys.readouterr().err
    before = exported(tmp_path)
    assert ladder("resume", tmp_path, "--quiet") == 0
    assert exported(tmp_path) == before


# What an organiser may ask for -------------------------------------------------------------------


def test_a_contest_is_made_longer(tmp_path: Path) -> None:
    spec(tmp_path)
    assert ladder("run", tmp_path, "--quiet") == 0
    first = exported(tmp_path)["matches"]
    assert ladder("change", tmp_path, "--boards", 3, "--concurrency", 2) == 0
    assert ladder("resume", tmp_path, "--quiet") == 0
    longer = exported(tmp_path)["matches"]
    assert longer[: len(first)] == first
    assert (len(first), len(longer)) == (4, 6)


def test_who_is_withdrawn_is_scheduled_no_more(tmp_path: Path) -> None:
    entrants = [{"name": name, "bot": "greedy"} for name in "abc"]
    spec(tmp_path, entrant=entrants, boards=1)
    assert ladder("run", tmp_path, "--quiet") == 0
    assert ladder("withdraw", tmp_path, "b") == 0
    assert ladder("change", tmp_path, "--boards", 2) == 0
    assert ladder("resume", tmp_path, "--quiet") == 0
    boards = {row["entrant"]: row["boards"] for row in exported(tmp_path)["standings"]}
    assert boards == {0: 3, 1: 2, 2: 3}


def test_a_board_is_voided_adjudicated_and_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(tmp_path, boards=4)
    assert ladder("run", tmp_path, "--quiet") == 0
    before = exported(tmp_path)
    assert ladder("void", tmp_path, 1, "--why", "a spectator talked") == 0
    assert ladder("adjudicate", tmp_path, 2, 1, 5, 0, 5, 0) == 0
    assert ladder("replay", tmp_path, 3) == 0
    assert ladder("resume", tmp_path, "--quiet") == 0
    after = exported(tmp_path)
    assert [row["outcome"] for row in after["matches"]] == [
        *("void", "void", "adjudicated"),
        *["played"] * 5,
    ]
    assert after["matches"][2]["scores"] == [5, 0, 5, 0]
    assert after["matches"][3]["scores"] == before["matches"][3]["scores"]
    assert [row["scores"] for row in after["matches"][4:]] == [
        row["scores"] for row in before["matches"][4:]
    ]
    assert after["matches"][4]["record"] != before["matches"][4]["record"]
    assert (after["contest"]["status"], after["contest"]["boards"]) == ("finished", 4)
    assert [row["boards"] for row in after["standings"]] == [3, 3]
    capsys.readouterr()
    assert ladder("games", tmp_path, "--faults") == 0
    assert not capsys.readouterr().out


def test_orders_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(tmp_path, boards=1)
    assert ladder("run", tmp_path, "--quiet") == 0
    for order in (
        ("withdraw", tmp_path, "nobody"),
        ("void", tmp_path, 9),
        ("replay", tmp_path, 9),
        ("adjudicate", tmp_path, 1, 1, 3),
        ("adjudicate", tmp_path, 1, 7, 3, 3, 3, 3),
        ("change", tmp_path),
    ):
        assert ladder(*order) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


# The promise --------------------------------------------------------------------------------------


class Interrupted(ContestLog):
    """A log that fails at its *left*-th transaction."""

    left = 0

    async def append(self, events: Sequence[Event]) -> None:
        self.left -= 1
        if self.left < 0:
            raise LogError("the runner was killed")
        await super().append(events)


async def play_through(folder: Path, tables: int, interruptions: Sequence[int]) -> str:
    """The export of a contest whose runner fails after so many transactions, again and again."""
    data = parse_toml(folder)
    async with open_log(f"sqlite:{folder / 'contest.sqlite'}", "c", create=True) as log:
        contest = await begin(data, log, folder)
        for left in interruptions:
            failing = Interrupted("c", log._engine)
            failing.left = left
            with pytest.raises(LogError):
                await conduct(contest, failing, folder, Limits(tables))
            contest = await load(log)
        await conduct(contest, log, folder, Limits(tables))
        fresh = await load(log)
        return as_json(reproducible(make_report(fresh, await played_boards(fresh, log))))


def parse_toml(folder: Path) -> Any:
    import tomllib

    return parse_spec({"name": "c"} | tomllib.loads((folder / "contest.toml").read_text()))


@pytest.mark.parametrize("game", first_of(sorted(NAMES)))
def test_interruptions_and_concurrency_change_nothing(game: str, tmp_path: Path) -> None:
    entrants = [{"name": bot, "bot": bot} for bot in ("greedy", "random")]
    entrants += [{"name": "half", "bot": HALF}]
    found = set()
    for number, (tables, left) in enumerate(((64, ()), (1, (4, 1, 1)), (64, (1, 3)))):
        folder = tmp_path / str(number)
        spec(folder, game, entrant=entrants, boards=2, batch=2, records="none")
        found.add(asyncio.run(play_through(folder, tables, left)))
    assert len(found) == 1


@pytest.mark.more
@pytest.mark.parametrize("form", ["field", "independent"])
@pytest.mark.parametrize("game", sorted(NAMES))
def test_every_form_of_boards_is_played(game: str, form: str, tmp_path: Path) -> None:
    entrants = [{"name": bot, "bot": bot} for bot in ("greedy", "random")]
    spec(tmp_path, game, entrant=[*entrants, {"name": "half", "bot": HALF}], form=form, boards=6)
    assert ladder("run", tmp_path, "--quiet") == 0
    found = exported(tmp_path)
    assert all(not row["faults"] for row in found["standings"])
    assert found["contest"]["boards_form"] == form


@pytest.mark.more
@pytest.mark.parametrize("name", ["gauntlet", "swiss", "knockout", "sprt", "ladder"])
def test_every_format_is_played(name: str, tmp_path: Path) -> None:
    entrants = [{"name": one, "bot": "greedy" if one < "d" else "random"} for one in "abcde"]
    more: dict[str, Any] = {"rounds": 2} if name == "swiss" else {}
    if name == "sprt":
        entrants, more = [entrants[0], entrants[4]], {"boards": 200, "sprt": {"elo1": 200.0}}
    if name == "ladder":
        more = {"boards": 6, "batch": 2}
    spec(tmp_path, entrant=entrants, format=name, **more)
    assert ladder("run", tmp_path, "--quiet") == 0
    found = exported(tmp_path)
    assert found["contest"]["status"] == "finished"
    if name == "sprt":
        assert found["contest"]["verdict"].startswith("H1 accepted")
    if name == "swiss":
        assert sum(row["points"] for row in found["standings"]) == 6.0


@pytest.mark.more
def test_members_of_a_team_take_the_seats_of_a_side(tmp_path: Path) -> None:
    team = {"name": "duo", "members": ["greedy", HALF]}
    spec(tmp_path, entrant=[team, {"name": "random", "bot": "random"}], boards=1)
    assert ladder("run", tmp_path, "--quiet") == 0
    log = tmp_path / "logs" / "0"
    assert {"duo-1.log", "duo-2.log", "random.log"} <= {one.name for one in log.iterdir()}


# Entrants that misbehave -------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize(
    ("bot", "outcome"),
    [
        ("bots.py:ExitsInPlay", "crash"),
        ("bots.py:Hangs", "stall"),
        ("bots.py:Illegal", "illegal move"),
        ("bots.py:Leaves", "crash"),
        (f"cmd:{sys.executable} ./bots.py garbage", "crash"),
        (f"cmd:{sys.executable} ./bots.py hang", "no show"),
    ],
)
def test_a_bot_that_misbehaves_costs_only_itself(bot: str, outcome: str, tmp_path: Path) -> None:
    entrants = [{"name": "greedy", "bot": "greedy"}, {"name": "twin", "bot": "bots.py:Greedy"}]
    bot = bot.replace("./bots.py", str(tmp_path / "bots.py"))
    entrants.append({"name": "bad", "bot": bot})
    start = 5.0 if outcome == "no show" else 60.0
    spec(tmp_path, entrant=entrants, boards=1, stall_seconds=2.0, start_seconds=start)
    assert ladder("run", tmp_path, "--quiet") == 0
    found = exported(tmp_path)
    rows = {row["entrant"]: row for row in found["standings"]}
    assert rows[2]["faults"] == {outcome: 4}
    assert rows[2]["losses"] == 4
    assert not rows[0]["faults"]
    assert not rows[1]["faults"]
    assert rows[2]["score"]["value"] < rows[1]["score"]["value"]


@pytest.mark.more
@pytest.mark.attack
def test_output_without_end_costs_nobody_anything(tmp_path: Path) -> None:
    entrants = [{"name": "greedy", "bot": "greedy"}, {"name": "loud", "bot": "bots.py:Floods"}]
    spec(tmp_path, entrant=entrants, boards=2)
    assert ladder("run", tmp_path, "--quiet") == 0
    assert all(not row["faults"] for row in exported(tmp_path)["standings"])
    assert (tmp_path / "logs" / "0" / "loud.log").stat().st_size <= OUTPUT_MAX


@pytest.mark.more
def test_who_fails_again_and_again_is_left_out(tmp_path: Path) -> None:
    entrants = [{"name": "greedy", "bot": "greedy"}, {"name": "bad", "bot": "bots.py:Leaves"}]
    entrants.append({"name": "random", "bot": "random"})
    spec(tmp_path, entrant=entrants, boards=6, batch=3, quarantine=2, format="gauntlet")
    assert ladder("run", tmp_path, "--quiet") == 0
    boards = {row["entrant"]: row["boards"] for row in exported(tmp_path)["standings"]}
    assert boards[1] < boards[2] == 6


# Real kills ---------------------------------------------------------------------------------------


@pytest.mark.more
def test_kills_from_outside_change_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.ladder_kills", "--game", "pokex"]
    found = subprocess.run(
        [*command, "--kills", "4", "--boards", "6"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "the same" in found.stdout
