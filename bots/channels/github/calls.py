"""Calls to GitHub by PyGithub in one thread, so that writes never overtake each other, none repeated."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from core.errors import (
    AmbiguousSendError,
    ChannelError,
    ExtraMissingError,
    RateLimitedError,
    RefusedError,
)
from core.sections.github import GithubSettings

if TYPE_CHECKING:
    from github import Github

PAGE = 100
MOST_PAGES = 10
LEAST_WAIT = 1.0


class GithubCalls:
    """One client and one thread; `close` ends both."""

    def __init__(self, settings: GithubSettings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kiyo-github")
        self._made: Github | None = None

    async def get(self, path: str, parameters: dict[str, Any] | None = None) -> Any:
        return await self._run("GET", path, parameters, None)

    async def get_all(self, path: str, parameters: dict[str, Any] | None = None) -> list[Any]:
        """Every item of a list, up to a thousand."""
        found: list[Any] = []
        for page in range(1, MOST_PAGES + 1):
            items = await self.get(path, {**(parameters or {}), "per_page": PAGE, "page": page})
            found += items
            if len(items) < PAGE:
                break
        return found

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        return await self._run("POST", path, None, body)

    async def graphql(self, query: str, variables: dict[str, Any]) -> Any:
        """`data` of the answer; its errors are refusals."""
        return await self._in_thread(
            lambda: self._client().requester.graphql_query(query, variables)[1]["data"]
        )

    async def whoami(self) -> tuple[str, int]:
        """Login and number of the app (0 for a token)."""
        if self._settings.app_id:
            return f"{self._settings.name}[bot]", self._settings.app_id
        return str((await self.get("/user"))["login"]), 0

    def close(self) -> None:
        made, self._made = self._made, None
        if made is not None:
            self._thread.submit(made.close).result()
        self._thread.shutdown()

    async def _run(self, verb: str, path: str, parameters: dict[str, Any] | None, body: object) -> Any:
        def call() -> Any:
            return self._client().requester.requestJsonAndCheck(
                verb, path, parameters=parameters, input=body
            )[1]

        return await self._in_thread(call)

    async def _in_thread(self, call: Any) -> Any:
        import requests
        from github.GithubException import GithubException

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except GithubException as error:
            raise _explain(error) from error
        except (requests.RequestException, OSError) as error:
            raise AmbiguousSendError(f"GitHub did not answer ({type(error).__name__}).") from error

    def _client(self) -> Github:
        if self._made is None:
            try:
                from github import Auth, Github
            except ImportError as error:
                raise ExtraMissingError("GitHub needs the extra `github` (PyGithub).") from error
            settings = self._settings
            auth: Any = None
            if settings.app_id and settings.installation_id:
                app = Auth.AppAuth(settings.app_id, settings.app_key_secret.get_secret_value())
                auth = app.get_installation_auth(settings.installation_id)
            else:
                auth = Auth.Token(settings.token.get_secret_value())
            self._made = Github(
                base_url=settings.api_url.rstrip("/"),
                auth=auth,
                retry=None,
                seconds_between_requests=None,
                seconds_between_writes=None,
            )
        return self._made


def _explain(error: Any) -> ChannelError:
    """error: a GithubException; 403 and 429 with a wait are limits, other 4xx refusals."""
    headers = {str(name).lower(): value for name, value in (error.headers or {}).items()}
    data = error.data if isinstance(error.data, dict) else {}
    said = str(data.get("message") or data.get("errors") or error.status)
    limited = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    if error.status == 429 or (error.status == 403 and limited):
        wait = float(headers["retry-after"]) if "retry-after" in headers else _until_reset(headers)
        return RateLimitedError("GitHub asked to wait.", max(wait, LEAST_WAIT))
    if error.status == 401:
        return ChannelError("GitHub does not know this token; set it anew.")
    if error.status >= 500:
        return AmbiguousSendError(f"GitHub failed ({error.status}).")
    return RefusedError(f"GitHub refused it ({error.status}: {said[:200]}).")


def _until_reset(headers: dict[str, Any]) -> float:
    return float(headers.get("x-ratelimit-reset", 0)) - time.time()
