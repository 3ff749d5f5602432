"""How many questions are taken before people are asked to wait."""

from __future__ import annotations

from pydantic import Field

from core.sections.base import Section


class LimitsSettings(Section):
    """[limits]: questions that are answered before people are asked to wait; 0 is no limit."""

    person_per_minute: int = Field(12, ge=0, description="Of one person.")
    conversation_per_minute: int = Field(60, ge=0, description="In one place.")
    workspace_per_minute: int = Field(600, ge=0, description="In one workspace.")
    waiting: int = Field(
        5000, ge=1, description="Questions that may wait at once; further ones get a notice."
    )
    thread_per_hour: int = Field(
        60,
        ge=0,
        description="Answers in one thread; further questions are left to people, so that bots stop.",
    )
