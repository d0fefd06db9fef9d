"""Plots as SVG: estimates with error bars, lines over boards, cross tables, histograms.

A plot has no colours of its own. Its classes are styled by `templates/report.css`, in light and
dark. Most plots are `WIDTH` units wide, so that their text is still legible on a phone. All text is
made safe and escaped here.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from markupsafe import Markup

from croupier_server.contest.report.data import Bin, Estimate, RatingPoint
from croupier_server.contest.report.texts import number, percent, safe

WIDTH: Final = 480
COLOURS: Final = 8
"""Number of classes ``c0``, ``c1``, … of lines; further lines are grey."""
TONES: Final = 4
"""Cells of a cross table have the classes ``tone-4`` (loses) to ``tone4`` (wins)."""

CROSS_LARGE_MAX: Final = 16
"""Up to this number of entrants the cells of a cross table have room for five characters."""

BANDS_MAX: Final = 5
"""Up to this number of lines their intervals are drawn as bands."""

_ROOM: Final = 148
"""Maximum width of the names to the left of a plot."""
_LETTER: Final = 7.6
"""Mean width of a Latin letter in a plot, in a wide font."""

Words = Callable[[float], str]


class Bar(NamedTuple):
    """One row of `bars`.

    Attributes:
        name: of an entrant.
        estimate: the dot and the ends of its bar.
        words: what a tooltip says, without the name.
        tick: a further mark on the bar, such as a percentile.
    """

    name: str
    estimate: Estimate
    words: str
    tick: float | None = None


class Line(NamedTuple):
    """One line of `lines`, in the order of ranks."""

    name: str
    points: Sequence[RatingPoint]


class Cell(NamedTuple):
    """One pair of a `cross_table`; *tone* is from -1 (loses) over 0 (even) to 1 (wins)."""

    text: str
    tone: float
    words: str
    is_clear: bool


# Elements ---------------------------------------------------------------------------------------


def _tag(name: str, *content: str, **attributes: str | float) -> Markup:
    """An element. Values and plain text are escaped; ``class_`` is class, ``x_y`` is x-y."""
    told = Markup("").join(
        Markup(' {}="{}"').format(
            key.rstrip("_").replace("_", "-"),
            f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value,
        )
        for key, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), told, Markup("").join(content))  # noqa: S704


def _text(text: str, x: float, y: float, class_: str = "") -> Markup:
    return _tag("text", safe(text), x=float(x), y=float(y), class_=class_)


def _segment(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return _tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def _figure(title: str, width: float, height: float, parts: Iterable[str], class_: str) -> Markup:
    return _tag(
        "svg",
        _tag("title", safe(title)),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=float(round(width)),
        height=float(round(height)),
        role="img",
        aria_label=safe(title),
        class_=f"plot {class_}",
    )


def _room(names: Iterable[str]) -> float:
    """The width that *names* need to the left of a plot."""
    return min(max((_width(name) for name in names), default=0) + 12, _ROOM)


def _width(text: str) -> float:
    return _LETTER * sum(
        2 if unicodedata.east_asian_width(one) in "WF" else 1.5 if one in "mwMW@%" else 1
        for one in text
    )


def fitted(text: str, width: float) -> str:
    """*text* cut to about *width* units, with an ellipsis where something is missing."""
    if _width(text) <= width:
        return text
    length = next(at for at in range(len(text)) if _width(text[: at + 1] + "…") > width)
    return text[:length].rstrip() + "…"


# Scales -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scale:
    """From values *low* to *high* to positions *start* to *end*; logarithmic on demand."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """The position of *value*."""
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, low))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, count: int = 6) -> list[float]:
        """Round values in range: about *count*, or the powers of ten."""
        if self.is_log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**power for power in powers]
        step = nice_step(self.high - self.low, count)
        first = math.ceil(self.low / step - 1e-9)
        return [step * at for at in range(first, math.floor(self.high / step + 1e-9) + 1)]


def nice_step(length: float, count: int) -> float:
    """The smallest of 1, 2, 5, 10, 20, … (or 0.1, …) of which at most *count* make up *length*.

    >>> nice_step(17, 5), nice_step(0.31, 4)
    (5.0, 0.1)
    """
    power: float = 10.0 ** math.floor(math.log10(length / count))
    return next(s * power for s in (1, 2, 5, 10) if s * power * count >= length * (1 - 1e-9))


def nice_ceiling(share: float) -> float:
    """*share* rounded up to the next multiple of 5 percent, or of 1 percent when small."""
    step = 0.05 if share > 0.05 else 0.01
    return step * math.ceil(share / step - 1e-9)


def spanned(
    values: Iterable[float], start: float, end: float, *, least: float, is_log: bool = False
) -> Scale:
    """A scale that holds all *values* with a little room, and spans *least* or more."""
    found = [value for value in values if not is_log or value > 0]
    low, high = min(found, default=1.0), max(found, default=1.0)
    if is_log:
        low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
        return Scale(low, high if high > low else low * 10, start, end, is_log)
    missing = max(least - (high - low), 0) / 2
    room = 0.04 * max(high - low, least)
    return Scale(low - missing - room, high + missing + room, start, end)


# Plots ------------------------------------------------------------------------------------------


def bars(
    title: str,
    label: str,
    rows: Sequence[Bar],
    words: Words,
    *,
    least: float,
    even: float | None = None,
    limits: tuple[float, float] | None = None,
    is_log: bool = False,
) -> Markup:
    """A row for each entrant: a dot at its estimate, and a bar over its interval.

    Args:
        title: names the measure with its unit.
        label: is printed below the axis.
        rows: from top to bottom.
        words: writes a value at the axis.
        least: minimum length of the axis.
        even: where a reference line is drawn.
        limits: values that the axis does not exceed.
        is_log: whether the axis is logarithmic.
    """
    height = 28 if len(rows) <= 8 else 19
    bottom = 8 + height * len(rows)
    room = _room(row.name for row in rows)
    given = [v for row in rows for v in _values(row.estimate)]
    x = spanned(
        given + ([] if even is None else [even]), room, WIDTH - 22, least=least, is_log=is_log
    )
    if limits is not None:
        x = Scale(max(x.low, limits[0]), min(x.high, limits[1]), x.start, x.end)
    parts = _axis_below(x, words, 4, bottom)
    if even is not None:
        parts.append(_segment(x(even), 4, x(even), bottom, "even"))
    for at, row in enumerate(rows):
        y = 8 + height * (at + 0.5)
        estimate = row.estimate
        marks = [
            _tag("title", safe(f"{row.name}: {row.words}")),
            _tag("rect", x=0, y=y - height / 2, width=WIDTH, height=height, class_="hit"),
            _text(fitted(row.name, room - 10), room - 10, y + 4.5, "end"),
        ]
        if estimate.low is not None and estimate.high is not None:
            low, high = x(max(estimate.low, x.low)), x(min(estimate.high, x.high))
            marks.append(_segment(low, y, high, y, "bar"))
            marks += [_segment(end, y - 4, end, y + 4, "bar") for end in (low, high)]
        if row.tick is not None:
            marks.append(_segment(x(row.tick), y - 4, x(row.tick), y + 4, "bar"))
        kind = "dot" if estimate.low is not None else "dot open"
        marks.append(_tag("circle", cx=x(estimate.value), cy=y, r=4.5, class_=kind))
        parts.append(_tag("g", *marks, class_="row"))
    parts.append(_text(fitted(label, WIDTH), (room + WIDTH - 22) / 2, bottom + 38, "middle label"))
    return _figure(title, WIDTH, bottom + 46, parts, "bars")


def lines(title: str, axis: str, rows: Sequence[Line]) -> Markup:
    """A line for each entrant over the boards played, with its name at the end.

    The first `COLOURS` lines have colours and names.
    """
    height, bottom, right = 300, 254, WIDTH - 124
    with_bands = len(rows) <= BANDS_MAX
    points = [point for row in rows for point in row.points]
    drawn = [v for p in points for v in ((p.rating, p.low, p.high) if with_bands else (p.rating,))]
    x = Scale(0, max((p.boards for p in points), default=1) or 1, 46, right)
    y = spanned((v for v in drawn if v is not None), bottom, 10, least=20)
    parts = _axis_below(x, number, 10, bottom)
    for value in y.ticks(6):
        parts.append(_segment(46, y(value), right, y(value), "grid"))
        parts.append(_text(number(value), 40, y(value) + 4.5, "end tick"))
    ends: list[tuple[float, int]] = []
    for at, row in reversed(list(enumerate(rows))):
        colour = f"c{at}" if at < COLOURS else "other"
        marks = [_tag("title", safe(row.name))]
        sure = [(x(p.boards), p) for p in row.points]
        lows = [(at_x, y(p.low)) for at_x, p in sure if p.low is not None]
        highs = [(at_x, y(p.high)) for at_x, p in sure if p.high is not None]
        if with_bands:
            marks.append(_tag("polygon", points=_path(lows + highs[::-1]), class_="band"))
        marks.append(_tag("polyline", points=_path((x(p.boards), y(p.rating)) for p in row.points)))
        if row.points:
            last = row.points[-1]
            marks.append(_tag("circle", cx=x(last.boards), cy=y(last.rating), r=2.5))
            if at < COLOURS:
                ends.append((y(last.rating), at))
        parts.append(_tag("g", *marks, class_=f"line {colour}"))
    for place, (end, at) in zip(_spread(sorted(ends), 15, bottom), sorted(ends), strict=True):
        parts.append(_segment(right + 3, end, right + 12, place, f"leader c{at}"))
        name = fitted(rows[at].name, WIDTH - right - 16)
        parts.append(_text(name, right + 15, place + 4.5, f"c{at}"))
    parts.append(_text("boards played", (46 + right) / 2, height - 8, "middle label"))
    return _figure(f"{title}: {axis}", WIDTH, height, parts, "lines")


def cross_table(title: str, names: Sequence[str], cells: Sequence[Sequence[Cell | None]]) -> Markup:
    """A cell for each pair: row against column, both in the order of *names*."""
    count = len(names)
    is_large = count <= CROSS_LARGE_MAX
    wide, high = (48.0, 26) if is_large else (30.0, 20)
    longest = max((len(cell.text) for line in cells for cell in line if cell), default=0)
    wide = max(wide, 8 + longest * _LETTER * (1.0 if is_large else 0.8))
    left, top = 32 + _room(names), 24
    parts: list[Markup] = []
    for at, name in enumerate(names):
        y = top + high * (at + 0.5) + 4.5
        label = _tag("title", safe(name)) + _text(fitted(name, left - 40), 28, y)
        parts.append(_tag("g", label, _text(str(at + 1), 20, y, "end tick")))
        parts.append(_text(str(at + 1), left + wide * (at + 0.5), top - 8, "middle tick"))
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            box = {"x": left + wide * column + 1.0, "y": top + high * row + 1.0}
            size = {"width": wide - 2, "height": high - 2}
            if cell is None:
                kind = "self" if row == column else "none"
                parts.append(_tag("rect", **box, **size, rx=2, class_=kind))
                continue
            middle = left + wide * (column + 0.5), top + high * (row + 0.5) + 4.5
            tone = round(TONES * max(-1.0, min(1.0, cell.tone)))
            parts.append(
                _tag(
                    "g",
                    _tag("title", safe(cell.words)),
                    _tag("rect", **box, **size, rx=2),
                    _text(cell.text, *middle, "middle clear" if cell.is_clear else "middle"),
                    class_=f"tone{tone}",
                )
            )
    size_class = "cross" if is_large else "cross small"
    return _figure(title, left + wide * count + 2, top + high * count + 4, parts, size_class)


def histogram(
    title: str,
    bins: Sequence[Bin],
    *,
    span: tuple[float, float],
    share_max: float,
    mean: float | None,
) -> Markup:
    """The share of matches in each bin, to scales that several histograms have in common.

    Args:
        title: the name of an entrant.
        bins: its bins.
        span: lowest and highest score of the axis.
        share_max: highest share of the axis, from 0 to 1.
        mean: where a line is drawn, if anywhere.
    """
    width, top, bottom = 224, 32, 108
    total = sum(one.count for one in bins) or 1
    x, y = Scale(*span, 34, width - 8), Scale(0, share_max, bottom, top)
    parts = [_text(fitted(title, 0.85 * width), 4, 14, "name")]
    for share in (0.0, share_max):
        parts.append(_segment(34, y(share), width - 8, y(share), "grid"))
        parts.append(_text(f"{100 * share:.0f}%", 30, y(share) + 4, "end tick"))
    for value in x.ticks(4):
        parts.append(_text(number(value, _decimals(span)), x(value), bottom + 15, "middle tick"))
    for one in bins:
        share = one.count / total
        words = f"{number(one.low)} to {number(one.high)}: {one.count} matches, {percent(share)}"
        parts.append(
            _tag(
                "rect",
                _tag("title", words),
                x=x(one.low) + 0.5,
                y=y(share),
                width=max(x(one.high) - x(one.low) - 1, 0.5),
                height=bottom - y(share),
                class_="bin",
            )
        )
    if mean is not None:
        parts.append(_segment(x(mean), top - 4, x(mean), bottom, "mean"))
    return _figure(title, width, bottom + 20, parts, "histogram")


# Helpers ----------------------------------------------------------------------------------------


def _values(estimate: Estimate) -> list[float]:
    return [v for v in (estimate.low, estimate.value, estimate.high) if v is not None]


def _decimals(span: tuple[float, float]) -> int:
    return max(0, -math.floor(math.log10(nice_step(span[1] - span[0], 4))))


def _axis_below(x: Scale, words: Words, top: float, bottom: float) -> list[Markup]:
    parts = [_segment(x.start, bottom, x.end, bottom, "axis")]
    for value in x.ticks():
        parts.append(_segment(x(value), top, x(value), bottom, "grid"))
        parts.append(_text(words(value), x(value), bottom + 17, "middle tick"))
    return parts


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _spread(ends: Sequence[tuple[float, int]], gap: float, bottom: float) -> list[float]:
    """Places for labels near *ends*, from top to bottom, *gap* apart and above *bottom*."""
    places: list[float] = []
    for end, _ in ends:
        places.append(max(end, places[-1] + gap) if places else end)
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], bottom - gap * (len(places) - 1 - at))
    return places
