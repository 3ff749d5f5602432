"""The retrieval lab: a question through each detector side by side, fused, cut; and saved question sets."""

from __future__ import annotations

import time
from typing import get_args

import streamlit as st

from core.errors import KiyoError
from core.lab_requests import LabFusion, LabMode, LabSettings, LabStrategy, read_settings
from core.storage.jobs import SqlJobStore
from core.usecases import lab_sets
from dashboard.filters import keep_in_address, number_in_address
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.views.lab_result import show_result
from dashboard.views.lab_sets import show_sets

POLL_SECONDS = 1.0
PATIENCE = 5.0
"""So many seconds without a worker, and the page says how to start one."""
_JOB, _SINCE = "lab_job", "lab_since"
_KINDS = {"mode": LabMode, "fusion": LabFusion, "selection_strategy": LabStrategy}
_WORDS = {"mode": "lab_mode", "fusion": "lab_fusion", "selection_strategy": "lab_strategy"}


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the question and the settings."""
    st.header(words("lab_title"))
    st.caption(words("lab_lead"))
    question = st.text_input(words("lab_question"), st.query_params.get("q", ""), key="lab_q", max_chars=2000)
    keep_in_address("q", question)
    settings = _choose_settings(words)
    if st.button(words("lab_ask"), type="primary", key="lab_ask", disabled=not question.strip()):
        _ask(viewer, question, settings)
    _show_job(viewer, words)
    show_sets(viewer, settings, words)


def _choose_settings(words: Words) -> LabSettings:
    chosen: dict[str, object] = {}
    with st.expander(words("lab_settings"), expanded=any(name in st.query_params for name in _KINDS)):
        columns = st.columns(len(_KINDS) + 2)
        for column, (name, kind) in zip(columns, _KINDS.items(), strict=False):
            options = ["", *get_args(kind)]
            asked = st.query_params.get(name, "")
            with column:
                chosen[name] = st.selectbox(
                    words(_WORDS[name]),
                    options,
                    index=options.index(asked) if asked in options else 0,
                    format_func=lambda value: value or words("as_configured"),
                    key=f"lab_{name}",
                )
            keep_in_address(name, str(chosen[name]))
        with columns[-2]:
            chosen["max_results"] = _number("max_results", "lab_results", (1, 50, 1), words)
        with columns[-1]:
            chosen["relevance_threshold"] = _number(
                "relevance_threshold", "lab_threshold", (0, 1, 0.05), words
            )
    results = chosen["max_results"]
    chosen["max_results"] = int(results) if isinstance(results, float) else None
    return read_settings({name: value for name, value in chosen.items() if value not in (None, "")})


def _number(name: str, label: str, limits: tuple[float, float, float], words: Words) -> float | None:
    """A number, or nothing for the configured one."""
    low, high, step = (float(one) for one in limits)
    asked = number_in_address(name)
    value = asked if asked is not None and low <= asked <= high else None
    chosen = st.number_input(
        words(label),
        low,
        high,
        value,
        step,
        key=f"lab_{name}",
        format="%g",
        placeholder=words("as_configured"),
    )
    keep_in_address(name, "" if chosen is None else f"{chosen:g}")
    return None if chosen is None else float(chosen)


def _ask(viewer: Viewer, question: str, settings: LabSettings) -> None:
    jobs = SqlJobStore(viewer.database)
    try:
        job = lab_sets.ask_lab(jobs, viewer.person, viewer.principal, question, settings)
    except KiyoError as error:
        st.warning(str(error))
        return
    st.session_state[_JOB], st.session_state[_SINCE] = job, time.monotonic()


def _show_job(viewer: Viewer, words: Words) -> None:
    job = st.session_state.get(_JOB)
    if job is None:
        st.info(words("lab_first"))
        return
    state, result = SqlJobStore(viewer.database).result(job)
    if state == "done" and result is not None:
        show_result(result, words)
    elif state == "failed":
        st.warning(words("lab_failed", error=str((result or {}).get("error", ""))))
    else:
        _wait(viewer, job, words)


def _wait(viewer: Viewer, job: int, words: Words) -> None:
    """Look again every second, and draw the page anew when the job has ended."""

    @st.fragment(run_every=POLL_SECONDS)
    def look() -> None:
        state, _ = SqlJobStore(viewer.database).result(job)
        if state in ("done", "failed"):
            st.rerun(scope="app")
        waited = time.monotonic() - st.session_state[_SINCE]
        if state == "waiting" and waited > PATIENCE:
            st.warning(words("lab_nobody"))
        else:
            st.info(words("lab_waiting", seconds=round(waited)), icon=":material/hourglass_top:")

    look()
    if st.button(words("lab_stop"), key="lab_stop"):
        del st.session_state[_JOB]
        st.rerun()


PAGE = Page(name="lab", role="maintainer", order=90, render=render)
