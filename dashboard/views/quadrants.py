"""Which articles are shown to the answerer, and which of them carry the answers."""

from __future__ import annotations

import streamlit as st

from core.contribution.advice import advise
from core.contribution.advice_words import explain_advice
from core.contribution.quadrants import QUADRANTS
from core.storage.reports import Period, QuadrantRow
from dashboard.charts import Across, choose_across
from dashboard.exports import table_csv, table_parquet
from dashboard.filters import keep_in_address, number_in_address
from dashboard.keeping import keep
from dashboard.pages import Page, article_links
from dashboard.period_choice import pick_period
from dashboard.quadrant_choice import show_quadrants
from dashboard.runtime import QuadrantFigures, Viewer
from dashboard.text import Words

_SCALES = ("auto", "linear", "log")
_EXPOSURE, _RATE = "quadrant_exposure", "quadrant_rate"


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the period, the scale, the thresholds and the search."""
    st.header(words("quadrants_title"))
    st.caption(words("quadrants_lead"))
    period = pick_period(words, "period", "all")
    figures = viewer.read_quadrants(period, (), _wanted())
    if not figures.overview.answers:
        st.info(words("no_answers"))
        return
    _show_overview(figures, words)
    if _warns(viewer, period):
        st.warning(words("length_warning"))
    show_quadrants(figures, words, _choose_scale(figures, words), "quadrants")
    _show_thresholds(figures, words)
    _show_advice(figures, words)
    st.subheader(words("table"))
    _show_table(figures, words)
    if figures.not_shown:
        st.caption(words("not_shown", count=figures.not_shown))


def _warns(viewer: Viewer, period: Period) -> bool:
    key = ("bias warning", str(viewer.database.engine.url), period.first, period.last)
    return keep(key, lambda: viewer.read_biases(period).warns)


def _show_overview(figures: QuadrantFigures, words: Words) -> None:
    overview = figures.overview
    carried = f"{overview.carried / overview.judged:.0%}" if overview.judged else "–"
    values = {
        "answers": f"{overview.answers:,}",
        "articles": f"{len(figures.rows):,}",
        "answered": f"{overview.found / overview.answers:.0%}",
        "carried_share": carried,
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in values.items():
            st.metric(words(name), value, width="content")


def _choose_scale(figures: QuadrantFigures, words: Words) -> Across:
    asked = st.query_params.get("scale", "auto")
    chosen = st.segmented_control(
        words("scale"),
        _SCALES,
        default=asked if asked in _SCALES else "auto",
        format_func=lambda name: words(f"scale_{name}"),
        key="quadrant_scale",
    )
    keep_in_address("scale", "" if chosen in (None, "auto") else chosen)
    if chosen == "log":
        return "log"
    return "linear" if chosen == "linear" else choose_across(figures)


def _wanted() -> tuple[float | None, float | None]:
    """Thresholds that the person has set: what stands in the fields, at first what stands in the address."""
    if _EXPOSURE in st.session_state:
        return st.session_state[_EXPOSURE], _share(st.session_state[_RATE])
    exposure, rate = number_in_address("exposure"), number_in_address("rate")
    return (
        exposure if exposure is not None and exposure >= 0 else None,
        rate / 100 if rate is not None and 0 <= rate <= 100 else None,
    )


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _show_thresholds(figures: QuadrantFigures, words: Words) -> None:
    """Two fields, empty for the medians, and what the lines are."""
    exposure, rate = _wanted()
    first, second, third = st.columns([1, 1, 3], vertical_alignment="bottom")
    with first:
        st.number_input(
            words("set_exposure"),
            0.0,
            None,
            exposure,
            1.0,
            key=_EXPOSURE,
            format="%g",
            placeholder=words("median"),
        )
    with second:
        percent = None if rate is None else 100 * rate
        st.number_input(
            words("set_rate"), 0.0, 100.0, percent, 5.0, key=_RATE, format="%g", placeholder=words("median")
        )
    keep_in_address("exposure", "" if exposure is None else f"{exposure:g}")
    keep_in_address("rate", "" if rate is None else f"{100 * rate:g}")
    limits = figures.thresholds
    told = {"exposure": f"{limits.exposure:g}", "rate": f"{limits.rate:.0%}"}
    medians = exposure is None and rate is None
    with third:
        st.caption(f"{words('thresholds' if medians else 'thresholds_set', **told)} {words('same_spot')}")


def _show_advice(figures: QuadrantFigures, words: Words) -> None:
    for column, field in zip(st.columns(len(QUADRANTS)), QUADRANTS, strict=True):
        count = figures.fields.count(field)
        column.markdown(f"**{words(field)}** · {count:,}  \n{words(f'{field}_advice')}")


def _show_table(figures: QuadrantFigures, words: Words) -> None:
    with st.container(horizontal=True):
        wanted = st.text_input(
            words("find_article"), st.query_params.get("q", ""), key="find_article", icon=":material/search:"
        )
        fields = st.multiselect(
            words("field"),
            QUADRANTS,
            [name for name in st.query_params.get_all("field") if name in QUADRANTS],
            format_func=words,
            key="quadrant_fields",
        )
    keep_in_address("q", wanted)
    if fields:
        st.query_params["field"] = fields
    else:
        keep_in_address("field", "")
    link = article_links(words)
    rows: list[dict[str, object]] = [
        {
            "title": row.title,
            "open": link(row.article_id),
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
        if wanted.casefold() in row.title.casefold() and field in (fields or QUADRANTS)
    ]
    if not rows:
        st.info(words("no_article_matches"))
        return
    _draw_table(rows, words)
    _offer_files(rows, words)


def _draw_table(rows: list[dict[str, object]], words: Words) -> None:
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


def _offer_files(rows: list[dict[str, object]], words: Words) -> None:
    """Both files are made when they are asked for."""
    written = [{name: value for name, value in row.items() if name != "open"} for row in rows]
    with st.container(horizontal=True):
        st.download_button(
            words("as_csv"),
            lambda: table_csv(written).encode("utf-8-sig"),
            "kiyo-articles.csv",
            "text/csv",
            on_click="ignore",
        )
        st.download_button(
            words("as_parquet"),
            lambda: table_parquet(written),
            "kiyo-articles.parquet",
            "application/vnd.apache.parquet",
            on_click="ignore",
        )


def _explain(row: QuadrantRow, figures: QuadrantFigures, words: Words) -> dict[str, str]:
    reason = advise(row.figures, figures.thresholds).reason
    why, suggestion = explain_advice(reason, row.figures, words.locale)
    return {"why": why, "suggestion": suggestion}


PAGE = Page(name="quadrants", role="viewer", order=20, render=render)
