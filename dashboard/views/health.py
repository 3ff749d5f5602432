"""Settings and health: what runs, waits and failed; for maintainers settings, people and who did what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import streamlit as st

from core.channel_ports import ChannelHealth
from core.storage.channel_state import SqlHealthStore
from core.storage.health_reports import Backlog, HealthReports
from core.storage.job_reports import JobReports
from core.storage.outbox import SqlOutboxStore
from dashboard.alarms import FORGOTTEN, SILENT
from dashboard.pages import Page
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.views.health_audit import show_audit
from dashboard.views.health_people import show_people
from dashboard.views.health_settings import show_settings

FAILED_SHOWN = 50
TIME = "YYYY-MM-DD HH:mm"

Tab = Callable[[Viewer, Words], None]


def render(viewer: Viewer, words: Words) -> None:
    """The page; `?tab=` chooses what it shows."""
    st.header(words("health_title"))
    st.caption(words("health_lead"))
    tabs: Mapping[str, Tab] = {"health_status": _show_status}
    if viewer.may("maintainer"):
        tabs = {**tabs, "settings": show_settings, "people": show_people, "audit_log": show_audit}
    asked = st.query_params.get("tab", "")
    chosen = st.segmented_control(
        words("health"),
        list(tabs),
        default=asked if asked in tabs else "health_status",
        format_func=words,
        label_visibility="collapsed",
        key="health_tab",
    )
    name = chosen or "health_status"
    st.query_params["tab"] = name
    tabs[name](viewer, words)


def _show_status(viewer: Viewer, words: Words) -> None:
    reports = HealthReports(viewer.database)
    _show_backlog(reports.backlog(), JobReports(viewer.database).count_open(), words)
    now = datetime.now(UTC)
    st.subheader(words("channels"))
    health = [one for one in SqlHealthStore(viewer.database).list_health() if _is_in_use(one, now)]
    if health:
        st.dataframe(
            [_health_row(one, now, words) for one in health],
            hide_index=True,
            width="stretch",
            column_config={
                words(name): st.column_config.DatetimeColumn(format=TIME) for name in ("since", "last_sign")
            },
        )
    else:
        st.info(words("no_channels"))
    st.subheader(words("work"))
    work = reports.channels(now)
    if work:
        st.dataframe(
            [
                {
                    words("channel"): one.channel,
                    words("questions_waiting"): one.questions_waiting,
                    words("replies_waiting"): one.replies_waiting,
                    words("replies_failed"): one.replies_failed,
                    words("last_hour"): one.questions_last_hour,
                    words("last_day"): one.questions_last_day,
                    words("oldest"): one.oldest,
                }
                for one in work
            ],
            hide_index=True,
            width="stretch",
            column_config={words("oldest"): st.column_config.DatetimeColumn(format=TIME)},
        )
    else:
        st.caption(words("no_work"))
    _show_failed(viewer, words)


def _show_backlog(backlog: Backlog, jobs: int, words: Words) -> None:
    with st.container(horizontal=True):
        st.metric(words("drafts_waiting"), f"{backlog.drafts:,}")
        st.metric(words("evaluations_waiting"), f"{backlog.evaluations:,}")
        st.metric(words("evaluations_failed"), f"{backlog.evaluations_failed:,}")
        st.metric(words("jobs_open"), f"{jobs:,}")


def _show_failed(viewer: Viewer, words: Words) -> None:
    if not viewer.may("reviewer"):
        return
    failed = SqlOutboxStore(viewer.database).failed(FAILED_SHOWN)
    if not failed:
        return
    st.subheader(words("failed_title"))
    st.caption(words("failed_lead"))
    rows = [
        {
            words("at"): one.at,
            words("place"): " ".join((one.place.channel, one.place.name or one.place.conversation)),
            words("stage"): one.stage,
            words("error"): one.error,
        }
        for one in failed
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        column_config={words("at"): st.column_config.DatetimeColumn(format=TIME)},
    )


def _is_in_use(health: ChannelHealth, now: datetime) -> bool:
    return now - health.heartbeat_at <= FORGOTTEN


def _health_row(health: ChannelHealth, now: datetime, words: Words) -> dict[str, object]:
    """A process that says nothing any more did not stop: it is gone."""
    silent = health.state != "stopped" and now - health.heartbeat_at > SILENT
    return {
        words("channel"): health.channel,
        words("state"): words("silent" if silent else health.state),
        words("since"): health.since,
        words("last_sign"): health.heartbeat_at,
        words("worker"): health.worker,
        words("last_error"): health.error,
    }


PAGE = Page(name="health", role="viewer", order=130, render=render)
