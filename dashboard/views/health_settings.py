"""The settings in effect, beside their defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from core.config import Settings, describe_settings, load_settings
from dashboard.runtime import Viewer
from dashboard.text import Words


def show_settings(viewer: Viewer, words: Words) -> None:
    """A table that can be searched. Raises RoleError for who is no maintainer."""
    viewer.acting.require("maintainer")
    st.caption(words("settings_lead"))
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    wanted = left.text_input(words("settings_search"), key="settings_search").strip().lower()
    changed_only = right.toggle(words("changed_only"), key="settings_changed")
    defaults = dict(_flat(describe_settings(Settings())))
    rows = [
        {words("setting"): name, words("value"): _shown(value), words("default"): _shown(defaults.get(name))}
        for name, value in _flat(describe_settings(load_settings()))
        if wanted in name.lower() and not (changed_only and value == defaults.get(name))
    ]
    st.dataframe(rows, hide_index=True, width="stretch")


def _flat(section: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    """Dotted names; an empty table is left out."""
    for key, value in section.items():
        name = f"{before}.{key}" if before else key
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        else:
            yield name, value


def _shown(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
