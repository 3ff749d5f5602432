"""Choices that the address keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st


def choose_many(
    name: str, label: str, options: Sequence[str], tell: Callable[[str], str] = str, *, page: str
) -> tuple[str, ...]:
    """A choice of several; none of them is all. The address keeps it as `?name=one&name=two`.

    page: keeps the choice apart from that of another page.
    """
    asked = [value for value in st.query_params.get_all(name) if value in options]
    chosen = st.multiselect(label, options, asked, format_func=tell, key=f"{page}_{name}")
    if chosen:
        st.query_params[name] = chosen
    else:
        st.query_params.pop(name, None)
    return tuple(chosen)


def keep_in_address(name: str, value: str) -> None:
    """Put a value into the address; "" takes it out."""
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def number_in_address(name: str) -> float | None:
    """The number that stands there, None without a finite one."""
    try:
        asked = float(st.query_params.get(name, ""))
    except ValueError:
        return None
    return asked if abs(asked) < float("inf") else None
