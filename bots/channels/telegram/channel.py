"""The connection to Telegram by python-telegram-bot's `Bot`, with nothing repeated blindly.

Updates are fetched by a loop of our own and confirmed only once they are claimed in the database: what
arrived before a crash comes again. Telegram cannot look up what was sent, so an ambiguous failure is never
sent again.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bots.channels.telegram.rendering import LIMIT, render
from bots.channels.telegram.updates import ALLOWED_UPDATES, CHANNEL, Self, read_update
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
from core.sections.telegram import TelegramSettings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from telegram import Bot, Update

WEBHOOK_PATH = "/telegram/webhook"
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of a header
POLL_SECONDS = 25
CONNECTIONS = 16

_log = logging.getLogger(__name__)


class TelegramChannel:
    """`Channel` for one bot. clock: monotonic seconds."""

    name = CHANNEL
    capabilities = Capabilities(buttons=True, threads=True, typing=True, reactions=True, max_chars=LIMIT)

    def __init__(self, settings: TelegramSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._bot: Bot | None = None
        self._self: Self | None = None
        self._inbox: Inbox | None = None
        self._closed_until: dict[str, float] = {}

    async def run(self, inbox: Inbox) -> None:
        """Fetch updates, or let the webhook receive them, until cancelled."""
        bot = await self._connect()
        self._inbox = inbox
        try:
            if self._settings.mode == "webhook":
                await self._set_webhook(bot)
                await asyncio.Event().wait()
            await self._poll(bot, inbox)
        finally:
            self._inbox = None
            await self._disconnect()

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:  # noqa: ARG002 - the same everywhere
        """Messages of at most 4,096 units of UTF-16."""
        return render(reply)

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send one message; entities that Telegram refuses are left out, the text is not."""
        chat = parcel.place.conversation
        wait = self._closed_until.get(chat, 0.0) - self._clock()
        if wait > 0:
            raise RateLimitedError("Telegram asked to wait before the next message in this chat.", wait)
        bot = await self._connect()
        try:
            return await self._send(bot, parcel, plain=False)
        except _MarkupRefusedError:
            return await self._send(bot, parcel, plain=True)

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:  # noqa: ARG002 - Telegram has no look-up
        """Never known."""
        return None

    async def show_progress(self, place: Place, message_id: str) -> None:  # noqa: ARG002
        """ "typing…" for some seconds."""
        from telegram.error import TelegramError

        with suppress(TelegramError, ChannelError):
            bot = await self._connect()
            await bot.send_chat_action(
                chat_id=int(place.conversation), action="typing", message_thread_id=_thread(place)
            )

    async def check(self) -> list[CheckFinding]:
        """Token, webhook, and what a group lets the bot see."""
        from telegram.error import TelegramError

        try:
            bot = await self._connect()
            me, hook = await bot.get_me(), await bot.get_webhook_info()
        except (ChannelError, TelegramError) as error:
            return [CheckFinding("telegram: token", False, str(error))]
        finally:
            await self._disconnect()
        findings = [CheckFinding("telegram: token", True, f"This is @{me.username}.")]
        if self._settings.mode == "polling" and hook.url:
            message = "A webhook is set, so polling gets nothing. It is removed when `kiyo serve` starts."
            findings.append(CheckFinding("telegram: webhook", True, message))
        if self._settings.mode == "webhook":
            wanted = hook.url == self._settings.webhook_url
            said = hook.last_error_message or (
                "" if wanted else "Start `kiyo serve` once; it sets the webhook."
            )
            findings.append(CheckFinding("telegram: webhook", wanted and not hook.last_error_message, said))
        if not me.can_read_all_group_messages:
            message = (
                "In groups the bot sees mentions, replies and commands only, which is all that Kiyo needs."
            )
            findings.append(CheckFinding("telegram: groups", True, message))
        return findings

    def routes(self) -> list[Route]:
        """The webhook; it refuses everything without its secret."""
        from starlette.routing import Route

        if self._settings.mode != "webhook":
            return []
        return [Route(WEBHOOK_PATH, self._receive, methods=["POST"])]

    # --- receiving ---------------------------------------------------------------------------------

    async def _poll(self, bot: Bot, inbox: Inbox) -> None:
        from telegram.error import Conflict, RetryAfter, TelegramError

        await self._call(bot.delete_webhook())
        offset: int | None = None
        while True:
            try:
                updates = await bot.get_updates(
                    offset=offset, timeout=POLL_SECONDS, allowed_updates=ALLOWED_UPDATES
                )
            except Conflict as error:
                raise ChannelDownError(
                    "Telegram gives updates to one receiver only, and another one uses this token (409). "
                    "Stop the other process, or remove its webhook."
                ) from error
            except RetryAfter as error:
                await asyncio.sleep(_seconds(error.retry_after))
                continue
            except TelegramError as error:
                raise ChannelDownError(f"Telegram: {self._clean(error)}") from error
            for update in updates:
                await self._take(bot, inbox, update)
                offset = update.update_id + 1

    async def _take(self, bot: Bot, inbox: Inbox, update: Update) -> None:
        try:
            event = read_update(update, self._known())
        except (AttributeError, TypeError, ValueError):
            _log.exception("an update of Telegram could not be read (%s)", update.update_id)
            return
        if isinstance(event, IncomingMessage):
            await inbox.take_message(event)
        elif isinstance(event, IncomingAction):
            said = await inbox.take_action(event)
            if update.callback_query is not None:
                await self._tell(bot, update.callback_query.id, said)

    async def _tell(self, bot: Bot, query_id: str, said: str) -> None:
        from telegram.error import TelegramError

        with suppress(TelegramError):
            await bot.answer_callback_query(query_id, text=said[:200] or None)

    async def _set_webhook(self, bot: Bot) -> None:
        await self._call(
            bot.set_webhook(
                self._settings.webhook_url,
                secret_token=self._settings.webhook_secret.get_secret_value(),
                allowed_updates=ALLOWED_UPDATES,
            )
        )

    async def _receive(self, request: Request) -> Response:
        from starlette.responses import Response
        from telegram import Update

        secret = self._settings.webhook_secret.get_secret_value()
        given = request.headers.get(SECRET_HEADER, "")
        if not secret or not hmac.compare_digest(given.encode(), secret.encode()):
            return Response(status_code=403)
        if self._inbox is None or self._bot is None:
            return Response(status_code=503)
        try:
            update = Update.de_json(json.loads(await request.body()), self._bot)
        except (ValueError, TypeError, KeyError, AttributeError):
            return Response(status_code=400)
        await self._take(self._bot, self._inbox, update)
        return Response(status_code=200)

    # --- sending -----------------------------------------------------------------------------------

    async def _send(self, bot: Bot, parcel: Parcel, *, plain: bool) -> Receipt:
        from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

        try:
            sent = await bot.send_message(**_message(parcel, plain=plain))
        except RetryAfter as error:
            seconds = _seconds(error.retry_after)
            self._closed_until[parcel.place.conversation] = self._clock() + seconds
            raise RateLimitedError("Telegram asked to wait.", seconds) from error
        except BadRequest as error:
            if not plain and _is_about_markup(str(error)):
                raise _MarkupRefusedError from error
            raise RefusedError(f"Telegram refused the message: {error}") from error
        except Forbidden as error:
            raise RefusedError(f"Telegram refused the message: {error}") from error
        except NetworkError as error:
            raise AmbiguousSendError(f"Telegram did not confirm: {self._clean(error)}") from error
        except TelegramError as error:
            raise RefusedError(f"Telegram refused the message: {self._clean(error)}") from error
        return Receipt((str(sent.message_id),))

    # --- connecting --------------------------------------------------------------------------------

    async def _connect(self) -> Bot:
        """The bot, signed in. Raises ChannelError for a wrong token, ChannelDownError without a network."""
        if self._bot is not None:
            return self._bot
        os.environ.setdefault("PTB_TIMEDELTA", "true")  # waits as the library's next version gives them
        try:
            from telegram import Bot
            from telegram.error import Forbidden, InvalidToken, TelegramError
            from telegram.request import HTTPXRequest
        except ImportError as error:
            raise ExtraMissingError("Telegram needs the extra `telegram` (python-telegram-bot).") from error
        address = self._settings.api_url.rstrip("/")
        calls = HTTPXRequest(connection_pool_size=CONNECTIONS, pool_timeout=30.0)
        polls = HTTPXRequest(connection_pool_size=2, read_timeout=POLL_SECONDS + 10.0)
        try:
            bot = Bot(
                self._settings.token.get_secret_value(),
                base_url=f"{address}/bot",
                base_file_url=f"{address}/file/bot",
                request=calls,
                get_updates_request=polls,
            )
            await bot.initialize()
        except TelegramError as error:
            await asyncio.gather(calls.shutdown(), polls.shutdown())
            if isinstance(error, InvalidToken | Forbidden):
                raise ChannelError("Telegram does not know this token; set TELEGRAM_TOKEN anew.") from error
            raise ChannelDownError(f"Telegram cannot be reached: {self._clean(error)}") from error
        self._bot = bot
        self._self = Self(bot.id, bot.username)
        return bot

    async def _disconnect(self) -> None:
        bot, self._bot = self._bot, None
        if bot is not None:
            await bot.shutdown()

    async def _call(self, waiting: Any) -> None:
        from telegram.error import TelegramError

        try:
            await waiting
        except TelegramError as error:
            raise ChannelDownError(f"Telegram: {self._clean(error)}") from error

    def _known(self) -> Self:
        if self._self is None:
            raise ChannelDownError("Telegram is not connected.")
        return self._self

    def _clean(self, error: Exception) -> str:
        """Addresses of the Bot API hold the token; no error may."""
        return str(error).replace(self._settings.token.get_secret_value(), "…")


