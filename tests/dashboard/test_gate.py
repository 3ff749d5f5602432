"""Nothing is served without a session; signing in, out, and what an attacker would try."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from core.config import Settings
from core.people_ports import NewAccount, Role
from core.storage.engine import Database
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore
from core.usecases.accounts import add_account, set_disabled
from dashboard.admission import SESSION_COOKIE, Admission
from dashboard.gate import FORM_BYTES, Gate, make_routes
from dashboard.runtime import find_viewer
from tests.acting import acting_as

MINA = acting_as("mina", "maintainer")
PASSWORD = "correct horse battery"
PAGE = {"accept": "text/html"}
Client = Callable[..., TestClient]


async def inside(request: Request) -> PlainTextResponse:
    return PlainTextResponse("inside")


async def socket(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("inside")
    await websocket.close()


@pytest.fixture
def client(database: Database, tmp_path: Path) -> Client:
    """A browser before a dashboard; listens: the dashboard's address; settings: of [dashboard]."""

    def made(
        listens: str = "127.0.0.1",
        host: str = "127.0.0.1:8501",
        settings: dict[str, Any] | None = None,
        **more: Any,
    ) -> TestClient:
        chosen = {"storage": {"folder": str(tmp_path)}, "dashboard": settings or {}}
        admission = Admission(Settings.model_validate(chosen))
        served = Starlette(
            routes=[
                *make_routes(admission),
                WebSocketRoute("/_stcore/stream", socket),
                Route("/{path:path}", inside, methods=["GET", "POST"]),
            ],
            middleware=[Middleware(Gate, admission=admission, listens=listens)],
        )
        options = {"client": ("127.0.0.1", 5000), "follow_redirects": False, **more}
        return TestClient(served, base_url=f"http://{host}", **options)

    return made


def add(database: Database, login: str = "ana", *roles: Role) -> SqlPeopleStore:
    people = SqlPeopleStore(database)
    account = NewAccount(login, roles or ("viewer",), frozenset({"managers"}))
    add_account(people, MINA, account, Argon2Hashes(), PASSWORD)
    return people


def sign_in(browser: TestClient, login: str = "ana", password: str = PASSWORD, **form: str) -> Any:
    return browser.post("/signin", data={"login": login, "password": password, **form})


# --- without an account ----------------------------------------------------------------------------


def test_this_machine_needs_no_account_as_long_as_nobody_has_one(client: Client, database: Database) -> None:
    browser = client()
    assert browser.get("/").text == "inside"
    with browser.websocket_connect("/_stcore/stream", headers={"host": "127.0.0.1:8501"}) as opened:
        assert opened.receive_text() == "inside"
    add(database)
    assert browser.get("/", headers=PAGE).status_code == 303


@pytest.mark.parametrize(
    "given",
    [
        {"listens": ""},
        {"listens": "0.0.0.0"},
        {"host": "kiyo.example.com"},
        {"client": ("192.0.2.7", 5000)},
        {"headers": {"x-forwarded-for": "192.0.2.7"}},
        {"headers": {"forwarded": "for=192.0.2.7"}},
        {"settings": {"oidc": {"enabled": True, "public_url": "x", "metadata_url": "y", "client_id": "z"}}},
    ],
)
def test_everybody_else_needs_one(client: Client, given: dict[str, Any]) -> None:
    assert client(**given).get("/answers").status_code == 401


def test_the_page_says_how_to_make_the_first_account(client: Client) -> None:
    shown = client(listens="").get("/signin").text
    assert "kiyo user add NAME --role maintainer" in shown
    assert "<form" not in shown


# --- with accounts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/answers",
        "/media/abc.csv",
        "/_stcore/upload_file/x",
        "/_stcore/host-config",
        "/signin/x",
        "/staticx",
    ],
)
def test_nothing_is_served_without_a_session(client: Client, database: Database, path: str) -> None:
    add(database)
    assert client().get(path).status_code == 401
    assert client(cookies={SESSION_COOKIE: "x" * 43}).get(path).status_code == 401


def test_no_socket_opens_without_a_session(client: Client, database: Database) -> None:
    add(database)
    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/_stcore/stream") as opened:
        opened.receive_text()


def test_a_page_leads_to_signing_in_and_back(client: Client, database: Database) -> None:
    add(database)
    browser = client()
    away = browser.get("/answers?id=x%201&q=水", headers=PAGE)
    assert away.status_code == 303
    shown = browser.get(away.headers["location"])
    assert 'value="/answers?id=x%201&amp;q=%E6%B0%B4"' in shown.text
    back = sign_in(browser, next="/answers?id=x%201&q=%E6%B0%B4")
    assert (back.status_code, back.headers["location"]) == (303, "/answers?id=x%201&q=%E6%B0%B4")
    assert browser.get("/answers").text == "inside"
    assert browser.get("/signin").status_code == 303


def test_the_cookie_is_kept_from_scripts_and_other_sites(client: Client, database: Database) -> None:
    add(database)
    plain = sign_in(client()).headers["set-cookie"].lower()
    assert "httponly" in plain
    assert "samesite=lax" in plain
    assert "secure" not in plain
    assert "secure" in sign_in(client(settings={"secure_cookie": True})).headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/\nx", "", "x"],
)
def test_signing_in_leads_nowhere_else(client: Client, database: Database, wanted: str) -> None:
    add(database)
    assert sign_in(client(), next=wanted).headers["location"] == "/"


