"""Where people talk to Kiyo: one class a channel, each in a module of its own."""

from __future__ import annotations

from core.sections.base import Section
from core.sections.discord import DiscordSettings
from core.sections.github import GithubSettings
from core.sections.http import HttpSettings
from core.sections.slack import SlackSettings
from core.sections.telegram import TelegramSettings
from core.sections.terminal import TerminalSettings


class ChannelsSettings(Section):
    """[channels]: where people talk to Kiyo; a channel without a table is off."""

    slack: SlackSettings | None = None
    discord: DiscordSettings | None = None
    telegram: TelegramSettings | None = None
    github: GithubSettings | None = None
    http: HttpSettings | None = None
    terminal: TerminalSettings | None = None
