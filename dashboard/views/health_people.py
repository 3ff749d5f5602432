"""People and their roles: who may sign in, and what they may do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.errors import KiyoError
from core.people_ports import ROLES, Account, NewAccount
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore
from core.usecases import accounts
from dashboard.runtime import Viewer
from dashboard.text import Words

_OUTCOME = "people_outcome"
DAY = "YYYY-MM-DD"


def show_people(viewer: Viewer, words: Words) -> None:
    """The list, and two forms below it."""
    people = SqlPeopleStore(viewer.database)
    if outcome := st.session_state.pop(_OUTCOME, None):
        kind, sentence = outcome
        (st.success if kind == "done" else st.warning)(sentence)
    known = accounts.list_accounts(people, viewer.acting)
    if known:
        st.dataframe(
            [_row(one, words) for one in known],
            hide_index=True,
            width="stretch",
            column_config={words("created"): st.column_config.DateColumn(format=DAY)},
        )
        _show_change(viewer, known, words)
    else:
        st.info(words("no_people"))
    _show_add(viewer, words, first=not known)


def _row(one: Account, words: Words) -> dict[str, object]:
    state = words("active")
    if one.disabled:
        state = words("disabled")
    elif one.locked_until is not None:
        state = words("locked", until=f"{one.locked_until:%H:%M} UTC")
    return {
        words("person"): one.login,
        words("roles"): ", ".join(words(f"role_{role}") for role in one.roles),
        words("groups"): ", ".join(sorted(one.groups)),
        words("signs_in_with"): words("by_provider" if one.subject else "by_password"),
        words("account_state"): state,
        words("created"): one.created_at,
    }


def _show_add(viewer: Viewer, words: Words, *, first: bool) -> None:
    st.subheader(words("add_person"))
    with st.form("add_person", clear_on_submit=True):
        st.text_input(words("person"), key="new_login", max_chars=accounts.LOGIN_CHARS)
        default = ["maintainer"] if first else ["viewer"]
        st.multiselect(
            words("roles"), ROLES, default, format_func=lambda role: words(f"role_{role}"), key="new_roles"
        )
        st.text_input(words("groups"), key="new_groups", help=words("groups_help"))
        st.text_input(words("first_password"), type="password", key="new_secret", max_chars=500)
        st.form_submit_button(words("add_person"), type="primary", on_click=partial(_add, viewer, words))


def _show_change(viewer: Viewer, known: Sequence[Account], words: Words) -> None:
    st.subheader(words("change_person"))
    by_login = {one.login: one for one in known}
    login = st.selectbox(words("person"), list(by_login), key="changed_login")
    one = by_login[login]
    with st.form(f"change_{login}"):
        roles = st.multiselect(
            words("roles"),
            ROLES,
            one.roles,
            format_func=lambda role: words(f"role_{role}"),
            key=f"roles_{login}",
        )
        groups = st.text_input(
            words("groups"), ", ".join(sorted(one.groups)), key=f"groups_{login}", help=words("groups_help")
        )
        if st.form_submit_button(words("save_access")):
            _carry_out(partial(_save_access, viewer, one, roles, groups), words("person_saved"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = "enable" if one.disabled else "disable"
        switch = partial(
            accounts.set_disabled, SqlPeopleStore(viewer.database), viewer.acting, login, not one.disabled
        )
        st.button(words(word), on_click=partial(_tell, switch, words("person_saved")), key=f"switch_{login}")
        if not one.subject:
            _show_reset(viewer, login, words)


def _show_reset(viewer: Viewer, login: str, words: Words) -> None:
    with st.popover(words("another_password")), st.form(f"reset_{login}", clear_on_submit=True, border=False):
        secret = st.text_input(words("first_password"), type="password", max_chars=500)
        if st.form_submit_button(words("another_password")):
            reset = partial(
                accounts.reset_password,
                SqlPeopleStore(viewer.database),
                viewer.acting,
                Argon2Hashes(),
                login,
                secret,
            )
            _carry_out(reset, words("password_set", login=login))


def _add(viewer: Viewer, words: Words) -> None:
    typed = st.session_state
    account = NewAccount(typed["new_login"], tuple(typed["new_roles"]), _groups(typed["new_groups"]))
    people = SqlPeopleStore(viewer.database)
    add = partial(accounts.add_account, people, viewer.acting, account, Argon2Hashes(), typed["new_secret"])
    _tell(add, words("person_added", login=account.login.strip().casefold()))


def _save_access(viewer: Viewer, one: Account, roles: Sequence[str], groups: str) -> None:
    people = SqlPeopleStore(viewer.database)
    if set(roles) != set(one.roles):
        accounts.change_roles(people, viewer.acting, one.login, roles)
    if _groups(groups) != one.groups:
        accounts.change_groups(people, viewer.acting, one.login, _groups(groups))


def _groups(typed: str) -> frozenset[str]:
    return frozenset(group.strip() for group in typed.split(",") if group.strip())


def _carry_out(act: Callable[[], object], done: str) -> None:
    """From the body of a script, which then runs again to show what changed."""
    _tell(act, done)
    st.rerun()


def _tell(act: Callable[[], object], done: str) -> None:
    try:
        act()
    except KiyoError as error:
        st.session_state[_OUTCOME] = ("refused", str(error))
    else:
        st.session_state[_OUTCOME] = ("done", done)
