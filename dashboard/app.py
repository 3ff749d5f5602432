"""The entry that Streamlit runs: page settings, language, navigation."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import KiyoError
from dashboard.account import show_account, show_signed_out
from dashboard.admission import SESSION_COOKIE
from dashboard.pages import pages_for, words_of
from dashboard.runtime import Viewer, find_viewer
from dashboard.text import NAMES, Words, choose_locale

FIRST = "overview"
# Streamlit leaves more room above the first line than the menu needs.
STYLE = "<style>.stMainBlockContainer{padding-top:4.4rem}</style>"


def main() -> None:
    """One run of the script."""
    st.set_page_config(page_title="Kiyo", page_icon="📊", layout="wide")
    words = Words(choose_locale(_wanted_locale()))
    try:
        viewer = find_viewer(_session_token())
    except KiyoError as error:
        st.info(words("no_database"))
        st.text(str(error))
        return
    if viewer is None:
        show_signed_out(words)
        return
    offered = pages_for(viewer.person)
    pages = [
        st.Page(
            partial(page.render, viewer, own := words_of(page, words)),
            title=own(page.name),
            url_path=page.name,
        )
        for page in offered
    ]
    # The page without a name in the address has no other; it shows the first page, which keeps its own name.
    first = next(page for page in offered if page.name == FIRST)
    shown = partial(first.render, viewer, words_of(first, words))
    pages.append(st.Page(shown, title="Kiyo", url_path="start", default=True, visibility="hidden"))
    st.html(STYLE)
    chosen = st.navigation(pages, position="top")
    _show_head(viewer, words)
    chosen.run()


def _session_token() -> str:
    cookie = st.context.cookies.get(SESSION_COOKIE)
    return cookie if isinstance(cookie, str) else ""  # AppTest has no browser and gives a stand-in


def _wanted_locale() -> str | None:
    """What was chosen, else what the address says, else what the browser prefers."""
    chosen = st.session_state.get("language")
    return chosen or st.query_params.get("lang") or st.context.locale


def _show_head(viewer: Viewer, words: Words) -> None:
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        if viewer.signed_in:
            show_account(viewer, words)
        elif viewer.may("maintainer"):
            st.caption(words("no_sign_in"), width="content")
        st.segmented_control(
            words("language"),
            list(NAMES),
            default=words.locale,
            format_func=lambda locale: NAMES[locale],
            label_visibility="collapsed",
            key="language",
            width="content",
        )


if __name__ == "__main__":
    main()
