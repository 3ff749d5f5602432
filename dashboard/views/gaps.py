"""What no article answers, and what an article says that the search did not find."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from core.storage.gap_reports import GapEntry, GapHead
from dashboard.pages import Page
from dashboard.runtime import FoundGaps, Viewer
from dashboard.text import Words

WEEKS = (4, 8, 26, 52)


def render(viewer: Viewer, words: Words) -> None:
    """The page; `?gap=` chooses the gap that is opened."""
    st.header(words("gaps_title"))
    st.caption(words("gaps_lead"))
    weeks = st.segmented_control(
        words("period"),
        WEEKS,
        default=8,
        format_func=lambda count: words("weeks", count=count),
        key="weeks",
    )
    found = viewer.read_gaps(weeks or 8)
    if found.listed.gaps:
        _show_gaps(found, words)
        _show_one(viewer, found, words)
    else:
        st.info(words("no_gaps"))
    for name, count in (("gaps_left_out", found.listed.left_out), ("gaps_not_shown", found.listed.not_shown)):
        if count:
            st.caption(words(name, count=count))
    _show_misses(found, words)


def _show_gaps(found: FoundGaps, words: Words) -> None:
    rows = [
        {
            "name": gap.name,
            "state": words(f"gap_{gap.state}"),
            "recent": gap.recent,
            "weeks": _weekly(found, gap),
            "last": gap.last_at.date(),
        }
        for gap in found.listed.gaps
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        column_config={
            "name": st.column_config.TextColumn(words("gap"), width="large"),
            "state": st.column_config.TextColumn(words("gap_state")),
            "recent": st.column_config.NumberColumn(words("gap_texts"), format="%d"),
            "weeks": st.column_config.BarChartColumn(words("by_week"), y_min=0),
            "last": st.column_config.DateColumn(words("last_asked")),
        },
    )


def _weekly(found: FoundGaps, gap: GapHead) -> list[int]:
    """Items of every week of the period, oldest first."""
    counts = {week.monday: week.items for week in gap.weeks}
    span = (found.until - found.since).days // 7 + 1
    return [counts.get(found.since + timedelta(weeks=n), 0) for n in range(span)]


def _show_one(viewer: Viewer, found: FoundGaps, words: Words) -> None:
    gaps = {gap.id: gap for gap in found.listed.gaps}
    wanted = st.query_params.get("gap", "")
    ids = list(gaps)
    chosen = st.selectbox(
        words("open_gap"),
        ids,
        index=ids.index(int(wanted)) if wanted.isdigit() and int(wanted) in gaps else 0,
        format_func=lambda number: gaps[number].name,
        key="gap",
    )
    st.query_params["gap"] = str(chosen)
    st.dataframe(
        [_entry(entry, words) for entry in viewer.read_gap_entries(chosen)],
        hide_index=True,
        width="stretch",
        column_config={
            "text": st.column_config.TextColumn(words("gap_text"), width="large"),
            "kind": st.column_config.TextColumn(words("gap_kind")),
            "channel": st.column_config.TextColumn(words("channel")),
            "at": st.column_config.DateColumn(words("asked_on")),
            "answered": st.column_config.TextColumn(words("answered_by")),
            "answer": st.column_config.TextColumn(words("answer_id")),
        },
    )


def _entry(entry: GapEntry, words: Words) -> dict[str, object]:
    titles = ", ".join(source.title for source in entry.supported)
    return {
        "text": entry.text,
        "kind": words(f"gap_{entry.kind}"),
        "channel": f"{entry.channel} ({words('example')})" if entry.example else entry.channel,
        "at": entry.at.date(),
        "answered": titles or (words("gap_closed") if entry.is_closed else ""),
        "answer": entry.answer_id,
    }


def _show_misses(found: FoundGaps, words: Words) -> None:
    if not found.misses:
        return
    st.subheader(words("misses_title"))
    st.caption(words("misses_lead"))
    rows = [
        {"title": miss.row.title, "missed": miss.row.missed, "answers": ", ".join(miss.answers)}
        for miss in found.misses
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        column_config={
            "title": st.column_config.TextColumn(words("article"), width="medium"),
            "missed": st.column_config.NumberColumn(
                words("missed"), help=words("column_help_missed"), format="%d"
            ),
            "answers": st.column_config.TextColumn(words("for_example"), width="large"),
        },
    )


PAGE = Page(name="gaps", role="viewer", order=50, render=render)
