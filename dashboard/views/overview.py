"""How the answers of a period are doing, against the period before."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from core.contribution.quadrants import QUADRANTS
from core.storage.reports import Overview
from dashboard.charts import quadrant_chart
from dashboard.pages import Page
from dashboard.period_choice import period_before, pick_period
from dashboard.runtime import Viewer
from dashboard.text import Words

Figure = Callable[[Overview], float | None]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


FIGURES: Mapping[str, tuple[Figure, str]] = {
    "answers": (lambda one: float(one.answers), "{:,.0f}"),
    "carried_share": (lambda one: _share(one.carried, one.judged), "{:.0%}"),
    "answered": (lambda one: _share(one.found, one.answers), "{:.0%}"),
    "handed_share": (lambda one: _share(one.handed_over, one.answers), "{:.0%}"),
    "cost_usd": (lambda one: one.cost_usd, "{:,.2f} USD"),
}
"""Name -> the figure, and how it is written."""


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the period."""
    st.header(words("overview_title"))
    period = pick_period(words, "overview_period")
    figures = viewer.read_quadrants(period)
    if not figures.overview.answers:
        st.info(words("no_answers"))
        return
    earlier = period_before(period)
    _show_figures(figures.overview, viewer.read_overview(earlier) if earlier else None, words)
    if viewer.read_biases(period).warns:
        st.warning(words("length_warning"))
    st.subheader(words("quadrants"))
    st.altair_chart(quadrant_chart(figures, words), width="stretch")
    counts = (f"{words(field)}: {figures.fields.count(field)}" for field in QUADRANTS)
    st.caption(" · ".join(counts))
    if figures.not_shown:
        st.caption(words("not_shown", count=figures.not_shown))


def _show_figures(now: Overview, before: Overview | None, words: Words) -> None:
    with st.container(horizontal=True, gap="medium"):
        for name, (figure, shape) in FIGURES.items():
            value = figure(now)
            earlier = figure(before) if before and before.answers else None
            text = words("nothing_known") if value is None else shape.format(value)
            with st.container(width="content", gap=None):
                st.metric(words(name), text, width="content")
                if earlier is not None:
                    st.caption(words("before", value=shape.format(earlier)))


PAGE = Page(name="overview", role="viewer", order=10, render=render)
