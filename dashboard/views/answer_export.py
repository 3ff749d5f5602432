"""Answers as a file: made at once where they are few, by a job that streams where they are many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from core.config import load_settings
from core.storage.answer_reports import AnswerFilter, AnswerReports, filter_values
from core.storage.job_reports import JobReports
from core.storage.jobs import SqlJobStore
from core.usecases.export_files import ANSWERS, FOLDER, export_payload
from dashboard.exports import table_csv
from dashboard.job_waiting import show_failure, wait_for_job
from dashboard.runtime import Viewer
from dashboard.text import Words

AT_ONCE = 100_000
"""More rows than these are written by the process that works on jobs."""
_READY, _JOB = "export_ready", "export_job"


def show_export(viewer: Viewer, wanted: AnswerFilter, words: Words, at_once: int = AT_ONCE) -> None:
    """Offer the answers that the filters let pass. wanted: the filters as they stand now."""
    with st.expander(words("export")):
        st.caption(words("export_lead"))
        if st.button(words("export_prepare"), key="export_prepare"):
            _prepare(viewer, wanted, at_once)
        ready = st.session_state.get(_READY)
        if ready is not None and ready[0] == wanted:
            _offer(viewer, wanted, ready[1], words)
        elif st.session_state.get(_JOB) is not None:
            _follow(viewer, st.session_state[_JOB], words)


def _prepare(viewer: Viewer, wanted: AnswerFilter, at_once: int) -> None:
    """Count first; the count decides who writes the file."""
    st.session_state.pop(_JOB, None)
    count = AnswerReports(viewer.database).count(wanted, viewer.audiences(), at_once + 1)
    st.session_state.pop(_READY, None)
    if count <= at_once:
        st.session_state[_READY] = (wanted, count)
        return
    payload = export_payload(filter_values(wanted), viewer.principal)
    st.session_state[_JOB] = SqlJobStore(viewer.database).enqueue("export", payload, viewer.person.name)


def _offer(viewer: Viewer, wanted: AnswerFilter, count: int, words: Words) -> None:
    if not count:
        st.caption(words("none_match"))
        return

    def written() -> bytes:
        rows = AnswerReports(viewer.database).all_rows(wanted, viewer.audiences())
        return table_csv([asdict(row) for row in rows]).encode("utf-8-sig")

    label = words("export_save", count=f"{count:,}")
    st.download_button(label, written, f"{ANSWERS}.csv", "text/csv", on_click="ignore", key="export_save")


def _follow(viewer: Viewer, number: int, words: Words) -> None:
    job = JobReports(viewer.database).find([number], viewer.person.name).get(number)
    if job is None:
        st.warning(words("export_gone"))
    elif job.is_open:
        wait_for_job(viewer, job, words)
    elif job.state == "failed" or job.result is None:
        show_failure(job, words)
    else:
        _offer_file(job.result, words)


def _offer_file(result: Mapping[str, Any], words: Words) -> None:
    """The file is read when it is asked for; it lies where the process of the jobs wrote it."""
    path = load_settings().folder / FOLDER / Path(str(result["file"])).name
    if not path.is_file():
        st.warning(words("export_gone"))
        return
    label = words("export_save", count=f"{result['rows']:,}")
    read = partial(Path.read_bytes, path)
    st.download_button(label, read, f"{ANSWERS}.zip", "application/zip", on_click="ignore", key="export_save")
    st.caption(words("export_size", megabytes=f"{result['bytes'] / 1e6:,.1f}"))
