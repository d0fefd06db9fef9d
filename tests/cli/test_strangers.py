"""Files come from strangers: nothing in them steers a terminal, and none ends in a traceback."""

from __future__ import annotations

import contextlib
import json
import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.cli import run
from croupier_server.notation import NotationError, of_record, read, write
from croupier_server.notation.writing import HEAD
from croupier_server.printable import is_unsafe, printable, quoted
from croupier_server.vectors import run_file
from croupier_server.verify import verify
from tests.cli.records import random_record
from tests.more import first_of
from tests.verify.lies import match_record, other_value, retold, sealed
from tests.verify.matches import cases, record

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\u202e\u2066\u200f\u2028\u2029\ufeff\nverified\r"
"""Clears the screen, names the window, reorders what follows, and begins a line of its own."""

VECTORS = Path(__file__).parent.parent / "vectors"
ALL = cases()


def unsafe(text: str) -> set[str]:
    """What in *text* must not reach a terminal."""
    return {one for one in text if one != "\n" and is_unsafe(one)}


# One function -------------------------------------------------------------------------------------


@given(st.text())
def test_printable_text_has_nothing_that_steers_and_all_that_is_read(text: str) -> None:
    shown = printable(text)
    assert not any(map(is_unsafe, shown))
    assert [one for one in shown if not one.isascii()] == [
        one for one in text if not one.isascii() and not is_unsafe(one)
    ]
    if not any(map(is_unsafe, text)):
        assert shown == text


@pytest.mark.more
@pytest.mark.parametrize(
    "category", ["Cc", "Cf", "Cs", "Zl", "Zp"], ids=["C0 C1 DEL", "format", "surrogate", "ls", "ps"]
)
def test_every_character_of_a_category_is_escaped(category: str) -> None:
    found = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) == category]
    assert found
    assert all(printable(one).isascii() and printable(one).isprintable() for one in found)


@pytest.mark.parametrize("text", ["Zoë", "李雷", "Ωμέγα", "क्षि", "👩", "e\u0301"])
def test_ordinary_letters_stay(text: str) -> None:
    assert printable(text) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_text_is_json_and_one_safe_line(text: str) -> None:
    assert json.loads(quoted(text)) == text
    assert not any(map(is_unsafe, quoted(text)))


# What commands print ------------------------------------------------------------------------------


def hostile_record() -> record_pb2.MatchRecord:
    """A true record but for its texts, which somebody chose."""
    message = match_record()
    message.table.spec.title = HOSTILE
    message.table.endpoint = HOSTILE
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.HasField("seat_joined"):
            event.seat_joined.seat.player.display_name = HOSTILE
        if event.HasField("match_ended"):
            event.match_ended.detail = HOSTILE
        row.public_part = event.SerializeToString(deterministic=True)
    message.result.detail = HOSTILE
    retold(message)
    return message


