"""One's own account: who is signed in, another password, signing out."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.config import load_settings
from core.errors import AskerError
from core.storage.password_hashes import Argon2Hashes
from core.usecases.accounts import change_own_password
from dashboard.admission import make_door
from dashboard.markup import escape_markdown
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.words.lookup import PageWords
from dashboard.words.sign_in import WORDS

_OUTCOME = "account_outcome"


def show_account(viewer: Viewer, common: Words) -> None:
    """Behind one's name, in the head of every page."""
    words = PageWords(common, WORDS)
    with st.popover(escape_markdown(viewer.person.name), icon=":material/person:", width="content"):
        roles = ", ".join(words(f"role_{role}") for role in viewer.person.roles)
        st.caption(words("your_roles", roles=roles))
        groups = ", ".join(sorted(viewer.principal.groups))
        st.caption(escape_markdown(words("your_groups", groups=groups)))
        _show_password_form(viewer, words)
        _show_link("/signout", words("sign_out"))


def show_signed_out(common: Words) -> None:
    """Instead of a page, when a session ended while the page was open."""
    words = PageWords(common, WORDS)
    st.info(words("signed_out"))
    _show_link("/signin", words("sign_in_again"))


def _show_password_form(viewer: Viewer, words: Words) -> None:
    with st.expander(words("change_password")), st.form("password", border=False, clear_on_submit=True):
        for name in ("old_password", "new_password", "new_password_again"):
            st.text_input(words(name), type="password", key=name, max_chars=500)
        st.form_submit_button(words("change_password"), on_click=partial(_change, viewer, words))
        if outcome := st.session_state.pop(_OUTCOME, ""):
            st.warning(outcome)


def _change(viewer: Viewer, words: Words) -> None:
    typed = st.session_state
    if typed["new_password"] != typed["new_password_again"]:
        st.session_state[_OUTCOME] = words("passwords_differ")
        return
    door = make_door(load_settings(), viewer.database, Argon2Hashes())
    try:
        change_own_password(door, viewer.acting, typed["old_password"], typed["new_password"])
    except AskerError as error:
        st.session_state[_OUTCOME] = str(error)


def _show_link(address: str, label: str) -> None:
    """In this tab, since the server answers it and not Streamlit."""
    st.html(f'<a href="{address}" target="_self" style="color:inherit">{label}</a>')
