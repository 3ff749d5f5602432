"""Figures that are read once and shown for a while: what many reruns of a page ask for alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypeVar

import streamlit as st

SECONDS = 60
Part = str | int | float | bool | date | None | tuple["Part", ...]
T = TypeVar("T")


def keep(key: tuple[Part, ...], read: Callable[[], T]) -> T:
    """What `read` returns, or returned for the same key within SECONDS.

    key: everything that the figures depend on: their name, the database, the readable audiences, the choices.
    """
    found: T = _read_once(key, read)
    return found


def share(key: tuple[Part, ...], read: Callable[[], T]) -> T:
    """Like `keep`, for what nobody changes: everybody is given the same value and no copy of it."""
    found: T = _read_shared(key, read)
    return found


def forget() -> None:
    """Read everything anew, after something was changed."""
    _read_once.clear()
    _read_shared.clear()


@st.cache_data(ttl=SECONDS, max_entries=200, show_spinner=False)
def _read_once(key: tuple[Part, ...], _read: Callable[[], T]) -> T:
    """Streamlit keeps the values by `key`; `_read` is no part of it."""
    del key
    return _read()


@st.cache_resource(ttl=SECONDS, max_entries=50, show_spinner=False)
def _read_shared(key: tuple[Part, ...], _read: Callable[[], T]) -> T:
    del key
    return _read()
