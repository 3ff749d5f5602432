"""A channel in memory, and its lab: what the contract test of channels needs of every platform."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Protocol, Self

from core.errors import AmbiguousSendError, ChannelDownError, RateLimitedError, RefusedError
from core.messages import (
    ActionKind,
    Author,
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
from tests.bots.channels.posts import Post

NAME = "terminal"
"""The fake stands where the settings know a channel without any keys."""
START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Lab(Protocol):
    """One platform, or what stands for it, with people who write and read there."""

    @property
    def channel(self) -> Channel: ...

    async def say(
        self,
        text: str,
        *,
        author: str = "U1",
        thread: str = "",
        message_id: str | None = None,
        dm: bool = False,
        mention: bool = True,
    ) -> str: ...

    async def edit(self, message_id: str, text: str) -> None: ...

    async def press(self, kind: ActionKind, target: str, *, author: str = "U1") -> None: ...

    async def redeliver(self, message_id: str) -> None: ...

    async def disconnect(self) -> None: ...

    def posts(self) -> list[Post]: ...

    def fail_next(self, kind: str) -> None: ...


@dataclass
class FakeLab:
    """A platform in memory. look_up: whether a sent part can be found again. limit: characters of a post."""

    look_up: bool = True
    limit: int = 400
    channel: FakeChannel = field(init=False)
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    said: dict[str, IncomingMessage] = field(default_factory=dict)
    answers_to_actions: list[str] = field(default_factory=list)
    _posts: list[Post] = field(default_factory=list)
    _keys: dict[str, Receipt] = field(default_factory=dict)
    _events: asyncio.Queue[IncomingMessage | IncomingAction | None] = field(default_factory=asyncio.Queue)
    _failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.channel = FakeChannel(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def say(
        self,
        text: str,
        *,
        author: str = "U1",
        thread: str = "",
        message_id: str | None = None,
        dm: bool = False,
        mention: bool = True,
    ) -> str:
        number = len(self.said) + 1
        place = Place(NAME, "T1", f"D-{author}" if dm else "C1", thread, shared=not dm)
        message = IncomingMessage(
            place=place,
            message_id=message_id or f"m{number}",
            author=Author(author, author, self.groups.get(author, frozenset())),
            text=text,
            sent_at=START + timedelta(seconds=number),
            addressed=mention or dm,
        )
        self.said[message.message_id] = message
        await self._events.put(message)
        return message.message_id

    async def edit(self, message_id: str, text: str) -> None:
        edited = replace(self.said[message_id], text=text, change="edited")
        await self._events.put(edited)

    async def delete(self, message_id: str) -> None:
        await self._events.put(replace(self.said[message_id], text="", change="deleted"))

    async def press(self, kind: ActionKind, target: str, *, author: str = "U1", value: str = "") -> None:
        place = Place(NAME, "T1", "C1")
        who = Author(author, author, self.groups.get(author, frozenset()))
        event = f"{kind}:{target}:{author}:{len(self.answers_to_actions)}:{self._events.qsize()}"
        await self._events.put(IncomingAction(place, event, who, kind, target, value))

    async def redeliver(self, message_id: str) -> None:
        await self._events.put(self.said[message_id])

    async def disconnect(self) -> None:
        await self._events.put(None)

    def posts(self) -> list[Post]:
        return list(self._posts)

    def fail_next(self, kind: str) -> None:
        self._failures.append(kind)


class FakeChannel:
    """Implements Channel on a FakeLab."""

    name = NAME

    def __init__(self, lab: FakeLab) -> None:
        self._lab = lab
        self.capabilities = Capabilities(
            edits=True, buttons=True, threads=True, look_up=lab.look_up, max_chars=lab.limit
        )

    async def run(self, inbox: Inbox) -> None:
        while True:
            event = await self._lab._events.get()
            if event is None:
                raise ChannelDownError("The fake platform hung up.")
            if isinstance(event, IncomingAction):
                self._lab.answers_to_actions.append(await inbox.take_action(event))
            else:
                await inbox.take_message(event)

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:
        text = "\n".join(part for part in (reply.caution, reply.text) if part)
        sources = [f"[{s.n}] {s.title}" + (f" {s.share:.0%}" if s.share else "") for s in reply.sources]
        whole = "\n".join([text, *sources])
        cut = [whole[at : at + self._lab.limit] for at in range(0, len(whole), self._lab.limit)]
        buttons = [[button.kind, button.target] for button in reply.buttons]
        return tuple(Part({"text": one, "buttons": buttons}, one) for one in cut)

    async def deliver(self, parcel: Parcel) -> Receipt:
        failure = self._lab._failures.pop(0) if self._lab._failures else ""
        if failure == "rate_limit":
            raise RateLimitedError("Slow down.", 0.0)
        if failure == "refuse":
            raise RefusedError("The fake platform refused the part.")
        if failure == "server_error":
            raise AmbiguousSendError("502")
        receipt = Receipt((f"p{len(self._lab._posts) + 1}",))
        self._lab._posts.append(Post(parcel.part.text, parcel.place.thread, receipt.message_ids))
        self._lab._keys[parcel.key] = receipt
        if failure == "lost_answer":
            raise AmbiguousSendError("connection reset")
        return receipt

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        return self._lab._keys.get(parcel.key)

    async def show_progress(self, place: Place, message_id: str) -> None:
        return None

    async def check(self) -> list[CheckFinding]:
        return [CheckFinding("fake token", ok=True, message="it works")]
