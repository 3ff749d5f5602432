"""The period a page speaks of: chosen by a switch, kept in the address."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from core.storage.reports import Period
from dashboard.runtime import EVERYTHING, PERIODS, choose_period
from dashboard.text import Words


def pick_period(words: Words, key: str, default: str = "days_30") -> Period:
    """Show the switch; `?period=` says what is chosen at first, and what was chosen is written there."""
    choices = [*PERIODS, "all"]
    asked = st.query_params.get("period", default)
    choice = st.segmented_control(
        words("period"),
        choices,
        default=asked if asked in choices else default,
        format_func=words,
        key=key,
    )
    chosen = choice or default
    st.query_params["period"] = chosen
    return choose_period(chosen)


def period_before(period: Period) -> Period | None:
    """As many days, up to the day before the period; None for all time."""
    if period == EVERYTHING:
        return None
    days = period.last - period.first
    last = period.first - timedelta(days=1)
    return Period(last - days, last)
