"""Answers: search and filter them, and see one beside its articles, statement by statement."""

from __future__ import annotations

import streamlit as st

from core.storage.answer_reports import AnswerFilter, AnswerLine
from dashboard.markup import STYLE, articles_html, escape_markdown, legend_html, statements_html
from dashboard.pages import Page
from dashboard.runtime import SeenAnswer, Viewer, choose_period
from dashboard.text import Words
from dashboard.views.answer_export import show_export
from dashboard.views.answer_filters import PAGE_SIZE, search_start, show_filters, show_pages, show_search_end
from dashboard.views.answer_trace import show_trace
from dashboard.words.answers import WORDS
from dashboard.words.lookup import PageWords

QUESTION_CHARS = 70
REFRESH_SECONDS = 2.0
"""How often an answer that is being evaluated is looked at again."""


def render(viewer: Viewer, common: Words) -> None:
    """The page; the address keeps the filters, and `?id=` chooses the answer."""
    words = PageWords(common, WORDS)
    st.header(words("answer_title"))
    wanted, page = show_filters(viewer, words)
    found = viewer.find_answers(wanted, PAGE_SIZE, (page - 1) * PAGE_SIZE, search_start())
    show_search_end(found.searched_to, words)
    lines = {line.id: line for line in found.lines}
    chosen = st.query_params.get("id")
    if chosen is not None and chosen not in lines:
        linked = viewer.read_answer_line(chosen)
        if linked is None:
            st.warning(words("no_such_answer", id=escape_markdown(chosen)))
        else:
            lines = {linked.id: linked, **lines}
    if not lines:
        anything = wanted != AnswerFilter(choose_period("all")) or page > 1
        st.info(words("none_match" if anything else "nothing_yet"))
        return
    line = _choose(lines, chosen, words)
    show_pages(page, found.more, words)
    show_export(viewer, wanted, words)
    seen = viewer.read_answer(line.id)
    if seen is None:
        return
    _show_head(line, seen, words)
    if line.evaluating:
        _wait_for_evaluation(viewer, line.id, words)
    if seen.protected:
        st.warning(words("protected"))
        return
    _show_answer(seen, words)
    show_trace(seen, viewer.read_trace(line.id), words)


def _choose(lines: dict[str, AnswerLine], chosen: str | None, words: Words) -> AnswerLine:
    ids = list(lines)
    picked = st.selectbox(
        words("choose_answer"),
        ids,
        index=ids.index(chosen) if chosen in lines else 0,
        format_func=lambda key: _label(lines[key], words),
    )
    st.query_params["id"] = picked
    return lines[picked]


def _wait_for_evaluation(viewer: Viewer, answer_id: str, words: Words) -> None:
    """Say that the evaluation is to come, and draw the page anew once it is there."""

    @st.fragment(run_every=REFRESH_SECONDS)
    def look() -> None:
        if viewer.is_evaluating(answer_id):
            st.info(words("evaluating_note"), icon=":material/hourglass_top:")
        else:
            st.rerun(scope="app")

    look()


def _show_head(line: AnswerLine, seen: SeenAnswer, words: Words) -> None:
    if line.example:
        st.info(words("example_note"))
    elif line.id.startswith("recorded-"):
        st.info(words("recorded_note"))
    answer = seen.answer
    if not seen.protected:
        st.markdown(f"##### {words('question')}")
        st.text(answer.question or words("gone"))
    confidence = "–" if answer.confidence is None else f"{answer.confidence:.2f}"
    st.caption(
        f"{words('confidence')} {confidence} · {words('gate')}: {words(answer.gate)} · "
        f"{words('model')}: {escape_markdown(answer.model)} · "
        f"{words('channel')}: {escape_markdown(answer.channel)} · "
        f"{answer.created_at:%Y-%m-%d %H:%M} UTC"
    )


def _show_answer(seen: SeenAnswer, words: Words) -> None:
    answer = seen.answer
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader(words("statements"))
        st.caption(words("statements_hint"))
        st.html(STYLE + statements_html(answer, seen.articles, words, seen.places))
        with st.expander(words("legend")):
            st.html(legend_html(words))
        with st.expander(words("as_sent")):
            st.text(answer.text or words("gone"))
    with right:
        st.subheader(words("beside"))
        if answer.evaluation.contributions:
            st.html(articles_html(answer, seen.articles, words))
        else:
            st.caption(words("no_articles"))


def _label(line: AnswerLine, words: Words) -> str:
    question = " ".join(line.question.split()) or line.id
    if len(question) > QUESTION_CHARS:
        question = f"{question[: QUESTION_CHARS - 1]}…"
    marks = [words(name) for name in ("example", "evaluating") if getattr(line, name)]
    mark = f" ({', '.join(marks)})" if marks else ""
    return f"{line.created_at:%m-%d %H:%M} {question}{mark}"


PAGE = Page(name="answer", role="viewer", order=60, render=render)
