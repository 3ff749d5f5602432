"""The drafts that wait for a person: read one beside its evidence, and decide."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.channel_ports import OPEN_STATES, Desk, Review
from core.config import load_settings
from core.storage.desk import make_desk
from core.usecases import reviews
from core.usecases.reviews import Actor, Decision
from dashboard.markup import STYLE, escape_markdown, statements_html
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.views.answer_trace import show_gate_review
from dashboard.words.lookup import PageWords
from dashboard.words.reviews import WORDS

QUESTION_CHARS = 60
_OUTCOME = "review_outcome"


def render(viewer: Viewer, common: Words) -> None:
    """The page; `?review=` chooses the draft."""
    words = PageWords(common, WORDS)
    st.header(words("reviews_title"))
    desk = make_desk(viewer.database, load_settings())
    actor = Actor(viewer.person.name, viewer.may("reviewer"))
    if outcome := st.session_state.pop(_OUTCOME, ""):
        (st.success if outcome == "done" else st.warning)(words(outcome))
    waiting = {review.id: review for review in reviews.list_reviews(desk)}
    if not waiting:
        st.info(words("no_reviews"))
        return
    ids, wanted = list(waiting), st.query_params.get("review")
    labels = {key: _label(viewer, review) for key, review in waiting.items()}
    chosen = st.selectbox(
        words("choose_review"),
        ids,
        index=ids.index(wanted) if wanted in ids else 0,
        format_func=lambda key: labels[key],
    )
    st.query_params["review"] = chosen
    _show(viewer, desk, actor, waiting[chosen], words)


def _show(viewer: Viewer, desk: Desk, actor: Actor, review: Review, words: Words) -> None:
    state = words(review.state, who=review.decided_by, error=review.error)
    since, until = (f"{moment:%Y-%m-%d %H:%M}" for moment in (review.created_at, review.expires_at))
    place = f"{review.place.channel} {review.place.name}".strip()
    waits = words("waits_since", since=since, until=until)
    st.caption(escape_markdown(f"{words('state')}: {state} · {place} · {waits}"))
    seen = viewer.read_answer(review.answer_id)
    if seen is None or seen.protected:
        st.warning(words("gone" if seen is None else "protected"))
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"##### {words('question')}")
        st.text(review.question or words("gone"))
        show_gate_review(viewer.read_trace(review.answer_id), words)
        key = f"draft_{review.id}_{review.version}"
        text = st.text_area(words("draft"), review.draft, height=240, key=key)
        _show_actions(desk, actor, review, text, words)
    with right:
        st.markdown(f"##### {words('statements')}")
        st.html(STYLE + statements_html(seen.answer, seen.articles, words))


def _show_actions(desk: Desk, actor: Actor, review: Review, text: str, words: Words) -> None:
    changed = text != review.draft
    closed = review.state not in OPEN_STATES
    of = (desk, review.id, actor)
    if changed:
        send = partial(reviews.send_edited, *of, text, review.version)
    else:
        send = partial(reviews.approve_review, *of, review.version)
    actions: list[tuple[str, Callable[[], Decision], bool]] = [
        ("approve", send, closed),
        ("keep_edit", partial(reviews.edit_review, *of, text, review.version), closed or not changed),
        ("dismiss", partial(reviews.dismiss_review, *of, review.version), closed),
        ("take_over", partial(reviews.take_over, *of, review.version), closed or review.state == "taken"),
        ("hand_back", partial(reviews.hand_back, *of), review.state != "taken"),
    ]
    with st.container(horizontal=True):
        for name, act, disabled in actions:
            press = partial(_decide, act)
            st.button(words(name), key=f"review_{name}", disabled=disabled, on_click=press)


def _decide(act: Callable[[], Decision]) -> None:
    st.session_state[_OUTCOME] = act().state


def _label(viewer: Viewer, review: Review) -> str:
    """The question is left out where the answer rests on articles that may not be read."""
    line = viewer.read_answer_line(review.answer_id)
    asked = "" if line is None or line.protected else review.question
    question = " ".join(asked.split()) or review.id
    short = question if len(question) <= QUESTION_CHARS else f"{question[: QUESTION_CHARS - 1]}…"
    return f"{review.created_at:%m-%d %H:%M} {review.place.channel}: {short}"


PAGE = Page(name="reviews", role="reviewer", order=70, render=render)
