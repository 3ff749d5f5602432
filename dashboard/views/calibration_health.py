"""Whether the check still works as it did, and whether something other than the articles moves it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.contribution.biases import Biases
from core.contribution.drift import ALARM_PSI, WATCH_PSI
from core.usecases.drift import DriftReport
from dashboard.calibration_charts import agreement_chart, psi_chart
from dashboard.text import Words


def show_drift(report: DriftReport, words: Words) -> None:
    """The level and what to do, agreement by week, and how far the features have moved."""
    st.subheader(words("drift"), anchor="drift")
    show = {"alarm": st.error, "watch": st.warning, "steady": st.success}.get(report.level, st.info)
    show(words(f"drift_{report.level}"))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"###### {words('agreement_weekly')}")
        _show_agreement(report, words)
    with right:
        st.markdown(f"###### {words('psi_title')}")
        _show_features(report, words)


def _show_agreement(report: DriftReport, words: Words) -> None:
    told = [one for one in report.weeks if one.share is not None]
    if not told:
        st.caption(words("drift_too_few"))
        return
    st.altair_chart(agreement_chart(report.weeks, report.expected, words), width="stretch")
    last = told[-1]
    expected = "–" if report.expected is None else f"{report.expected:.0%}"
    st.caption(
        words(
            "agreement_told", week=last.week, share=f"{last.share:.0%}", labels=last.labels, expected=expected
        )
    )
    with st.expander(words("curves_table")):
        rows = [
            {
                words("week"): one.week,
                words("agreement"): one.share,
                words("count"): one.labels,
                words("level"): words(f"level_{one.level}"),
            }
            for one in report.weeks
        ]
        share = st.column_config.NumberColumn(format="percent")
        st.dataframe(rows, hide_index=True, width="stretch", column_config={words("agreement"): share})


def _show_features(report: DriftReport, words: Words) -> None:
    if not report.features:
        st.caption(words("psi_none"))
        return
    if any(one.psi is not None for one in report.features):
        st.altair_chart(psi_chart(report.features, words), width="stretch")
    st.caption(words("psi_told", version=report.calibration, watch=f"{WATCH_PSI:g}", alarm=f"{ALARM_PSI:g}"))
    with st.expander(words("curves_table")):
        rows = [
            {
                words("feature"): one.feature,
                words("psi"): None if one.psi is None else round(one.psi, 3),
                words("level"): words(f"level_{one.level}"),
            }
            for one in report.features
        ]
        st.dataframe(rows, hide_index=True, width="stretch")


def show_biases(biases: Biases, words: Words) -> None:
    """Correlations with length, and means by format and by model."""
    st.subheader(words("biases"), anchor="biases")
    if not biases.answers:
        st.caption(words("biases_none"))
        return
    st.caption(words("biases_lead"))
    if biases.warns:
        st.warning(words("length_warning"))
    with st.container(horizontal=True, gap="large"):
        for name, value in (
            ("length_correlation", biases.length),
            ("sentences_correlation", biases.sentences),
        ):
            st.metric(
                words(name), words("too_few_answers") if value is None else f"{value:+.2f}", width="content"
            )
    left, right = st.columns(2, gap="large")
    with left:
        _show_means("by_format", "format", biases.by_format, words)
    with right:
        _show_means("by_model", "model", biases.by_model, words)
    st.caption(words("seen_answers", count=f"{biases.answers:,}"))


def _show_means(title: str, column: str, means: Mapping[str, tuple[int, float]], words: Words) -> None:
    st.markdown(f"###### {words(title)}")
    rows = [
        {words(column): name, words("count"): count, words("mean_carried"): mean}
        for name, (count, mean) in means.items()
    ]
    share = st.column_config.NumberColumn(format="percent")
    st.dataframe(rows, hide_index=True, width="stretch", column_config={words("mean_carried"): share})
