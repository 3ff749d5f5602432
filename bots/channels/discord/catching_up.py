"""What was said while no process was connected: Discord repeats nothing in a new session."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bots.channels.discord.updates import CHANNEL, read_message
from core.ports import Inbox

if TYPE_CHECKING:
    from discord import Client

MISSED = 100
"""Messages read of each place."""

_log = logging.getLogger(__name__)


async def catch_up(client: Client, inbox: Inbox) -> None:
    """Take what came after the last message of each known place; what was taken before ends at the door."""
    import discord

    me = client.user.id if client.user is not None else 0
    for place, newest in await inbox.last_heard(CHANNEL):
        number = int(place.thread or place.conversation)
        stamp = newest.removeprefix("command:")
        after = discord.Object(int(stamp)) if stamp.isdecimal() else None
        if after is None or place.workspace != str(me):
            continue
        try:
            known = client.get_channel(number) or await client.fetch_channel(number)
            if not isinstance(known, discord.TextChannel | discord.Thread | discord.DMChannel):
                continue
            async for message in known.history(limit=MISSED, after=after, oldest_first=True):
                taken = read_message(message, me)
                if taken is not None:
                    await inbox.take_message(taken)
        except discord.DiscordException as error:
            _log.warning("discord: what was missed in %s could not be read: %s", number, type(error).__name__)
