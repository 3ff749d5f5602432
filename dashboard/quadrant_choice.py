"""The quadrant chart on a page: drawn, and left for the article whose mark is clicked."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.charts import PICKED, Across, quadrant_chart, tell_quadrants
from dashboard.keeping import keep
from dashboard.pages import go_to
from dashboard.runtime import QuadrantFigures
from dashboard.text import Words


def show_quadrants(figures: QuadrantFigures, words: Words, across: Across, page: str) -> None:
    """Draw the chart; a click on a mark opens its article. page: keeps the choice apart from other pages'."""
    rounds = f"{page}_chart_rounds"
    key = ("quadrant chart", hash(figures), words.locale, across)
    drawn: Any = st.vega_lite_chart(
        spec=keep(key, lambda: quadrant_chart(figures, words, across)),
        width="stretch",
        alt=tell_quadrants(figures, words),
        # A new key after each choice, so that coming back shows the chart without one.
        key=f"{page}_chart_{st.session_state.get(rounds, 0)}",
        on_select="rerun",
        selection_mode=PICKED,
    )
    picked = drawn.selection.get(PICKED) or []
    if picked and picked[0].get("article"):
        st.session_state[rounds] = st.session_state.get(rounds, 0) + 1
        period = st.query_params.get("period")
        kept = {"period": period} if period else {}
        go_to("article", {"article": str(picked[0]["article"]), **kept, "lang": words.locale})
