"""The page of settings and health, for every role."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.people_ports import AuditFilter, NewAccount
from core.storage.audit import SqlAuditLog
from core.storage.channel_state import SqlHealthStore
from core.storage.engine import Database
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore
from core.usecases.accounts import add_account
from core.usecases.people import ROLES
from tests.acting import acting_as
from tests.dashboard.test_pages import shown

MINA = acting_as("mina", "maintainer")
PASSWORD = "correct horse battery"


def health_page(wanted: str, locale: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.pages import words_of
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words, choose_locale
    from dashboard.views import health

    role = next(role for role in ROLES if role == wanted)
    viewer = Viewer(open_viewer().database, Principal("visitor"), role)
    health.render(viewer, words_of(health.PAGE, Words(choose_locale(locale))))


def open_health(tab: str = "", role: str = "maintainer", locale: str = "en") -> AppTest:
    app = AppTest.from_function(health_page, default_timeout=30, args=(role, locale))
    if tab:
        app.query_params["tab"] = tab
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("locale", ["en", "ja"])
@pytest.mark.parametrize("role", ROLES)
def test_everybody_sees_what_runs_and_maintainers_the_rest(
    configured: Path, database: Database, role: str, locale: str
) -> None:
    SqlHealthStore(database).report("slack", "one", "up", "")
    app = open_health(role=role, locale=locale)
    assert app.dataframe[0].value.iloc[0, 0] == "slack"
    assert len(app.button_group[0].options) == (4 if role == "maintainer" else 1)


@pytest.mark.parametrize("tab", ["settings", "people", "audit_log"])
def test_the_address_opens_nothing_that_the_role_does_not(configured: Path, tab: str) -> None:
    app = open_health(tab, role="reviewer")
    assert "health_status" in app.query_params["tab"]


def test_settings_are_shown_beside_their_defaults_without_secrets(
    configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIYO_LLM__API_KEY", "sk-very-secret")
    app = open_health("settings")
    app.toggle(key="settings_changed").set_value(True).run()
    table = app.dataframe[0].value
    assert set(table["Setting"]) == {"llm.api_key", "storage.folder"}
    assert "very-secret" not in table.to_string()
    app.text_input(key="settings_search").set_value("LLM").run()
    assert set(app.dataframe[0].value["Setting"]) == {"llm.api_key"}


def test_the_first_person_is_added_and_then_stands_in_the_log(configured: Path, database: Database) -> None:
    app = open_health("people")
    assert "only this machine" in shown(app)
    app.text_input(key="new_login").set_value("Ana")
    app.text_input(key="new_secret").set_value(PASSWORD)
    app.text_input(key="new_groups").set_value("staff, managers")
    app.button[0].click().run()
    assert not app.exception
    assert app.success[0].value == "ana can sign in now."
    account = SqlPeopleStore(database).find("ana")
    assert account is not None
    assert (account.roles, account.groups) == (("maintainer",), frozenset({"staff", "managers"}))
    log = open_health("audit_log").dataframe[0].value
    assert log.iloc[0]["Action"] == "person.add"
    assert PASSWORD not in log.to_string()


def test_a_short_password_and_the_last_maintainer_are_sentences(configured: Path, database: Database) -> None:
    add_account(SqlPeopleStore(database), MINA, NewAccount("ana", ("maintainer",)), Argon2Hashes(), PASSWORD)
    app = open_health("people")
    app.text_input(key="new_login").set_value("ben")
    app.text_input(key="new_secret").set_value("short")
    next(one for one in app.button if one.label == "Add a person").click().run()
    assert "10 to 500" in app.warning[0].value
    app.button(key="switch_ana").click().run()
    assert "only maintainer" in app.warning[0].value
    found = SqlPeopleStore(database).find("ana")
    assert found is not None
    assert not found.disabled


def test_roles_and_groups_are_changed_and_noted(configured: Path, database: Database) -> None:
    people = SqlPeopleStore(database)
    for login in ("ana", "ben"):
        add_account(people, MINA, NewAccount(login, ("maintainer",)), Argon2Hashes(), PASSWORD)
    app = open_health("people")
    app.selectbox(key="changed_login").set_value("ben").run()
    app.multiselect(key="roles_ben").set_value(["reviewer", "labeller"])
    app.text_input(key="groups_ben").set_value("staff")
    next(one for one in app.button if one.label == "Save roles and groups").click().run()
    assert not app.exception
    found = people.find("ben")
    assert found is not None
    assert (found.roles, found.groups) == (("reviewer", "labeller"), frozenset({"staff"}))
    noted = [one.action for one in SqlAuditLog(database).entries(AuditFilter(who="visitor"), 9)]
    assert noted == ["person.groups", "person.roles"]


def test_the_log_is_filtered_by_person_and_action(configured: Path, database: Database) -> None:
    people = SqlPeopleStore(database)
    for who, login in (("mina", "ana"), ("tom", "ben")):
        acting = acting_as(who, "maintainer", database)
        add_account(people, acting, NewAccount(login, ("viewer",)), Argon2Hashes(), PASSWORD)
    app = open_health("audit_log")
    app.text_input(key="audit_who").set_value("tom").run()
    assert list(app.dataframe[0].value["On what"]) == ["ben"]
    app.text_input(key="audit_who").set_value("nobody").run()
    assert "Nobody did" in shown(app)
