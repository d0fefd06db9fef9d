"""Replays tell what one audience saw, and nothing that it did not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.cli import run
from croupier_server.cli.replay import _step, ends_of, tell
from croupier_server.games.registry import GAMES
from tests.cli.records import random_record

SPECTATOR: frozenset[int] = frozenset()


def lines(record: record_pb2.MatchRecord, seats: frozenset[int] = SPECTATOR) -> list[str]:
    return [line for step in tell(record, seats) for line in step]


@pytest.fixture(scope="module")
def record() -> record_pb2.MatchRecord:
    return random_record(max_deals="3")


def write(record: record_pb2.MatchRecord, folder: Path) -> str:
    path = folder / "match.croupier"
    path.write_bytes(record.SerializeToString())
    return str(path)


@pytest.mark.parametrize("ruleset", GAMES["tractor"].rulesets())
@pytest.mark.parametrize("seed", range(3))
def test_every_ruleset_can_be_told(ruleset: str, seed: int) -> None:
    record = random_record(ruleset, seed, max_deals="4")
    everybody = frozenset(range(4))
    for audience in (SPECTATOR, frozenset({2}), everybody):
        told = lines(record, audience)
        assert sum(" ends: opponents have " in line for line in told) == 4
        assert sum("wins the trick" in line for line in told) >= 4 * 10
        assert "does not know" not in "\n".join(told)


@pytest.mark.parametrize(("players", "packs"), [("6", "3"), ("8", "6"), ("12", "2")])
def test_larger_tables_can_be_told(players: str, packs: str) -> None:
    record = random_record(players=players, packs=packs, max_deals="1")
    told = lines(record, frozenset({5}))
    assert any(line.split(None, 1)[1].startswith("5 bot5 draws") for line in told)


def test_numbers_rise_with_the_events(record: record_pb2.MatchRecord) -> None:
    numbers = [int(line.split()[0]) for line in lines(record)]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1
    assert numbers[-1] == len(record.rows)


def test_a_spectator_sees_no_hand(record: record_pb2.MatchRecord) -> None:
    told = "\n".join(lines(record))
    assert " draws " not in told.replace(" draws first", "")
    assert "[left:" not in told
    assert "answers:" not in told
    assert re.search(r"takes the kitty of 8$", told, re.MULTILINE)
    assert re.search(r"buries 8$", told, re.MULTILINE)


def test_a_seat_sees_its_own_hand_alone(record: record_pb2.MatchRecord) -> None:
    told = lines(record, frozenset({1}))
    drawing = {line.split()[2] for line in told if " draws " in line and "first" not in line}
    assert drawing == {"bot1"}
    holding = {line.split()[2] for line in told if "[left:" in line}
    assert holding == {"bot1"}


def test_what_a_seat_is_told_does_not_depend_on_other_private_parts(
    record: record_pb2.MatchRecord,
) -> None:
    poorer = record_pb2.MatchRecord()
    poorer.CopyFrom(record)
    for row in poorer.rows:
        own = [part for part in row.private_parts if part.seat == 1]
        del row.private_parts[:]
        row.private_parts.extend(own)
    assert lines(poorer, frozenset({1})) == lines(record, frozenset({1}))
    assert lines(poorer) == lines(record)


def test_a_hand_is_played_to_its_end(record: record_pb2.MatchRecord) -> None:
    told = lines(record, frozenset({0}))
    emptied = [line for line in told if line.endswith("[left: no card]")]
    assert len(emptied) == 3


def test_without_a_terminal_everything_is_printed(
    record: record_pb2.MatchRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(record, tmp_path)
    assert run(["replay", path, "--seat", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == lines(record, frozenset({3}))
    assert run(["replay", path, "--all"]) == 0
    assert capsys.readouterr().out.splitlines() == lines(record, frozenset(range(4)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--seat", "4"], "has seats 0 to 3, but no seat 4"), (["--seat", "1", "--all"], "not both")],
)
def test_seats_that_are_not_there_are_refused(
    arguments: list[str],
    words: str,
    record: record_pb2.MatchRecord,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["replay", write(record, tmp_path), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_file_of_something_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").write_bytes(table_pb2.Table(table_id="x").SerializeToString())
    assert run(["replay", str(tmp_path / "other")]) == 2
    assert "is not a record" in capsys.readouterr().err


# Stepping --------------------------------------------------------------------------------------


def keys(pressed: str) -> Callable[[], str]:
    waiting: Iterator[str] = iter(pressed)
    return lambda: next(waiting)


def test_enter_steps_and_q_quits(
    record: record_pb2.MatchRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    _step(tell(record, SPECTATOR), keys("\r\rq"), ends_of(record))
    shown = capsys.readouterr().out.splitlines()[1:]
    steps = list(tell(record, SPECTATOR))[:3]
    assert shown == [line for step in steps for line in step]


def test_t_and_d_run_to_the_end_of_trick_and_deal(
    record: record_pb2.MatchRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    _step(tell(record, SPECTATOR), keys("ttq"), ends_of(record))
    shown = capsys.readouterr().out
    assert shown.count("wins the trick") == 2
    assert "wins the trick" in shown.splitlines()[-1]
    _step(tell(record, SPECTATOR), keys("dq"), ends_of(record))
    last = capsys.readouterr().out.splitlines()[-1]
    assert " deal 1 ends: opponents have " in last
