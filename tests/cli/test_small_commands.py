"""Commands that need no server: rules, new-bot, vectors, and what all share."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import croupier
from croupier_server.cli import COMMANDS, run
from croupier_server.games.registry import GAMES


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"{version('croupier-server')} (pure Python)"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in shown] == []


def test_a_shell_completes_commands() -> None:
    words = {"_CROUPIER_COMPLETE": "complete_bash", "COMP_WORDS": "croupier lad", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "croupier_server"]
    done = subprocess.run(
        command, env={**os.environ, **words}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["ladder"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert "Usage: croupier " + command in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["--frob"], "No such option: --frob"),
        (["rules", "chess"], "there is no game 'chess'; the games are pokex, tongits, tractor"),
        (["rules", "tractor", "T-99"], "tractor has no clause T-99; the sections are T-1 to T-12"),
        (["rules", "tractor", "--ruleset", "house"], "Tractor has no ruleset 'house'"),
        (["rules", "tractor", "T-1", "--ruleset", "qq"], "not both"),
        (["rules", "tractor", "T-1", "T-2"], "T-2"),
        (["server-info", "x:1"], "(x:1); give the address of a server as --server HOST:PORT"),
        (["new-bot"], "Missing argument"),
        (["new-bot", "mine", "--game", "chess"], "no game 'chess'"),
        (["new-bot", "9lives"], "'9lives' is not a valid name for a bot"),
        (["new-bot", "../escape"], "is not a valid name for a bot"),
        (["new-bot", "a", "--dir", "no/such/folder"], "cannot write no/such/folder/a.py"),
        (["vectors"], "Missing argument"),
        (["vectors", "no-such-file"], "cannot read no-such-file"),
        (["vectors", "pyproject.toml"], "pyproject.toml is not JSON"),
        (["replay", "no-such-file"], "cannot read no-such-file"),
        (["replay", "pyproject.toml"], "pyproject.toml is not a record"),
        (["replay", "x", "--seat", "-1"], "--seat"),
        (["bench", "--memory", "--in-process"], "pass only one of"),
        (["admin", "abort", "--server", "x:1", "--why", "y", "\udcff"], "'\\udcff' is not UTF-8"),
        (["record", "--server", "x:1", "\udcff"], "'\\udcff' is not UTF-8"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("croupier: ")
    assert words in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.more
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_one_line(unbuffered: str) -> None:
    """A full disk; whoever reads and goes, as `head` does, hears nothing of it."""
    command = [sys.executable, "-m", "croupier_server", "config", "show"]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env=environment, text=True, check=False
        )
    wanted = "croupier: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, wanted)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            command, stdout=pipe, stderr=subprocess.PIPE, env=environment, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.more
def test_standard_streams_may_be_closed(tmp_path: Path) -> None:
    """A database that got the number of one of them would be written to by whoever means that."""
    store = ["--store", f"sqlite:{tmp_path / 'croupier.db'}"]
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-m", "croupier_server"]
    for name in ("ann", "bob"):
        done = subprocess.run(
            [*closed, "keys", "create", name, "--scope", "play", *store], check=False
        )
        assert done.returncode == 0
    command = [sys.executable, "-m", "croupier_server", "keys", "list", *store]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split()[2] for line in listed.splitlines()] == ["ann", "bob"]


# rules -----------------------------------------------------------------------------------------


def test_rules_of_a_clause(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "tractor", "t-6.4"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("T-6.4  ")
    assert "T-6.5  " not in shown


def test_rules_of_a_section_are_its_own_clauses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "tractor", "T-1"]) == 0
    heads = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[0] == "T"]
    assert heads == ["T-1.1", "T-1.2", "T-1.3"]


@pytest.mark.parametrize(("game", "letter"), [("tractor", "T"), ("tongits", "G"), ("pokex", "P")])
def test_rules_of_a_game_are_all_clauses(
    game: str, letter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rules", game]) == 0
    shown = capsys.readouterr().out.splitlines()
    words = [line.split()[0] for line in shown if line.startswith(f"{letter}-")]
    assert words == list(GAMES[game].clauses())
    sections = list(dict.fromkeys(word.partition(".")[0] for word in words))
    assert sections == [f"{letter}-{section}" for section in range(1, len(sections) + 1)]


@pytest.mark.parametrize("game", GAMES)
def test_every_ruleset_of_a_game_is_shown(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    rulesets = GAMES[game].rulesets()
    assert f"{game}: rulesets {', '.join(rulesets)}\n" in capsys.readouterr().out
    for ruleset in rulesets:
        assert run(["rules", game, "--ruleset", ruleset]) == 0
        shown = capsys.readouterr().out
        missing = [spec.name for spec in GAMES[game].option_specs() if spec.name not in shown]
        assert missing == []


def test_a_ruleset_shows_what_it_changes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert run(["rules", "tractor", "--ruleset", "document"]) == 0
    rows = {line.split()[0]: line.split()[1:3] for line in capsys.readouterr().out.splitlines()[2:]}
    assert rows["trump_making"] == ["auction", "*"]
    assert rows["contract"] == ["must_make", "*"]
    assert rows["kitty_multiplier"][0] == "2x_largest_component"
    assert rows["kitty_multiplier"][1] != "*"


# new-bot ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file", "title"),
    [
        ("MyBot", "my_bot.py", "MyBot"),
        ("my-bot", "my_bot.py", "MyBot"),
        ("deep_thought2", "deep_thought2.py", "DeepThought2"),
        ("x", "x.py", "X"),
    ],
)
def test_new_bot_writes_a_bot_class(name: str, file: str, title: str, tmp_path: Path) -> None:
    assert run(["new-bot", name, "--dir", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [file]
    tree = ast.parse((tmp_path / file).read_text())
    assert [node.name for node in tree.body if isinstance(node, ast.ClassDef)] == [title]


@pytest.mark.parametrize("game", GAMES)
def test_new_bot_writes_for_a_game(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new-bot", "Mine", "--game", game, "--dir", str(tmp_path)]) == 0
    assert f"croupier play {game} --bots" in capsys.readouterr().out
    text = (tmp_path / "mine.py").read_text()
    assert f'game="{game}"' in text
    (view,) = re.findall(rf"from croupier\.{game} import (\w+)", text)
    assert hasattr(getattr(croupier, game), view)
    assert max(map(len, text.splitlines())) <= 100


def test_new_bot_spares_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("precious")
    assert run(["new-bot", "mine", "--dir", str(tmp_path)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert (tmp_path / "mine.py").read_text() == "precious"


# vectors ---------------------------------------------------------------------------------------


def write(path: Path, *vectors: object, game: str = "tractor") -> str:
    path.write_text(json.dumps({"game": game, "vectors": vectors}))
    return str(path)


@pytest.mark.parametrize("game", GAMES)
def test_the_given_positions_pass(
    game: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = root / "tests" / "vectors" / f"{game}.json"
    given = len(json.loads(path.read_text())["vectors"])
    assert run(["vectors", str(path)]) == 0
    assert capsys.readouterr().out == f"{given} passed, 0 failed\n"


def test_a_failure_shows_expected_and_actual(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.loads((root / "tests" / "vectors" / "tractor.json").read_text())["vectors"]
    wrong = next(vector for vector in given if vector["kind"] == "score")
    wrong["expected"] = dict.fromkeys(wrong["expected"], "nonsense")
    assert run(["vectors", write(tmp_path / "wrong.json", wrong)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert wrong["id"] in shown[0]
    assert any(line.startswith("  expected") and "nonsense" in line for line in shown)
    assert any(line.startswith("  actual") and "nonsense" not in line for line in shown)
    assert shown[-1] == "0 passed, 1 failed"


def test_an_unknown_kind_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "odd.json", {"id": "x1", "kind": "seance", "expected": {}})
    assert run(["vectors", path]) == 1
    assert capsys.readouterr().out.endswith("0 passed, 1 failed\n")


def test_an_unknown_game_is_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "chess.json", game="chess")
    assert run(["vectors", path]) == 2
    assert capsys.readouterr().err.count(path) == 1


def test_files_are_counted_together(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(root / "tests" / "vectors" / "tractor.json")
    assert run(["vectors", path, path]) == 0
    assert capsys.readouterr().out == "300 passed, 0 failed\n"


# The program itself ----------------------------------------------------------------------------


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    installed = Path(sys.executable).parent / "croupier"
    return subprocess.run([installed, *arguments], check=False, capture_output=True, text=True)


@pytest.mark.more
def test_the_installed_program_gives_the_status_to_the_shell() -> None:
    assert program("rules", "tractor", "T-1.1").returncode == 0
    wrong = program("rules", "chess")
    assert wrong.returncode == 2
    assert (
        wrong.stderr
        == "croupier: there is no game 'chess'; the games are pokex, tongits, tractor\n"
    )


def test_output_into_a_pipe_that_closes_is_no_traceback() -> None:
    program = Path(sys.executable).parent / "croupier"
    process = subprocess.Popen(
        [program, "rules", "tractor"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(30) in (0, 1)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
