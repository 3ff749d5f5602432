"""A lab, Kiyo behind it, and a scripted answerer: conversations in tests, without sleeping."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from bots.supervisor import Supervisor
from core.channel_ports import Desk, OutboxItem, Outgoing
from core.config import Settings
from core.domain import Answer, Citation, GateDecision, Section
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
from core.ports import Channel, Inbox
from core.storage.desk import make_desk
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.outbox import SqlOutboxStore
from core.usecases.conversation.intake import ConversationInbox
from core.usecases.conversation.working import Conversations, work_once
from core.usecases.delivery import Deliveries, deliver_once
from core.usecases.reply import AskRequest
from tests.fake_channel import START, Lab
from tests.samples import SOURCE, Shown, answer_with, article_record

PATIENCE_SECONDS = 20.0
T = TypeVar("T")
ARTICLE = "docs:leave.md"
LONG = "\n\n".join(
    [
        "# Leave [1]",
        "| days | who |\n|---|---|\n| 10 | all |",
        "```python\n" + "x = 1\n" * 900 + "```",
        "Word " * 200,
    ]
)
_SECTION = Section(0, 0, "Leave", None, "Leave", "")


class Clock:
    """Time that moves only when told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class ScriptedAsk:
    """Answers by a word in the question: `unknown` and `maybe` do not pass the gate, `long` is long; else
    what the article says, and something else to who is in the group `managers`."""

    desk: Desk
    requests: list[AskRequest] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    async def __call__(self, request: AskRequest) -> Answer:
        self.requests.append(request)
        number = len(self.requests)
        await asyncio.to_thread(self.before)
        text = LONG if "long" in request.question else f"Leave is ten days, says answer {number}. [1]"
        if "managers" in request.principal.groups:
            text = f"Managers have twelve days, says answer {number}. [1]"
        gate: GateDecision = "send"
        if "unknown" in request.question:
            gate = "hand_over"
        elif "maybe" in request.question:
            gate = "caution"
        base = answer_with(f"{number:021x}", [Shown(ARTICLE, {0: "Leave is ten days."})], at=self.desk.now())
        citation = Citation(
            1, ARTICLE, "Leave rules", "https://docs.example/leave", _SECTION, None, 1, 1, "Ten."
        )
        answer = replace(
            base,
            question=request.question,
            text=text,
            citations=(citation,),
            gate=gate,
            asked_by=request.principal.id,
            channel=request.channel,
        )
        await asyncio.to_thread(self.desk.answers.record_answer, answer)
        return answer


class DyingOutbox(SqlOutboxStore):
    """Ends the worker after the platform confirmed and before that is noted, once."""

    dying = True

    def confirm_part(self, item: OutboxItem, ordinal: int, receipt: Receipt) -> None:
        if self.dying:
            self.dying = False
            raise WorkerKilledError
        super().confirm_part(item, ordinal, receipt)

    def fail(self, item: OutboxItem, error: str, told: Sequence[Outgoing] = ()) -> None:
        """A process that is gone notes nothing."""
        if "WorkerKilled" not in error:
            super().fail(item, error, told)


class WorkerKilledError(Exception):
    """The process ended here."""


