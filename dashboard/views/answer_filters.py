"""Search, filters and pages of the list of answers; the address keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core.storage.answer_reports import AnswerFilter
from dashboard.runtime import PERIODS, Viewer, choose_period
from dashboard.text import Words

PAGE_SIZE = 50
GATES = ("send", "caution", "hand_over")


def show_filters(viewer: Viewer, words: Words) -> tuple[AnswerFilter, int]:
    """What the person wants to see, and the page of it, from 1."""
    text = st.text_input(
        words("find"),
        st.query_params.get("q", ""),
        key="find",
        icon=":material/search:",
        on_change=_first_page,
    )
    period = st.segmented_control(
        words("period"),
        [*PERIODS, "all"],
        default=_known(st.query_params.get("period"), [*PERIODS, "all"]),
        format_func=words,
        key="answer_period",
        on_change=_first_page,
    )
    days = choose_period(period or "all")
    choices = viewer.answer_choices(days)
    with st.expander(words("filters")):
        channels = _choose("channels", choices.channels, words)
        languages = _choose("languages", choices.languages, words)
        gates = _choose("gates", GATES, words)
        low, high = _choose_share(words)
    _keep("q", text)
    _keep("period", "" if period in (None, "all") else str(period))
    _keep("share", "" if (low, high) == (0, 100) else f"{low}-{high}")
    wanted = AnswerFilter(days, text, channels, languages, gates, low / 100, high / 100)
    return wanted, _page()


def search_start() -> datetime | None:
    """Before when a search goes on, as the address says; None for the latest answers."""
    try:
        asked = datetime.fromisoformat(st.query_params.get("before", ""))
    except ValueError:
        return None
    return asked if asked.tzinfo is not None else asked.replace(tzinfo=UTC)


def show_search_end(searched_to: datetime | None, words: Words) -> None:
    """Say how far back a search has looked, and offer to go on; nothing where it has looked at all."""
    if searched_to is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words("searched_to", since=f"{searched_to:%Y-%m-%d %H:%M}"), width="content")
        st.button(words("search_on"), key="search_on", on_click=partial(_search_on, searched_to))


def _search_on(searched_to: datetime) -> None:
    _turn(1)
    _keep("before", searched_to.isoformat())


def show_pages(page: int, more: bool, words: Words) -> None:
    """Buttons to newer and older answers, where there are any."""
    if page == 1 and not more:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(words("newer"), disabled=page == 1, on_click=partial(_turn, page - 1))
        st.caption(words("page_number", page=page))
        st.button(words("older"), disabled=not more, on_click=partial(_turn, page + 1))


def _choose(name: str, options: Sequence[str], words: Words) -> tuple[str, ...]:
    kept = [value for value in st.query_params.get_all(name) if value in options]
    chosen = st.multiselect(
        words(name),
        options,
        kept,
        format_func=words if name == "gates" else str,
        key=f"answer_{name}",
        on_change=_first_page,
    )
    if chosen:
        st.query_params[name] = chosen
    else:
        _keep(name, "")
    return tuple(chosen)


def _choose_share(words: Words) -> tuple[int, int]:
    return st.slider(
        words("carried_range"), 0, 100, _kept_share(), step=5, key="answer_share", on_change=_first_page
    )


def _kept_share() -> tuple[int, int]:
    low, _, high = st.query_params.get("share", "0-100").partition("-")
    if not (low.isdecimal() and high.isdecimal() and int(low) <= int(high) <= 100):
        return 0, 100
    return int(low), int(high)


def _page() -> int:
    page = st.query_params.get("page", "1")
    return max(1, int(page)) if page.isdecimal() and len(page) < 7 else 1


def _turn(page: int) -> None:
    _keep("page", "" if page == 1 else str(page))
    _keep("id", "")


def _first_page() -> None:
    _turn(1)
    _keep("before", "")


def _known(value: str | None, options: Sequence[str]) -> str:
    return value if value is not None and value in options else "all"


def _keep(name: str, value: str) -> None:
    """Put a value into the address, or take it out."""
    if value:
        st.query_params[name] = value
    elif name in st.query_params:
        del st.query_params[name]
