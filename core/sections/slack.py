"""Slack as a channel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from core.sections.channel import ChannelSettings


class SlackSettings(ChannelSettings):
    """[channels.slack]: an app of one workspace, made from the manifest on the page of the channel."""

    bot_token: SecretStr = Field(description='`xoxb-…`, only as a reference: "${SLACK_BOT_TOKEN}".')
    mode: Literal["socket", "http"] = Field(
        "socket", description="`socket` needs no public address, `http` needs one."
    )
    app_token: SecretStr = Field(
        SecretStr(""), description='`socket`: `xapp-…`, only as a reference: "${SLACK_APP_TOKEN}".'
    )
    signing_secret: SecretStr = Field(
        SecretStr(""), description='`http`: only as a reference: "${SLACK_SIGNING_SECRET}".'
    )
    api_url: str = Field("https://slack.com/api/", description="Another address where a proxy is used.")

    @model_validator(mode="after")
    def _mode_is_complete(self) -> SlackSettings:
        if self.mode == "socket" and not self.app_token.get_secret_value():
            raise ValueError("mode = 'socket' needs app_token")
        if self.mode == "http" and not self.signing_secret.get_secret_value():
            raise ValueError("mode = 'http' needs signing_secret")
        return self