class _MarkupRefusedError(Exception):
    pass


def make_channel(settings: TelegramSettings) -> TelegramChannel:
    return TelegramChannel(settings)


def _message(parcel: Parcel, *, plain: bool) -> dict[str, Any]:
    from telegram import InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, ReplyParameters

    body = parcel.part.body
    keyboard = body.get("keyboard")
    entities = [] if plain else [MessageEntity.de_json(dict(one), None) for one in body["entities"]]
    return {
        "chat_id": int(parcel.place.conversation),
        "text": body["text"],
        "entities": entities or None,
        "message_thread_id": _thread(parcel.place),
        "link_preview_options": LinkPreviewOptions(is_disabled=True),
        "reply_parameters": ReplyParameters(int(parcel.reply_to), allow_sending_without_reply=True)
        if parcel.reply_to and parcel.ordinal == 0
        else None,
        "reply_markup": InlineKeyboardMarkup.de_json({"inline_keyboard": keyboard}, None)
        if keyboard
        else None,
    }


def _thread(place: Place) -> int | None:
    return int(place.thread) if place.thread else None


def _is_about_markup(message: str) -> bool:
    return any(word in message.lower() for word in ("entit", "can't parse", "markup"))


def _seconds(value: Any) -> float:
    return float(value.total_seconds()) if hasattr(value, "total_seconds") else float(value)
