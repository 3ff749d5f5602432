"""People on four emulated platforms who ask a Kiyo process, and note when what arrived."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import aiohttp
from aiohttp import web

from tests.emulators.discord import ASKER, DiscordEmulator, message
from tests.emulators.github import BOT, REPOSITORY, GithubEmulator, delivery
from tests.emulators.slack import BOT_USER, TEAM, SlackEmulator
from tests.emulators.telegram import TelegramEmulator

PLATFORMS = ("slack", "discord", "telegram", "github")
STAFF = "CSTAFF"
ROOMS = 20
RETRY_SECONDS = 3.0
"""After this time without an acknowledgement Slack sends an event again, and here GitHub, too."""
_MARK = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(slots=True)
class Question:
    """One that was asked. key: what its replies refer to. posts: time and text of each reply."""

    platform: str
    key: str
    lane: str
    event: Any
    asked: float
    told: float
    acknowledged: float | None = None
    posts: list[tuple[float, str]] = field(default_factory=list)

    @property
    def doubled(self) -> bool:
        texts = [text for _, text in self.posts]
        return len(set(texts)) < len(texts)


@dataclass(slots=True)
class Ledger:
    """All questions by platform and key, in the order asked; staff: what the operator was told."""

    questions: dict[tuple[str, str], Question] = field(default_factory=dict)
    staff: list[str] = field(default_factory=list)
    replies: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def post(self, platform: str, key: str, text: str) -> None:
        question = self.questions.get((platform, key))
        if question is not None:
            if not question.posts:
                self.replies[question.lane].append(key)
            question.posts.append((time.perf_counter(), _MARK.sub("", text)))

    def open(self) -> list[Question]:
        return [question for question in self.questions.values() if not question.posts]

    def overtaken(self) -> int:
        """Replies that came before the reply to an earlier question of their thread."""
        places = {key: number for number, (_, key) in enumerate(self.questions)}
        return sum(
            places[earlier] > places[later]
            for keys in self.replies.values()
            for earlier, later in pairwise(keys)
        )


class NotingSlack(SlackEmulator):
    ledger: Ledger

    async def _on_chat_postMessage(  # noqa: N802
        self, request: web.Request, given: dict[str, Any]
    ) -> web.StreamResponse:
        answer = await SlackEmulator._on_chat_postMessage(self, request, given)
        if given["channel"] == STAFF:
            self.ledger.staff.append(str(given.get("text")))
        else:
            self.ledger.post("slack", str(given.get("thread_ts")), str(given.get("text")))
        return answer


class NotingTelegram(TelegramEmulator):
    ledger: Ledger

    def _store(self, given: dict[str, Any]) -> dict[str, Any]:
        asked = (given.get("reply_parameters") or {}).get("message_id")
        self.ledger.post("telegram", str(asked), str(given["text"]))
        return TelegramEmulator._store(self, given)


class NotingGithub(GithubEmulator):
    ledger: Ledger

    def add_comment(self, number: int, body: str, author: str = "aki", **more: Any) -> dict[str, Any]:
        if author == BOT:
            self.ledger.post("github", str(number), body)
        return GithubEmulator.add_comment(self, number, body, author, **more)


class NotingDiscord(DiscordEmulator):
    ledger: Ledger

    def _keep(self, body: dict[str, Any], channel: str, nonce: str) -> None:
        asked = (body.get("message_reference") or {}).get("message_id")
        self.ledger.post("discord", str(asked), str(body["content"]))
        super()._keep(body, channel, nonce)

    @property
    def connected(self) -> bool:
        return any(not socket.closed for socket in self._sockets)


class Acknowledged(list[str]):
    """Notes when each envelope was."""

    def __init__(self) -> None:
        super().__init__()
        self.times: dict[str, float] = {}

    def append(self, envelope: str, /) -> None:
        self.times[envelope] = time.perf_counter()


@dataclass(slots=True)
class Town:
    """The platforms. port: where Kiyo listens for webhooks."""

    slack: NotingSlack
    discord: NotingDiscord
    telegram: NotingTelegram
    github: NotingGithub
    web: aiohttp.ClientSession
    port: int
    ledger: Ledger = field(default_factory=Ledger)
    count: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    envelopes: dict[str, Question] = field(default_factory=dict)

    async def ask(self, text: str) -> Question:
        """A question on the next platform, by one of many people, in one of a few rooms."""
        self.count += 1
        platform = PLATFORMS[self.count % len(PLATFORMS)]
        question: Question = await getattr(self, f"_ask_{platform}")(text, self.count)
        return question

    def _note(self, platform: str, key: str, lane: str, event: Any) -> Question:
        now = time.perf_counter()
        question = Question(platform, key, lane, event, now, now)
        self.ledger.questions[(platform, key)] = question
        return question

    async def _ask_slack(self, text: str, number: int) -> Question:
        stamp = self.slack.stamp()
        event = {
            "type": "message",
            "channel": f"C{number % ROOMS}",
            "channel_type": "channel",
            "user": f"U{number % 160}",
            "text": f"<@{BOT_USER}> {text}",
            "ts": stamp,
        }
        body = {"type": "event_callback", "team_id": TEAM, "api_app_id": "A1", "event_id": f"Ev{number}"}
        question = self._note("slack", stamp, stamp, {**body, "event": event})
        self._begin(self._push_slack(question))
        return question

    async def _push_slack(self, question: Question) -> None:
        question.told = time.perf_counter()
        envelope = f"env-{question.key}-{question.told}"
        self.envelopes[envelope] = question
        try:
            await self.slack.send_envelope(envelope, "events_api", question.event)
        except (OSError, TimeoutError):
            return  # said again later

    async def _ask_telegram(self, text: str, number: int) -> Question:
        key, room = self.telegram.next_message_id(), -500 - number % ROOMS
        person = {"id": 1000 + number % 160, "is_bot": False, "first_name": "Aki"}
        content = {
            "message_id": key,
            "from": person,
            "date": 1_790_000_000 + number,
            "chat": {"id": room, "type": "supergroup", "title": "Support"},
            "text": f"@kiyo_bot {text}",
        }
        question = self._note("telegram", str(key), f"telegram{room}", content)
        await self.telegram.push("message", content)
        return question

    async def _ask_discord(self, text: str, number: int) -> Question:
        key, room = str(10_000_000 + number), str(7000 + number % ROOMS)
        author = {**ASKER, "id": str(5000 + number % 160)}
        question = self._note("discord", key, f"discord{room}", None)
        said = message(key, text, author, room)
        self.discord.messages.append(said)
        await self.discord.dispatch("MESSAGE_CREATE", said)
        return question

    async def _ask_github(self, text: str, number: int) -> Question:
        author = f"person{number % 160}"
        issue = self.github.add_issue(text, author=author, title="A question", labels=[])
        question = self._note("github", str(issue["number"]), f"github{issue['number']}", issue)
        self._begin(self._push_github(question))
        return question

    async def _push_github(self, question: Question) -> None:
        question.told = time.perf_counter()
        body, headers = delivery("issues", "opened", issue=question.event)
        address = f"http://127.0.0.1:{self.port}/github/webhook"
        headers = {**headers, "X-GitHub-Delivery": f"d-{question.key}"}
        try:
            async with self.web.post(address, data=body, headers=headers) as answer:
                if answer.status < 300 and question.acknowledged is None:
                    question.acknowledged = time.perf_counter() - question.told
        except (aiohttp.ClientError, OSError, TimeoutError):
            return  # delivered again later

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def acknowledgements(self) -> list[float]:
        """Seconds of each that Kiyo has to give: Slack's envelopes and GitHub's deliveries."""
        self._match()
        return [q.acknowledged for q in self.ledger.questions.values() if q.acknowledged is not None]

    def _match(self) -> None:
        noted = self.slack.acknowledged
        assert isinstance(noted, Acknowledged)
        for envelope, at in noted.times.items():
            question = self.envelopes.pop(envelope, None)
            if question is not None and question.acknowledged is None:
                question.acknowledged = at - question.told
        noted.times.clear()

    def repeat(self) -> None:
        """What the platforms do with events that nobody acknowledged."""
        self._match()
        late = time.perf_counter() - RETRY_SECONDS
        for question in self.ledger.questions.values():
            if question.acknowledged is None and question.told < late:
                if question.platform == "slack":
                    self._begin(self._push_slack(question))
                elif question.platform == "github":
                    self._begin(self._push_github(question))

    async def settle(self, seconds: float) -> None:
        """Until every question has a reply, or the time is over."""
        until = time.perf_counter() + seconds
        while self.ledger.open() and time.perf_counter() < until:
            self.repeat()
            await asyncio.sleep(0.25)

    def connected(self) -> bool:
        return self.discord.connected


@asynccontextmanager
async def town(port: int) -> AsyncIterator[Town]:
    """Four platforms on loopback."""
    ledger = Ledger()
    slack, telegram, github = NotingSlack(), NotingTelegram(), NotingGithub()
    slack.acknowledged = Acknowledged()
    discord = NotingDiscord()
    for one in (slack, telegram, github, discord):
        one.ledger = ledger
    timeout = aiohttp.ClientTimeout(total=10)
    async with slack, telegram, github, discord.serving(), aiohttp.ClientSession(timeout=timeout) as web_:
        made = Town(slack, discord, telegram, github, web_, port, ledger)
        yield made
        for task in list(made.tasks):
            task.cancel()


def config(made: Town, folder: str, more: str = "") -> str:
    """kiyo.toml for these platforms; the tokens stand in the environment."""
    discord = made.discord.address
    return f"""
