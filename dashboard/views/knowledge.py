"""Knowledge: the sources, what the last reading brought, files to bring in, the index."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

import streamlit as st

from core.config import load_settings
from core.domain import IngestStatus
from core.errors import KiyoError
from core.storage.audit import SqlAuditLog
from core.storage.job_reports import JobReports, SeenJob
from core.storage.jobs import SqlJobStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.source_reports import SourceFigures, SourceReports
from core.usecases.audit import Acting
from core.usecases.uploads import Upload, UploadFolder, make_indexes_again, read_again, upload_files
from dashboard.job_waiting import show_failure, wait_for_job
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words

STATUSES: tuple[IngestStatus, ...] = get_args(IngestStatus)
_STATUS_WORDS: Mapping[str, str] = {status: status for status in STATUSES} | {"changed": "changed_files"}
FILES_SHOWN = 500


def render(viewer: Viewer, words: Words) -> None:
    """The page."""
    st.header(words("knowledge_title"))
    st.caption(words("knowledge_lead"))
    may_change = viewer.may("maintainer")
    sources = SourceReports(viewer.database).figures(viewer.audiences())
    _show_sources(viewer, sources, words, may_change=may_change)
    _show_last_reading(viewer, {source.name for source in sources}, words, in_detail=may_change)
    if not may_change:
        st.caption(words("maintainers_only"))
        return
    _show_upload(viewer, words)
    _show_index(viewer, words)


def _show_sources(
    viewer: Viewer, sources: Sequence[SourceFigures], words: Words, *, may_change: bool
) -> None:
    st.subheader(words("sources"))
    if not sources:
        st.info(words("no_sources"))
        return
    known = {one.name: one for one in SqlKnowledgeStore(viewer.database).sources()}
    st.dataframe(
        [
            {
                words("source"): one.name,
                words("held_articles"): one.articles,
                words("held_chunks"): one.chunks,
                words("readers"): ", ".join(sorted(known[one.name].readers)),
                words("changed"): one.changed_at,
                words("place"): one.location,
            }
            for one in sources
        ],
        hide_index=True,
        column_config={
            words("changed"): st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
            words("place"): st.column_config.TextColumn(width="large"),
        },
    )
    if not may_change:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            words("choose_source"), [one.name for one in sources], key="knowledge_source", width=320
        )
        if st.button(words("read_again"), key="knowledge_read", icon=":material/sync:"):
            _do(viewer, lambda jobs, acting: read_again(jobs, acting, known[chosen]))


def _show_last_reading(viewer: Viewer, visible: Collection[str], words: Words, *, in_detail: bool) -> None:
    st.subheader(words("last_reading"))
    job = next(iter(JobReports(viewer.database).latest(["ingest"], 1)), None)
    if job is None:
        st.caption(words("no_reading"))
        return
    person = job.created_by
    st.caption(words("reading_by", when=_when(job.finished_at or job.created_at), person=person))
    if job.is_open:
        wait_for_job(viewer, job, words)
    elif job.state == "failed":
        show_failure(job, words)
    elif job.result:
        _show_report(job.result, visible if in_detail else (), words)


def _show_report(report: Mapping[str, Any], visible: Collection[str], words: Words) -> None:
    """visible: sources whose files may be named."""
    counts = [(status, int(report.get(status, 0))) for status in STATUSES]
    shown = [
        (status, count) for status, count in counts if count or status in ("added", "changed", "skipped")
    ]
    with st.container(horizontal=True):
        for status, count in shown:
            st.metric(words(_STATUS_WORDS[status]), f"{count:,}", width=120)
    for problem in report.get("problems", ()) if visible else ():
        st.warning(str(problem))
    files = [one for one in report.get("files", ()) if one["source"] in visible]
    told = [one for one in files if one["status"] != "unchanged"][:FILES_SHOWN]
    if told:
        st.dataframe(
            [
                {
                    words("outcome"): words(_STATUS_WORDS[one["status"]]),
                    words("file"): one["path"],
                    words("reason"): one["reason"],
                    words("source"): one["source"],
                }
                for one in told
            ],
            hide_index=True,
        )
    if len(files) > len(told):
        st.caption(words("files_left_out", count=f"{len(files) - len(told):,}"))


def _show_upload(viewer: Viewer, words: Words) -> None:
    st.subheader(words("upload"))
    settings = load_settings()
    limit = settings.ingest.max_file_mb
    st.caption(words("upload_lead", size=f"{limit:g}"))
    with st.form("knowledge_upload", clear_on_submit=True, border=False):
        files = st.file_uploader(
            words("upload_files"),
            accept_multiple_files=True,
            max_upload_size=max(1, math.ceil(limit)),
            key="knowledge_files",
        )
        readers = st.text_input(
            words("upload_readers"), "public", help=words("upload_readers_help"), key="knowledge_readers"
        )
        sent = st.form_submit_button(words("upload_button"), type="primary", icon=":material/upload_file:")
    if sent:
        folder = UploadFolder(settings.folder, limit)
        brought = [Upload(one.name, one.getvalue()) for one in files]
        groups = readers.replace("、", ",").split(",")
        _do(viewer, lambda jobs, acting: upload_files(jobs, acting, folder, brought, groups))


def _show_index(viewer: Viewer, words: Words) -> None:
    st.subheader(words("index"))
    counts = SqlKnowledgeStore(viewer.database).counts(viewer.audiences())
    figures = {"articles": counts.articles, "chunks": counts.chunks, "lines": counts.lines}
    told = {name: f"{value:,}" for name, value in figures.items()}
    st.markdown(words("index_state", **told, revision=counts.revision))
    st.caption(words("index_lead"))
    job = next(iter(JobReports(viewer.database).latest(["reindex"], 1)), None)
    if job is not None:
        _show_reindexing(viewer, job, words)
    busy = job is not None and job.is_open
    if st.button(words("reindex"), key="knowledge_reindex", icon=":material/restart_alt:", disabled=busy):
        _do(viewer, make_indexes_again)


def _show_reindexing(viewer: Viewer, job: SeenJob, words: Words) -> None:
    if job.is_open:
        wait_for_job(viewer, job, words)
    elif job.state == "failed":
        show_failure(job, words)
    elif job.result:
        when, report = _when(job.finished_at or job.created_at), job.result
        counted = {name: f"{int(report[name]):,}" for name in ("chunks", "embedded")}
        st.success(words("reindexed", when=when, **counted), icon=":material/check:")


def _do(viewer: Viewer, ask: Callable[[SqlJobStore, Acting], int]) -> None:
    """Leave work for the process that holds the indexes, and show how far it is; a refusal is a sentence."""
    try:
        ask(SqlJobStore(viewer.database), Acting(viewer.person, SqlAuditLog(viewer.database)))
    except KiyoError as error:
        st.warning(str(error))
    else:
        st.rerun()


def _when(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


PAGE = Page(name="knowledge", role="viewer", order=55, render=render)
