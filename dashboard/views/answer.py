"""One answer beside its articles, statement by statement."""

from __future__ import annotations

import streamlit as st

from core.storage.reports import AnswerHead
from dashboard.markup import STYLE, articles_html, escape_markdown, legend_html, statements_html
from dashboard.runtime import SeenAnswer, Viewer
from dashboard.text import Words

RECENT = 200
QUESTION_CHARS = 70


def render(viewer: Viewer, words: Words) -> None:
    """The page; `?id=` chooses the answer."""
    st.header(words("answer_title"))
    heads = {head.id: head for head in viewer.recent_answers(RECENT)}
    if not heads:
        st.info(words("no_answers"))
        return
    wanted = st.query_params.get("id")
    ids = list(heads)
    chosen = st.selectbox(
        words("choose_answer"),
        ids,
        index=ids.index(wanted) if wanted in heads else 0,
        format_func=lambda key: _label(heads[key], words),
        key="answer",
    )
    seen = viewer.read_answer(chosen)
    if seen is None:
        return
    st.query_params["id"] = chosen
    _show_head(heads[chosen], seen, words)
    if seen.protected:
        st.warning(words("protected"))
        return
    _show_answer(seen, words)


def _show_head(head: AnswerHead, seen: SeenAnswer, words: Words) -> None:
    if head.example:
        st.info(words("example_note"))
    elif head.id.startswith("recorded-"):
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
        st.html(STYLE + statements_html(answer, seen.articles, words))
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


def _label(head: AnswerHead, words: Words) -> str:
    question = " ".join(head.question.split()) or head.id
    if len(question) > QUESTION_CHARS:
        question = f"{question[: QUESTION_CHARS - 1]}…"
    mark = f" ({words('example')})" if head.example else ""
    return f"{head.created_at:%m-%d %H:%M} {question}{mark}"
