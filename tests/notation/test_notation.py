"""A match as text, and back: the same inputs, and so the same events, for every game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier.v1 import table_pb2
from croupier_server.cli import run
from croupier_server.games.modules import MODULES, WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.notation import MatchText, NotationError, of_record, read, write
from croupier_server.notation.match import Answer, Window, play
from croupier_server.storage.codec import read_record
from croupier_server.wire.encode import field_bytes
from tests.verify.matches import Case, cases, record

ALL = cases()


def events_of(match: MatchText) -> list[tuple[bytes, dict[int, bytes]]]:
    """The events of the game that a match makes, as bytes."""
    wire = WIRES_BY_NAME[match.game]
    return [wire.event_bytes(event) for moment in play(match) for event in moment.events]


def told(data: bytes) -> list[tuple[bytes, dict[int, bytes]]]:
    """The events of the game in a record."""
    found = []
    for row in read_record(data)[1]:
        event = table_pb2.TableEvent.FromString(row.public)
        if event.HasField("game"):
            game = event.game.SerializeToString(deterministic=True)
            assert game in row.public
            private = {
                seat: part[len(field_bytes(15, part)) - len(part) :]
                for seat, part in row.private.items()
            }
            found.append((game, private))
    return found


@pytest.mark.more
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_what_is_written_is_read_back_to_the_same_events(case: Case) -> None:
    data = record(case)
    match = of_record(data)
    text = write(match)
    again = read(text)
    assert again == match
    assert write(again) == text
    assert events_of(again) == told(data)


@pytest.mark.parametrize("case", ALL[::7], ids=lambda case: case.name)
def test_comments_are_of_no_importance(case: Case) -> None:
    match = of_record(record(case))
    lines = [line for line in write(match).splitlines() if not line.startswith(";")]
    bare = "\n".join(line.partition("  ; ")[0] for line in lines if line)
    assert read(bare) == match


@pytest.mark.more
@pytest.mark.parametrize("name", GAMES)
def test_every_move_has_one_text(name: str) -> None:
    """All legal moves of random matches come back from their text."""
    game, parse = GAMES[name], MODULES[name].words.parse_move
    kinds = set()
    for case in (case for case in ALL if case.game == name):
        match = of_record(record(case))
        for step in match.steps:
            moved = step.answers if isinstance(step, Window) else [step]
            for move in (one.move for one in moved if isinstance(one, Answer)):
                assert parse(game.move_text(move)) == move
                kinds.add(game.move_text(move).partition(" ")[0])
    assert len(kinds) == {"tractor": 7, "tongits": 10, "pokex": 4}[name], kinds


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "text", ["", "p", "pass 1", "play", "play 1S", "bid", "wild 1", "lay off 2S", "meld", "call"]
)
def test_what_is_no_move_is_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        MODULES[name].words.parse_move(text)


# What is no notation ------------------------------------------------------------------------------


def pokex_text() -> str:
    return write(of_record(record(Case("pokex", "standard", deals=1, deal="fixed"))))


def changed(old: str, new: str) -> str:
    """The text with one thing changed."""
    text = pokex_text()
    assert re.search(old, text, re.MULTILINE), old
    return re.sub(old, new, text, count=1, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (r"\Acroupier", "Croupier", "line 1"),
        (r"^game pokex", "game whist", "no game"),
        (r"^game pokex\n", "", "the line `game` is missing"),
        (r"^ruleset .*\n", "", "missing: ruleset"),
        (r"^result .*\n", "", "missing: result"),
        (r"^(result .*)\n", r"\1\nlot 1\n", "follow the result"),
        (r"^(table .*)\n", r"\1\n\1\n", "given twice"),
        (r'^table ".*"', "table 7", "not a text in double quotes"),
        (r"^option (\w+)=.*$", r"option \1", "not an option"),
        (r"^seat 1 ", "seat 2 ", "order"),
        (r"^deal 1", "deal one", "number of a deal"),
        (r"^deck \w\w", "deck 1S", "not a card"),
        (r"^(\d): ", r"\1 ", "not a move of a seat"),
        (r": play", ": throw", "not a move of Pokex"),
        (r"^result FINISHED", "result finished", "not a result"),
        (r" place \d$", "", "not an outcome"),
        (r"^lot \d", "windows 0\nlot 1", "0 windows"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(old: str, new: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        read(changed(old, new))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (r"^ruleset standard", "ruleset other", "ruleset"),
        (r"^(option .*)=.*$", r"\1=no", "max_deals"),
        (r"^seat 3 .*\n", "", "3 seats"),
        (r"^lot \d", "lot 4", "step 1"),
        (r"^deck (\w\w) \w\w", r"deck \1 \1", "step 2"),
        (r"^(\d: pass|\d: bid \d)", "0: wild 7", "step 3"),
        (
            r"^result FINISHED \| 0: .\d+",
            "result FINISHED | 0: +99",
            "differs from the one by the rules",
        ),
        (r"^(\d: play .*)\n(?=; deal)", "", "continues"),
    ],
)
def test_what_the_rules_do_not_allow_is_told(old: str, new: str, why: str) -> None:
    match = read(changed(old, new))
    with pytest.raises(NotationError, match=why):
        write(match)


def test_a_window_that_never_closed_is_kept() -> None:
    case = Case("tractor", "standard", end="aborted", seed=2)
    text = write(of_record(record(case)))
    cut = re.search(r"^window (.*?)(?:  ;.*)?$", text, re.MULTILINE)
    assert cut is not None
    head = text[: cut.start()] + f"sealed {cut[1]}\n\nresult ABORTED\n"
    match = read(head)
    assert match.steps[-1] == (match.steps[-1].answers, False)  # type: ignore[union-attr]
    assert read(write(match)) == match


# Command ------------------------------------------------------------------------------------------


def test_a_record_becomes_a_text_that_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, text = tmp_path / "match.croupier", tmp_path / "match.txt"
    file.write_bytes(record(Case("tongits", "standard")))
    assert run(["notation", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("croupier notation 1\ngame tongits\n")
    text.write_text(shown, encoding="utf-8")
    assert run(["notation", str(text)]) == 0
    assert "as the rules have it" in capsys.readouterr().out
    text.write_text(shown.replace("; deal 1: ", "; deal 1: what a deal, "), encoding="utf-8")
    assert run(["notation", str(text)]) == 1
    assert "by the rules" in capsys.readouterr().err


@pytest.mark.parametrize(
    "data", [b"no record", b"croupier notation 1\n", b"croupier notation 1\xff"]
)
def test_files_that_are_neither(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    assert run(["notation", str(file)]) == 2
    assert run(["notation", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("croupier: ") == 2
