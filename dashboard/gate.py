"""The gate: nothing of the dashboard is served without a session, neither page nor download nor socket.

A session is a random token in a cookie that scripts of the page cannot read; the database keeps its hash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlsplit

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit.auth_util import encode_provider_token

from core.errors import KiyoError
from dashboard.admission import SESSION_COOKIE, Admission, is_loopback
from dashboard.openid import USER_COOKIE, claims_in
from dashboard.sign_in_page import SignInPage, render_sign_in
from dashboard.text import Words, choose_locale

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

NEXT_COOKIE = "kiyo_next"
NEXT_SECONDS = 600
SIGN_IN, SIGN_OUT, FROM_PROVIDER = "/signin", "/signout", "/signin/openid"
OPEN_PATHS = frozenset(
    {SIGN_IN, SIGN_OUT, FROM_PROVIDER, "/auth/login", "/oauth2callback", "/_stcore/health", "/favicon.png"}
)
"""What needs no session: signing in, and nothing that tells of articles or people."""
OPEN_FOLDER = "/static/"
"""Streamlit's own scripts and styles."""
FORM_BYTES = 10_000
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_REFUSED = 4401


class Gate:
    """ASGI middleware in front of everything that Streamlit serves. listens: the server's own address, "" for
    all of them."""

    def __init__(self, app: ASGIApp, admission: Admission, listens: str) -> None:
        self._app = app
        self._admission = admission
        self._listens = listens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or _is_open_path(scope["path"]):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        try:
            admitted = await asyncio.to_thread(self._admits, connection)
            reason = ""
        except KiyoError as error:
            admitted = self._is_local(connection)
            reason = str(error)
        if admitted:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _REFUSED})
        else:
            refusal = PlainTextResponse(reason, 503) if reason else _send_away(connection)
            await refusal(scope, receive, send)

    def _admits(self, connection: HTTPConnection) -> bool:
        if self._admission.account_of(connection.cookies.get(SESSION_COOKIE, "")) is not None:
            return True
        return self._is_local(connection) and self._admission.needs_no_account()

    def _is_local(self, connection: HTTPConnection) -> bool:
        """From this machine, by a name of this machine, and not handed on by a proxy for somebody else."""
        host = urlsplit(f"//{connection.headers.get('host', '')}").hostname or ""
        client = connection.client.host if connection.client else ""
        handed_on = any(name in connection.headers for name in _FORWARDED)
        return not handed_on and all(is_loopback(one) for one in (self._listens, host, client))


def make_routes(admission: Admission) -> list[Route]:
    """Signing in and out."""
    desk = _SignInDesk(admission)
    return [
        Route(SIGN_IN, desk.show, methods=["GET"]),
        Route(SIGN_IN, desk.sign_in, methods=["POST"]),
        Route(FROM_PROVIDER, desk.admit, methods=["GET"]),
        Route(SIGN_OUT, desk.sign_out, methods=["GET"]),
    ]


