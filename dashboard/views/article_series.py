"""What an article did over time: one chart, and the same in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import altair as alt
import streamlit as st

from core.storage.reports import DayFigures
from dashboard.text import Words

SERIES = {
    "exposure": ("#0072B2", "circle", [1, 0]),
    "contribution": ("#D55E00", "square", [6, 3]),
    "sole": ("#009E73", "triangle-up", [2, 3]),
}
"""Figure -> colour (Okabe and Ito 2008), shape and dashes, which say the same again."""
DAILY_SPAN = 62
"""Longer periods are told by weeks."""
_TICKS = 6
_HEIGHT = 260


@dataclass(frozen=True, slots=True)
class Step:
    """A day, or a week from its Monday on; the figures are sums in answers."""

    since: date
    exposure: int
    contribution: float
    sole: float


def steps_of(days: Sequence[DayFigures]) -> list[Step]:
    """Every day or week from the first to the last in which something happened, with zeros in between."""
    if not days:
        return []
    weekly = (days[-1].day - days[0].day).days > DAILY_SPAN
    sums: dict[date, tuple[int, float, float]] = {}
    for one in days:
        since = _since(one.day, weekly)
        exposure, contribution, sole = sums.get(since, (0, 0.0, 0.0))
        sums[since] = (exposure + one.exposure, contribution + one.contribution, sole + one.sole)
    width = 7 if weekly else 1
    first, last = _since(days[0].day, weekly), _since(days[-1].day, weekly)
    places = (first + timedelta(days=n) for n in range(0, (last - first).days + 1, width))
    return [Step(since, *sums.get(since, (0, 0.0, 0.0))) for since in places]


def show_series(days: Sequence[DayFigures], words: Words) -> None:
    """The chart, what it says in a sentence, and its table."""
    steps = steps_of(days)
    if not steps:
        st.caption(words("no_series"))
        return
    st.altair_chart(series_chart(steps, words), width="stretch")
    top = max(steps, key=lambda step: step.contribution)
    st.caption(
        words(
            "series_told",
            first=steps[0].since,
            last=days[-1].day,
            exposure=f"{sum(step.exposure for step in steps):,}",
            contribution=f"{sum(step.contribution for step in steps):,.2f}",
            sole=f"{sum(step.sole for step in steps):,.2f}",
            top=top.since,
        )
    )
    with st.expander(words("series_table")):
        st.dataframe(
            [
                {
                    words("since"): step.since,
                    words("exposure"): step.exposure,
                    words("contribution"): round(step.contribution, 2),
                    words("sole"): round(step.sole, 2),
                }
                for step in steps
            ],
            hide_index=True,
            width="stretch",
        )


def series_chart(steps: Sequence[Step], words: Words) -> alt.LayerChart | alt.FacetChart:
    """x = day or week (UTC), each as wide as the others; y = answers.

    The lines are told apart by colour, mark and dashes; zeros have no mark.
    """
    names = [words(name) for name in SERIES]
    rows = [
        {"since": step.since.isoformat(), "figure": words(name), "value": float(getattr(step, name))}
        for step in steps
        for name in SERIES
    ]
    colours, shapes, dashes = (list(part) for part in zip(*SERIES.values(), strict=True))
    ticks = [step.since.isoformat() for step in steps[:: max(1, -(-len(steps) // _TICKS))]]
    legend = alt.Legend(title=None, orient="bottom", symbolSize=90, symbolDash=[1, 0], symbolStrokeWidth=0)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "since:O",
            title=None,
            scale=alt.Scale(type="point", padding=0.5),
            axis=alt.Axis(values=ticks, labelAngle=0, labelExpr="slice(datum.value, 5)"),
        ),
        y=alt.Y("value:Q", title=words("answers"), scale=alt.Scale(domainMin=0)),
        color=alt.Color("figure:N", legend=legend, scale=alt.Scale(domain=names, range=colours)),
    )
    dashed = alt.StrokeDash("figure:N", legend=None, scale=alt.Scale(domain=names, range=dashes))
    shaped = alt.Shape("figure:N", legend=legend, scale=alt.Scale(domain=names, range=shapes))
    points = base.transform_filter("datum.value > 0").mark_point(filled=True, size=60, opacity=1)
    points = points.encode(
        shape=shaped,
        tooltip=[
            alt.Tooltip("since:N", title=words("since")),
            alt.Tooltip("figure:N", title=words("figure")),
            alt.Tooltip("value:Q", title=words("answers"), format=".2f"),
        ],
    )
    return alt.layer(base.mark_line().encode(strokeDash=dashed), points).properties(height=_HEIGHT)


def _since(day: date, weekly: bool) -> date:
    return day - timedelta(days=day.weekday()) if weekly else day
