"""Discord as a channel."""

from __future__ import annotations

from pydantic import Field, SecretStr

from core.sections.channel import ChannelSettings


class DiscordSettings(ChannelSettings):
    """[channels.discord]: a bot of the developer portal, with the message content intent."""

    token: SecretStr = Field(description='Of the bot, only as a reference: "${DISCORD_TOKEN}".')
