"""Telegram as a channel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from core.sections.channel import ChannelSettings


class TelegramSettings(ChannelSettings):
    """[channels.telegram]: a bot that @BotFather made; see the page of the channel."""

    token: SecretStr = Field(description='Of the bot, only as a reference: "${TELEGRAM_TOKEN}".')
    mode: Literal["polling", "webhook"] = Field(
        "polling", description="`polling` needs no public address, `webhook` needs one."
    )
    webhook_url: str = Field(
        "", description="`webhook`: the public address of this server, ending in `/telegram/webhook`."
    )
    webhook_secret: SecretStr = Field(
        SecretStr(""),
        description="`webhook`: what Telegram has to send along; 1-256 of A-Z, a-z, 0-9, _ and -.",
    )
    api_url: str = Field(
        "https://api.telegram.org", description="Another address where a server of your own is used."
    )

    @model_validator(mode="after")
    def _webhook_is_complete(self) -> TelegramSettings:
        if self.mode == "webhook" and not (self.webhook_url and self.webhook_secret.get_secret_value()):
            raise ValueError("mode = 'webhook' needs webhook_url and webhook_secret")
        return self
