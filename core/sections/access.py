"""Who may see what, and how long texts are kept."""

from __future__ import annotations

from pydantic import Field

from core.domain import PUBLIC
from core.sections.base import Names, Section


class AccessSettings(Section):
    """[access]: who may see what."""

    default_readers: tuple[str, ...] = Field(
        (PUBLIC,), strict=False, description="Readers of new articles without others."
    )
    people: dict[str, Names] = Field(default_factory=dict, description="Groups of a person (`--as PERSON`).")
    roles: dict[str, Names] = Field(
        default_factory=dict,
        description="Groups of a role or team of a platform: `slack:T1:S1`, `discord:ROLE`.",
    )
    accounts: dict[str, Names] = Field(
        default_factory=dict,
        description="Accounts of a person, so that all channels know them as one: `slack:T1:U1`.",
    )
    channels: dict[str, Names] = Field(
        default_factory=dict,
        description="Audience of a shared conversation: `slack`, `slack:T1` or `slack:T1:C1`; else `public`.",
    )


class PrivacySettings(Section):
    """[privacy]: how long texts are kept."""

    keep_messages_days: int = Field(365, ge=0, description="Questions and answers; 0 keeps nothing.")
    keep_traces_days: int = Field(30, ge=0, description="Traces of retrieval and model output.")
