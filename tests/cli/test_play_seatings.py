"""`croupier play`: boards under every seating of two bots, whatever teams a game has."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from croupier.record.v1 import record_pb2
from croupier_server.cli import run
from tests.cli.contests import ONE_DEAL, play


@pytest.mark.more
def test_three_seats_are_played_under_all_six_seatings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--bots", "greedy,random", "--boards", "2", "--option", "max_hands=1"]
    status, data = play(tmp_path / "out", *arguments, game="tongits")
    assert status == 0
    assert "score: chips that a seat is ahead" in capsys.readouterr().out
    assert [match["board"] for match in data["matches"]] == [1] * 6 + [2] * 6
    for board in (data["matches"][:6], data["matches"][6:]):
        seats = [tuple(name[0] for name in match["seats"]) for match in board]
        assert ["".join(one) for one in seats] == ["ggr", "grg", "rgg", "grr", "rgr", "rrg"]
        records = [
            record_pb2.MatchRecord.FromString((tmp_path / "out" / match["record"]).read_bytes())
            for match in board
        ]
        assert len({record.reveal.root for record in records}) == 1
        for match, record in zip(board, records, strict=True):
            chips = [seat.score for seat in record.result.seats]
            means = [
                statistics.mean(chips[seat] for seat in range(3) if match["seats"][seat] == name)
                for name in ("greedy", "random")
            ]
            assert match["score"] == pytest.approx(means[0] - means[1])
    scores = [match["score"] for match in data["matches"]]
    assert data["entrants"][0]["score"] == pytest.approx(statistics.mean(scores))
    assert data["entrants"][0]["boards"] == 2


@pytest.mark.more
def test_boards_are_played_under_both_seatings_by_two_sides(tmp_path: Path) -> None:
    arguments = ["--bots", "greedy,random", "--boards", "2", *ONE_DEAL]
    status, data = play(tmp_path / "out", *arguments, game="pokex")
    assert status == 0
    assert [match["board"] for match in data["matches"]] == [1, 1, 2, 2]
    assert data["matches"][0]["seats"] == ["greedy", "random"] * 2
    assert data["matches"][1]["seats"] == ["random", "greedy"] * 2


@pytest.mark.more
def test_one_seating_takes_new_cards_for_every_match_of_three(tmp_path: Path) -> None:
    arguments = ["--bots", "random,random", "--boards", "6", "--one-seating"]
    _, data = play(tmp_path / "out", *arguments, "--option", "max_hands=1", game="tongits")
    assert [match["board"] for match in data["matches"]] == [1, 2, 3, 4, 5, 6]
    assert len({tuple(match["seats"]) for match in data["matches"]}) == 6


def test_matches_that_leave_a_board_of_six_unfinished_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["play", "tongits", "--bots", "greedy,random", "--matches", "20"]) == 2
    complaint = capsys.readouterr().err
    assert "--matches 20 leaves a board unfinished" in complaint
    assert "pass --boards" in complaint
