"""Reports of contests: what they show, and that strangers' text can do no harm in them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from croupier_server.contest.report import as_json, csv_files, html, plots, texts
from croupier_server.contest.report.data import (
    Estimate,
    Format,
    Match,
    Measure,
    Outcome,
    RatingHistory,
    RatingPoint,
    Report,
    Standing,
)
from tests.contest import report_samples as samples
from tests.more import first_of

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=cmd|' /C calc'!A0",
    "abc\u202edcba\u2066",
    "\x1b[2J\x00\ufffe\ud800",
    "{{ 7 * 7 }}{% raw %}</style></title></svg>",
)

SAMPLES: dict[str, Callable[[], Report]] = {
    "two": samples.pairs,
    "field": samples.field,
    "empty": samples.empty,
    "nobody": lambda: samples.empty(0),
    "fifty": lambda: samples.pairs(50, boards=1),
}


@pytest.fixture(params=first_of(SAMPLES, len(SAMPLES) - 1), scope="module")
def report(request: pytest.FixtureRequest) -> Report:
    return SAMPLES[request.param]()


def renamed(report: Report, *names: str) -> Report:
    """*report* with *names* given to its first entrants."""
    own = tuple(replace(e, name=name) for e, name in zip(report.entrants, names, strict=False))
    return replace(report, entrants=own + report.entrants[len(own) :])


def hostile() -> Report:
    """A report whose every text is hostile."""
    report = samples.pairs(len(HOSTILE), boards=3)
    text = "".join(HOSTILE)
    return renamed(
        replace(
            report,
            contest=replace(
                report.contest,
                name=text,
                game=text,
                ruleset=text,
                options=text,
                score=text,
                rating=text,
                verdict=text,
                provenance=((text, text),),
            ),
            entrants=tuple(
                replace(e, version=text, owner=text, labels=(text,)) for e in report.entrants
            ),
            standings=tuple(replace(s, tie_breaks=((text, 1.0),)) for s in report.standings),
            matches=(
                *report.matches,
                Match(999, 1, (0, 1), (-8, 8), Outcome.CRASH, (0,), text, "javascript:alert(1)"),
            ),
        ),
        *HOSTILE,
    )


class _Tags(HTMLParser):
    """Collects tags with their attributes, and checks that elements are closed in order."""

    VOID = ("meta",)

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def svgs(page: str) -> list[ET.Element]:
    return [ET.fromstring(one) for one in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


# Safety ---------------------------------------------------------------------------------------


def test_names_and_details_cannot_add_elements_or_attributes() -> None:
    page = html(hostile())
    tags = _Tags(page)
    assert tags.open == []
    kinds = [tag for tag, _ in tags.found]
    assert kinds.count("script") == 1
    assert kinds.count("style") == 1
    assert "img" not in kinds
    names = {name for _, attributes in tags.found for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert "&lt;script&gt;alert(1)" in page
    assert "{{ 7 * 7 }}" in page


def test_characters_that_reorder_or_hide_text_are_visible_escapes() -> None:
    report = hostile()
    for text in (html(report), *csv_files(report).values(), as_json(report)):
        assert not set(text) & set("\u202e\u2066\x1b\x00\ufffe")
        assert not any("\ud800" <= one <= "\udfff" for one in text)
        assert "\\u202e" in text or "games" in text


def test_names_in_other_scripts_stay_readable() -> None:
    page = html(renamed(samples.pairs(), "Zoë 李", "بوت"))
    assert "<bdi>Zoë 李</bdi>" in page
    assert "<bdi>بوت</bdi>" in page


def test_the_page_loads_nothing_and_runs_its_own_script_alone(report: Report) -> None:
    page = html(report)
    without_namespace = page.replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in without_namespace
    assert "https:" not in without_namespace
    for tag, attributes in _Tags(page).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "style"} & attributes.keys()
    assert "default-src 'none'" in page
    assert page.count("script-src 'sha256-") == 1


@pytest.mark.parametrize(
    ("record", "target"),
    [
        ("records/7.croupier", "records/7.croupier"),
        ("https://example.org/a?b=1", "https://example.org/a?b=1"),
        ("javascript:alert(1)", "javascript%3Aalert(1)"),
        ("java\tscript:x", "java%09script%3Ax"),
        ("//example.org/x", ""),
        ("/etc/passwd", ""),
        ("\\\\example.org", "%5C%5Cexample.org"),
        ("http://example.org", "http%3A//example.org"),
        ("", ""),
    ],
)
def test_links_lead_to_relative_paths_or_https(record: str, target: str) -> None:
    assert texts.link(record) == target


@pytest.mark.parametrize("name", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "＝1"])  # noqa: RUF001
def test_spreadsheets_do_not_evaluate_names(name: str) -> None:
    for file, text in csv_files(renamed(samples.pairs(boards=1), name)).items():
        cells = {cell for row in csv.reader(io.StringIO(text)) for cell in row}
        assert any(cell.startswith(("'", "\\t")) and cell.endswith(name[1:]) for cell in cells), (
            file
        )
        assert not any(cell.lstrip() == name.lstrip() for cell in cells)


# What it shows --------------------------------------------------------------------------------


def test_elements_are_closed_and_plots_are_valid_xml_with_titles(report: Report) -> None:
    page = html(report)
    assert _Tags(page).open == []
    for svg in svgs(page):
        title = svg[0]
        assert title.tag.endswith("}title")
        assert title.text == svg.attrib["aria-label"]
        numbers = [value for one in svg.iter() for value in one.attrib.values()]
        assert not {"nan", "inf", "-inf"} & set(numbers)


def test_every_table_has_headers_and_every_row_its_columns(report: Report) -> None:
    for table in re.findall(r'<table class="sortable.*?</table>', html(report), re.DOTALL):
        head, *rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
        columns = head.count('<th scope="col"')
        assert columns > 1
        for row in rows:
            if "colspan" not in row:
                assert len(re.findall(r"<t[dh][ >]", row)) == columns


def test_numbers_have_their_decimals_and_units() -> None:
    report = samples.pairs()
    page = html(
        replace(
            report,
            standings=(
                Standing(
                    0,
                    1,
                    12345,
                    24690,
                    win_rate=Estimate(0.63214, 0.581, 0.6829),
                    score=Estimate(-0.126, -1.5, 1.2),
                    rating=Estimate(1532.4, 1490.2, 1574.6),
                ),
                Standing(1, 2, win_rate=Estimate(0.5)),
            ),
        )
    )
    for text in (
        "63.2%",
        "58.1 to 68.3%",
        "\N{MINUS SIGN}0.13",
        "\N{MINUS SIGN}1.50 to 1.20",
        "1532",
        "1490 to 1575",
        "12\u202f345",
        "no interval",
        "0.080 ms",
        "Greedy is ranked first: win rate 63.2%",
    ):
        assert text in page, text


def test_intervals_are_explained_by_their_kind() -> None:
    simultaneous, per_pair = html(samples.pairs()), html(samples.field())
    assert "hold together and at any time" in simultaneous
    assert "holds on its own and at any time" in per_pair
    assert "hold together" not in per_pair


def test_all_faults_are_listed_and_hidden_matches_counted() -> None:
    report = samples.pairs(6, boards=20)
    faults = [match for match in report.matches if match.outcome != Outcome.PLAYED]
    assert len(faults) > 1
    page = html(replace(report, matches_shown_max=10))
    section = page[page.index('id="faults"') : page.index('id="matches"')]
    for match in faults:
        assert f"Record of match {match.number}" in section
    assert "The latest 10 of 600 matches" in page
    assert "590 earlier matches are not shown here" in page
    latest = page[page.index('id="matches"') :]
    assert re.findall(r"Record of match (\d+)", latest) == [str(n) for n in range(600, 590, -1)]
    assert f"{len(faults) - 1} later matches" in html(replace(report, faults_shown_max=1))
    assert "600 matches are not shown" in html(replace(report, matches_shown_max=0))


def test_a_contest_without_matches_says_so() -> None:
    page = html(samples.empty())
    for text in ("No match has been counted yet", "No pair has a result yet", "No faults"):
        assert text in page
    assert "<svg" not in page


def test_points_tie_breaks_verdict_and_discarded_boards_are_shown() -> None:
    report = samples.pairs()
    standings = tuple(
        replace(s, points=1.5, tie_breaks=(("Buchholz", 7.25),)) for s in report.standings
    )
    about = replace(
        report.contest, format=Format.SWISS, verdict="H1 accepted", boards_beyond_stop=3
    )
    page = html(replace(report, contest=about, standings=standings))
    for text in ("Points", "Buchholz", ">7.25<", ">1.5<", "H1 accepted", "3 boards were played"):
        assert text in page, text


def test_entrants_without_intervals_have_hollow_dots() -> None:
    report = samples.pairs(3, boards=1)
    assert all(s.win_rate is not None and s.win_rate.low is None for s in report.standings)
    page = html(report)
    assert 'class="dot open"' in page
    assert "no interval" in page


def test_the_cross_table_has_the_primary_measure() -> None:
    report = samples.pairs(3)
    first = report.head_to_head[0]
    assert first.win_rate is not None
    assert first.score is not None
    rate, score = texts.number(100 * first.win_rate.value, 1), texts.number(first.score.value, 2)

    def cells(page: str) -> set[str | None]:
        cross = next(svg for svg in svgs(page) if "cross" in svg.attrib["class"])
        return {text.text for text in cross.iter("{http://www.w3.org/2000/svg}text")}

    assert rate in cells(html(report))
    by_score = replace(report, contest=replace(report.contest, measure=Measure.SCORE))
    assert score in cells(html(by_score))


# Plots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0.03, 1, 7, 17, 99, 12345.0])
def test_steps_of_axes_are_round_and_few(length: float) -> None:
    step = plots.nice_step(length, 5)
    assert length / step <= 5 * (1 + 1e-9)
    assert f"{step:e}"[0] in "125"


def test_a_scale_of_equal_values_has_an_extent() -> None:
    scale = plots.spanned([3.0, 3.0], 0, 100, least=1)
    assert scale(3.0) == pytest.approx(50)
    assert plots.spanned([], 0, 100, least=1)(1.0) == pytest.approx(50)


def test_a_logarithmic_scale_has_powers_of_ten() -> None:
    scale = plots.spanned([0, 0.2, 300], 0, 100, least=1, is_log=True)
    assert scale.ticks() == pytest.approx([0.1, 1, 10, 100, 1000])
    assert scale(0) == 0
    assert plots.spanned([10], 0, 1, least=1, is_log=True).ticks() == [10, 100]


def test_labels_of_lines_do_not_overlap() -> None:
    report = samples.pairs(8, boards=1)
    same = tuple(
        RatingHistory(e.number, (RatingPoint(1, 1500.0), RatingPoint(9, 1500.0)))
        for e in report.entrants
    )
    page = html(replace(report, ratings=same))
    chart = next(svg for svg in svgs(page) if "lines" in svg.attrib["class"])
    texts_found = chart.iter("{http://www.w3.org/2000/svg}text")
    places = sorted(
        float(t.attrib["y"]) for t in texts_found if re.match(r"c\d", t.attrib["class"])
    )
    assert len(places) == 8
    assert min(b - a for a, b in pairwise(places)) >= 15
    assert places[0] > 0
    assert places[-1] < 300


def test_bars_stay_in_the_plot_where_an_interval_exceeds_the_axis() -> None:
    report = samples.pairs()
    rates = (Estimate(0.97, 0.90, 1.04), Estimate(0.03, -0.04, 0.10))
    pairs = zip(report.standings, rates, strict=True)
    page = html(replace(report, standings=tuple(replace(s, win_rate=r) for s, r in pairs)))
    chart = next(svg for svg in svgs(page) if svg.attrib["aria-label"] == "Win rate")
    axis = next(one for one in chart if one.attrib.get("class") == "axis")
    ends = [float(one.attrib[x]) for one in chart.iter() for x in ("x1", "x2") if x in one.attrib]
    assert (min(ends), max(ends)) == (float(axis.attrib["x1"]), float(axis.attrib["x2"]))
    assert "\N{MINUS SIGN}4.0 to 10.0%" in page


@pytest.mark.parametrize(
    ("text", "fits"), [("greedy", True), ("g" * 50, False), ("李" * 14, False)]
)
def test_names_are_cut_to_the_room_of_a_plot(text: str, fits: bool) -> None:
    cut = plots.fitted(text, 140)
    assert (cut == text) is fits
    assert cut.endswith("…") is not fits


# Exports --------------------------------------------------------------------------------------


def test_equal_input_gives_equal_bytes(report: Report) -> None:
    again = replace(
        report,
        standings=tuple(
            replace(s, faults=dict(reversed([*(s.faults or {}).items()]))) for s in report.standings
        ),
    )
    plain = replace(
        report, standings=tuple(replace(s, faults=s.faults or {}) for s in report.standings)
    )
    assert html(again) == html(plain)
    assert as_json(again) == as_json(plain)
    assert csv_files(again) == csv_files(plain)


def test_json_is_canonical_and_has_nine_significant_digits() -> None:
    report = samples.pairs(boards=1)
    text = as_json(replace(report, standings=(Standing(0, win_rate=Estimate(0.1 + 0.2)),)))
    assert text.isascii()
    found = json.loads(text)
    assert list(found) == sorted(found)
    assert found["standings"][0]["win_rate"] == {"value": 0.3, "low": None, "high": None}
    assert '"value": 0.3' in text
    assert found["contest"]["format"] == "round robin"
    assert len(found["matches"]) == len(report.matches)
    assert found["matches"][0]["seats"] == [0, 1]


def test_json_refuses_what_is_no_number() -> None:
    report = replace(samples.empty(), standings=(Standing(0, points=float("nan")),))
    with pytest.raises(ValueError, match="nan"):
        as_json(report)


@pytest.mark.parametrize(
    "numbers", [(math.nan,), (0.0, -math.inf, 1.0), (0.0, 1.0, None), (0.0, None, 1.0)]
)
def test_estimates_are_finite_and_have_both_bounds_or_none(
    numbers: tuple[float | None, ...],
) -> None:
    with pytest.raises(ValueError, match="finite numbers, and both bounds or none"):
        Estimate(*numbers)  # type: ignore[arg-type]


def test_tables_have_a_row_for_each_entrant_pair_and_match(report: Report) -> None:
    files = csv_files(report)
    assert list(files) == ["standings.csv", "head_to_head.csv", "games.csv"]
    rows = {name: list(csv.DictReader(io.StringIO(text))) for name, text in files.items()}
    assert len(rows["standings.csv"]) == len(report.standings)
    assert len(rows["head_to_head.csv"]) == len(report.head_to_head)
    assert len(rows["games.csv"]) == len(report.matches)
    for row, standing in zip(rows["standings.csv"], report.standings, strict=True):
        assert None not in row
        assert int(row["number"]) == standing.entrant
        if standing.score is None:
            assert row["score"] == ""
        else:
            assert float(row["score"]) == pytest.approx(standing.score.value, rel=1e-8)
    for row, match in zip(rows["games.csv"], report.matches, strict=True):
        assert int(row["seat_0_entrant"]) == match.seats[0]
        assert row["outcome"] == match.outcome
