"""The terminal as a channel."""

from __future__ import annotations

from core.sections.channel import ChannelSettings


class TerminalSettings(ChannelSettings):
    """[channels.terminal]: `kiyo chat`; it needs no settings of its own."""
