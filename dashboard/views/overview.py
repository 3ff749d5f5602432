"""How the answers of a period are doing, against the period before, and what needs a person."""

from __future__ import annotations

import streamlit as st

from core.contribution.quadrants import QUADRANTS
from core.domain import ArticleKind
from core.storage.overview_reports import AnswerScope
from dashboard.alarms import Alarm, find_alarms
from dashboard.charts import choose_across
from dashboard.filters import choose_many
from dashboard.markup import escape_markdown
from dashboard.overview_figures import Told, read_figures, tell_figures
from dashboard.pages import Page, find_pages
from dashboard.period_choice import period_before, pick_period
from dashboard.quadrant_choice import show_quadrants
from dashboard.runtime import QuadrantFigures, Viewer
from dashboard.text import Words

KINDS: tuple[ArticleKind, ...] = ("document", "core", "memory", "conversation")


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the period and the filters."""
    st.header(words("overview_title"))
    period = pick_period(words, "overview_period")
    scope, kinds = _show_filters(viewer, AnswerScope(period), words)
    _show_alarms(viewer, words)
    now = read_figures(viewer, scope)
    if not now.counts.answers:
        narrowed = scope != AnswerScope(period)
        st.info(words("none_in_filter" if narrowed else "no_answers"))
        return
    earlier = period_before(period)
    before = read_figures(viewer, AnswerScope(earlier, scope.channels, scope.languages)) if earlier else None
    _show_figures(tell_figures(now, before, words), words)
    figures = viewer.read_quadrants(period, kinds)
    _show_quadrants(figures, filtered=bool(scope.channels or scope.languages), words=words)


def _show_filters(viewer: Viewer, scope: AnswerScope, words: Words) -> tuple[AnswerScope, tuple[str, ...]]:
    choices = viewer.answer_choices(scope.period)
    narrowed = any(st.query_params.get(name) for name in ("channels", "languages", "kinds"))
    with st.expander(words("filters"), expanded=narrowed):
        first, second, third = st.columns(3)
        with first:
            channels = choose_many("channels", words("channels"), choices.channels, page="overview")
        with second:
            languages = choose_many("languages", words("languages"), choices.languages, page="overview")
        with third:
            kinds = choose_many(
                "kinds", words("kinds"), KINDS, lambda kind: words(f"kind_{kind}"), page="overview"
            )
    return AnswerScope(scope.period, channels, languages), kinds


def _show_alarms(viewer: Viewer, words: Words) -> None:
    alarms = find_alarms(viewer)
    if not alarms:
        st.caption(words("no_alarms"))
        return
    known = {page.name for page in find_pages()}
    for alarm in alarms:
        (st.error if alarm.level == "alarm" else st.warning)(_tell(alarm, known, words))


def _tell(alarm: Alarm, pages: set[str], words: Words) -> str:
    """The sentence, with a link to the page that mends it where there is one."""
    values = {name: escape_markdown(str(value)) for name, value in alarm.values}
    text = words(alarm.word, **values) if values else words(alarm.word)
    page, _, place = alarm.page.partition("#")
    if page not in pages:
        return text
    address = f"{page}?lang={words.locale}" + (f"#{place}" if place else "")
    return f"{text} [{words('mend')}]({address})"


def _show_figures(told: list[Told], words: Words) -> None:
    with st.container(horizontal=True, gap="medium"):
        for one in told:
            with st.container(width="content", gap=None):
                st.metric(
                    words(one.name),
                    one.value,
                    one.change or None,
                    delta_color=one.colour,
                    help=words(f"{one.name}_help"),
                    width="content",
                )
                if one.before:
                    st.caption(words("before", value=one.before))


def _show_quadrants(figures: QuadrantFigures, *, filtered: bool, words: Words) -> None:
    st.subheader(words("quadrants"))
    if not figures.rows:
        st.info(words("no_article_of_kind"))
        return
    show_quadrants(figures, words, choose_across(figures), "overview")
    with st.container(horizontal=True, gap="large"):
        for field in QUADRANTS:
            st.metric(words(field), f"{figures.fields.count(field):,}", width="content")
    if filtered:
        st.caption(words("chart_of_all"))
    st.markdown(
        f"[{words('to_quadrants')}](quadrants?period={st.query_params['period']}&lang={words.locale})"
    )
    if figures.not_shown:
        st.caption(words("not_shown", count=figures.not_shown))


PAGE = Page(name="overview", role="viewer", order=10, render=render)
