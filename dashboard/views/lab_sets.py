"""Saved question sets of the lab: written, run, and their figures over time and between settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import streamlit as st

from core.errors import KiyoError
from core.lab_requests import LabRequest, LabSettings, read_question_lines, write_question_lines
from core.storage.jobs import SqlJobStore
from core.storage.lab import LabRun, LabSet, SqlLabStore
from core.usecases import lab_sets
from dashboard.filters import keep_in_address
from dashboard.runtime import Viewer
from dashboard.text import Words

RUN_POLL_SECONDS = 2.0
FIGURES = ("mrr", "recall_at_1", "recall_at_5", "recall_at_10")
_MARKS = {
    "mrr": ("#0072B2", "circle"),
    "recall_at_1": ("#D55E00", "square"),
    "recall_at_5": ("#009E73", "triangle-up"),
    "recall_at_10": ("#CC79A7", "diamond"),
}
"""Figure -> colour (Okabe and Ito 2008) and shape."""
_SAID = "lab_said"


def show_sets(viewer: Viewer, settings: LabSettings, words: Words) -> None:
    """settings: what a run tries. The address keeps the set."""
    st.subheader(words("sets_title"))
    st.caption(words("sets_lead"))
    if said := st.session_state.pop(_SAID, ""):
        st.info(said)
    store = SqlLabStore(viewer.database)
    known = {one.name: one for one in store.sets()}
    chosen = _choose(known, words)
    if chosen is None:
        st.info(words("no_sets"))
    else:
        with st.container(horizontal=True):
            run = partial(_run, viewer, store, chosen, settings)
            st.button(words("set_run", count=len(chosen.questions)), key="lab_run", on_click=run)
            remove = partial(_remove, viewer, store, chosen, words)
            st.button(
                words("set_remove", of_set=chosen.name), key="lab_remove", type="tertiary", on_click=remove
            )
        _show_runs(store, chosen, words)
    _show_editor(viewer, store, chosen, words)


def _choose(known: Mapping[str, LabSet], words: Words) -> LabSet | None:
    if not known:
        return None
    names = list(known)
    asked = st.query_params.get("set", "")
    name = st.selectbox(words("set"), names, index=names.index(asked) if asked in names else 0, key="lab_set")
    keep_in_address("set", name)
    return known[name]


def _show_runs(store: SqlLabStore, chosen: LabSet, words: Words) -> None:
    runs = store.runs(chosen.key)
    if not runs:
        st.caption(words("no_runs"))
        return
    waiting = [run for run in runs if run.figures is None and not run.error]
    if waiting:
        _wait(store, chosen, len(waiting), words)
    for run in runs[-1:]:
        if run.error:
            st.warning(words("lab_failed", error=run.error))
    done = [(run, run.figures) for run in runs if run.figures is not None]
    if not done:
        return
    st.markdown(f"###### {words('over_time')}")
    st.altair_chart(runs_chart(done, words), width="stretch")
    last, best = done[-1][1], max(figures["mrr"] for _, figures in done)
    told = {"mrr": f"{last['mrr']:.3f}", "recall": f"{last['recall_at_5']:.0%}", "n": last["n"]}
    st.caption(words("runs_told", **told, best=f"{best:.3f}"))
    st.dataframe(
        [
            {
                words("run_at"): f"{run.created_at:%Y-%m-%d %H:%M}",
                words("run_settings"): tell_settings(run.settings, words),
                **{words(name): round(figures[name], 3) for name in FIGURES},
                words("n"): figures["n"],
                words("median_ms"): figures["milliseconds"],
                words("run_by"): run.created_by,
            }
            for run, figures in reversed(done)
        ],
        hide_index=True,
        width="stretch",
    )


def _wait(store: SqlLabStore, chosen: LabSet, count: int, words: Words) -> None:
    @st.fragment(run_every=RUN_POLL_SECONDS)
    def look() -> None:
        left = [run for run in store.runs(chosen.key) if run.figures is None and not run.error]
        if len(left) < count:
            st.rerun(scope="app")
        st.info(words("run_waiting"), icon=":material/hourglass_top:")

    look()


def runs_chart(done: Sequence[tuple[LabRun, Mapping[str, Any]]], words: Words) -> alt.Chart:
    """x = runs in their order, y = figures; each its colour and shape."""
    rows = [
        {
            "run": number,
            "figure": words(name),
            "value": figures[name],
            "settings": tell_settings(run.settings, words),
        }
        for number, (run, figures) in enumerate(done, start=1)
        for name in FIGURES
    ]
    names = [words(name) for name in FIGURES]
    colours, shapes = (list(part) for part in zip(*_MARKS.values(), strict=True))
    legend = alt.Legend(title=None, orient="bottom")
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point={"filled": True, "size": 80})
        .encode(
            x=alt.X("run:O", title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("figure:N", legend=legend, scale=alt.Scale(domain=names, range=colours)),
            shape=alt.Shape("figure:N", legend=legend, scale=alt.Scale(domain=names, range=shapes)),
            tooltip=["figure:N", alt.Tooltip("value:Q", format=".3f"), "settings:N"],
        )
        .properties(height=240)
    )
    return chart


def tell_settings(settings: Mapping[str, Any], words: Words) -> str:
    """What was tried in place of the configured settings."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items()) or words("as_configured")


def _show_editor(viewer: Viewer, store: SqlLabStore, chosen: LabSet | None, words: Words) -> None:
    with (
        st.expander(words("set_edit"), expanded=chosen is None),
        st.form(f"lab_editor_{chosen.key if chosen else 0}", border=False),
    ):
        name = st.text_input(words("set_name"), chosen.name if chosen else "", max_chars=100)
        text = st.text_area(
            words("set_questions"),
            write_question_lines(chosen.questions) if chosen else "",
            height=200,
            help=words("set_help"),
        )
        if st.form_submit_button(words("set_save")):
            _save(viewer, store, (name, text), words)


def _save(viewer: Viewer, store: SqlLabStore, written: tuple[str, str], words: Words) -> None:
    name, text = written
    try:
        questions = read_question_lines(text)
        lab_sets.save_set(store, viewer.person, name, questions)
    except KiyoError as error:
        st.warning(str(error))
        return
    st.session_state[_SAID] = words("set_saved", of_set=name.strip(), count=len(questions))
    st.session_state.pop("lab_set", None)
    st.query_params["set"] = name.strip()
    st.rerun()


def _run(viewer: Viewer, store: SqlLabStore, chosen: LabSet, settings: LabSettings) -> None:
    request = LabRequest(chosen.questions, viewer.principal, settings)
    try:
        lab_sets.run_set(store, SqlJobStore(viewer.database), viewer.person, chosen.key, request)
    except KiyoError as error:
        st.session_state[_SAID] = str(error)


def _remove(viewer: Viewer, store: SqlLabStore, chosen: LabSet, words: Words) -> None:
    try:
        lab_sets.remove_set(store, viewer.person, chosen.key)
    except KiyoError as error:
        st.session_state[_SAID] = str(error)
        return
    st.session_state[_SAID] = words("set_removed", of_set=chosen.name)
