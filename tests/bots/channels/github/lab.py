"""A GitHub on loopback with a channel for one repository: what a test says and sees there."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from pydantic import SecretStr

from bots.channels.github.channel import GithubChannel
from core.sections.github import GithubSettings, RepositorySettings
from tests.bots.channels.posts import Post
from tests.emulators.github import BOT, REPOSITORY, SECRET, STAMP, TOKEN, GithubEmulator

NOW = datetime.fromisoformat(STAMP.replace("Z", "+00:00")).astimezone(UTC)


class GithubLab:
    """An async context manager; `channel` polls whenever `look` is called while it runs."""

    def __init__(self, **rules: Any) -> None:
        self.emulator = GithubEmulator()
        self._rules = RepositorySettings(**rules)
        self._looks = asyncio.Semaphore(0)

    async def __aenter__(self) -> GithubLab:
        await self.emulator.__aenter__()
        self.channel = GithubChannel(self.settings(), wait=self._looks.acquire, now=lambda: NOW)
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

    def say(self, text: str, *, author: str = "aki", mention: bool = True) -> str:
        body = f"@{BOT} {text}" if mention else text
        comment = self.emulator.add_comment(int(self.issue["number"]), body, author)
        self.look()
        return f"comment-{comment['id']}"

    def posts(self) -> list[Post]:
        ours = [comment for comment in self.emulator.comments if comment["user"]["login"] == BOT]
        return [Post(str(comment["body"]), "", (str(comment["id"]),)) for comment in ours]

    def fail_next(self, kind: str) -> None:
        self.emulator.faults.append(kind)
