"""Reliability, ROC and precision-recall curves, each told in a sentence and as a table as well."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.contribution.bands import Curves, Place, Told
from dashboard.calibration_charts import at_threshold, precision_chart, reliability_chart, roc_chart
from dashboard.text import Words


def show_curves(curves: Curves, threshold: float, words: Words) -> None:
    """Side by side, below each other where the window is narrow."""
    at = at_threshold(curves, threshold)
    told = words("curve_told", threshold=f"{threshold:.2f}", n=f"{curves.n:,}")
    first, second, third = st.columns(3, gap="medium")
    with first:
        st.markdown(f"###### {words('reliability')}")
        st.altair_chart(reliability_chart(curves, words), width="stretch")
        st.caption(_tell_reliability(curves, words))
    with second:
        st.markdown(f"###### {words('roc')}")
        st.altair_chart(roc_chart(curves, at, words), width="stretch")
        st.caption(told)
    with third:
        st.markdown(f"###### {words('precision_curve')}")
        st.altair_chart(precision_chart(curves, at, words), width="stretch")
        st.caption(told)
    with st.expander(words("curves_table")):
        tables = st.columns(3, gap="medium")
        axes = (("said_axis", "observed_axis"), ("alarms_axis", "recall"), ("recall", "precision"))
        columns = (curves.reliability, curves.roc[::6], curves.precision[::6])
        for place, (x, y), rows in zip(tables, axes, columns, strict=True):
            place.dataframe(_rows(rows, words(x), words(y), words), hide_index=True, width="stretch")


def show_figure(name: str, told: Told, words: Words) -> None:
    """One figure with its interval below."""
    with st.container(width="content", gap=None):
        st.metric(words(name), f"{told.value:.0%}", width="content", help=words(f"{name}_help"))
        if told.low is None or told.high is None:
            st.caption(words("no_interval"))
        else:
            st.caption(words("interval", low=f"{told.low:.0%}", high=f"{told.high:.0%}"))


def _tell_reliability(curves: Curves, words: Words) -> str:
    """The bin that is farthest off."""
    worst = max(curves.reliability, key=lambda place: abs(place.told.value - place.x))
    low, high = worst.told.low, worst.told.high
    return words(
        "reliability_told",
        said=f"{worst.x:.0%}",
        observed=f"{worst.told.value:.0%}",
        low="–" if low is None else f"{low:.0%}",
        high="–" if high is None else f"{high:.0%}",
        n=worst.n,
    )


def _rows(places: Sequence[Place], x: str, y: str, words: Words) -> list[dict[str, object]]:
    with_counts = any(place.n for place in places)
    return [
        {
            x: round(place.x, 3),
            y: round(place.told.value, 3),
            words("low"): None if place.told.low is None else round(place.told.low, 3),
            words("high"): None if place.told.high is None else round(place.told.high, 3),
            **({words("count"): place.n} if with_counts else {}),
        }
        for place in places
    ]
