"""One article: what its lines carried, how that went over time, and what to do about it."""

from __future__ import annotations

import streamlit as st

from core.contribution.advice import ArticleFigures, advise
from core.contribution.advice_words import explain_advice
from core.storage.article_reports import HEAT_ANSWERS
from core.storage.reports import Period, QuadrantRow
from dashboard.markup import escape_markdown
from dashboard.pages import Page
from dashboard.period_choice import pick_period
from dashboard.runtime import ARTICLE_LINES, QuadrantFigures, SeenArticle, Viewer
from dashboard.text import Words
from dashboard.views.article_lines import LINES_STYLE, lines_html, lost_html
from dashboard.views.article_series import show_series

NOTHING = ArticleFigures(0, 0, 0, 0, 0, 0.0, 0.0)


def render(viewer: Viewer, words: Words) -> None:
    """The page; `?article=` chooses the article, `?part=` the part of a long text."""
    st.header(words("article_title"))
    period = pick_period(words, "article_period", "all")
    figures = viewer.read_quadrants(period)
    wanted = st.query_params.get("article", "")
    head = viewer.read_article_head(wanted) if wanted else None
    titles = {row.article_id: row.title for row in figures.rows}
    if head is not None:
        titles = {head.id: head.title} | titles
    if wanted and head is None:
        st.warning(words("article_unknown"))
    elif not titles:
        st.info(words("no_articles_yet"))
    chosen = _choose(titles, wanted, words) if titles else None
    if chosen is None:
        if titles and not wanted:
            st.info(words("article_hint"))
        return
    _show(viewer, chosen, period, figures, words)


def _choose(titles: dict[str, str], wanted: str, words: Words) -> str | None:
    ids = sorted(titles, key=lambda key: (titles[key].casefold(), key))
    chosen: str | None = st.selectbox(
        words("choose_article"),
        ids,
        index=ids.index(wanted) if wanted in titles else None,
        format_func=lambda key: titles[key],
        placeholder=words("choose_article"),
    )
    if chosen is not None and chosen != wanted:
        st.query_params["article"] = chosen
        st.query_params.pop("part", None)
        st.rerun()
    return chosen


def _show(viewer: Viewer, chosen: str, period: Period, figures: QuadrantFigures, words: Words) -> None:
    part = _asked_part()
    seen = viewer.read_article(chosen, period, (part - 1) * ARTICLE_LINES)
    if seen is None:
        st.warning(words("article_unknown"))
        return
    _show_head(seen, words)
    row = next((row for row in figures.rows if row.article_id == chosen), None)
    _show_figures(row, figures, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_lines(seen, part, words)
        if row is not None and row.carried + row.stale > HEAT_ANSWERS:
            st.caption(words("heat_latest", count=f"{HEAT_ANSWERS:,}"))
    with right:
        st.subheader(words("series_title"))
        show_series(seen.days, words)
        _show_questions(viewer, seen, words)
        _show_versions(seen, words)


def _show_head(seen: SeenArticle, words: Words) -> None:
    head = seen.head
    st.subheader(escape_markdown(head.title))
    changed = words("changed_at", day=f"{head.changed_at:%Y-%m-%d}")
    st.caption(escape_markdown(f"{head.id} · {head.language} · {changed}"))
    if head.removed:
        st.warning(words("article_removed"))


def _show_figures(row: QuadrantRow | None, figures: QuadrantFigures, words: Words) -> None:
    one = NOTHING if row is None else row.figures
    values = {
        "exposure": f"{one.exposure:,}",
        "contribution": f"{one.contribution:,.2f}",
        "rate": "–" if one.rate is None else f"{one.rate:.0%}",
        "sole": f"{one.sole:,.2f}",
        "missed": f"{one.missed:,}",
        "stale": f"{one.stale:,}",
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in values.items():
            hint = words("sole_help" if name == "sole" else f"column_help_{name}")
            st.metric(words(name), value, width="content", help=hint)
    advice = advise(one, figures.thresholds)
    why, suggestion = explain_advice(advice.reason, one, words.locale)
    st.info(f"**{words(advice.quadrant)}** · {why}  \n**{words('suggestion')}** · {suggestion}")


def _asked_part() -> int:
    asked = st.query_params.get("part", "1")
    return max(1, int(asked)) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 1


def _show_lines(seen: SeenArticle, part: int, words: Words) -> None:
    heat = seen.heat
    st.subheader(words("lines_title"))
    lead = words("lines_lead", warm=f"{heat.warm:,}", total=f"{seen.head.line_count:,}")
    st.caption(lead if heat.warm else words("no_heat"))
    parts = -(-seen.head.line_count // ARTICLE_LINES)
    if parts > 1:
        numbers = list(range(1, parts + 1))
        picked = st.selectbox(
            words("choose_part"),
            numbers,
            index=min(part, parts) - 1,
            format_func=lambda number: words("part", part=number, parts=parts),
        )
        if picked != part:
            st.query_params["part"] = str(picked)
            st.rerun()
    if heat.lines:
        st.html(LINES_STYLE + lines_html(heat, words))
    if heat.lost:
        st.subheader(words("lost_title"))
        st.caption(words("lost_lead"))
        st.html(LINES_STYLE + lost_html(heat, words))


def _show_questions(viewer: Viewer, seen: SeenArticle, words: Words) -> None:
    st.subheader(words("questions_title"))
    rows = []
    for carried in seen.carried:
        line = viewer.read_answer_line(carried.id)
        if line is None:
            continue
        hidden = words("question_protected" if line.protected else "question_gone")
        marks = [words("note_stale")] if carried.stale else []
        marks += [] if carried.exposed else [words("note_missed")]
        rows.append(
            {
                "question": line.question or hidden,
                "share": 100 * carried.share,
                "note": ", ".join(marks),
                "asked_at": line.created_at,
                "open": f"answer?id={carried.id}&lang={words.locale}",
            }
        )
    if not rows:
        st.caption(words("no_questions"))
        return
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        column_config={
            "question": st.column_config.TextColumn(words("question"), width="medium"),
            "share": st.column_config.NumberColumn(words("share_column"), format="%.0f%%"),
            "note": st.column_config.TextColumn(words("note_column")),
            "asked_at": st.column_config.DateColumn(words("asked_at"), format="YYYY-MM-DD"),
            "open": st.column_config.LinkColumn(words("open"), display_text=words("open")),
        },
    )


def _show_versions(seen: SeenArticle, words: Words) -> None:
    st.subheader(words("versions_title"))
    st.dataframe(
        [
            {
                "version": version.version[:12],
                "seen_at": version.seen_at,
                "current": version.current and not seen.head.removed,
            }
            for version in seen.versions
        ],
        hide_index=True,
        width="stretch",
        column_config={
            "version": st.column_config.TextColumn(words("version")),
            "seen_at": st.column_config.DatetimeColumn(words("seen_at"), format="YYYY-MM-DD HH:mm"),
            "current": st.column_config.CheckboxColumn(words("current")),
        },
    )


PAGE = Page(name="article", role="viewer", order=30, render=render)
