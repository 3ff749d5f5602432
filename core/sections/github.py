"""GitHub as a channel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from core.sections.base import Names, Section
from core.sections.channel import ChannelSettings


class RepositorySettings(Section):
    """[channels.github.repositories.NAME]: what is answered in one repository, `owner/name` in quotes."""

    new_issues: bool = Field(False, description="Answer every new issue, not only where Kiyo is mentioned.")
    new_discussions: bool = Field(False, description="Answer every new discussion.")
    labels: Names = Field((), description="Answer new issues only if they have one of these labels.")
    answer_maintainers: bool = Field(True, description="Whether members and collaborators are answered.")


class GithubSettings(ChannelSettings):
    """[channels.github]: an app or a token, and the repositories in which Kiyo answers."""

    token: SecretStr = Field(SecretStr(""), description='Of a user, only as a reference: "${GITHUB_TOKEN}".')
    app_id: int | None = Field(None, description="Of an app, instead of a token.")
    installation_id: int | None = Field(None, description="Of the app in the account with the repositories.")
    app_key_secret: SecretStr = Field(
        SecretStr(""), description='Private key of the app (PEM), only as a reference: "${GITHUB_APP_KEY}".'
    )
    name: str = Field("kiyo", description="The name by which Kiyo is mentioned, without the @.")
    mode: Literal["polling", "webhook"] = Field(
        "polling", description="`polling` needs no public address, `webhook` needs one."
    )
    webhook_secret: SecretStr = Field(
        SecretStr(""), description='`webhook`: only as a reference: "${GITHUB_WEBHOOK_SECRET}".'
    )
    poll_seconds: float = Field(60.0, ge=5, description="`polling`: how often lists and reactions are read.")
    api_url: str = Field("https://api.github.com", description="Of another server, `https://HOST/api/v3`.")
    repositories: dict[str, RepositorySettings] = Field(
        default_factory=dict, description="The repositories, by `owner/name`."
    )

    @model_validator(mode="after")
    def _is_complete(self) -> GithubSettings:
        app = self.app_id and self.installation_id and self.app_key_secret.get_secret_value()
        if not self.token.get_secret_value() and not app:
            raise ValueError("needs a token, or app_id, installation_id and app_key_secret")
        if self.mode == "webhook" and not self.webhook_secret.get_secret_value():
            raise ValueError("mode = 'webhook' needs webhook_secret")
        return self
