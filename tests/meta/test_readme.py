"""What README.md and docs/bots.md tell a newcomer to write and to type works as it stands.

The server of the pages listens on port 7421; here it takes a free one, and that is all that is
changed. A line of shell that no test below knows fails, so a new one needs a case.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

import croupier
from croupier_server.cli import COMMANDS
from croupier_server.cli import run as run_command
from croupier_server.config import Settings
from croupier_server.games.registry import GAMES
from tests.e2e.serving import Served, clean_environment, served
from tests.meta.sources import ROOT, texts
from tests.more import first_of

ADDRESS = "127.0.0.1:7421"
SECONDS = 300
PAGES = ("README.md", "docs/bots.md", "clients/python/README.md")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")


class Block(NamedTuple):
    """A block of code on a page."""

    page: str
    language: str
    text: str


def blocks(page: str, language: str) -> list[Block]:
    """Blocks of *language* on *page*."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(page, kind, body) for kind, body in FENCE.findall(text) if kind == language]


def typed() -> list[str]:
    """Every line of shell on the pages, less its comment."""
    shown = [block.text for page in PAGES for block in blocks(page, "sh")]
    lines = {shlex.join(shlex.split(line, comments=True)) for line in "".join(shown).splitlines()}
    return sorted(lines - {""})


def mentioned(start: str) -> list[str]:
    """What the text of any page mentions as code that begins with *start*."""
    found = set()
    for path, text in texts():
        if path.suffix == ".md":
            found |= {span for span in SPAN.findall(FENCE.sub("", text)) if span.startswith(start)}
    return sorted(found)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served("--log-level", "error") as running:
        yield running


def run(folder: Path, *arguments: str) -> str:
    """Run a program that must succeed in *folder*; what it printed."""
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_bot(page: str, folder: Path, address: str) -> Path:
    """The first program on *page* as a file, for a server at *address*."""
    text = blocks(page, "python")[0].text
    assert text.count(ADDRESS) == 1
    file = folder / "my_bot.py"
    file.write_text(text.replace(ADDRESS, address))
    return file


# Programs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", first_of(PAGES))
def test_the_bot_of_the_page_finishes_a_match(page: str, server: Served, tmp_path: Path) -> None:
    bot = write_bot(page, tmp_path, server.address)
    shown = run(tmp_path, sys.executable, bot.name)
    assert "MyBot, finished" in shown


