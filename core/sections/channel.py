"""What the tables of all channels have in common."""

from __future__ import annotations

from pydantic import Field

from core.sections.base import Section


class ChannelSettings(Section):
    """[channels.NAME]: what every channel has."""

    questions_only: bool = Field(
        True,
        description="Leave greetings, thanks and the like unanswered; direct messages are all answered.",
    )
