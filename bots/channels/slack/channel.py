"""The connection to Slack by Bolt and slack_sdk, with nothing repeated blindly.

Bolt verifies what arrives; one middleware claims it and answers Slack, so that an acknowledgement means that
the database has it. What was sent carries its key as message metadata, by which it is found again.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bots.channels.slack.events import CHANNEL, Self, read_payload
from bots.channels.slack.modal import edit_view, read_submission
from bots.channels.slack.rendering import escape, render
from core.errors import (
    AmbiguousSendError,
    ChannelDownError,
    ChannelError,
    ExtraMissingError,
    RateLimitedError,
    RefusedError,
)
from core.messages import (
    Capabilities,
    CheckFinding,
    IncomingAction,
    IncomingMessage,
    Parcel,
    Part,
    Place,
    Receipt,
    Reply,
)
from core.ports import Inbox
from core.sections.slack import SlackSettings

if TYPE_CHECKING:
    from slack_bolt.async_app import AsyncApp
    from slack_bolt.response import BoltResponse
    from slack_sdk.web.async_client import AsyncWebClient
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

EVENTS_PATH = "/slack/events"
KEY_EVENT = "kiyo_part"
WATCH_SECONDS = 5.0
MOST_MISSES = 3
"""A socket that is down for so many looks is given up: the SDK would try a dead address for ever."""
LOOK_BACK = 100
WANTED_SCOPES = frozenset(
    {
        "app_mentions:read",
        "channels:history",
        "chat:write",
        "commands",
        "groups:history",
        "im:history",
        "reactions:read",
    }
)
_TRANSIENT = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_TOKEN_ERRORS = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope"}
)

_log = logging.getLogger(__name__)


class SlackChannel:
    """`Channel` for one app in one workspace. watch: waits until the connection is looked at again."""

    name = CHANNEL
    capabilities = Capabilities(
        buttons=True,
        threads=True,
        typing=True,
        look_up=True,
        reactions=True,
        private_notes=True,
        max_chars=9000,
    )

    def __init__(self, settings: SlackSettings, watch: Callable[[], Awaitable[object]] | None = None) -> None:
        self._settings = settings
        self._watch = watch or (lambda: asyncio.sleep(WATCH_SECONDS))
        self._client: AsyncWebClient | None = None
        self._app: AsyncApp | None = None
        self._self: Self | None = None
        self._inbox: Inbox | None = None

    async def run(self, inbox: Inbox) -> None:
        """Receive by a socket, or let the HTTP server receive, until cancelled."""
        self._app = self._make_app()
        self._self = await self._introduce()
        self._inbox = inbox
        try:
            if self._settings.mode == "http":
                await asyncio.Event().wait()
            await self._hold_socket(self._app)
        finally:
            self._inbox = None

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:  # noqa: ARG002 - the same everywhere
        """Messages of a few sections each, within the limits of Block Kit."""
        return render(reply)

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Post one message, with its key as metadata."""
        body = parcel.part.body
        sent = await self._call(
            self._web().chat_postMessage(
                channel=parcel.place.conversation,
                text=body["text"],
                blocks=list(body["blocks"]),
                thread_ts=parcel.place.thread or None,
                metadata={"event_type": KEY_EVENT, "event_payload": {"key": parcel.key}},
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        return Receipt((str(sent["ts"]),))

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        """Look for the key among the latest messages of the thread or the channel."""
        place, web = parcel.place, self._web()
        if place.thread:
            waiting = web.conversations_replies(
                channel=place.conversation, ts=place.thread, limit=LOOK_BACK, include_all_metadata=True
            )
        else:
            waiting = web.conversations_history(
                channel=place.conversation, limit=LOOK_BACK, include_all_metadata=True
            )
        for message in (await self._call(waiting))["messages"]:
            metadata = message.get("metadata") or {}
            if (metadata.get("event_payload") or {}).get("key") == parcel.key:
                return Receipt((str(message["ts"]),))
        return None

    async def show_progress(self, place: Place, message_id: str) -> None:
        """A status in assistant threads, eyes on the question elsewhere."""
        with suppress(ChannelError):
            if not place.shared and place.thread:
                await self._call(
                    self._web().assistant_threads_setStatus(
                        channel_id=place.conversation, thread_ts=place.thread, status="…"
                    )
                )
            elif message_id.replace(".", "").isdigit():
                await self._call(
                    self._web().reactions_add(channel=place.conversation, timestamp=message_id, name="eyes")
                )

    async def check(self) -> list[CheckFinding]:
        """Token, scopes, and whether a socket may be opened."""
        try:
            known = await self._call(self._web().auth_test())
        except ChannelError as error:
            return [CheckFinding("slack: token", False, str(error))]
        findings = [CheckFinding("slack: token", True, f"This is @{known['user']} in {known['team']}.")]
        given = {one.strip() for one in str(known.headers.get("x-oauth-scopes", "")).split(",")}
        missing = sorted(WANTED_SCOPES - given)
        message = (
            f"Add these scopes and install the app anew: {', '.join(missing)}." if missing else "All there."
        )
        findings.append(CheckFinding("slack: scopes", not missing, message))
        if self._settings.mode == "socket":
            findings.append(await self._check_socket())
        return findings

    def routes(self) -> list[Route]:
        """The address for events; Bolt refuses what is not signed."""
        from starlette.routing import Route

        if self._settings.mode != "http":
            return []
        return [Route(EVENTS_PATH, self._receive, methods=["POST"])]

    # --- receiving ---------------------------------------------------------------------------------

    def _make_app(self) -> AsyncApp:
        from slack_bolt.async_app import AsyncApp

        app = AsyncApp(
            client=self._web(), signing_secret=self._settings.signing_secret.get_secret_value() or "unused"
        )
        app.use(self._claim)
        return app

    async def _claim(self, body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:  # noqa: ARG002 - Bolt gives arguments by name
        """Take whatever arrives, and answer Slack only then."""
        from slack_bolt.response import BoltResponse

        inbox, me = self._inbox, self._self
        if inbox is None or me is None:
            return BoltResponse(status=503)
        submitted = read_submission(body, me)
        if submitted is not None:
            await self._tell(submitted, await inbox.take_action(submitted))
            return BoltResponse(status=200)
        try:
            event = read_payload(body, me)
        except (KeyError, TypeError, AttributeError):
            _log.exception("a payload of Slack could not be read (%s)", body.get("type"))
            return BoltResponse(status=200)
        if isinstance(event, IncomingMessage):
            await inbox.take_message(event)
            return _echo(body, event)
        if isinstance(event, IncomingAction):
            await self._act(body, event, inbox)
        return BoltResponse(status=200)

    async def _act(self, body: Mapping[str, Any], action: IncomingAction, inbox: Inbox) -> None:
        if action.kind == "edit":
            with suppress(ChannelError):
                await self._call(
                    self._web().views_open(trigger_id=str(body.get("trigger_id")), view=edit_view(action))
                )
            return
        await self._tell(action, await inbox.take_action(action))

    async def _tell(self, action: IncomingAction, said: str) -> None:
        """A sentence that only whoever acted sees."""
        if not said:
            return
        with suppress(ChannelError):
            await self._call(
                self._web().chat_postEphemeral(
                    channel=action.place.conversation,
                    user=action.author.id,
                    text=escape(said),
                    thread_ts=action.place.thread or None,
                )
            )

    async def _receive(self, request: Request) -> Response:
        from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
        from starlette.responses import Response

        if self._app is None or self._inbox is None:
            return Response(status_code=503)
        return await AsyncSlackRequestHandler(self._app).handle(request)

    async def _hold_socket(self, app: AsyncApp) -> None:
        """Keep a socket until it is down for too long; then the supervisor asks for a new address."""
        from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

        handler = AsyncSocketModeHandler(app, self._settings.app_token.get_secret_value())
        connecting = asyncio.ensure_future(self._call(_connect(handler)))
        try:
            misses = 0
            while misses < MOST_MISSES:
                await self._watch()
                if connecting.done():
                    connecting.result()
                misses = 0 if await handler.client.is_connected() else misses + 1
        finally:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)
            await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
        raise ChannelDownError("Slack closed the socket and does not take it up again.")

    # --- asking Slack ------------------------------------------------------------------------------

    def _web(self) -> AsyncWebClient:
        if self._client is None:
            try:
                from slack_sdk.web.async_client import AsyncWebClient
            except ImportError as error:
                raise ExtraMissingError("Slack needs the extra `slack` (slack-bolt).") from error
            self._client = AsyncWebClient(
                self._settings.bot_token.get_secret_value(),
                base_url=self._settings.api_url.rstrip("/") + "/",
                retry_handlers=[],  # those of the SDK post twice when an answer is lost
            )
        return self._client

    async def _introduce(self) -> Self:
        known = await self._call(self._web().auth_test())
        return Self(
            team=str(known["team_id"]),
            user=str(known["user_id"]),
            bot=str(known.get("bot_id") or ""),
            groups=await self._user_groups(),
        )

    async def _user_groups(self) -> dict[str, frozenset[str]]:
        """Groups by person; without the scope for it nobody is in a group, which opens nothing."""
        try:
            listed = await self._call(self._web().usergroups_list(include_users=True))
        except ChannelError as error:
            _log.warning("user groups of Slack cannot be read: %s", error)
            return {}
        found: dict[str, set[str]] = {}
        for group in listed.get("usergroups") or ():
            for user in group.get("users") or ():
                found.setdefault(str(user), set()).update(
                    {str(group["id"]), str(group.get("handle") or group["id"])}
                )
        return {user: frozenset(groups) for user, groups in found.items()}

    async def _check_socket(self) -> CheckFinding:
        token = self._settings.app_token.get_secret_value()
        try:
            await self._call(self._web().apps_connections_open(app_token=token))
        except ChannelError as error:
            return CheckFinding("slack: socket", False, f"{error} Check app_token (connections:write).")
        return CheckFinding("slack: socket", True, "Socket Mode is on.")

    async def _call(self, waiting: Awaitable[Any]) -> Any:
        """One call. Its failures become errors that say whether it may have worked."""
        from aiohttp import ClientError
        from slack_sdk.errors import SlackApiError, SlackClientError

        try:
            return await waiting
        except SlackApiError as error:
            raise _explain(error) from error
        except (ClientError, TimeoutError, OSError, SlackClientError) as error:
            raise AmbiguousSendError(f"Slack did not answer ({type(error).__name__}).") from error


async def _connect(handler: Any) -> None:
    await handler.connect_async()


def make_channel(settings: SlackSettings) -> SlackChannel:
    return SlackChannel(settings)


def _echo(body: Mapping[str, Any], message: IncomingMessage) -> BoltResponse:
    """A command is not seen by others, so the question is shown with the answer to come."""
    from slack_bolt.response import BoltResponse

    if not str(body.get("command", "")).startswith("/") or not message.text:
        return BoltResponse(status=200)
    shown = {"response_type": "in_channel", "text": f"> {escape(message.text)}"}
    return BoltResponse(status=200, body=json.dumps(shown), headers={"content-type": "application/json"})


def _explain(error: Any) -> ChannelError:
    """error: a SlackApiError; its `response` is what Slack said."""
    response = error.response
    status = int(getattr(response, "status_code", 0) or 0)
    code = str(response.get("error", "")) if hasattr(response, "get") else ""
    if status == 429 or code in ("ratelimited", "rate_limited"):
        headers = {name.lower(): value for name, value in (getattr(response, "headers", None) or {}).items()}
        return RateLimitedError("Slack asked to wait.", float(headers.get("retry-after", 1)))
    if status >= 500 or code in _TRANSIENT:
        return AmbiguousSendError(f"Slack failed ({code or status}).")
    if code in _TOKEN_ERRORS:
        needed = str(response.get("needed", "")) if hasattr(response, "get") else ""
        return ChannelError(f"Slack refuses the token ({code}{': ' + needed if needed else ''}).")
    return RefusedError(f"Slack refused it ({code or status}).")