def test_a_wrong_password_says_nothing_of_the_account(client: Client, database: Database) -> None:
    add(database)
    browser = client()
    wrong, unknown = sign_in(browser, password="wrong password"), sign_in(browser, login="nobody")
    assert (wrong.status_code, unknown.status_code) == (401, 401)
    assert wrong.text.replace("ana", "nobody") == unknown.text
    assert "set-cookie" not in wrong.headers


def test_an_account_locks_after_wrong_passwords(client: Client, database: Database) -> None:
    people = add(database)
    browser = client(settings={"max_failures": 2})
    for _ in range(2):
        assert sign_in(browser, password="wrong password").status_code == 401
    assert sign_in(browser).status_code == 401
    found = people.find("ana")
    assert found is not None
    assert found.locked_until is not None


def test_what_was_typed_is_shown_as_text(client: Client, database: Database) -> None:
    add(database)
    shown = sign_in(client(), login='"><script>x</script>', next='/"><b>').text
    assert "<script>" not in shown
    assert "<b>" not in shown


def test_no_other_page_can_sign_somebody_in_or_out(client: Client, database: Database) -> None:
    add(database)
    browser = client()
    form = {"login": "ana", "password": PASSWORD}
    assert browser.post("/signin", data=form, headers={"origin": "https://evil.example"}).status_code == 403
    assert sign_in(browser).status_code == 303
    cross = browser.get("/signout", headers={"sec-fetch-site": "cross-site"})
    assert cross.status_code == 403
    assert browser.get("/").text == "inside"


def test_a_proxy_may_give_the_server_another_name(client: Client, database: Database) -> None:
    add(database)
    form = {"login": "ana", "password": PASSWORD}
    sent = {"origin": "https://kiyo.example.com", "sec-fetch-site": "same-origin"}
    assert client().post("/signin", data=form, headers=sent).status_code == 303
    cross = {"origin": "http://127.0.0.1:8501", "sec-fetch-site": "cross-site"}
    assert client().post("/signin", data=form, headers=cross).status_code == 403


@pytest.mark.parametrize("body", ["x=" + "a" * FORM_BYTES, "&".join(f"x{n}=1" for n in range(99))])
def test_a_form_that_is_none_of_ours_is_refused(client: Client, database: Database, body: str) -> None:
    add(database)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert client().post("/signin", content=body, headers=headers).status_code == 413


def test_signing_out_ends_the_session_for_every_holder_of_the_cookie(
    client: Client, database: Database
) -> None:
    add(database)
    browser = client()
    sign_in(browser)
    token = browser.cookies[SESSION_COOKIE]
    assert browser.get("/signout").headers["location"] == "/signin"
    assert client(cookies={SESSION_COOKIE: token}).get("/").status_code == 401


def test_who_is_disabled_is_out_at_once(client: Client, database: Database) -> None:
    people = add(database)
    browser = client()
    sign_in(browser)
    set_disabled(people, MINA, "ana", True)
    assert browser.get("/").status_code == 401


def test_the_page_speaks_japanese(client: Client, database: Database) -> None:
    add(database)
    assert "サインイン" in client().get("/signin", headers={"accept-language": "ja-JP,en;q=0.8"}).text
    assert "サインイン" in client().get("/signin?next=/answers%3Flang%3Dja").text
    assert "パスワード" in client().post("/signin?lang=ja", data={"login": "x", "password": "y"}).text


def test_a_database_that_is_gone_lets_nobody_in_from_elsewhere(tmp_path: Path, client: Client) -> None:
    missing = {"storage": {"folder": str(tmp_path / "missing")}}
    admission = Admission(Settings.model_validate(missing))
    served = Starlette(
        routes=[*make_routes(admission), Route("/{path:path}", inside)],
        middleware=[Middleware(Gate, admission=admission, listens="")],
    )
    with TestClient(served) as browser:
        assert browser.get("/").status_code == 401
        browser.cookies[SESSION_COOKIE] = "x"
        assert browser.get("/").status_code == 503
        assert "kiyo" in browser.get("/signin").text


# --- what the pages see ----------------------------------------------------------------------------


def test_a_session_is_seen_with_the_roles_and_groups_of_its_account(
    client: Client, configured: Path, database: Database
) -> None:
    add(database, "ana", "reviewer", "labeller")
    browser = client()
    sign_in(browser)
    viewer = find_viewer(browser.cookies[SESSION_COOKIE])
    assert viewer is not None
    assert viewer.person.name == "ana"
    assert (viewer.may("reviewer"), viewer.may("labeller"), viewer.may("maintainer")) == (True, True, False)
    assert viewer.principal.groups == {"public", "managers"}
    assert find_viewer("x") is None


def test_without_accounts_the_pages_are_seen_by_who_started_them(configured: Path) -> None:
    viewer = find_viewer("")
    assert viewer is not None
    assert not viewer.signed_in
