"""Rows become Altair charts; what they mean is settled before."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import median
from typing import Any, Literal

import altair as alt

from core.contribution.quadrants import QUADRANTS, Quadrant
from dashboard.runtime import QuadrantFigures
from dashboard.text import Words

COLOURS: dict[Quadrant, str] = {
    "carrying": "#0072B2",
    "hidden": "#009E73",
    "in_vain": "#D55E00",
    "idle": "#8C8C8C",
}
"""Told apart by the colour-blind (Okabe and Ito 2008); the shapes say the same again."""
SHAPES: dict[Quadrant, str] = {
    "carrying": "circle",
    "hidden": "triangle-up",
    "in_vain": "square",
    "idle": "diamond",
}
HEIGHT = 460
_LEFT = -0.6
_TOP = 1.2
_BOTTOM = -0.2
"""Beyond 0 and 1 there is room for the names of the fields and for large marks."""
_SPREAD = 0.16
_REACH = 0.42
"""Step between marks that share a spot, and how far the last may stand off, in answers."""
_TICKS = 12
"""At most so many on a linear axis."""
_LABELS = 9
_LABELLED = 60
"""Of so many of the strongest articles some are named in the chart."""
_LABEL_CELLS = 24
_TOLD = 3
"""Articles of each field that the words for the chart name."""
_MANY = 150
"""From so many marks on they are drawn smaller."""
_UNEVEN = 12
_LEAST_FOR_LOG = 30
"""A logarithmic axis helps where the highest exposure is so many times the middle one, and at least that."""
Across = Literal["linear", "log"]
PICKED = "picked"
_ARTICLES = "articles"
"""The data of the marks."""


def choose_across(figures: QuadrantFigures) -> Across:
    """The scale of the exposure on which most articles can be told apart."""
    shown = [row.exposure for row in figures.rows if row.exposure]
    if not shown or max(shown) < max(_LEAST_FOR_LOG, _UNEVEN * median(shown)):
        return "linear"
    return "log"


def quadrant_chart(figures: QuadrantFigures, words: Words, across: Across = "linear") -> dict[str, Any]:
    """x = exposure, y = rate, size = contribution; the fields are tinted and named.

    A click on a mark selects its article under PICKED. Returns the chart as Vega-Lite. The articles are put
    in at the end: Altair would check every value of thousands of them, which takes a second.
    """
    highest = max((row.exposure for row in figures.rows), default=1)
    right = highest + 1.0 if across == "linear" else highest * 1.3 + 1.0
    x = alt.X(
        "x:Q",
        title=words("exposure_axis"),
        scale=alt.Scale(domain=[_LEFT, right], nice=False, type="symlog" if across == "log" else "linear"),
        axis=alt.Axis(tickMinStep=1, format=",d", grid=False, values=_ticks(right, across)),
    )
    y = alt.Y(
        "rate:Q",
        title=words("rate_axis"),
        scale=alt.Scale(domain=[_BOTTOM, _TOP], nice=False),
        axis=alt.Axis(format="%", grid=False, values=[0, 0.25, 0.5, 0.75, 1]),
    )
    points = _points(figures, words)
    titles = _titles(points, right, across)
    layers = (*_fields(figures, words, right), _marks(len(points), words, x, y), titles)
    chart: dict[str, Any] = alt.layer(*layers).properties(height=HEIGHT).to_dict()
    chart["datasets"] = {**chart.get("datasets", {}), _ARTICLES: points}
    return chart


def tell_quadrants(figures: QuadrantFigures, words: Words) -> str:
    """The chart in words: how many articles stand in each field, and which of them carried most."""
    parts = []
    for field in QUADRANTS:
        inside = [row for row, its in zip(figures.rows, figures.fields, strict=True) if its == field]
        named = ", ".join(row.title for row in inside[:_TOLD])
        parts.append(f"{words(field)}: {len(inside):,}" + (f" ({named})" if named else ""))
    return f"{words('quadrants_title')}. {'; '.join(parts)}."


def _marks(count: int, words: Words, x: alt.X, y: alt.Y) -> alt.Chart:
    names = [words(field) for field in QUADRANTS]
    chart: alt.Chart = (
        alt.Chart(alt.NamedData(_ARTICLES))
        .mark_point(filled=True, opacity=0.85, stroke="white", strokeWidth=0.6)
        .encode(
            x=x,
            y=y,
            size=alt.Size(
                "contribution:Q",
                scale=alt.Scale(range=[70, 900] if count < _MANY else [25, 500]),
                legend=None,
            ),
            color=alt.Color("field:N", legend=None, scale=_scale(names, list(COLOURS.values()))),
            shape=alt.Shape("field:N", legend=None, scale=_scale(names, list(SHAPES.values()))),
            tooltip=[
                alt.Tooltip("title:N", title=words("article")),
                alt.Tooltip("field:N", title=words("field")),
                alt.Tooltip("exposure:Q", title=words("exposure")),
                alt.Tooltip("rate:Q", title=words("rate"), format=".0%"),
                alt.Tooltip("contribution:Q", title=words("contribution"), format=".2f"),
                alt.Tooltip("n:Q", title=words("n")),
            ],
        )
    )
    return chart.add_params(alt.selection_point(name=PICKED, fields=["article"]))


def _titles(points: Sequence[Mapping[str, Any]], right: float, across: Across) -> alt.Chart:
    """Titles of the strongest articles, where they do not cover each other and the chart is wide enough."""
    labels: list[dict[str, Any]] = []
    strongest = [{**point, "place": _along(point["x"], right, across)} for point in points[:_LABELLED]]
    for point in strongest:
        beside_label = any(_overlap(label, point, 0.2, 0.07) for label in labels)
        higher = (other for other in strongest if other["rate"] > point["rate"])
        below_mark = any(_overlap(other, point, 0.08, 0.12) for other in higher)
        if len(labels) == _LABELS or beside_label or below_mark or point["contribution"] <= 0:
            continue
        short, inside = _shorten(str(point["title"])), point["x"]
        if not 0.08 <= point["place"] <= 0.9:
            inside = _at(min(max(point["place"], 0.08), 0.9), right, across)
        labels.append({"x": inside, "place": point["place"], "rate": point["rate"], "title": short})
    chart: alt.Chart = (
        _chart(labels)
        .mark_text(dy=-22, fontSize=12, color="#767676", opacity=alt.ExprRef("width > 700 ? 1 : 0"))
        .encode(x="x:Q", y="rate:Q", text="title:N")
    )
    return chart


def _shorten(title: str) -> str:
    """At most so many cells; Japanese signs take two."""
    widths = [2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in title]
    if sum(widths) <= _LABEL_CELLS:
        return title
    kept = sum(total < _LABEL_CELLS for total in accumulate(widths))
    return f"{title[:kept].rstrip()}…"


def _along(x: float, right: float, across: Across) -> float:
    """How far from 0 to the right end of the axis an exposure stands, 0 to 1."""
    return x / right if across == "linear" else math.log1p(max(x, 0.0)) / math.log1p(right)


def _at(place: float, right: float, across: Across) -> float:
    """The exposure that stands there: `_along` the other way round."""
    return place * right if across == "linear" else math.expm1(place * math.log1p(right))


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any], width: float, height: float) -> bool:
    return bool(abs(one["place"] - other["place"]) < width and abs(one["rate"] - other["rate"]) < height)


def _points(figures: QuadrantFigures, words: Words) -> list[dict[str, object]]:
    """One point an article that has a rate; those on the same spot stand side by side."""
    shared = Counter((row.exposure, round(row.rate, 2)) for row in figures.rows if row.rate is not None)
    placed: Counter[tuple[int, float]] = Counter()
    points: list[dict[str, object]] = []
    for row, field in zip(figures.rows, figures.fields, strict=True):
        if row.rate is None:
            continue
        spot = (row.exposure, round(row.rate, 2))
        points.append(
            {
                "title": row.title,
                "field": words(field),
                "exposure": row.exposure,
                "x": row.exposure + _beside(placed[spot], shared[spot]),
                "rate": round(row.rate, 4),
                "contribution": round(row.contribution, 3),
                "n": row.answers,
                "article": row.article_id,
            }
        )
        placed[spot] += 1
    return points


def _beside(place: int, shared: int) -> float:
    """0, then one step right, one left, two right, ... of a spot that so many share; always nearer to it
    than to the next."""
    steps = (place + 1) // 2
    step = min(_SPREAD, 2 * _REACH / max(shared, 1))
    return step * (steps if place % 2 else -steps)


def _fields(figures: QuadrantFigures, words: Words, right: float) -> tuple[alt.Chart, ...]:
    """Tints, names and dividing lines."""
    across, up = _divide_exposure(figures), _divide_rate(figures)
    left, bottom = _LEFT, _BOTTOM
    corners: dict[Quadrant, tuple[float, float, float, float]] = {
        "carrying": (across, right, up, _TOP),
        "hidden": (left, across, up, _TOP),
        "in_vain": (across, right, bottom, up),
        "idle": (left, across, bottom, up),
    }
    boxes: list[dict[str, object]] = [
        {"x": x, "x2": x2, "y": y, "y2": y2, "colour": COLOURS[field]}
        for field, (x, x2, y, y2) in corners.items()
    ]
    tints = (
        _chart(boxes)
        .mark_rect(opacity=0.1)
        .encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q", color=alt.Color("colour:N", scale=None))
    )
    names = [_name(words(field), COLOURS[field], corner) for field, corner in corners.items()]
    return (tints, *names)


def _name(text: str, colour: str, corner: tuple[float, float, float, float]) -> alt.Chart:
    x, x2, y, y2 = corner
    at_right, at_top = x2 > x >= 0, y2 >= _TOP
    place: dict[str, object] = {"x": x2 if at_right else x, "y": y2 if at_top else y, "text": text}
    chart: alt.Chart = (
        _chart([place])
        .mark_text(
            align="right" if at_right else "left",
            baseline="top" if at_top else "bottom",
            dx=-8 if at_right else 8,
            dy=8 if at_top else -8,
            fontSize=15,
            fontWeight="bold",
            color=colour,
        )
        .encode(x="x:Q", y="y:Q", text="text:N")
    )
    return chart


def _divide_exposure(figures: QuadrantFigures) -> float:
    """Half an answer below the least exposure that counts as often."""
    return math.ceil(max(figures.thresholds.exposure, 1.0)) - 0.5


def _divide_rate(figures: QuadrantFigures) -> float:
    """In the middle between the highest rate that counts as little and the lowest that counts as much."""
    rates = [row.rate for row in figures.rows if row.rate is not None]
    limit = figures.thresholds.rate
    little = max((rate for rate in rates if rate < limit or rate == 0), default=0.0)
    much = min((rate for rate in rates if rate >= limit and rate > 0), default=1.0)
    return (little + much) / 2


def _ticks(right: float, across: Across) -> list[int]:
    if across == "log":
        steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
        return [0, *(step for step in steps if step <= right)]
    steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
    step = next(step for step in steps if step * _TICKS >= right)
    return list(range(0, int(right) + 1, step))


def _scale(names: Sequence[str], values: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=list(values))


def _chart(rows: Sequence[Mapping[str, object]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=list(rows)))