def test_the_programs_that_need_no_server_run(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(blocks(PAGES[0], "python")[0].text)
    shown = [block.text for block in blocks("docs/bots.md", "python")]
    first = next(at for at, text in enumerate(shown) if "croupier.simulate" in text)
    program = "\n".join(shown[first : first + 2])
    assert "croupier.Match" in program
    (tmp_path / "study.py").write_text(program.replace("boards=1000", "boards=2"))
    assert "MyBot" in run(tmp_path, sys.executable, "study.py")
    learning = next(text for text in shown if "croupier.pettingzoo" in text)
    (tmp_path / "learning.py").write_text(learning)
    assert "'seat_3':" in run(tmp_path, sys.executable, "learning.py")


@pytest.mark.more
@pytest.mark.parametrize(("game", "bound"), [("tongits", "max_hands"), ("pokex", "max_deals")])
def test_the_same_bot_plays_the_other_games(
    game: str, bound: str, server: Served, tmp_path: Path
) -> None:
    bot = write_bot(PAGES[0], tmp_path, server.address)
    text = bot.read_text().replace('against="greedy"', f'game="{game}", against="greedy"')
    bot.write_text(text.replace("max_deals", bound))
    assert "MyBot, finished" in run(tmp_path, sys.executable, bot.name)
    assert all(f"`{bound}`" in (ROOT / page).read_text() for page in PAGES if bound == "max_hands")


def test_the_first_bot_has_ten_lines_and_is_the_same_everywhere() -> None:
    first, *others = [blocks(page, "python")[0].text for page in PAGES]
    assert len(first.splitlines()) == 10
    assert others == [first, first]


def test_the_server_of_the_pages_listens_where_the_bots_look() -> None:
    settings = Settings.model_validate({})
    assert f"{settings.host}:{settings.port}" == ADDRESS


# Shell ------------------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize("line", typed())
def test_a_line_of_shell_does_what_the_page_says(line: str, server: Served, tmp_path: Path) -> None:
    program, *arguments = shlex.split(line)
    match program, arguments[:1]:
        case "make", _:
            assert run(ROOT, "make", "--dry-run", *arguments)
        case ".venv/bin/croupier", ["serve"]:
            assert arguments == ["serve"], "the server under test is started as the page says"
        case ".venv/bin/python", ["my_bot.py"]:
            assert arguments == ["my_bot.py"], "the bots under test are started as the page says"
        case ".venv/bin/croupier", ["play"]:
            write_bot("README.md", tmp_path, server.address)
            shown = run(tmp_path, sys.executable, "-m", "croupier_server", *arguments)
            assert "MyBot" in shown
            assert len(list(tmp_path.glob("games/*/*.croupier"))) == 4
        case ".venv/bin/croupier", ["ladder"]:
            assert arguments in ladder_of_the_page(), "the test below runs them in order"
        case _:
            pytest.fail(f"no test knows {line!r}")


def ladder_of_the_page() -> list[list[str]]:
    """The arguments of every `croupier ladder` that README.md shows."""
    lines = "".join(block.text for block in blocks("README.md", "sh")).splitlines()
    program = ".venv/bin/croupier ladder "
    return [shlex.split(line)[1:] for line in lines if line.startswith(program)]


@pytest.mark.more
def test_the_ladder_of_the_page_writes_its_report(server: Served, tmp_path: Path) -> None:
    write_bot("README.md", tmp_path, server.address)
    for arguments in ladder_of_the_page():
        run(tmp_path, sys.executable, "-m", "croupier_server", *arguments)
    assert "MyBot" in (tmp_path / "cup" / "report.html").read_text()


def contests_of_make_play() -> list[list[str]]:
    """The arguments of every `croupier play` that `make play` runs."""
    shown = run(ROOT, "make", "--dry-run", "--silent", "play").splitlines()
    program = ".venv/bin/croupier "
    # Whatever else it would do first is to set up what is older than its sources.
    return [shlex.split(line)[1:] for line in shown if line.startswith(program)]


def test_make_play_plays_enough_boards_of_every_game() -> None:
    contests = contests_of_make_play()
    assert [contest[:2] for contest in contests] == [["play", game] for game in GAMES]
    for contest in contests:
        assert int(contest[contest.index("--boards") + 1]) >= 200


@pytest.mark.more
@pytest.mark.parametrize("game", GAMES)
def test_make_play_shows_greedy_clearly_ahead(game: str, tmp_path: Path) -> None:
    (arguments,) = [contest for contest in contests_of_make_play() if contest[1] == game]
    # Fewer boards, which is all that is changed.
    arguments[arguments.index("--boards") + 1] = "20"
    command = [sys.executable, "-m", "croupier_server", *arguments]
    data = json.loads(run(tmp_path, *command, "--json", "--seed", "1"))
    greedy, rival = data["entrants"]
    assert (greedy["name"], rival["name"]) == ("greedy", "random")
    assert greedy["failed"] == 0
    assert greedy["boards"] == 20
    assert greedy["interval"][0] > 0


# Words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("span", mentioned("croupier "))
def test_a_command_that_is_mentioned_exists(
    span: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    command = [word for word in span.split()[1:2] if not word.startswith("--")]
    assert set(command) <= set(COMMANDS)
    if command and hasattr(
        import_module(f"croupier_server.cli.{command[0].replace('-', '_')}"), "group"
    ):
        command += span.split()[2:3]
    assert run_command([*command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert [flag for flag in re.findall(r"(?<!\S)--[a-z-]+", span) if flag not in shown] == []


def test_make_targets_that_are_mentioned_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    words = [word for span in mentioned("make ") for word in shlex.split(span)[1:]]
    assert [word for word in words if "=" not in word and word not in targets] == []


@pytest.mark.parametrize("span", mentioned("croupier rules "))
def test_rules_that_are_mentioned_exist(span: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = span.split()[1:]
    if "GAME" in command:
        assert run_command([*command[:1], "--help"]) == 0
        return
    assert run_command(command) == 0
    shown = capsys.readouterr().out
    assert len(command) == 2 or command[-1] in shown


def test_names_of_the_sdk_that_are_mentioned_exist() -> None:
    owners = {
        "croupier": (croupier,),
        "decision": (croupier.Decision,),
        "view": (croupier.TractorView, croupier.TongitsView, croupier.PokexView),
    }
    spans = [span for name in owners for span in mentioned(f"{name}.")]
    names = {name for span in spans for name in re.findall(r"\b([a-z]+)\.(\w+)", span)}
    found = [
        (first, second)
        for first, second in sorted(names)
        if first in owners
        and not any(hasattr(owner, second) for owner in owners[first])
        and not (first == "croupier" and (second == "db" or find_spec(f"croupier.{second}")))
    ]
    assert found == []


@pytest.mark.parametrize("game", GAMES)
def test_names_of_a_game_in_the_sdk_that_are_mentioned_exist(game: str) -> None:
    module = getattr(croupier, game)
    start = f"croupier.{game}."
    shown = [span.removeprefix(start) for span in mentioned(start)]
    assert shown
    assert [name for name in shown if not hasattr(module, name.partition("(")[0])] == []


def test_what_makes_moves_is_listed_for_every_game() -> None:
    """docs/bots.md names, after the module of a game, every function of it that makes a move."""
    text = (ROOT / "docs/bots.md").read_text(encoding="utf-8")
    for game in GAMES:
        module = getattr(croupier, game)
        makers = [name for name in module.__all__ if name.islower() and name != "card_points"]
        named = {span.partition("(")[0] for span in SPAN.findall(FENCE.sub("", text))}
        assert [name for name in makers if name not in named] == []


def test_paths_that_are_mentioned_exist() -> None:
    package = ROOT / "server/croupier_server"
    missing = []
    for span in mentioned(""):
        if not re.fullmatch(r"[\w.-]+(?:/[\w.-]+)*/?", span) or "/" not in span:
            continue
        for base in (ROOT, package, ROOT / "clients/python"):
            if (base / span.split("/", 1)[0]).is_dir() and not span.startswith("games/tractor-"):
                break
        else:
            continue
        if not any((base / span).exists() for base in (ROOT, package, ROOT / "clients/python")):
            missing.append(span)
    assert missing == []
