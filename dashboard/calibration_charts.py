"""Curves of the check as Altair charts: points or lines with bands, and the diagonal of knowing nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from core.contribution.bands import AtThreshold, Curves, Place
from core.contribution.drift import ALARM_PSI, WATCH_PSI, DriftLevel, FeatureDrift, WeeklyAgreement
from dashboard.text import Words

BLUE = "#0072B2"
ORANGE = "#D55E00"
GREY = "#8C8C8C"
HEIGHT = 280
LEVELS: dict[DriftLevel, tuple[str, str]] = {
    "steady": ("#009E73", "circle"),
    "watch": ("#E69F00", "triangle-up"),
    "alarm": (ORANGE, "square"),
    "too_few": (GREY, "stroke"),
}
"""Level -> colour (Okabe and Ito 2008) and shape, which says the same again."""


def reliability_chart(curves: Curves, words: Words) -> alt.LayerChart | alt.FacetChart:
    """What was said against what people found, with intervals; bigger points stand for more labels."""
    rows = [_row(place, words) for place in curves.reliability]
    base = _base(rows)
    bars = base.mark_rule(color=BLUE, strokeWidth=2).encode(x=_x(words("said_axis")), y=_low(), y2="high:Q")
    points = base.mark_point(filled=True, color=BLUE, opacity=1).encode(
        x=_x(words("said_axis")),
        y=alt.Y("value:Q", title=words("observed_axis"), scale=_UNIT, axis=_PERCENT),
        size=alt.Size("n:Q", legend=None, scale=alt.Scale(range=[40, 220])),
        tooltip=[
            alt.Tooltip("x:Q", title=words("said_axis"), format=".0%"),
            alt.Tooltip("value:Q", title=words("observed_axis"), format=".0%"),
            alt.Tooltip("interval:N", title="95 %"),
            alt.Tooltip("n:Q", title=words("count")),
        ],
    )
    return alt.layer(_diagonal(), bars, points).properties(height=HEIGHT)


def roc_chart(curves: Curves, at: AtThreshold, words: Words) -> alt.LayerChart | alt.FacetChart:
    """Recall by false alarms. at: the threshold that is marked."""
    alarms = _alarms_at(curves, at)
    names = (words("alarms_axis"), words("recall"))
    layers = _curve(curves.roc, (alarms, at.recall.value), names, words)
    return alt.layer(_diagonal(), *layers).properties(height=HEIGHT)


def precision_chart(curves: Curves, at: AtThreshold, words: Words) -> alt.LayerChart | alt.FacetChart:
    """Precision by recall. at: the threshold that is marked."""
    names = (words("recall"), words("precision"))
    layers = _curve(curves.precision, (at.recall.value, at.precision.value), names, words)
    return alt.layer(*layers).properties(height=HEIGHT)


def agreement_chart(
    weeks: Sequence[WeeklyAgreement], expected: float | None, words: Words
) -> alt.LayerChart | alt.FacetChart:
    """Agreement by week against what is expected of the calibration."""
    rows: list[dict[str, object]] = [
        {"week": one.week, "value": one.share, "n": one.labels, "level": words(f"level_{one.level}")}
        for one in weeks
        if one.share is not None
    ]
    base = _base(rows)
    x = alt.X("week:O", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("value:Q", title=words("agreement"), scale=_UNIT, axis=_PERCENT)
    line = base.mark_line(color=BLUE, opacity=0.5).encode(x=x, y=y)
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=x,
        y=y,
        **_levels(words),
        tooltip=[
            alt.Tooltip("week:N", title=words("week")),
            alt.Tooltip("value:Q", title=words("agreement"), format=".0%"),
            alt.Tooltip("n:Q", title=words("count")),
            alt.Tooltip("level:N", title=words("level")),
        ],
    )
    layers = [line, points]
    if expected is not None:
        rule = _base([{"value": expected}]).mark_rule(color=GREY, strokeDash=[6, 4]).encode(y="value:Q")
        layers.insert(0, rule)
    return alt.layer(*layers).properties(height=HEIGHT)


def psi_chart(features: Sequence[FeatureDrift], words: Words) -> alt.LayerChart | alt.FacetChart:
    """How far each feature has moved, and the two levels."""
    known = [one for one in features if one.psi is not None]
    rows: list[dict[str, object]] = [
        {"feature": one.feature, "value": one.psi, "level": words(f"level_{one.level}")} for one in known
    ]
    right = max([ALARM_PSI * 1.2, *(one.psi or 0.0 for one in known)])
    x = alt.X("value:Q", title=words("psi"), scale=alt.Scale(domain=[0, right]))
    y = alt.Y("feature:N", title=None, sort=None)
    base = _base(rows)
    stems = base.mark_rule(color=GREY).encode(x=alt.X("zero:Q"), x2="value:Q", y=y)
    stems = stems.transform_calculate(zero="0")
    tooltip = [
        alt.Tooltip("feature:N", title=words("feature")),
        alt.Tooltip("value:Q", title=words("psi"), format=".3f"),
        alt.Tooltip("level:N", title=words("level")),
    ]
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=x, y=y, **_levels(words), tooltip=tooltip
    )
    limits = _base([{"value": WATCH_PSI}, {"value": ALARM_PSI}])
    rules = limits.mark_rule(color=GREY, strokeDash=[6, 4]).encode(x=x)
    return alt.layer(rules, stems, points).properties(height=max(140, 24 * len(rows)))


def at_threshold(curves: Curves, threshold: float) -> AtThreshold:
    """The nearest of the thresholds that were measured."""
    return min(curves.thresholds, key=lambda one: abs(one.threshold - threshold))


_UNIT = alt.Scale(domain=[0, 1])
_PERCENT = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])


def _curve(
    places: Sequence[Place], marked: tuple[float, float], names: tuple[str, str], words: Words
) -> tuple[alt.Chart, alt.Chart, alt.Chart]:
    """Band, line and the mark of the threshold; names: of the axes."""
    base = _base([_row(place, words) for place in places])
    x, y = _x(names[0]), alt.Y("value:Q", title=names[1], scale=_UNIT, axis=_PERCENT)
    band = base.mark_area(color=BLUE, opacity=0.18).encode(x=x, y=_low(), y2="high:Q")
    line = base.mark_line(color=BLUE).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("x:Q", title=names[0], format=".0%"),
            alt.Tooltip("value:Q", title=names[1], format=".0%"),
            alt.Tooltip("interval:N", title="95 %"),
        ],
    )
    mark = (
        _base([{"x": marked[0], "value": marked[1]}])
        .mark_point(filled=True, shape="diamond", size=170, color=ORANGE, opacity=1)
        .encode(x=x, y=y)
    )
    return band, line, mark


def _alarms_at(curves: Curves, at: AtThreshold) -> float:
    """Share of false alarms at a threshold, from its precision and recall and those of accepting all."""
    base = curves.thresholds[0].precision.value
    if not at.precision.value:
        return 0.0
    return min(1.0, at.recall.value * base / (1 - base) * (1 - at.precision.value) / at.precision.value)


def _row(place: Place, words: Words) -> dict[str, object]:
    told = place.told
    known = told.low is not None and told.high is not None
    interval = f"{told.low:.0%}–{told.high:.0%}" if known else words("no_interval")
    low, high = (told.low, told.high) if known else (told.value, told.value)
    return {"x": place.x, "value": told.value, "low": low, "high": high, "interval": interval, "n": place.n}


def _levels(words: Words) -> dict[str, Any]:
    names = [words(f"level_{level}") for level in LEVELS]
    colours, shapes = (list(part) for part in zip(*LEVELS.values(), strict=True))
    return {
        "color": alt.Color("level:N", legend=None, scale=alt.Scale(domain=names, range=colours)),
        "shape": alt.Shape("level:N", legend=None, scale=alt.Scale(domain=names, range=shapes)),
    }


def _diagonal() -> alt.Chart:
    ends: list[dict[str, object]] = [{"x": 0, "value": 0}, {"x": 1, "value": 1}]
    chart: alt.Chart = (
        _base(ends).mark_line(color=GREY, strokeDash=[6, 4]).encode(x=_x(""), y=alt.Y("value:Q", scale=_UNIT))
    )
    return chart


def _x(title: str) -> alt.X:
    """An empty title leaves that of the other layers."""
    place = alt.X("x:Q", scale=_UNIT, axis=_PERCENT)
    return place.title(title) if title else place


def _low() -> alt.Y:
    return alt.Y("low:Q", scale=_UNIT)


def _base(rows: Sequence[dict[str, object]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=list(rows)))
