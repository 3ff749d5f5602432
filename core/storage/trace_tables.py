"""Tables of how answers came about, and of what models said of tables of contents; kept for some days."""

from __future__ import annotations

from sqlalchemy import JSON, Index, PrimaryKeyConstraint, Text

from core.storage.schema import Big, column, of, table

traces = table(
    "traces",
    of("answer", "answers.key"),
    column("trace", JSON),
    column("created_at", Big),
    PrimaryKeyConstraint("answer"),
    Index(None, "created_at"),
)
"""One record an answer, gone with it."""

toc_selections = table(
    "toc_selections",
    column("digest", Text),
    column("selection", JSON),
    column("created_at", Big),
    PrimaryKeyConstraint("digest"),
    Index(None, "created_at"),
)
"""What a model selected; digest: of model, wording, question and table of contents."""
