"""What Telegram sends, as messages and actions. Field names are those of https://core.telegram.org/bots/api."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from core.messages import ActionKind, Attachment, Author, Change, IncomingAction, IncomingMessage, Place

if TYPE_CHECKING:
    from telegram import CallbackQuery, Message, MessageReactionUpdated, Update, User

CHANNEL = "telegram"
ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "message_reaction")
COMMANDS = ("/ask", "/start")
_REACTIONS: dict[str, ActionKind] = {"👍": "helpful", "👎": "not_helpful"}


@dataclass(frozen=True, slots=True)
class Self:
    """This bot: the number and the name by which people mention it."""

    id: int
    username: str


def read_update(update: Update, bot: Self) -> IncomingMessage | IncomingAction | None:
    """None for what is neither: joins, pins, posts of channels, messages without text."""
    if update.message is not None:
        return _read_message(update.message, bot, "new")
    if update.edited_message is not None:
        return _read_message(update.edited_message, bot, "edited")
    if update.callback_query is not None:
        return _read_press(update.callback_query, bot)
    if update.message_reaction is not None:
        return _read_reaction(update.message_reaction, bot, update.update_id)
    return None


def place_of(message: Message, bot: Self) -> Place:
    """A topic is a thread; elsewhere Telegram's thread ids are no places that can be written to."""
    thread = message.message_thread_id if message.is_topic_message else None
    return Place(
        channel=CHANNEL,
        workspace=bot.username,
        conversation=str(message.chat.id),
        thread="" if thread is None else str(thread),
        shared=message.chat.type != "private",
        name=message.chat.title or message.chat.full_name or "",
    )


def _read_message(message: Message, bot: Self, change: Change) -> IncomingMessage | None:
    text = message.text or message.caption or ""
    if message.from_user is None or not (text or message.document or message.photo):
        return None
    question, called = _strip_call(text, bot)
    replied = message.reply_to_message
    to_bot = replied is not None and replied.from_user is not None and replied.from_user.id == bot.id
    return IncomingMessage(
        place=place_of(message, bot),
        message_id=str(message.message_id),
        author=_author(message.from_user, bot),
        text=question,
        sent_at=message.date,
        addressed=called or to_bot or message.chat.type == "private",
        change=change,
        reply_to=str(replied.message_id) if replied is not None else "",
        attachments=_attachments(message),
        kind="command" if text.startswith("/") else "message",
    )


def _strip_call(text: str, bot: Self) -> tuple[str, bool]:
    """The text without the command or the mention that addressed the bot, and whether one did."""
    first, _, rest = text.partition(" ")
    command, _, name = first.partition("@")
    if command in COMMANDS and name.lower() in ("", bot.username.lower()):
        return rest.strip(), True
    lowered, mention = text.lower(), f"@{bot.username.lower()}"
    start = lowered.find(mention)
    end = start + len(mention)
    if start < 0 or (end < len(text) and (text[end].isascii() and (text[end].isalnum() or text[end] == "_"))):
        return text, False
    return f"{text[:start].rstrip()} {text[end:].lstrip()}".strip(" ,:、：\n"), True


def _author(user: User, bot: Self) -> Author:
    return Author(id=str(user.id), name=user.full_name, is_bot=user.is_bot, is_self=user.id == bot.id)


def _attachments(message: Message) -> tuple[Attachment, ...]:
    found = message.document
    if found is None:
        return ()
    return (Attachment(found.file_name or "", found.mime_type or "", found.file_size),)


def _read_press(query: CallbackQuery, bot: Self) -> IncomingAction | None:
    kind, target, value = [*(query.data or "").split("|", 2), "", ""][:3]
    message = query.message
    if kind not in get_args(ActionKind) or message is None or not message.is_accessible:
        return None
    return IncomingAction(
        place=place_of(message, bot),  # type: ignore[arg-type]  # is_accessible says that it is a Message
        event_id=f"callback:{query.id}",
        author=_author(query.from_user, bot),
        kind=next(known for known in get_args(ActionKind) if known == kind),
        target=target,
        value=value,
        message_id=str(message.message_id),
    )


def _read_reaction(update: MessageReactionUpdated, bot: Self, number: int) -> IncomingAction | None:
    """The last known reaction counts; without one, earlier feedback is taken back."""
    if update.user is None:
        return None
    signs = [getattr(reaction, "emoji", "") for reaction in update.new_reaction]
    known = [_REACTIONS[sign] for sign in signs if sign in _REACTIONS]
    old = [getattr(reaction, "emoji", "") for reaction in update.old_reaction]
    if not known and not any(sign in _REACTIONS for sign in old):
        return None
    return IncomingAction(
        place=Place(CHANNEL, bot.username, str(update.chat.id), shared=update.chat.type != "private"),
        event_id=f"reaction:{number}",
        author=_author(update.user, bot),
        kind=known[-1] if known else "withdraw",
        target="",
        message_id=str(update.message_id),
    )
