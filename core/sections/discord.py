"""Discord as a channel."""

from __future__ import annotations

from pydantic import Field, SecretStr

from core.sections.channel import ChannelSettings


class DiscordSettings(ChannelSettings):
    """[channels.discord]: a bot of the developer portal, with the message content intent."""

    token: SecretStr = Field(description='Of the bot, only as a reference: "${DISCORD_TOKEN}".')
    api_url: str = Field("https://discord.com/api/v10", description="Another address where a proxy is used.")
    gateway_url: str = Field("wss://gateway.discord.gg/", description="Of the gateway, likewise.")
