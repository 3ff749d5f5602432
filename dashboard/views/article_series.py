"""What an article did over time: one chart, and the same in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

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


def series_chart(steps: Sequence[Step], words: Words) -> alt.Chart:
    """x = day or week (UTC), y = answers; three lines told apart by colour, mark and dashes."""
    names = [words(name) for name in SERIES]
    rows = [
        {"since": _ms(step.since), "figure": words(name), "value": float(getattr(step, name))}
        for step in steps
        for name in SERIES
    ]
    colours, shapes, dashes = (list(part) for part in zip(*SERIES.values(), strict=True))
    edge = timedelta(days=1)
    domain = [_ms(steps[0].since - edge), _ms(steps[-1].since + edge)]
    every = max(1, -(-len(steps) // _TICKS))
    ticks = [_ms(step.since) for step in steps[::every]]
    legend = alt.Legend(title=None, orient="bottom", symbolSize=90)
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=alt.OverlayMarkDef(filled=True, size=55))
        .encode(
            x=alt.X(
                "since:T",
                title=None,
                scale=alt.Scale(type="utc", domain=domain),
                axis=alt.Axis(format="%m-%d", values=ticks, grid=False, labelOverlap=True),
            ),
            y=alt.Y("value:Q", title=words("answers"), scale=alt.Scale(domainMin=0)),
            color=alt.Color("figure:N", legend=legend, scale=alt.Scale(domain=names, range=colours)),
            shape=alt.Shape("figure:N", legend=legend, scale=alt.Scale(domain=names, range=shapes)),
            strokeDash=alt.StrokeDash("figure:N", legend=legend, scale=alt.Scale(domain=names, range=dashes)),
            tooltip=[
                alt.Tooltip("since:T", title=words("since"), format="%Y-%m-%d"),
                alt.Tooltip("figure:N", title=words("figure")),
                alt.Tooltip("value:Q", title=words("answers"), format=".2f"),
            ],
        )
        .properties(height=_HEIGHT)
    )
    return chart


def _since(day: date, weekly: bool) -> date:
    return day - timedelta(days=day.weekday()) if weekly else day


def _ms(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
