"""Which articles are shown to the answerer, and which of them carry the answers."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO

import streamlit as st

from core.contribution.advice import advise
from core.contribution.advice_words import explain_advice
from core.contribution.quadrants import QUADRANTS
from core.storage.reports import QuadrantRow
from dashboard.charts import quadrant_chart
from dashboard.pages import Page, article_link
from dashboard.period_choice import pick_period
from dashboard.runtime import QuadrantFigures, Viewer
from dashboard.text import Words


def render(viewer: Viewer, words: Words) -> None:
    """The page."""
    st.header(words("quadrants_title"))
    st.caption(words("quadrants_lead"))
    period = pick_period(words, "period", "all")
    figures = viewer.read_quadrants(period)
    if not figures.overview.answers:
        st.info(words("no_answers"))
        return
    _show_overview(figures, words)
    if viewer.read_biases(period).warns:
        st.warning(words("length_warning"))
    st.altair_chart(quadrant_chart(figures, words), width="stretch")
    rate, exposure = figures.thresholds.rate, figures.thresholds.exposure
    st.caption(f"{words('thresholds', exposure=f'{exposure:g}', rate=f'{rate:.0%}')} {words('same_spot')}")
    _show_advice(figures, words)
    st.subheader(words("table"))
    _show_table(figures, words)
    if figures.not_shown:
        st.caption(words("not_shown", count=figures.not_shown))


def _show_overview(figures: QuadrantFigures, words: Words) -> None:
    overview = figures.overview
    carried = f"{overview.carried / overview.judged:.0%}" if overview.judged else "–"
    values = {
        "answers": f"{overview.answers}",
        "articles": f"{len(figures.rows)}",
        "answered": f"{overview.found / overview.answers:.0%}",
        "carried_share": carried,
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in values.items():
            st.metric(words(name), value, width="content")


def _show_advice(figures: QuadrantFigures, words: Words) -> None:
    for column, field in zip(st.columns(len(QUADRANTS)), QUADRANTS, strict=True):
        count = figures.fields.count(field)
        column.markdown(f"**{words(field)}** · {count}  \n{words(f'{field}_advice')}")


def _show_table(figures: QuadrantFigures, words: Words) -> None:
    wanted = st.text_input(words("find_article"), value=st.query_params.get("q", ""), key="find_article")
    if wanted:
        st.query_params["q"] = wanted
    else:
        st.query_params.pop("q", None)
    rows = [
        {
            "title": row.title,
            "open": article_link(row.article_id, words),
            "field": words(field),
            "exposure": row.exposure,
            "rate": None if row.rate is None else 100 * row.rate,
            "contribution": row.contribution,
            "n": row.answers,
            "missed": row.missed,
            "stale": row.stale,
            **_explain(row, figures, words),
        }
        for row, field in zip(figures.rows, figures.fields, strict=True)
        if wanted.casefold() in row.title.casefold()
    ]
    if not rows:
        st.info(words("no_article_matches"))
        return
    numbers = {
        name: st.column_config.NumberColumn(words(name), help=words(f"column_help_{name}"), format=shape)
        for name, shape in (("exposure", "%d"), ("n", "%d"), ("missed", "%d"), ("stale", "%d"))
    }
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        column_config={
            "title": st.column_config.TextColumn(words("article"), width="medium"),
            "open": st.column_config.LinkColumn(words("open_article"), display_text=words("open_article")),
            "field": st.column_config.TextColumn(words("field")),
            "rate": st.column_config.NumberColumn(
                words("rate"), help=words("column_help_rate"), format="%.0f%%"
            ),
            "contribution": st.column_config.NumberColumn(
                words("contribution"), help=words("column_help_contribution"), format="%.2f"
            ),
            **numbers,
            "why": st.column_config.TextColumn(words("why"), width="large"),
            "suggestion": st.column_config.TextColumn(words("suggestion"), width="large"),
        },
    )
    written = [{name: value for name, value in row.items() if name != "open"} for row in rows]
    st.download_button(
        words("as_csv"), table_csv(written).encode("utf-8-sig"), "kiyo-articles.csv", "text/csv"
    )


def table_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """The rows as CSV that spreadsheets read as text: nothing in it starts a formula."""
    written = StringIO()
    writer = csv.DictWriter(written, list(rows[0]))
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return written.getvalue()


def _plain(value: object) -> object:
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


def _explain(row: QuadrantRow, figures: QuadrantFigures, words: Words) -> dict[str, str]:
    reason = advise(row.figures, figures.thresholds).reason
    why, suggestion = explain_advice(reason, row.figures, words.locale)
    return {"why": why, "suggestion": suggestion}


PAGE = Page(name="quadrants", role="viewer", order=20, render=render)
