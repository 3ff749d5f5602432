"""Who did what and when."""

from __future__ import annotations

import json

import streamlit as st

from core.people_ports import AuditFilter
from core.usecases.audit import list_actions, read_audit
from dashboard.runtime import Viewer
from dashboard.text import Words

ENTRIES = 200
_BEFORE = "audit_before"


def show_audit(viewer: Viewer, words: Words) -> None:
    """The latest entries, by person and action; older ones on demand."""
    log, person = viewer.acting.log, viewer.person
    left, right = st.columns(2)
    who = left.text_input(words("who"), key="audit_who", max_chars=100).strip()
    actions = ["", *list_actions(log, person)]
    action = right.selectbox(
        words("action"), actions, format_func=lambda name: name or words("all_actions"), key="audit_action"
    )
    before = st.session_state.get(_BEFORE)
    entries = read_audit(log, person, AuditFilter(who=who, action=action or "", before=before), ENTRIES)
    if not entries:
        st.info(words("no_entries"))
        st.session_state.pop(_BEFORE, None)
        return
    st.dataframe(
        [
            {
                words("at"): one.at,
                words("who"): one.who,
                words("action"): one.action,
                words("object"): one.object_id,
                words("detail"): json.dumps(dict(one.detail), ensure_ascii=False) if one.detail else "",
            }
            for one in entries
        ],
        hide_index=True,
        width="stretch",
        column_config={words("at"): st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")},
    )
    if len(entries) == ENTRIES:
        last = entries[-1].id
        st.button(words("older"), on_click=lambda: st.session_state.update({_BEFORE: last}))
