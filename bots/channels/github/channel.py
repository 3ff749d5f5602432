"""The connection to GitHub: webhooks or polling in, comments out.

A comment carries its key in a hidden line, by which it is found again when GitHub's answer got lost.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bots.channels.github.calls import GithubCalls
from bots.channels.github.polling import Poller
from bots.channels.github.rendering import LIMIT, mark, marker, render
from bots.channels.github.webhooks import CHANNEL, Reader, Self, read_delivery
from core.errors import ChannelDownError, ChannelError, RateLimitedError, RefusedError
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
from core.sections.github import GithubSettings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

WEBHOOK_PATH = "/github/webhook"
_ADD_COMMENT = """mutation($discussion: ID!, $root: ID, $body: String!) {
addDiscussionComment(input: {discussionId: $discussion, replyToId: $root, body: $body}) {
comment { id } } }"""
_DISCUSSION = """query($owner: String!, $name: String!, $number: Int!) {
repository(owner: $owner, name: $name) { discussion(number: $number) { id comments(last: 50) { nodes { id body
replies(last: 50) { nodes { id body } } } } } } }"""

_log = logging.getLogger(__name__)


class GithubChannel:
    """`Channel` for some repositories. wait: until the lists are read again."""

    name = CHANNEL
    capabilities = Capabilities(
        look_up=True, reactions=True, threads=True, direct_messages=False, max_chars=LIMIT
    )

    def __init__(
        self,
        settings: GithubSettings,
        wait: Callable[[], Awaitable[object]] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._wait = wait or (lambda: asyncio.sleep(settings.poll_seconds))
        self._now = now
        self._calls = GithubCalls(settings)
        self._self: Self | None = None
        self._inbox: Inbox | None = None
        self._ours: dict[str, Place] = {}
        """Our comments on issues, by number, the latest last."""

    async def run(self, inbox: Inbox) -> None:
        """Read lists, or let the webhook receive, until cancelled. Reactions are polled in either case."""
        self._self = Self(*await self._calls.whoami())
        self._inbox = inbox
        pollers = [
            Poller(self._calls, Reader(self._settings, rules, repository, self._self), self._now())
            for repository, rules in self._settings.repositories.items()
        ]
        try:
            while True:
                try:
                    for poller in pollers:
                        await self._poll(poller, inbox)
                except RateLimitedError as error:
                    await asyncio.sleep(error.retry_after)
                await self._wait()
        except RefusedError:
            raise
        except ChannelError as error:
            raise ChannelDownError(str(error)) from error
        finally:
            self._inbox = None

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:  # noqa: ARG002 - the same everywhere
        """Comments of at most 60,000 characters."""
        return render(reply)

    async def deliver(self, parcel: Parcel) -> Receipt:
        """One comment on the issue, or one in the thread of the discussion."""
        kind, _, number = parcel.place.conversation.partition("/")
        body = mark(str(parcel.part.body["body"]), parcel.key)
        if kind == "issue":
            path = f"/repos/{parcel.place.workspace}/issues/{number}/comments"
            made = await self._calls.post(path, {"body": body})
            self._ours[str(made["id"])] = parcel.place
            return Receipt((str(made["id"]),))
        discussion = await self._discussion(parcel.place)
        variables = {"discussion": discussion["id"], "root": parcel.place.thread or None, "body": body}
        made = await self._calls.graphql(_ADD_COMMENT, variables)
        return Receipt((str(made["addDiscussionComment"]["comment"]["id"]),))

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        """Look for the hidden key among the comments."""
        wanted = marker(parcel.key)
        for comment_id, body in await self._comments(parcel.place):
            if wanted in body:
                return Receipt((comment_id,))
        return None

    async def show_progress(self, place: Place, message_id: str) -> None:
        """GitHub has no sign for it."""

    async def check(self) -> list[CheckFinding]:
        """Token, and each repository."""
        try:
            login, _ = await self._calls.whoami()
        except ChannelError as error:
            return [CheckFinding("github: token", False, str(error))]
        findings = [CheckFinding("github: token", True, f"This is {login}.")]
        findings += [await self._check_repository(repository) for repository in self._settings.repositories]
        if not self._settings.repositories:
            message = 'Name at least one: [channels.github.repositories."owner/name"].'
            findings.append(CheckFinding("github: repositories", False, message))
        return findings

    def routes(self) -> list[Route]:
        """The webhook; it refuses everything that is not signed."""
        from starlette.routing import Route

        if self._settings.mode != "webhook":
            return []
        return [Route(WEBHOOK_PATH, self._receive, methods=["POST"])]

    def close(self) -> None:
        self._calls.close()

    # --- receiving ---------------------------------------------------------------------------------

    async def _poll(self, poller: Poller, inbox: Inbox) -> None:
        if self._settings.mode == "polling":
            async for event in poller.poll(self._now()):
                await self._take(inbox, event)
        ours = {
            number: place
            for number, place in self._ours.items()
            if place.workspace == poller.reader.repository
        }
        async for action in poller.poll_reactions(ours):
            await inbox.take_action(action)

    async def _take(self, inbox: Inbox, event: IncomingMessage | IncomingAction) -> None:
        if isinstance(event, IncomingMessage):
            await inbox.take_message(event)
            return
        if event.kind in ("helpful", "not_helpful", "wrong_source", "human") and not event.message_id:
            event = await self._about_last(event)
        await inbox.take_action(event)

    async def _about_last(self, action: IncomingAction) -> IncomingAction:
        """A command speaks of our last comment in its place; what stands behind it is the source's number."""
        ours = [comment for comment, body in await self._comments(action.place) if "<!-- kiyo:" in body]
        return replace(action, target="", value=action.target, message_id=ours[-1] if ours else "")

    async def _receive(self, request: Request) -> Response:
        from starlette.responses import Response

        body = await request.body()
        if not self._is_signed(body, request.headers.get("X-Hub-Signature-256", "")):
            return Response(status_code=403)
        if self._inbox is None or self._self is None:
            return Response(status_code=503)
        try:
            payload = json.loads(body)
            event = read_delivery(
                request.headers.get("X-GitHub-Event", ""),
                payload,
                self._settings,
                self._self,
                request.headers.get("X-GitHub-Delivery", ""),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            _log.exception("a delivery of GitHub could not be read")
            return Response(status_code=400)
        if event is not None:
            await self._take(self._inbox, event)
        return Response(status_code=202)

    def _is_signed(self, body: bytes, given: str) -> bool:
        """https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries"""
        secret = self._settings.webhook_secret.get_secret_value()
        wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return bool(secret) and hmac.compare_digest(given.encode(), wanted.encode())

    # --- asking GitHub -----------------------------------------------------------------------------

    async def _comments(self, place: Place) -> list[tuple[str, str]]:
        """(id, body) of the comments of a place, oldest first."""
        kind, _, number = place.conversation.partition("/")
        if kind == "issue":
            listed = await self._calls.get_all(f"/repos/{place.workspace}/issues/{number}/comments")
            return [(str(comment["id"]), str(comment["body"] or "")) for comment in listed]
        nodes = (await self._discussion(place))["comments"]["nodes"]
        flat = [one for comment in nodes for one in (comment, *comment["replies"]["nodes"])]
        return [(str(comment["id"]), str(comment["body"])) for comment in flat]

    async def _discussion(self, place: Place) -> Any:
        owner, _, name = place.workspace.partition("/")
        number = int(place.conversation.partition("/")[2])
        found = await self._calls.graphql(_DISCUSSION, {"owner": owner, "name": name, "number": number})
        discussion = (found.get("repository") or {}).get("discussion")
        if discussion is None:
            raise RefusedError(f"There is no discussion {number} in {place.workspace}.")
        return discussion

    async def _check_repository(self, repository: str) -> CheckFinding:
        name = f"github: {repository}"
        try:
            found = await self._calls.get(f"/repos/{repository}")
        except ChannelError as error:
            return CheckFinding(name, False, str(error))
        if not found.get("has_issues", True):
            return CheckFinding(name, False, "Issues are switched off in this repository.")
        return CheckFinding(name, True, "It can be read.")


def make_channel(settings: GithubSettings) -> GithubChannel:
    return GithubChannel(settings)
