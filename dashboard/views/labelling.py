"""Labelling: one sentence and one place of an article at a time, by mouse or by keyboard.

Nobody is told what the check says, nor what the other person says.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.contribution.label_pairs import LabelPair, LabelValue
from core.errors import KiyoError
from dashboard.markup import escape_markdown
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.words.labelling import WORDS
from dashboard.words.lookup import PageWords

CHOICES: tuple[tuple[str, str, LabelValue], ...] = (("yes", "1", 1), ("no", "2", 0), ("unclear", "3", "skip"))
"""Word of the button, its key, and what it says."""
_SAID = "label_message"


def render(viewer: Viewer, common: Words) -> None:
    """The page; the name of the person stays in the address."""
    words = PageWords(common, WORDS)
    st.header(words("labelling_title"))
    name = st.text_input(words("your_name"), st.query_params.get("name", ""), key="labeller", max_chars=100)
    with st.expander(words("guide")):
        st.markdown(words("guide_text"))
    counts = viewer.label_counts()
    if not counts.items:
        st.info(words("nothing_drawn"))
        return
    if not name.strip():
        st.info(words("name_first"))
        return
    st.query_params["name"] = name
    progress = words("progress", labelled=counts.labelled, items=counts.items)
    st.progress(min(1.0, counts.labelled / counts.items), progress)
    if message := st.session_state.pop(_SAID, ""):
        st.warning(message)
    _ask(viewer, name, words)
    _show_disputes(viewer, name, words)
    _show_agreement(viewer, words)


def _ask(viewer: Viewer, name: str, words: Words) -> None:
    pair = viewer.next_label_pair(name)
    if pair is None:
        st.success(words("all_done"))
    else:
        _show_pair(pair, words)
    with st.container(horizontal=True):
        if pair is not None:
            for word, key, value in CHOICES:
                save = partial(_save, viewer, name, pair.item, value)
                st.button(words(word), key=f"label_{word}", shortcut=key, on_click=save)
        undo = partial(_undo, viewer, name, words)
        st.button(words("undo"), key="label_undo", shortcut="u", type="tertiary", on_click=undo)
    st.caption(words("keys"))


def _show_pair(pair: LabelPair, words: Words) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"###### {words('sentence')}")
        st.info(escape_markdown(pair.text))
        if pair.question:
            st.caption(f"{words('question')}: {escape_markdown(pair.question)}")
    with right:
        st.markdown(f"###### {escape_markdown(words('nearest', title=pair.article_title))}")
        for line in pair.before:
            st.caption(escape_markdown(line))
        st.markdown(f"**{escape_markdown(pair.line)}**")
        for line in pair.after:
            st.caption(escape_markdown(line))


def _show_disputes(viewer: Viewer, name: str, words: Words) -> None:
    """Those in which this person had no part yet."""
    found = [row.pair for row in viewer.disputed_labels() if name not in {one.labeller for one in row.said}]
    with st.expander(words("disputes", count=len(found))):
        if not found:
            st.caption(words("no_disputes"))
            return
        st.caption(words("disputes_lead"))
        pair = found[0]
        _show_pair(pair, words)
        with st.container(horizontal=True):
            for word, _, value in CHOICES:
                decide = partial(_resolve, viewer, name, pair.item, value)
                st.button(words(word).partition(" ")[2], key=f"dispute_{word}", on_click=decide)


def _show_agreement(viewer: Viewer, words: Words) -> None:
    found = viewer.label_agreement()
    if not found:
        return
    with st.expander(words("agreement")):
        for one in found:
            first, second = (escape_markdown(labeller) for labeller in one.labellers)
            kappa = "–" if one.kappa is None else f"{one.kappa:.2f}"
            row = words(
                "agreement_row",
                **{"first": first, "second": second, "share": f"{one.share:.0%}", "pairs": one.pairs},
                kappa=kappa,
            )
            st.markdown(row)


def _save(viewer: Viewer, name: str, item: int, value: LabelValue) -> None:
    try:
        viewer.save_label(name, item, value)
    except KiyoError as error:
        st.session_state[_SAID] = str(error)


def _resolve(viewer: Viewer, name: str, item: int, value: LabelValue) -> None:
    try:
        viewer.resolve_label(name, item, value)
    except KiyoError as error:
        st.session_state[_SAID] = str(error)


def _undo(viewer: Viewer, name: str, words: Words) -> None:
    try:
        if viewer.undo_label(name) is None:
            st.session_state[_SAID] = words("nothing_to_undo")
    except KiyoError as error:
        st.session_state[_SAID] = str(error)


PAGE = Page(name="labelling", role="labeller", order=80, render=render)