@pytest.mark.attack
@pytest.mark.parametrize("command", ["replay", "notation", "verify"])
def test_texts_of_a_record_reach_no_terminal_as_they_are(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.croupier"
    file.write_bytes(sealed(hostile_record()))
    assert run([command, str(file)]) in (0, 1)
    shown = capsys.readouterr()
    assert unsafe(shown.out + shown.err) == set()
    assert "\nverified" not in shown.out
    if command != "verify":
        assert "\\x1b[2J" in shown.out or "\\u001b[2J" in shown.out


@pytest.mark.attack
def test_a_notation_with_hostile_names_is_read_back(tmp_path: Path) -> None:
    data = sealed(hostile_record())
    text = write(of_record(data))
    assert unsafe(text) == set()
    assert write(read(text)) == text
    assert read(text).players[0] == HOSTILE


@pytest.mark.attack
@pytest.mark.parametrize("command", ["replay", "notation", "verify", "vectors"])
def test_the_name_of_a_file_is_escaped_too(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for data in (b"x", HEAD.encode() + b"\n" + HOSTILE.encode()):
        file = tmp_path / "a\x1b[2J\u202e.croupier"
        file.write_bytes(data)
        assert run([command, str(file)]) in (1, 2)
        shown = capsys.readouterr()
        assert unsafe(shown.out + shown.err) == set()


@pytest.mark.attack
def test_positions_of_a_file_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "vectors.json"
    position = {"id": HOSTILE, "kind": HOSTILE, "desc": HOSTILE, "expected": HOSTILE}
    file.write_text(json.dumps({"game": "tractor", "vectors": [position]}), encoding="utf-8")
    assert run(["vectors", str(file)]) == 1
    shown = capsys.readouterr()
    assert "FAILED" in shown.out
    assert unsafe(shown.out + shown.err) == set()


# What commands read -------------------------------------------------------------------------------


@pytest.mark.attack
@pytest.mark.parametrize("seed", first_of(range(60), 10))
def test_a_record_with_any_other_value_is_an_error_or_is_told(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All hashes are right again, so only what is read can find the fault."""
    where, data = other_value(ALL[seed * 7 % len(ALL)], seed)
    file = tmp_path / "match.croupier"
    file.write_bytes(data)
    for command in (["replay", "--all"], ["replay"], ["notation"]):
        status = run([*command, str(file)])
        error = capsys.readouterr().err
        assert status in (0, 1, 2), where
        assert not status or str(file) in error, where


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_a_record_without_a_hash_is_an_error_or_is_told(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(game)
    true = random_record(rng.choice(("standard", "document")), game=game)
    file = tmp_path / "match.croupier"
    for _ in range(120):
        message = record_pb2.MatchRecord()
        message.CopyFrom(true)
        row = message.rows[rng.randrange(len(message.rows))]
        public = bytearray(row.public_part)
        for _ in range(rng.randint(1, 3)):
            public[rng.randrange(len(public))] = rng.randrange(256)
        row.public_part = bytes(public)
        if rng.random() < 0.1:
            message.table.MergeFromString(bytes([0x18, rng.randrange(9)]))
        file.write_bytes(message.SerializeToString())
        assert run(["replay", "--all", str(file)]) in (0, 2)
        capsys.readouterr()


NASTY = ("", "[" * 100_000, "9" * 5_000, '"' * 9, "\x00", "-1", "1e999", "٣: take", "0: ", "| | |")
TEXTS = [write(of_record(record(case))) for case in ALL[::9]]


@pytest.mark.attack
@pytest.mark.parametrize("seed", range(300))
def test_a_notation_of_anybody_is_an_error_with_its_place_or_is_read(seed: int) -> None:
    rng = random.Random(seed)
    lines = rng.choice(TEXTS).splitlines()
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(1, len(lines))
        words = lines[place].split(" ")
        change = rng.randrange(5)
        if change == 0:
            del lines[place]
        elif change == 1:
            lines.insert(place, lines[rng.randrange(1, len(lines))])
        elif change == 2:
            words[rng.randrange(len(words))] = rng.choice(NASTY)
            lines[place] = " ".join(words)
        elif change == 3:
            rng.shuffle(words)
            lines[place] = " ".join(words)
        else:
            lines[place] = " ".join([words[0], rng.choice(NASTY)])
    with contextlib.suppress(NotationError):
        write(read("\n".join(lines)))


@pytest.mark.attack
def test_a_text_that_is_nested_deeply_is_refused_with_its_line() -> None:
    text = "\n".join([HEAD, "game tractor", "table " + "[" * 100_000])
    with pytest.raises(NotationError, match=r"^line 3: '\[\[.*' is not a text in double quotes$"):
        read(text)


@pytest.mark.attack
def test_a_notation_of_millions_of_windows_is_refused() -> None:
    text = "\n".join([HEAD, "game tractor", *["windows 1000"] * 2_000])
    with pytest.raises(NotationError, match=r"^line 1003: more than 1000000 steps$"):
        read(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda one: st.lists(one, max_size=4) | st.dictionaries(st.text(max_size=9), one, max_size=4),
    max_leaves=9,
)


def some_file(game: str) -> dict[str, Any]:
    """A file of positions of a game."""
    text = (VECTORS / f"{game}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_positions_of_anybody_fail_and_never_raise(
    game: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = some_file(game)
    vectors = content["vectors"]
    position = dict(vectors[data.draw(st.integers(0, len(vectors) - 1))])
    name = data.draw(st.sampled_from(sorted(position)))
    position[name] = data.draw(JSON)
    file = tmp_path_factory.mktemp("vectors") / "one.json"
    file.write_text(json.dumps({**content, "vectors": [position]}), encoding="utf-8")
    assert all(isinstance(result.passed, bool) for result in run_file(file))


@pytest.mark.attack
@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"game": "tractor", "vectors": 5}', '{"game": [], "vectors": []}', "1"]
)
def test_files_that_hold_no_positions_are_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "vectors.json"
    file.write_text(text, encoding="utf-8")
    assert run(["vectors", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


# Files that are large and say nothing -------------------------------------------------------------


@pytest.mark.more
@pytest.mark.attack
def test_rows_and_seats_that_are_empty_are_refused_before_anything_is_made_of_them() -> None:
    true = match_record().SerializeToString()
    for part, why in ((b"\x2a\x00", "a row of 0 bytes"), (b"\x1a\x00" * (1 << 20), "outside")):
        (check,) = verify(true + part).checks
        assert (check.name, check.holds) == ("file", False)
        assert why in check.detail
