"""The entry that Streamlit runs: page settings, language, navigation."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import KiyoError
from dashboard.pages import pages_for, words_of
from dashboard.runtime import open_viewer
from dashboard.text import NAMES, Words, choose_locale

FIRST = "overview"
# Streamlit leaves more room above the first line than the menu needs.
STYLE = "<style>.stMainBlockContainer{padding-top:4.4rem}</style>"


def main() -> None:
    """One run of the script."""
    st.set_page_config(page_title="Kiyo", page_icon="📊", layout="wide")
    words = Words(choose_locale(_wanted_locale()))
    try:
        viewer = open_viewer()
    except KiyoError as error:
        st.info(words("no_database"))
        st.text(str(error))
        return
    offered = pages_for(viewer.role)
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
    _show_languages(words)
    if viewer.role == "maintainer":
        st.caption(words("no_sign_in"))
    chosen.run()


def _wanted_locale() -> str | None:
    """What was chosen, else what the address says, else what the browser prefers."""
    chosen = st.session_state.get("language")
    return chosen or st.query_params.get("lang") or st.context.locale


def _show_languages(words: Words) -> None:
    with st.container(horizontal=True, horizontal_alignment="right"):
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
