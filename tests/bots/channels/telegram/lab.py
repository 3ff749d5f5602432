"""A Telegram on loopback with a connected channel: what a test says and sees there."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from pydantic import SecretStr

from bots.channels.telegram.channel import TelegramChannel
from bots.channels.telegram.rendering import callback_data
from core.messages import ActionKind, Button
from core.sections.telegram import TelegramSettings
from tests.bots.channels.posts import Post
from tests.emulators.telegram import BOT, TOKEN, TelegramEmulator

GROUP = -500
PERSON = 77


class TelegramLab:
    """An async context manager; `channel` is not running until somebody runs it."""

    def __init__(self) -> None:
        self.emulator = TelegramEmulator()
        self._numbers: dict[str, int] = {}
        self._contents: dict[str, dict[str, Any]] = {}
        self._presses = 0

    async def __aenter__(self) -> TelegramLab:
        await self.emulator.__aenter__()
        self.channel = TelegramChannel(self.settings())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.channel._disconnect()
        await self.emulator.__aexit__()

    def settings(self, **more: Any) -> TelegramSettings:
        return TelegramSettings(token=SecretStr(TOKEN), api_url=self.emulator.address, **more)

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
        number = int(message_id) if message_id else self.emulator.next_message_id()
        said = f"@{BOT['username']} {text}" if mention and not dm else text
        content = {
            "message_id": number,
            "from": _user(author),
            "date": 1_790_000_000 + number,
            "chat": _private(author) if dm else {"id": GROUP, "type": "supergroup", "title": "Support"},
            "text": said,
        }
        if thread:
            self.emulator.topics.add((GROUP, int(thread)))
            content |= {"message_thread_id": int(thread), "is_topic_message": True}
        self._contents[str(number)] = content
        self._numbers[str(number)] = await self.emulator.push("message", content)
        return str(number)

    async def edit(self, message_id: str, text: str) -> None:
        content = {
            **self._contents[message_id],
            "text": f"@{BOT['username']} {text}",
            "edit_date": 1_790_100_000,
        }
        await self.emulator.push("edited_message", content)

    async def redeliver(self, message_id: str) -> None:
        await self.emulator.repeat(self._numbers[message_id])

    async def press(self, kind: ActionKind, target: str, *, author: str = "U1", value: str = "") -> None:
        self._presses += 1
        message = {
            "message_id": 1,
            "from": BOT,
            "date": 1_790_000_000,
            "chat": {"id": GROUP, "type": "supergroup", "title": "Support"},
            "text": "An answer.",
        }
        data = callback_data(Button(kind, "", target, value=value))
        content = {
            "id": f"press-{self._presses}",
            "from": _user(author),
            "chat_instance": "1",
            "message": message,
            "data": data,
        }
        await self.emulator.push("callback_query", content)

    def posts(self) -> list[Post]:
        return [
            Post(
                str(sent["text"]),
                str(sent.get("message_thread_id", "")),
                (str(sent["message_id"]),),
                tuple(
                    button["text"]
                    for row in (sent.get("reply_markup") or {}).get("inline_keyboard", [])
                    for button in row
                ),
            )
            for sent in self.emulator.sent
        ]

    def fail_next(self, kind: str) -> None:
        self.emulator.faults.append(kind)

    async def disconnect(self) -> None:
        await self.emulator.disconnect()


def _user(author: str) -> dict[str, Any]:
    number = PERSON + sum(ord(character) for character in author)
    return {"id": number, "is_bot": False, "first_name": author}


def _private(author: str) -> dict[str, Any]:
    return {"id": _user(author)["id"], "type": "private", "first_name": author}
