"""Versions of the coefficients: made from labels, published, withdrawn; and the past decided by one."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import KiyoError
from dashboard.calibrating import Calibrating, Versions, today
from dashboard.runtime import Viewer
from dashboard.text import Words

SAID = "calibration_said"
"""Key of what the last action has to tell: pairs of kind and sentence."""
_SPANS = {"past_90": 90, "past_all": None}


def show_versions(viewer: Viewer, work: Calibrating, versions: Versions, chosen: str, words: Words) -> None:
    """The table of versions, and what a maintainer may do with them. chosen: the version looked at."""
    st.subheader(words("versions"))
    _show_table(versions, words)
    if not viewer.may("maintainer"):
        st.caption(words("look_only"))
        return
    with st.container(horizontal=True):
        st.button(
            words("publish", version=chosen),
            key="calibration_publish",
            type="primary",
            disabled=chosen in (versions.in_use, versions.shipped),
            on_click=partial(_publish, work, chosen, words),
        )
        if versions.in_use != versions.shipped:
            st.button(
                words("revert", version=versions.in_use),
                key="calibration_revert",
                on_click=partial(_revert, work, words),
            )
    _show_making(work, words)
    _show_deciding(work, versions.in_use, words)


def _show_table(versions: Versions, words: Words) -> None:
    if not versions.rows:
        st.caption(words("no_versions"))
        return
    rows = [
        {
            words("version"): row.version,
            words("in_use"): "✓" if row.in_use else "",
            words("made"): row.made_at,
            words("published"): row.published_at,
            words("withdrawn"): row.withdrawn_at,
            words("agreement"): row.report.get("after", {}).get("agreement"),
        }
        for row in versions.rows
    ]
    moments = {
        words(name): st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", timezone="UTC")
        for name in ("made", "published", "withdrawn")
    }
    share = st.column_config.NumberColumn(format="percent")
    st.dataframe(rows, hide_index=True, width="stretch", column_config={**moments, words("agreement"): share})


def _show_making(work: Calibrating, words: Words) -> None:
    with st.expander(words("make")):
        st.caption(words("make_help"))
        wanted = st.number_input(words("wanted_precision"), 0.0, 1.0, 0.0, 0.05, key="calibration_precision")
        st.button(words("make"), key="calibration_make", on_click=partial(_make, work, wanted or None, words))


def _show_deciding(work: Calibrating, version: str, words: Words) -> None:
    with st.expander(words("past")):
        st.caption(words("past_lead", version=version))
        span = st.segmented_control(
            words("past_which"), list(_SPANS), default="past_90", format_func=words, key="calibration_span"
        )
        if st.button(words("past_start"), key="calibration_past"):
            _decide(work, version, _SPANS[span or "past_90"], words)


def _decide(work: Calibrating, version: str, days: int | None, words: Words) -> None:
    bar = st.progress(0.0)

    def show(done: int, total: int | None, _: str) -> None:
        bar.progress(
            min(1.0, done / max(total or done, 1)),
            words("past_running", done=f"{done:,}", total=f"{total or done:,}"),
        )

    try:
        report = work.decide_past(version, days, today(), show)
    except KiyoError as error:
        st.warning(str(error))
        return
    counts = {name: f"{getattr(report, name):,}" for name in ("answers", "pairs", "changed")}
    told = words("past_done", version=version, threshold=f"{report.threshold:.2f}", **counts)
    st.session_state[SAID] = [("done", told)]
    st.rerun()


def _make(work: Calibrating, precision: float | None, words: Words) -> None:
    try:
        made = work.make(precision, today())
    except KiyoError as error:
        st.session_state[SAID] = [("failed", str(error))]
        return
    before, after = (f"{figures['agreement']:.0%}" for figures in (made.before, made.after))
    told = words("made_told", version=made.version, n=made.measured_on, before=before, after=after)
    st.session_state[SAID] = [("done", told)]
    _look_at(made.version)


def _publish(work: Calibrating, version: str, words: Words) -> None:
    try:
        work.publish(version)
    except KiyoError as error:
        st.session_state[SAID] = [("failed", str(error))]
        return
    st.session_state[SAID] = [("done", words("published_told", version=version))]


def _revert(work: Calibrating, words: Words) -> None:
    try:
        version, now = work.revert()
    except KiyoError as error:
        st.session_state[SAID] = [("failed", str(error))]
        return
    st.session_state[SAID] = [("done", words("reverted_told", version=version, now=now))]
    _look_at(now)


def _look_at(version: str) -> None:
    """Choose a version, at its own threshold."""
    st.session_state["calibration_version"] = version
    st.session_state.pop("calibration_threshold", None)
    st.query_params.pop("threshold", None)