[storage]
folder = "{folder}"
[reviews]
notify = ["slack:{TEAM}:{STAFF}"]
[channels.http]
port = {made.port}
[channels.slack]
bot_token = "${{SLACK_BOT_TOKEN}}"
app_token = "${{SLACK_APP_TOKEN}}"
api_url = "{made.slack.address}/api/"
[channels.discord]
token = "${{DISCORD_TOKEN}}"
api_url = "{discord}/api/v10"
gateway_url = "{discord.replace("http", "ws", 1)}/gateway"
[channels.telegram]
token = "${{TELEGRAM_TOKEN}}"
api_url = "{made.telegram.address}"
[channels.github]
token = "${{GITHUB_TOKEN}}"
name = "{BOT}"
mode = "webhook"
webhook_secret = "${{GITHUB_WEBHOOK_SECRET}}"
api_url = "{made.github.address}"
[channels.github.repositories."{REPOSITORY}"]
new_issues = true
{more}"""


TOKENS = {
    "SLACK_BOT_TOKEN": "xoxb-test",
    "SLACK_APP_TOKEN": "xapp-test",
    "DISCORD_TOKEN": "good",
    "TELEGRAM_TOKEN": "123456:TEST-token",
    "GITHUB_TOKEN": "ghp_test",
    "GITHUB_WEBHOOK_SECRET": "hook",
}
