"""What is measured: that decisions are counted as promised, and that every part runs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import pytest

from croupier_server.bench import served
from croupier_server.bench.in_process import Played, Playout, deal_decisions
from croupier_server.bench.latency import LatencyResult, measure_latency
from croupier_server.bench.marks import (
    Mark,
    Measured,
    MeasureFailed,
    cpu_seconds,
    resident_bytes,
)
from croupier_server.bench.memory import measure_memory
from croupier_server.bench.report import Findings, as_data, as_lines
from croupier_server.bench.served import FLOOR, Sample, cells, middle, ratios, store_ratios
from croupier_server.cli import run
from croupier_server.cli.bench import own_file
from croupier_server.games.base import Turn
from croupier_server.games.registry import GAMES

EVERY_RULESET = [(game, ruleset) for game in GAMES for ruleset in GAMES[game].rulesets()]


@pytest.mark.parametrize(("name", "ruleset"), EVERY_RULESET)
def test_only_answers_with_a_choice_are_decisions(name: str, ruleset: str) -> None:
    game = GAMES[name]
    playout = Playout(game, ruleset, seed=3)
    expected = forced = 0
    for _ in range(3000):
        state = playout._state
        if game.turn(state) in (Turn.MOVE, Turn.WINDOW):
            for seat in game.to_act(state):
                legal = game.legal_moves(state, seat)
                if len(legal.moves) == 1 and not legal.patterns:
                    forced += 1
                else:
                    expected += 1
        playout.step()
    assert (playout.decisions, playout.forced) == (expected, forced)
    assert expected > 1000


@pytest.mark.parametrize("name", GAMES)
def test_matches_follow_each_other(name: str) -> None:
    game = GAMES[name]
    playout = Playout(game, "standard", seed=1)
    first = playout._state
    while playout._state is first:
        playout.step()
    assert game.turn(first) is Turn.OVER
    assert game.turn(playout._state) is Turn.CHANCE


def test_a_deal_is_counted_from_deck_to_deck() -> None:
    """Every trick of Tractor but the last leaves most seats a choice; see the hands of 25 cards."""
    assert 70 < deal_decisions(GAMES["tractor"], "standard") < 100


def test_a_run_takes_the_time_it_is_given() -> None:
    played = Playout(GAMES["tractor"], "standard", seed=1).run(0.2)
    assert played.cpu_s >= 0.2
    assert played.rate == pytest.approx(played.decisions / played.cpu_s)
    assert played.decisions > 200


@pytest.mark.more
def test_marks_tell_what_an_echo_did() -> None:
    with Measured(served.ECHO, "serve") as echo:
        address = f"127.0.0.1:{echo.hello['port']}"
        with Measured(served.ECHO, "batched", address, "16") as client:
            first = client.mark()
            done = first.since(first)
            while done.frames < 50:
                done = client.mark().since(first)
    assert done.done == 16 * done.frames
    assert done.sent > done.received > 10 * done.done
    assert done.cpu_s > 0
    assert done.forced == 0


def test_a_measured_process_that_fails_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(MeasureFailed, match=r"croupier_server\.bench\.echo unary"),
        Measured(served.ECHO, "unary", "nowhere", "x"),
    ):
        raise AssertionError("it said that it was ready")
    assert "Traceback" in capfd.readouterr().err


def test_the_kernel_tells_of_processes() -> None:
    before = cpu_seconds(os.getpid())
    while cpu_seconds(os.getpid()) < before + 0.02:
        pass
    assert resident_bytes(os.getpid()) > 10 << 20


def sample(rate: float, server_us: float = 50.0) -> Sample:
    return Sample(rate, server_us, 20.0, 30.0, 900.0, 0.1)


def findings() -> Findings:
    cells = {name: [sample(10.0, 1.0), sample(30.0, 3.0), sample(20.0, 2.0)] for name in "ab"}
    floor = [sample(5.0), sample(10.0), sample(40.0)]
    plays = [Played(100, 10, 1.0), Played(300, 10, 1.0)]
    own: dict[str, list[Mapping[str, float]]] = {
        "pokex hands": [{"warm": 3000.0}, {"warm": 5000.0}]
    }
    return Findings({"tractor standard": plays}, own, {FLOOR: floor, **cells})


def test_ratios_are_taken_inside_a_round() -> None:
    assert ratios(findings().served, "a") == [2.0, 3.0, 0.5]
    assert middle(findings().served["a"]) == sample(20.0, 2.0)


def test_the_report_has_every_figure() -> None:
    data = json.loads(json.dumps(as_data(findings())))
    assert data["in_process"]["tractor standard"]["decisions_per_cpu_s"] == 200
    assert data["served"]["a"]["ratio_to_unary_echo"] == median([2.0, 3.0, 0.5])
    assert [entry["rate"] for entry in data["served"]["a"]["rounds"]] == [10, 30, 20]
    text = "\n".join(as_lines(findings()))
    assert "200 (100-300)" in text
    assert "2.00 (0.50-3.00)" in text
    assert "4,000 (3,000-5,000)" in text
    assert data["own"] == {"pokex hands": {"warm": [3000, 5000]}}


@pytest.mark.more
def test_play_in_this_process_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("croupier_server.cli.bench.IN_PROCESS_S", 0.02)
    assert run(["bench", "--in-process", "--quick", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["in_process"]) == [f"{game} {ruleset}" for game, ruleset in EVERY_RULESET]
    assert all(len(found["rounds"]) == 2 for found in data["in_process"].values())
    (own,) = data["own"].values()
    assert all(warm > cold > 0 for warm, cold in zip(own["warm"], own["cold"], strict=True))


@pytest.mark.more
def test_one_game_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("croupier_server.cli.bench.IN_PROCESS_S", 0.02)
    assert run(["bench", "--in-process", "--quick", "--json", "--game", "tractor"]) == 0
    data = json.loads(capsys.readouterr().out)
    names = [f"tractor {ruleset}" for ruleset in GAMES["tractor"].rulesets()]
    assert list(data["in_process"]) == names
    assert data["own"] == {}


def test_an_unknown_game_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--game", "whist"]) != 0
    assert "there are tractor" in capsys.readouterr().err


def test_the_first_game_is_served_in_every_way_and_the_others_in_sessions() -> None:
    found = [cell.name for cell in cells(["tractor", "pokex"])]
    assert found == [
        "unary echo, 64 callers",
        "batched echo, 256 items",
        "tractor, unary + watch, 64 tables",
        "tractor, session, 1 table",
        "tractor, session, 16 tables",
        "tractor, session, 64 tables",
        "tractor, session, 256 tables",
        "pokex, session, 64 tables",
        "pokex, session, 256 tables",
    ]
    assert len(cells(["pokex"])) == 7


STORE_CELLS = [
    "unary echo, 64 callers",
    "batched echo, 256 items",
    "tractor, session, 256 tables",
    "tractor, session, 256 tables, sqlite",
    "pokex, session, 256 tables",
    "pokex, session, 256 tables, sqlite",
]


def test_a_store_is_measured_beside_memory() -> None:
    found = cells(["tractor", "pokex"], "sqlite:x.db")
    assert [cell.name for cell in found] == STORE_CELLS
    assert [cell.store for cell in found[2:]] == ["memory:", "sqlite:x.db"] * 2
    samples = {name: [sample(10.0), sample(20.0)] for name in STORE_CELLS}
    samples["tractor, session, 256 tables, sqlite"] = [sample(9.0), sample(16.0)]
    assert store_ratios(samples, "tractor, session, 256 tables, sqlite") == [0.9, 0.8]
    assert store_ratios(samples, "tractor, session, 256 tables") == []
    assert store_ratios(samples, "unary echo, 64 callers") == []
    text = "\n".join(as_lines(Findings(served=samples)))
    assert "tractor, session, 256 tables, sqlite: 0.85 (0.80-0.90) of the store in memory" in text


def test_a_store_may_have_a_file_of_its_own() -> None:
    with own_file("sqlite:") as url:
        folder = Path(url.removeprefix("sqlite:")).parent
        assert folder.is_dir()
    assert not folder.exists()
    with own_file("sqlite:x.db") as url:
        assert url == "sqlite:x.db"
    with own_file("") as url:
        assert url == "memory:"


@pytest.mark.slow
def test_a_store_over_grpc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(served, "DEALS", 0)
    url = f"sqlite:{tmp_path / 'bench.db'}"
    found = served.measure(["tongits"], 1, 0.5, lambda _: None, url)
    assert list(found) == [cell.name for cell in cells(["tongits"], url)]
    assert store_ratios(found, list(found)[-1])[0] > 0


@pytest.mark.slow
def test_every_cell_over_grpc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "DEALS", 0)
    heard: list[str] = []
    found = served.measure(list(GAMES), 1, 0.5, heard.append)
    assert list(found) == [cell.name for cell in cells(list(GAMES))]
    assert len(heard) == len(found)
    for samples in found.values():
        (only,) = samples
        assert only.rate > 0
        assert only.server_us > 0
        assert only.received > 0


@pytest.mark.slow
def test_memory_of_a_busy_server() -> None:
    found = measure_memory(lambda _: None, "tractor", tables=20, deals=1)
    assert found.peak > found.start > 10
    assert found.decisions >= 20 * deal_decisions(GAMES["tractor"], "standard")
    assert found.events > 4 * found.decisions


def test_a_server_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_HEARTBEAT_MS", "soon")
    with pytest.raises(MeasureFailed, match="the server ended with status 2"), served.server():
        raise AssertionError("it did start")


def test_marks_subtract() -> None:
    later, earlier = Mark(9, 8, 7, 6.0, 5.0, 4, 3), Mark(1, 1, 1, 1.0, 1.0, 1, 1)
    assert later.since(earlier) == Mark(8, 7, 6, 5.0, 4.0, 3, 2)


@pytest.mark.more
def test_answers_are_timed_at_a_steady_rate_beside_the_echo() -> None:
    found = measure_latency(lambda _: None, "tongits", rate=40, seconds=2)
    assert 0 < found.moves + found.starved <= 90
    assert found.moves > 10
    assert 0 < found.p50 <= found.p99
    assert 0 < found.echo_p50 <= found.echo_p99
    told = Findings(latency=found)
    assert f"answers to {found.moves} moves of tongits, 40 a second" in "\n".join(as_lines(told))
    assert as_data(told)["latency"] == found._asdict()


def test_the_report_compares_answers_with_the_echo() -> None:
    told = Findings(latency=LatencyResult("pokex", 200, 6_000, 1.0, 4.0, 0.5, 2.0, 3))
    (line,) = [line for line in as_lines(told) if line]
    assert "99 of 100 within 4.00 ms" in line
    assert "so 2.0 times as long; 3 moves" in line
