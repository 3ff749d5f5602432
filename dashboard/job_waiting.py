"""Waiting for a job that a page asked for: how long it has taken, and that nobody works on it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from core.storage.job_reports import JobReports, SeenJob
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.words.lookup import PageWords

POLL_SECONDS = 1.0
PATIENCE = 5.0
"""So many seconds without a worker, and the page says how to start one."""

WORDS: Mapping[str, tuple[str, str]] = {
    "job_waiting": (
        "The process that holds the indexes is at work. Waiting since {seconds} s.",
        "索引を持つプロセスが処理しています（{seconds} 秒経過）。",
    ),
    "job_nobody": (
        "Nothing works on it yet. The process that holds the indexes must run: start `kiyo serve` in "
        "another terminal, or `kiyo chat`.",
        "まだ処理が始まっていません。索引を持つプロセスが必要です。別の端末で `kiyo serve` か `kiyo chat` を"
        "起動してください。",
    ),
    "job_failed": ("It did not work: {error}", "うまくいきませんでした: {error}"),
}


def wait_for_job(viewer: Viewer, job: SeenJob, common: Words) -> None:
    """Look again every second, and draw the page anew when the job has ended."""
    words = PageWords(common, WORDS)

    @st.fragment(run_every=POLL_SECONDS)
    def look() -> None:
        seen = JobReports(viewer.database).find([job.id], job.created_by).get(job.id)
        if seen is None or not seen.is_open:
            st.rerun(scope="app")
        waited = max(0, round((datetime.now(UTC) - job.created_at).total_seconds()))
        if seen.state == "waiting" and waited > PATIENCE:
            st.warning(words("job_nobody"))
        else:
            st.info(words("job_waiting", seconds=waited), icon=":material/hourglass_top:")

    look()


def show_failure(job: SeenJob, common: Words) -> None:
    """What a failed job says."""
    error = str((job.result or {}).get("error", ""))
    st.warning(PageWords(common, WORDS)("job_failed", error=error))
