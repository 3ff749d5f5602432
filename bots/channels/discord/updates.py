"""What Discord sends, as messages and actions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from core.messages import ActionKind, Attachment, Author, Change, IncomingAction, IncomingMessage, Place

if TYPE_CHECKING:
    from discord import Interaction, Member, Message, User

CHANNEL = "discord"


def read_message(message: Message, bot_id: int, change: Change = "new") -> IncomingMessage | None:
    """None for messages of bots, this one included, and for what has no text. A thread is its own channel."""
    if message.author.bot or message.webhook_id is not None or not message.content:
        return None
    mentioned = any(user.id == bot_id for user in message.mentions)
    text = re.sub(rf"\s*<@!?{bot_id}>[ ,:、：]*", " ", message.content).strip()
    reference = message.reference.message_id if message.reference is not None else None
    return IncomingMessage(
        place=_place(message.guild.id if message.guild else None, message.channel.id),
        message_id=str(message.id),
        author=_author(message.author, bot_id),
        text=text,
        sent_at=message.created_at,
        addressed=mentioned or message.guild is None,
        change=change,
        reply_to=str(reference) if reference else "",
        mentions=tuple(str(user.id) for user in message.mentions if user.id != bot_id),
        attachments=tuple(
            Attachment(one.filename, one.content_type or "", one.size, one.url) for one in message.attachments
        ),
    )


def read_press(interaction: Interaction, bot_id: int) -> IncomingAction | None:
    """None for interactions that are not buttons of Kiyo."""
    found = dict(interaction.data or {})
    kind, target, value = [*str(found.get("custom_id", "")).split("|", 2), "", ""][:3]
    known = next((one for one in get_args(ActionKind) if one == kind), None)
    if known is None or interaction.channel_id is None:
        return None
    return IncomingAction(
        place=_place(interaction.guild_id, interaction.channel_id),
        event_id=f"interaction:{interaction.id}",
        author=_author(interaction.user, bot_id),
        kind=known,
        target=target,
        value=value,
        message_id=str(interaction.message.id) if interaction.message is not None else "",
    )


def _place(guild: int | None, channel: int) -> Place:
    return Place(CHANNEL, str(guild or ""), str(channel), shared=guild is not None)


def _author(user: User | Member, bot_id: int) -> Author:
    roles = frozenset(str(role.id) for role in getattr(user, "roles", ()))
    return Author(str(user.id), user.display_name, roles, is_bot=user.bot, is_self=user.id == bot_id)
