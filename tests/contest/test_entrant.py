"""Reading entrants from the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from croupier_server.contest.entrant import BadEntrant, read_entrants, split_specs


def test_house_bots_play_in_a_worker_of_the_sdk() -> None:
    greedy, rnd = read_entrants(["greedy", "random"])
    assert (greedy.name, rnd.name) == ("greedy", "random")
    worker = [sys.executable, "-m", "croupier.worker", "--bot", "greedy"]
    assert greedy.arguments(7) == [*worker, "--invites-fd", "7"]


def test_a_file_is_named_by_its_class(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class MyBot: ...")
    entrants = read_entrants([f"{bot}:MyBot", "random"])
    assert entrants[0].name == "MyBot"
    assert f"{bot}:MyBot" in entrants[0].arguments(3)


@pytest.mark.parametrize(
    "text",
    ["from elsewhere import MyBot", "import x as MyBot", "from x import *", "MyBot = 1", "("],
)
def test_what_may_have_the_class_is_left_to_the_worker(tmp_path: Path, text: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(text)
    assert read_entrants([f"{bot}:MyBot", "random"])[0].name == "MyBot"


def test_a_class_that_the_file_does_not_have_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Slow: ...\nclass Fast: ...")
    with pytest.raises(BadEntrant, match=r"bot\.py has no class MyBot; it has Slow, Fast$"):
        read_entrants([f"{bot}:MyBot", "random"])


def test_a_command_gets_its_own_arguments_and_no_others(tmp_path: Path) -> None:
    program = tmp_path / "any program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    entrants = read_entrants([f"cmd:'{program}' --depth 3 'a b'", "random"])
    assert entrants[0].arguments(3) == [str(program), "--depth", "3", "a b"]
    assert entrants[0].file_name == "any-program"


def test_equal_names_are_told_apart() -> None:
    names = [entrant.name for entrant in read_entrants(["random", "random", "greedy", "random"])]
    assert names == ["random", "random#2", "greedy", "random#3"]


def test_several_values_are_not_split() -> None:
    assert split_specs(["a, b"]) == ["a", "b"]
    assert split_specs(["cmd:x 1,2", "greedy"]) == ["cmd:x 1,2", "greedy"]


@pytest.mark.parametrize(
    ("specs", "words"),
    [
        (["greedy"], "at least two"),
        (["", "greedy"], "no bot ''"),
        (["gredy", "random"], "no bot 'gredy'"),
        (["nowhere/bot.py:Bot", "random"], "file nowhere/bot.py"),
        (["pyproject.toml", "random"], "no bot 'pyproject.toml'"),
        (["pyproject.toml:Bot", "random"], "no bot 'pyproject.toml:Bot'"),
        (["bot.py:", "random"], "no bot 'bot.py:'"),
        (["bot.py:1x", "random"], "no bot 'bot.py:1x'"),
        (["cmd:", "random"], "needs a program"),
        (["cmd:'open", "random"], "cannot read the command"),
        (
            ["cmd:no-such-program-here --x", "random"],
            "there is no executable program 'no-such-program-here'",
        ),
    ],
)
def test_what_cannot_be_started_is_refused(specs: list[str], words: str) -> None:
    with pytest.raises(BadEntrant, match=words):
        read_entrants(specs)
