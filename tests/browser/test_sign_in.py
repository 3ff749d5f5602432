"""Signing in with a real browser: by password and by an OpenID provider."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bots.serving import find_free_port, running_dashboard
from core.people_ports import NewAccount, Role
from core.storage.engine import Database, open_database
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore
from core.usecases.accounts import add_account
from tests.acting import acting_as
from tests.browser.chromium import COMPLAINTS, find_chromium, opened_browser, settle
from tests.dashboard.conftest import fill
from tests.databases import copied_sqlite
from tests.emulators.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

MINA = acting_as("mina", "maintainer")
PASSWORD = "correct horse battery"
RIN = {"sub": "42", "email": "Rin@example.com", "email_verified": True, "groups": ["support"]}


@dataclass(frozen=True, slots=True)
class Served:
    """A dashboard behind the gate, its database, and the provider it trusts."""

    address: str
    database: Database
    provider: OpenIdProvider


@pytest.fixture(scope="module")
def served(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("sign-in")
    opened = open_database(copied_sqlite(migrated_sqlite, folder / "kiyo.db"))
    fill(opened)
    people: dict[str, tuple[Role, ...]] = {"vera": ("viewer",), "mio": ("maintainer",), "lara": ("labeller",)}
    for login, roles in people.items():
        account = NewAccount(login, roles)
        add_account(SqlPeopleStore(opened), MINA, account, Argon2Hashes(), PASSWORD)
    port = find_free_port()
    with OpenIdProvider(RIN) as provider:
        config = folder / "kiyo.toml"
        config.write_text(
            f'''[storage]
folder = "{folder}"
[dashboard]
max_failures = 3
[dashboard.oidc]
enabled = true
name = "Example ID"
public_url = "http://127.0.0.1:{port}"
metadata_url = "{provider.metadata_url}"
client_id = "{CLIENT_ID}"
client_secret = "${{OIDC_SECRET}}"
roles_claim = "groups"
[dashboard.oidc.roles]
support = ["reviewer"]
''',
            encoding="utf-8",
        )
        settings = {"KIYO_CONFIG": str(config), "OIDC_SECRET": CLIENT_SECRET}
        with running_dashboard(port, settings) as address:
            yield Served(address, opened, provider)
    opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = find_chromium()
    assert chromium is not None
    with opened_browser(chromium) as opened:
        yield opened


@pytest.fixture
def stranger(browser: Browser) -> Iterator[BrowserContext]:
    """Somebody whose browser knows nothing of this dashboard."""
    context = browser.new_context()
    yield context
    context.close()


def sign_in(page: Page, login: str, password: str = PASSWORD) -> None:
    page.fill("#login", login)
    page.fill("#password", password)
    page.press("#password", "Enter")


def test_a_deep_link_leads_through_signing_in_to_its_page(stranger: BrowserContext, served: Served) -> None:
    page = stranger.new_page()
    page.goto(f"{served.address}/quadrants?period=all&lang=en")
    assert page.url.startswith(f"{served.address}/signin")
    sign_in(page, "mio")
    page.wait_for_url("**/quadrants?period=all&lang=en")
    settle(page)
    assert "First week" in page.locator("body").inner_text() or page.locator("h2").count()
    page.reload()
    settle(page)
    assert "/signin" not in page.url
    page.get_by_role("button", name="mio").click()
    page.get_by_text("Sign out").click()
    page.wait_for_url("**/signin*")
    page.goto(f"{served.address}/quadrants")
    assert "/signin" in page.url


def test_a_wrong_password_is_a_sentence_and_too_many_lock(stranger: BrowserContext, served: Served) -> None:
    page = stranger.new_page()
    page.goto(f"{served.address}/signin?lang=en")
    for _ in range(3):
        sign_in(page, "lara", "wrong password")
        assert "do not fit" in page.get_by_role("alert").inner_text()
    sign_in(page, "lara")
    assert "do not fit" in page.get_by_role("alert").inner_text()


def test_a_role_that_a_page_needs_is_not_got_around_by_its_address(
    stranger: BrowserContext, served: Served
) -> None:
    page = stranger.new_page()
    page.goto(f"{served.address}/labelling?lang=en")
    sign_in(page, "vera")
    settle(page)
    assert page.locator(COMPLAINTS).count() == 1
    assert "Judge" not in page.get_by_test_id("stMain").inner_text()


def test_the_page_is_japanese_for_who_reads_japanese(browser: Browser, served: Served) -> None:
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    page.goto(served.address)
    assert page.get_by_role("button").inner_text() == "サインイン"
    sign_in(page, "mio")
    settle(page)
    assert "概要" in page.locator("body").inner_text()
    context.close()


def test_the_provider_lets_in_whom_it_knows_with_the_role_of_the_claims(
    stranger: BrowserContext, served: Served
) -> None:
    served.provider.claims = dict(RIN)
    page = stranger.new_page()
    page.goto(f"{served.address}/reviews?lang=en")
    page.get_by_text("Sign in with Example ID").click()
    page.wait_for_url("**/reviews?lang=en")
    settle(page)
    account = SqlPeopleStore(served.database).find("rin@example.com")
    assert account is not None
    assert (account.roles, account.password_hash) == (("reviewer",), None)
    assert page.get_by_role("button", name="rin@example.com").count() == 1
    names = {cookie["name"] for cookie in stranger.cookies()}
    assert names >= {"kiyo_session"}
    assert not any(name.startswith("_streamlit_user") for name in names)


@pytest.mark.parametrize(
    "claims", [{"groups": ["sales"]}, {"email_verified": False}, {"email": "vera", "sub": "43"}]
)
def test_the_provider_lets_nobody_in_who_has_no_role_here_or_poses_as_another(
    stranger: BrowserContext, served: Served, claims: dict[str, object]
) -> None:
    served.provider.claims = RIN | claims
    page = stranger.new_page()
    page.goto(f"{served.address}/signin?lang=en")
    page.get_by_text("Sign in with Example ID").click()
    page.wait_for_url("**/signin/openid")
    assert "given you a role" in page.get_by_role("alert").inner_text()
    assert not any(cookie["name"] == "kiyo_session" for cookie in stranger.cookies())


def test_who_refuses_at_the_provider_is_back_at_signing_in(stranger: BrowserContext, served: Served) -> None:
    served.provider.refuses = True
    page = stranger.new_page()
    page.goto(f"{served.address}/signin?lang=en")
    page.get_by_text("Sign in with Example ID").click()
    page.wait_for_url("**/signin?next=*")
    served.provider.refuses = False
