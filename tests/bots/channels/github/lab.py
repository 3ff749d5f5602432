"""A GitHub on loopback with a channel for one repository: what a test says and sees there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import httpx
from pydantic import SecretStr
from starlette.applications import Starlette

from bots.channels.github.channel import WEBHOOK_PATH, GithubChannel
from core.messages import ActionKind
from core.sections.github import GithubSettings, RepositorySettings
from tests.bots.channels.posts import Post
from tests.emulators.github import BOT, REPOSITORY, SECRET, STAMP, TOKEN, GithubEmulator, delivery

NOW = datetime.fromisoformat(STAMP.replace("Z", "+00:00")).astimezone(UTC)


class PollingLab:
    """An async context manager; `channel` polls whenever `look` is called while it runs."""

    mode: Mapping[str, str] = {"mode": "polling"}

    def __init__(self, **rules: Any) -> None:
        self.emulator = GithubEmulator()
        self._rules = RepositorySettings(**rules)
        self._looks = asyncio.Semaphore(0)
        self._edits = 0

    async def __aenter__(self) -> Self:
        await self.emulator.__aenter__()
        self.channel = GithubChannel(self.settings(**self.mode), wait=self._looks.acquire, now=lambda: NOW)
        self.issue = self.emulator.add_issue("An old issue.", created_at="2026-01-01T00:00:00Z")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.channel.close)
        await self.emulator.__aexit__()

    def settings(self, **more: Any) -> GithubSettings:
        known = {
            "token": SecretStr(TOKEN),
            "name": BOT,
            "api_url": self.emulator.address,
            "webhook_secret": SecretStr(SECRET),
            "repositories": {REPOSITORY: self._rules},
        }
        return GithubSettings(**{**known, **more})

    def look(self) -> None:
        """Let the channel read the lists once more."""
        self._looks.release()

    async def say(
        self,
        text: str,
        *,
        author: str = "aki",
        thread: str = "",
        message_id: str | None = None,
        dm: bool = False,
        mention: bool = True,
    ) -> str:
        """A comment; GitHub knows no direct messages, and every issue is one thread."""
        body = f"@{BOT} {text}" if mention or dm else text
        comment = self.emulator.add_comment(int(self.issue["number"]), body, author)
        self.look()
        return f"comment-{comment['id']}"

    async def edit(self, message_id: str, text: str) -> None:
        number = int(message_id.removeprefix("comment-"))
        comment = next(one for one in self.emulator.comments if one["id"] == number)
        self._edits += 1
        comment |= {"body": f"@{BOT} {text}", "updated_at": f"2026-11-30T12:{self._edits:02d}:00Z"}
        self.look()

    async def press(self, kind: ActionKind, target: str, *, author: str = "aki") -> None:
        await self.say(f"/kiyo {kind} {target}", author=author, mention=False)

    async def redeliver(self, message_id: str) -> None:
        self.look()

    async def disconnect(self) -> None:
        """The next look fails as a server does that restarts."""
        self.emulator.outages += 1
        self.look()

    def posts(self) -> list[Post]:
        ours = [comment for comment in self.emulator.comments if comment["user"]["login"] == BOT]
        return [Post(str(comment["body"]), "", (str(comment["id"]),)) for comment in ours]

    def fail_next(self, kind: str) -> None:
        self.emulator.faults.append(kind)


class GithubLab(PollingLab):
    """The same with webhooks: everything is delivered once, when it happens."""

    mode: Mapping[str, str] = {"mode": "webhook"}

    async def say(
        self,
        text: str,
        *,
        author: str = "aki",
        thread: str = "",
        message_id: str | None = None,
        dm: bool = False,
        mention: bool = True,
    ) -> str:
        said = await super().say(text, author=author, dm=dm, mention=mention)
        await self._deliver("created", self._find(said))
        return said

    async def edit(self, message_id: str, text: str) -> None:
        await super().edit(message_id, text)
        await self._deliver("edited", self._find(message_id))

    async def delete(self, message_id: str) -> None:
        comment = self._find(message_id)
        self.emulator.comments.remove(comment)
        await self._deliver("deleted", comment)

    async def redeliver(self, message_id: str) -> None:
        await self._deliver("created", self._find(message_id))

    def _find(self, message_id: str) -> dict[str, Any]:
        number = int(message_id.removeprefix("comment-"))
        return next(one for one in self.emulator.comments if one["id"] == number)

    async def _deliver(self, action: str, comment: dict[str, Any]) -> None:
        """Until the channel is there to hear it, as GitHub's own list of failed deliveries allows."""
        body, headers = delivery("issue_comment", action, issue=self.issue, comment=comment)
        transport = httpx.ASGITransport(Starlette(routes=self.channel.routes()))
        async with httpx.AsyncClient(transport=transport, base_url="http://kiyo") as client:
            async with asyncio.timeout(20):
                while True:
                    if (await client.post(WEBHOOK_PATH, content=body, headers=headers)).status_code != 503:
                        return
                    await asyncio.sleep(0)