class _SignInDesk:
    """Hashing a password takes 64 MB and some 50 ms of a core, so two at once are enough."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._hashing = CapacityLimiter(2)

    async def show(self, request: Request) -> Response:
        token = request.cookies.get(SESSION_COOKIE, "")
        try:
            if await asyncio.to_thread(self._admission.account_of, token) is not None:
                return RedirectResponse(_next_of(request), 303)
            return await self._page(request, "", 200)
        except KiyoError as error:
            return PlainTextResponse(str(error), 503)

    async def sign_in(self, request: Request) -> Response:
        if not _is_same_site(request):
            return PlainTextResponse("Sign in on the dashboard's own page.", 403)
        form = await _read_form(request)
        if form is None:
            return PlainTextResponse("The form is too long.", 413)
        try:
            token = await to_thread.run_sync(
                self._admission.sign_in,
                form.get("login", ""),
                form.get("password", ""),
                limiter=self._hashing,
            )
            if token is None:
                return await self._page(request, "sign_in_wrong", 401, form.get("login", ""))
        except KiyoError as error:
            return PlainTextResponse(str(error), 503)
        return self._let_in(RedirectResponse(_safe_path(form.get("next", "")), 303), token)

    async def admit(self, request: Request) -> Response:
        """After Streamlit's callback: its cookie becomes a session of ours, or a sentence."""
        claims = claims_in(request.cookies)
        try:
            token = None if claims is None else await asyncio.to_thread(self._admission.admit, claims)
            if token is None:
                reply = await self._page(request, "sign_in_no_role", 403)
            else:
                path = _safe_path(unquote(request.cookies.get(NEXT_COOKIE, "")))
                reply = self._let_in(RedirectResponse(path, 303), token)
        except KiyoError as error:
            return PlainTextResponse(str(error), 503)
        for name in (*_provider_cookies(request.cookies), NEXT_COOKIE):
            reply.delete_cookie(name, path="/")
        return reply

    async def sign_out(self, request: Request) -> Response:
        if not _is_same_site(request):
            return PlainTextResponse("Sign out on the dashboard's own page.", 403)
        token = request.cookies.get(SESSION_COOKIE, "")
        await asyncio.to_thread(self._admission.sign_out, token)
        reply = RedirectResponse(SIGN_IN, 303)
        for name in (SESSION_COOKIE, *_provider_cookies(request.cookies)):
            reply.delete_cookie(name, path="/")
        return reply

    async def _page(self, request: Request, message: str, status: int, login: str = "") -> Response:
        oidc = self._admission.settings.dashboard.oidc
        provider = f"/auth/login?provider={encode_provider_token('default')}" if oidc.enabled else ""
        page = SignInPage(
            words=Words(choose_locale(_locale(request))),
            next_path=_next_of(request),
            message=message,
            login=login,
            provider=provider,
            provider_name=oidc.name,
            nobody=await asyncio.to_thread(self._admission.needs_no_account),
            lock_minutes=self._admission.settings.dashboard.lock_minutes,
        )
        text, policy = render_sign_in(page)
        reply = HTMLResponse(text, status)
        reply.headers["content-security-policy"] = policy
        reply.headers["cache-control"] = "no-store"
        if provider:
            secure = self._admission.settings.dashboard.secure_cookie
            kept = quote(page.next_path, safe="")
            reply.set_cookie(NEXT_COOKIE, kept, NEXT_SECONDS, httponly=True, samesite="lax", secure=secure)
        return reply

    def _let_in(self, reply: Response, token: str) -> Response:
        chosen = self._admission.settings.dashboard
        seconds = int(chosen.session_hours * 3600)
        reply.set_cookie(
            SESSION_COOKIE, token, seconds, httponly=True, samesite="lax", secure=chosen.secure_cookie
        )
        return reply


def _is_open_path(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


def _send_away(connection: HTTPConnection) -> Response:
    """Pages lead to signing in and back; everything else is refused."""
    wants_page = "text/html" in connection.headers.get("accept", "")
    if connection.scope["method"] != "GET" or not wants_page:
        return PlainTextResponse("Sign in first.", 401)
    if USER_COOKIE in connection.cookies:
        return RedirectResponse(FROM_PROVIDER, 303)
    query = connection.url.query
    wanted = connection.url.path + (f"?{query}" if query else "")
    return RedirectResponse(f"{SIGN_IN}?next={quote(wanted, safe='')}", 303)


def _next_of(request: Request) -> str:
    return _safe_path(request.query_params.get("next", ""))


def _safe_path(wanted: str) -> str:
    """A path of this server; whatever could lead elsewhere becomes the first page."""
    parts = urlsplit(wanted)
    elsewhere = parts.scheme or parts.netloc or "\\" in wanted or not wanted.isprintable()
    return wanted if wanted.startswith("/") and not wanted.startswith("//") and not elsewhere else "/"


def _is_same_site(request: Request) -> bool:
    """As the browser says it, whatever name a proxy gave this server; browsers that do not say it send the
    origin of a form, which must then be this host."""
    said = request.headers.get("sec-fetch-site")
    if said is not None:
        return said in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


async def _read_form(request: Request) -> dict[str, str] | None:
    """First value of each field; None for more than a form of this page can hold."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > FORM_BYTES:
            return None
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return None
    return {name: values[0] for name, values in fields.items()}


def _provider_cookies(cookies: Mapping[str, str]) -> list[str]:
    return [name for name in cookies if name.startswith(USER_COOKIE)]


def _locale(request: Request) -> str | None:
    """What the address says, else what the browser prefers."""
    query = parse_qs(urlsplit(_next_of(request)).query)
    named = request.query_params.get("lang") or next(iter(query.get("lang", ())), None)
    return named or request.headers.get("accept-language", "").partition(",")[0].partition(";")[0]
