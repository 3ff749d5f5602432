"""Articles that carried no answer in a period, and why."""

from __future__ import annotations

import streamlit as st

from core.storage.reports import QuadrantRow
from dashboard.pages import Page, article_links
from dashboard.period_choice import pick_period
from dashboard.runtime import Viewer
from dashboard.text import Words

REASONS = ("never_retrieved", "never_exposed", "exposed_idle")


def reason_unused(row: QuadrantRow) -> str:
    """One of REASONS: never found, found but never shown, shown and of no use."""
    if row.exposure:
        return "exposed_idle"
    return "never_exposed" if row.retrieved else "never_retrieved"


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the period."""
    st.header(words("unused_title"))
    st.caption(words("unused_lead"))
    rows = viewer.read_unused(pick_period(words, "unused_period", "days_90"))
    if not rows:
        st.info(words("all_used"))
        return
    reasons = [reason_unused(row) for row in rows]
    for column, reason in zip(st.columns(len(REASONS)), REASONS, strict=True):
        column.markdown(f"**{words(reason)}** · {reasons.count(reason):,}  \n{words(f'{reason}_advice')}")
    _show_table(rows, reasons, words)


def _show_table(rows: list[QuadrantRow], reasons: list[str], words: Words) -> None:
    link = article_links(words)
    st.dataframe(
        [
            {
                "title": row.title,
                "reason": words(reason),
                "retrieved": row.retrieved,
                "exposure": row.exposure,
                "id": row.article_id,
                "open": link(row.article_id),
            }
            for row, reason in zip(rows, reasons, strict=True)
        ],
        hide_index=True,
        width="stretch",
        column_config={
            "title": st.column_config.TextColumn(words("article"), width="large"),
            "reason": st.column_config.TextColumn(words("reason")),
            "retrieved": st.column_config.NumberColumn(words("retrieved"), format="%d"),
            "exposure": st.column_config.NumberColumn(words("exposure"), format="%d"),
            "id": st.column_config.TextColumn(words("article_id")),
            "open": st.column_config.LinkColumn(words("open_article"), display_text=words("open_article")),
        },
    )


PAGE = Page(name="unused", role="viewer", order=40, render=render)
