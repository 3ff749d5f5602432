"""What Discord sends, as messages and actions. A thread is a place inside its channel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

from core.messages import ActionKind, Attachment, Author, Change, IncomingAction, IncomingMessage, Place

if TYPE_CHECKING:
    from discord import (
        Client,
        Interaction,
        Member,
        Message,
        RawMessageDeleteEvent,
        RawReactionActionEvent,
        User,
    )

CHANNEL = "discord"
_REACTIONS: dict[str, ActionKind] = {"👍": "helpful", "👎": "not_helpful"}


def read_message(message: Message, bot_id: int, change: Change = "new") -> IncomingMessage | None:
    """None for messages of bots, this one included, and for what has no text."""
    if message.author.bot or message.webhook_id is not None or not message.content:
        return None
    mentioned = any(user.id == bot_id for user in message.mentions)
    text = re.sub(rf"\s*<@!?{bot_id}>[ ,:、：]*", " ", message.content).strip()
    reference = message.reference
    answered = getattr(getattr(reference, "resolved", None), "author", None)
    return IncomingMessage(
        place=place_of(message.guild.id if message.guild else None, message.channel, bot_id),
        message_id=str(message.id),
        author=_author(message.author, bot_id),
        text=text,
        sent_at=message.created_at,
        addressed=mentioned or message.guild is None or getattr(answered, "id", None) == bot_id,
        change=change,
        reply_to=str(reference.message_id or "") if reference is not None else "",
        mentions=tuple(str(user.id) for user in message.mentions if user.id != bot_id),
        attachments=tuple(
            Attachment(one.filename, one.content_type or "", one.size, one.url) for one in message.attachments
        ),
    )


def read_deletion(event: RawMessageDeleteEvent, client: Client) -> IncomingMessage:
    """Discord tells only which message is gone."""
    return IncomingMessage(
        place=_place(event.guild_id, event.channel_id, client),
        message_id=str(event.message_id),
        author=Author(""),
        text="",
        sent_at=datetime.now(UTC),
        addressed=False,
        change="deleted",
    )


def read_reaction(event: RawReactionActionEvent, client: Client, bot_id: int) -> IncomingAction | None:
    """None for reactions that are no opinion, and for those of bots."""
    kind = _REACTIONS.get(event.emoji.name or "")
    is_bot = event.user_id == bot_id or (event.member is not None and event.member.bot)
    if kind is None or is_bot:
        return None
    added = event.event_type == "REACTION_ADD"
    return IncomingAction(
        place=_place(event.guild_id, event.channel_id, client),
        event_id="",
        author=Author(str(event.user_id)),
        kind=kind if added else "withdraw",
        target="",
        message_id=str(event.message_id),
    )


def read_press(interaction: Interaction, bot_id: int) -> IncomingAction | None:
    """A button, or the window for a draft; None for interactions that are not Kiyo's."""
    found: Mapping[str, Any] = dict(interaction.data or {})
    kind, target, value = [*str(found.get("custom_id", "")).split("|", 2), "", ""][:3]
    known = next((one for one in get_args(ActionKind) if one == kind), None)
    if known is None or interaction.channel_id is None:
        return None
    return IncomingAction(
        place=place_of(interaction.guild_id, interaction.channel, bot_id),
        event_id=f"interaction:{interaction.id}",
        author=_author(interaction.user, bot_id),
        kind=known,
        target=target,
        value=_written(found) or value,
        message_id=str(interaction.message.id) if interaction.message is not None else "",
    )


def read_command(interaction: Interaction, question: str, bot_id: int) -> IncomingMessage:
    """`/ask`."""
    return IncomingMessage(
        place=place_of(interaction.guild_id, interaction.channel, bot_id),
        message_id=f"command:{interaction.id}",
        author=_author(interaction.user, bot_id),
        text=question,
        sent_at=interaction.created_at,
        addressed=True,
        kind="command",
    )


def place_of(guild: int | None, channel: Any, bot_id: int) -> Place:
    """channel: of discord.py, whole or partial. The bot is the workspace, since people are the same in all
    servers."""
    number, parent = int(channel.id), getattr(channel, "parent_id", None)
    thread = "" if parent is None else str(number)
    return Place(CHANNEL, str(bot_id), str(parent or number), thread, shared=guild is not None)


def _place(guild: int | None, channel_id: int, client: Client) -> Place:
    known = client.get_channel(channel_id)
    bot_id = client.user.id if client.user is not None else 0
    return place_of(guild, known if known is not None else client.get_partial_messageable(channel_id), bot_id)


def _written(found: Mapping[str, Any]) -> str:
    """The text of a window that was submitted."""
    for row in found.get("components") or ():
        for one in row.get("components") or [row.get("component") or {}]:
            if one.get("value"):
                return str(one["value"])
    return ""


def _author(user: User | Member, bot_id: int) -> Author:
    roles = getattr(user, "roles", ())
    groups = frozenset({str(role.id) for role in roles} | {role.name for role in roles})
    return Author(str(user.id), user.display_name, groups, is_bot=user.bot, is_self=user.id == bot_id)
