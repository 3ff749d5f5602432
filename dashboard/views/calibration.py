"""The check against people: curves, threshold, what it would change, versions, drift and biases."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.contribution.previews import PastPreview
from core.errors import KiyoError
from core.usecases.calibration_curves import CheckedLabels
from dashboard.calibrating import Calibrating, Versions, today
from dashboard.calibration_charts import at_threshold
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.views.calibration_curves import show_curves, show_figure
from dashboard.views.calibration_health import show_biases, show_drift
from dashboard.views.calibration_versions import SAID, show_versions

_SLIDER = "calibration_threshold"


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the version and the threshold that are looked at."""
    st.header(words("calibration_title"))
    st.caption(words("calibration_lead"))
    for kind, text in st.session_state.pop(SAID, []):
        (st.success if kind == "done" else st.warning)(text)
    work = Calibrating(viewer)
    versions = work.versions()
    version = _choose_version(versions, words)
    try:
        found = work.check(version)
    except KiyoError as error:
        st.warning(str(error))
        return
    _show_head(found, words)
    if found.missing:
        _show_missing(found, words)
    threshold = _kept_threshold(found.threshold)
    if found.curves is None:
        st.info(words("no_curves"))
    else:
        show_curves(found.curves, st.session_state.get(_SLIDER, threshold), words)
    _show_threshold(work, found, threshold, words)
    if viewer.may("maintainer") and version == versions.in_use:
        chosen = float(st.session_state[_SLIDER])
        st.button(
            words("keep_threshold", threshold=f"{chosen:.2f}"),
            disabled=abs(chosen - found.threshold) < 0.005,
            on_click=partial(_keep_threshold, work, chosen, words),
            icon=":material/bookmark_add:",
        )
    show_versions(viewer, work, versions, version, words)
    show_drift(work.drift(today()), words)
    show_biases(work.biases(today()), words)


def _choose_version(versions: Versions, words: Words) -> str:
    def name(version: str) -> str:
        used = version == versions.in_use
        if version == versions.shipped:
            return words("shipped_used" if used else "shipped", version=version)
        return words("used_now", version=version) if used else version

    names = versions.names
    asked = st.query_params.get("version")
    if "calibration_version" in st.session_state and st.session_state["calibration_version"] not in names:
        del st.session_state["calibration_version"]
    chosen = st.selectbox(
        words("coefficients"),
        names,
        index=names.index(asked) if asked in names else 0,
        format_func=name,
        key="calibration_version",
        on_change=_forget_threshold,
    )
    if chosen == versions.in_use:
        st.query_params.pop("version", None)
    else:
        st.query_params["version"] = chosen
    return chosen


def _forget_threshold() -> None:
    st.session_state.pop(_SLIDER, None)
    st.query_params.pop("threshold", None)


def _kept_threshold(default: float) -> float:
    try:
        asked = float(st.query_params.get("threshold", default))
    except ValueError:
        return default
    return asked if 0 <= asked <= 1 else default


def _show_head(found: CheckedLabels, words: Words) -> None:
    with st.container(horizontal=True, gap="large"):
        st.metric(words("threshold"), f"{found.threshold:.2f}", width="content")
        with st.container(width="content", gap=None):
            st.metric(words("labels"), f"{found.labels:,}", width="content")
            st.caption(words("of_supported", count=f"{found.supported:,}"))


def _show_missing(found: CheckedLabels, words: Words) -> None:
    missing = {
        "missing_any": found.missing.labels,
        "missing_supported": found.missing.supported,
        "missing_unsupported": found.missing.unsupported,
    }
    told = (words(name, count=count) for name, count in missing.items() if count)
    parts = ("、" if words.locale == "ja" else ", ").join(told)
    st.info(words("missing_labels", parts=parts, link=f"labelling?lang={words.locale}"))


def _show_threshold(work: Calibrating, found: CheckedLabels, threshold: float, words: Words) -> None:
    st.subheader(words("threshold_title"))
    if work.configured_threshold is not None:
        st.caption(words("threshold_set", threshold=f"{work.configured_threshold:g}"))
    chosen = st.slider(
        words("threshold_slider"), 0.0, 1.0, round(threshold, 2), 0.01, key=_SLIDER, format="%.2f"
    )
    if abs(chosen - found.threshold) < 0.005:
        st.query_params.pop("threshold", None)
        chosen = found.threshold
    else:
        st.query_params["threshold"] = f"{chosen:.2f}"
    with st.container(horizontal=True, gap="large"):
        if found.curves is not None:
            at = at_threshold(found.curves, chosen)
            show_figure("precision", at.precision, words)
            show_figure("recall", at.recall, words)
        past = work.preview(found.version, chosen, today())
        if past.carried_before is not None and past.carried_after is not None:
            st.metric(words("carried_now"), f"{past.carried_before:.1%}", width="content")
            st.metric(words("carried_then"), f"{past.carried_after:.1%}", width="content")
    _show_past(past, words)


def _show_past(past: PastPreview, words: Words) -> None:
    if not past.sampled:
        st.caption(words("preview_empty"))
        return
    counts = {name: f"{getattr(past, name):,}" for name in ("sampled", "answers", "changed", "pairs")}
    st.caption(words("preview_told", **counts))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"###### {words('verdict_then')}")
        rows = [
            {
                words("verdict"): words(verdict),
                words("now"): past.verdicts_before[verdict],
                words("then"): past.verdicts_after[verdict],
            }
            for verdict in past.verdicts_before
            if verdict != "not_judged"
        ]
        st.dataframe(rows, hide_index=True, width="stretch")
    named = [one for one in past.articles if one.title]
    with right:
        if named:
            st.markdown(f"###### {words('articles_change')}")
            changes = [
                {words("article"): one.title, words("now"): one.before, words("then"): one.after}
                for one in named
            ]
            st.dataframe(changes, hide_index=True, width="stretch")
        if len(named) < len(past.articles):
            st.caption(words("titles_kept_back", count=len(past.articles) - len(named)))


def _keep_threshold(work: Calibrating, threshold: float, words: Words) -> None:
    try:
        version = work.keep_threshold(threshold, today())
    except KiyoError as error:
        st.session_state[SAID] = [("failed", str(error))]
        return
    st.session_state[SAID] = [("done", words("threshold_kept", version=version))]
    st.session_state["calibration_version"] = version
    _forget_threshold()


PAGE = Page(name="calibration", role="viewer", order=85, render=render)
