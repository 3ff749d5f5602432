"""Labelling: one sentence and one place of an article at a time, by mouse or by keyboard.

Nobody is told what the check says, nor what the other person says.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import streamlit as st

from core.contribution.label_pairs import LabelCounts, LabelPair, LabelValue
from core.errors import KiyoError
from dashboard.filters import keep_in_address
from dashboard.markup import escape_markdown
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.words.labelling import WORDS
from dashboard.words.lookup import PageWords

CHOICES: tuple[tuple[str, str, LabelValue], ...] = (("yes", "1", 1), ("no", "2", 0), ("unclear", "3", "skip"))
"""Word of the button, its key, and what it says."""
VIEWS = ("judge", "disputes")
_SAID, _LATER, _TIMES, _ASKED = "label_message", "label_later", "label_times", "label_asked_at"
PAUSE_SECONDS = 300.0
"""Who needs longer for a pair was away; such a time does not count."""


def render(viewer: Viewer, common: Words) -> None:
    """The page; the address keeps the name of the person, and whether pairs or disagreements are shown."""
    words = PageWords(common, WORDS)
    st.header(words("labelling_title"))
    name = _choose_name(viewer, words)
    with st.expander(words("guide")):
        st.markdown(words("guide_text"))
    counts = viewer.label_counts()
    if not counts.items:
        st.info(words("nothing_drawn"))
        return
    if not name.strip():
        st.info(words("name_first"))
        return
    view = _choose_view(counts, words)
    _show_progress(counts, words)
    if message := st.session_state.pop(_SAID, ""):
        st.warning(message)
    if view == "judge":
        _ask(viewer, name, words)
    else:
        _show_disputes(viewer, name, words)
    _show_agreement(viewer, words)


def _choose_name(viewer: Viewer, words: Words) -> str:
    """That of the account, else the one that is typed; the address keeps it."""
    if viewer.signed_in:
        return viewer.person.name
    name = st.text_input(words("your_name"), st.query_params.get("name", ""), key="labeller", max_chars=100)
    if name.strip():
        st.query_params["name"] = name
    return name


def _choose_view(counts: LabelCounts, words: Words) -> str:
    asked = st.query_params.get("view", "judge")
    chosen = st.segmented_control(
        words("view"),
        VIEWS,
        default=asked if asked in VIEWS else "judge",
        format_func=lambda one: words(one, count=counts.disputed) if one == "disputes" else words(one),
        label_visibility="collapsed",
        key="label_view",
    )
    keep_in_address("view", "" if chosen in (None, "judge") else chosen)
    return chosen or "judge"


def _show_progress(counts: LabelCounts, words: Words) -> None:
    """All pairs of everybody; and how many this person judged on this visit, with the middle of the times."""
    told = words("progress", labelled=counts.labelled, items=counts.items)
    st.progress(min(1.0, counts.labelled / counts.items), told)
    times: list[float] = st.session_state.get(_TIMES, [])
    if times:
        middle = sorted(times)[len(times) // 2]
        st.caption(words("pace", count=len(times), seconds=f"{middle:.0f}", minutes=f"{sum(times) / 60:.0f}"))


def _ask(viewer: Viewer, name: str, words: Words) -> None:
    later = tuple(st.session_state.get(_LATER, ()))
    pair = viewer.next_label_pair(name, later)
    if pair is None:
        st.success(words("all_done"))
    else:
        st.session_state.setdefault(_ASKED, time.monotonic())
        if pair.item in later:
            st.caption(words("put_off"))
        _show_pair(pair, words)
    with st.container(horizontal=True):
        if pair is not None:
            _show_choices("label", partial(_save, viewer, name, pair.item), words)
            skip = partial(_put_off, pair.item)
            st.button(words("skip"), key="label_skip", shortcut="s", type="tertiary", on_click=skip)
        undo = partial(_undo, viewer, name, words)
        st.button(words("undo"), key="label_undo", shortcut="u", type="tertiary", on_click=undo)
    st.caption(words("keys"))


def _show_choices(key: str, say: Callable[[LabelValue], None], words: Words) -> None:
    for word, shortcut, value in CHOICES:
        st.button(words(word), key=f"{key}_{word}", shortcut=shortcut, on_click=partial(say, value))


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
    if not found:
        st.success(words("no_disputes"))
        return
    st.caption(f"{words('disputes_lead')} {words('disputes_left', count=len(found))}")
    pair = found[0]
    _show_pair(pair, words)
    with st.container(horizontal=True):
        _show_choices("dispute", partial(_resolve, viewer, name, pair.item), words)
        undo = partial(_undo, viewer, name, words)
        st.button(words("undo"), key="dispute_undo", shortcut="u", type="tertiary", on_click=undo)
    st.caption(words("keys_disputes"))


def _show_agreement(viewer: Viewer, words: Words) -> None:
    found = viewer.label_agreement()
    if not found:
        return
    with st.expander(words("agreement")):
        for one in found:
            first, second = (escape_markdown(labeller) for labeller in one.labellers)
            kappa = "–" if one.kappa is None else f"{one.kappa:.2f}"
            if one.interval is not None:
                kappa += words("kappa_interval", low=f"{one.interval[0]:.2f}", high=f"{one.interval[1]:.2f}")
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
        return
    _note_time()


def _note_time() -> None:
    asked = st.session_state.pop(_ASKED, None)
    if asked is not None and (spent := time.monotonic() - asked) < PAUSE_SECONDS:
        st.session_state[_TIMES] = [*st.session_state.get(_TIMES, []), spent]


def _put_off(item: int) -> None:
    """To the end of those that were put off."""
    kept = [one for one in st.session_state.get(_LATER, []) if one != item]
    st.session_state[_LATER] = [*kept, item]
    st.session_state.pop(_ASKED, None)


def _resolve(viewer: Viewer, name: str, item: int, value: LabelValue) -> None:
    try:
        viewer.resolve_label(name, item, value)
    except KiyoError as error:
        st.session_state[_SAID] = str(error)


def _undo(viewer: Viewer, name: str, words: Words) -> None:
    st.session_state.pop(_ASKED, None)
    try:
        if viewer.undo_label(name) is None:
            st.session_state[_SAID] = words("nothing_to_undo")
    except KiyoError as error:
        st.session_state[_SAID] = str(error)


PAGE = Page(name="labelling", role="labeller", order=80, render=render)
