"""Tables of the retrieval lab: sets of questions whose articles are known, and how runs of them went."""

from __future__ import annotations

from sqlalchemy import JSON, Index, Text, UniqueConstraint

from core.storage.schema import NUMBERED, Big, column, key, of, table

lab_sets = table(
    "lab_sets",
    key(),
    column("name", Text),
    column("questions", JSON),
    column("created_by", Text),
    column("created_at", Big),
    UniqueConstraint("name"),
    **NUMBERED,
)
"""questions: a list of {text, articles}, articles being the ids of those that answer."""

lab_runs = table(
    "lab_runs",
    key(),
    of("lab_set", "lab_sets.key"),
    column("job", Big),
    column("settings", JSON),
    column("figures", JSON, null=True),
    column("created_by", Text),
    column("created_at", Big),
    Index(None, "lab_set"),
    **NUMBERED,
)
"""settings: those that were tried in place of the configured ones. figures: NULL until the job is done."""
