"""`croupier replay --at`: what a seat saw at a decision, could play, played, and would play now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier.bots import GreedyBot
from croupier.games import GAMES
from croupier.record.v1 import record_pb2
from croupier_server.cli import run
from croupier_server.local.recorded import RecordedMatch, answers_of
from tests.cli.contests import play
from tests.clients.arena import SHORT
from tests.more import first_of


@pytest.fixture(scope="module", params=first_of(GAMES))
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a match of greedy against random, over gRPC."""
    out: Path = tmp_path_factory.mktemp("contest") / "out"
    short = ["--option", f"{SHORT[request.param]}=1"]
    bots = ["--bots", "greedy,random", "--boards", "1", "--seed", "3"]
    _, data = play(out, *bots, *short, game=request.param)
    return out / str(data["matches"][0]["record"])


def read(file: Path) -> record_pb2.MatchRecord:
    return record_pb2.MatchRecord.FromString(file.read_bytes())


def shown(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run(["replay", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_greedy_answers_every_decision_as_it_did_in_the_match(file: Path) -> None:
    record = read(file)
    answers = answers_of(record)
    (bots,) = [
        match["seats"]
        for match in json.loads((file.parent / "results.json").read_text())["matches"]
        if match["record"] == file.name
    ]
    match = RecordedMatch(record, [])
    asked = 0
    for answer in answers:
        assert any(move == answer.move for move in match.legal(answer.seat))
        if bots[answer.seat] == "greedy":
            assert match.ask(GreedyBot, answer.seat) == answer.move
            asked += 1
        match.play(answer.move, answer.seat)
    assert asked
    assert match.is_over
    assert list(match.scores) == [seat.score for seat in record.result.seats]


def test_it_shows_the_view_the_legal_moves_the_answer_and_the_bots_answer(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = read(file)
    answer = answers_of(record)[-1]
    match = RecordedMatch(record, answers_of(record)[:-1])
    out = shown(capsys, file, "--at", answer.number, "--ask", "greedy")
    assert out.startswith(f"event {answer.number}: ")
    for line in str(match.view(answer.seat)).splitlines():
        assert line in out
    assert "legal: " in out
    assert f"played {answer.move}, charged " in out
    assert f"greedy plays {match.ask(GreedyBot, answer.seat)}\n" in out


def test_the_next_decision_of_a_seat_is_shown(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = next(answer for answer in answers_of(read(file)) if answer.seat == 2)
    assert shown(capsys, file, "--at", 1, "--seat", 2).startswith(f"event {first.number}: ")


def test_a_bot_that_fails_is_told(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text(
        "import croupier\n\n\nclass Bad(croupier.Bot):\n"
        "    def decide(self, view, decision):\n        raise KeyError('what')\n"
    )
    assert "fails: seat " in shown(capsys, file, "--at", 1, "--ask", f"{bot}:Bad")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--at", "99999"], "the last decision led to event "),
        (["--at", "1", "--all"], "leave out --all"),
        (["--at", "1", "--ask", "gredy"], "no bot 'gredy'"),
    ],
)
def test_what_cannot_be_shown_is_told(
    file: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(file), *arguments]) != 0
    assert words in capsys.readouterr().err


def test_a_record_that_does_not_fit_the_rules_is_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoiled(record: record_pb2.MatchRecord) -> str:
        record.ClearField("hash")
        path = tmp_path / "spoiled"
        path.write_bytes(record.SerializeToString())
        assert run(["replay", str(path), "--at", "99998" if not record.rows else "1"]) != 0
        return capsys.readouterr().err

    record = read(file)
    record.reveal.root = b""
    assert "no root of its cards" in spoiled(record)
    record = read(file)
    record.options[0].value = "perhaps"
    assert "perhaps" in spoiled(record)
