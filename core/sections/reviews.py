"""Drafts that a person looks at before they leave: where they are shown, and to whom."""

from __future__ import annotations

from pydantic import Field

from core.sections.base import Names, Section


class ReviewsSettings(Section):
    """[reviews]: who looks at drafts that do not pass the gate, and where."""

    notify: Names = Field(
        (),
        description="Places that are told of a new draft, as `channel:workspace:conversation`; "
        "without any it waits in the dashboard.",
    )
    staff_places: Names = Field(
        (), description="Places where shares may be shown; those of `notify` are among them."
    )
    groups: Names = Field(("staff",), description="Groups of [access] whose members may decide on drafts.")
    people: Names = Field(
        (), description="Further people who may: `channel:workspace:id`, or a name of [access.people]."
    )
    platform_staff: bool = Field(
        False, description="Trust the platform: whoever moderates or maintains a place may decide, too."
    )
    expire_hours: float = Field(
        168.0, gt=0, description="A draft that nobody decided on is dismissed after this time."
    )
