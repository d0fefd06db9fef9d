"""`make soak` at its smallest: it plays, watches, judges and ends by itself."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scripts.soak import Plan, Soak
from scripts.soak_numbers import Sample, percent_in_ten_minutes, write_samples


def test_a_slope_is_told_in_percent_of_where_it_begins() -> None:
    rising = [Sample(600 + second, 1_000_000 + 50 * second) for second in range(0, 600, 5)]
    assert percent_in_ten_minutes(rising) == pytest.approx(3.0)
    wobbling = [Sample(second, 1_000_000 + 500 * (-1) ** second) for second in range(1_000)]
    assert abs(percent_in_ten_minutes(wobbling)) < 0.01
    assert percent_in_ten_minutes([Sample(1, 900), Sample(2, 800)]) < 0


def test_samples_are_kept_as_a_table_of_numbers(tmp_path: Path) -> None:
    file = tmp_path / "samples.csv"
    write_samples(file, [Sample(0.04, 123_456_789, 5, 7, 0.25)])
    with file.open(newline="") as text:
        (row,) = csv.DictReader(text)
    wanted = {"second": 0.0, "mb": 123.457, "live": 5, "ended": 7, "late_s": 0.25}
    assert {name: float(value) for name, value in row.items()} == wanted


@pytest.mark.slow
async def test_a_run_ends_by_itself_with_every_bar(tmp_path: Path) -> None:
    plan = Plan(minutes=0.3, rate=150, tables=2, watched=2, seed="a test")
    bars = {bar.name: bar for bar in await Soak(plan, tmp_path).run()}
    assert len(bars) == 6
    assert bars["no event is lost or repeated"].is_good, bars
    assert bars["the server is well"].is_good, bars
    table = (tmp_path / "table.txt").read_text().splitlines()
    assert len(table) == len(bars)
    assert len((tmp_path / "samples.csv").read_text().splitlines()) > 2
    # It is far too short for either.
    assert "are kept" in bars["ended tables are let go"].text
    assert "% in 10 minutes" in bars["memory rises by 1% at most"].text