class Tapped:
    """The channel of a lab; what it takes in is also kept for the test."""

    def __init__(self, channel: Channel, desk: Callable[[], Desk]) -> None:
        self._channel = channel
        self.desk = desk
        self.messages: list[IncomingMessage] = []
        self.said: list[str] = []
        self.taken = 0
        self.news = asyncio.Condition()

    @property
    def name(self) -> str:
        return self._channel.name

    @property
    def capabilities(self) -> Capabilities:
        return self._channel.capabilities

    async def run(self, inbox: Inbox) -> None:
        """The settings may change during a test, so that an inbox lives for one event only."""
        await self._channel.run(self)

    async def take_message(self, message: IncomingMessage) -> None:
        await ConversationInbox(self.desk(), lambda: None).take_message(message)
        self.messages.append(message)
        await self._tell()

    async def take_action(self, action: IncomingAction) -> str:
        said = await ConversationInbox(self.desk(), lambda: None).take_action(action)
        self.said.append(said)
        await self._tell()
        return said

    async def last_heard(self, channel: str) -> Sequence[tuple[Place, str]]:
        return await ConversationInbox(self.desk(), lambda: None).last_heard(channel)

    async def _tell(self) -> None:
        async with self.news:
            self.taken += 1
            self.news.notify_all()

    async def more_than(self, taken: int) -> None:
        """Until more events than that were taken in."""
        async with self.news:
            await self.news.wait_for(lambda: self.taken > taken)

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:
        return self._channel.render(reply, place)

    async def deliver(self, parcel: Parcel) -> Receipt:
        return await self._channel.deliver(parcel)

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        return await self._channel.find_delivered(parcel)

    async def show_progress(self, place: Place, message_id: str) -> None:
        await self._channel.show_progress(place, message_id)

    async def check(self) -> list[CheckFinding]:
        return await self._channel.check()


@dataclass
class Session:
    """One lab with Kiyo behind it. Work is done only in `until`, so that a test says when."""

    lab: Lab
    database: Database
    clock: Clock
    tapped: Tapped
    desk: Desk
    ask: ScriptedAsk
    worker: str = "one"

    @property
    def texts(self) -> list[str]:
        """What people see, in order."""
        return [post.text for post in self.lab.posts()]

    def configure(self, **sections: Mapping[str, Any]) -> None:
        """Other settings from now on."""
        changed = {**self.desk.settings.model_dump(), **sections}
        channels = self.desk.settings.channels
        settings = Settings.model_validate({**changed, "channels": {}})
        self.desk = replace(self.desk, settings=settings.model_copy(update={"channels": channels}))
        self.ask.desk = self.desk

    async def until(self, fact: Callable[[], bool]) -> None:
        """Work until it is so; the time that replies have to wait passes at once."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                taken = self.tapped.taken
                await self.drain()
                if fact():
                    return
                if self.desk.outbox.waiting():
                    self.clock.forward(61)
                    await self.drain()
                    if fact():
                        return
                    continue
                await self.tapped.more_than(taken)

    async def answered(self, text: str, **how: Any) -> str:
        """Say something, and work until there is one more answer; returns the id of the message."""
        before = len(self.ask.requests)
        message_id = await self.lab.say(text, **how)
        await self.until(lambda: len(self.ask.requests) > before and not self.waiting())
        return message_id

    async def heard(self, event: Awaitable[T]) -> T:
        """Let something happen on the platform, and wait until Kiyo took it in."""
        taken = self.tapped.taken
        result = await event
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.tapped.more_than(taken)
        return result

    def waiting(self) -> int:
        return self.desk.inbox.waiting() + self.desk.outbox.waiting()

    async def drain(self) -> None:
        """Do what can be done now."""
        channels = {self.tapped.name: self.tapped}
        talk = Conversations(self.desk, self.ask, channels, self.worker)
        post = Deliveries(self.desk, channels, self.worker)
        while await work_once(talk) or await deliver_once(post):
            continue


@asynccontextmanager
async def talking(lab: Lab, database: Database) -> AsyncIterator[Session]:
    """The lab's channel runs, and is started again, for as long as the context lasts."""
    clock = Clock()
    desk = make_desk(database, Settings(), clock)
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("leave.md", ["Leave is ten days."], title="Leave rules"))
    tapped = Tapped(lab.channel, lambda: desk)
    session = Session(lab, database, clock, tapped, desk, ScriptedAsk(desk))

    async def pause(seconds: float) -> None:
        await asyncio.sleep(0)

    supervisor = Supervisor(desk, session.ask, {tapped.name: tapped}, "one", pause)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(supervisor.keep_running(tapped))
        tapped.desk = lambda: session.desk
        yield session
        running.cancel()
