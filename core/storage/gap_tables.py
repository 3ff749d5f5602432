"""Tables of what no article answers: statements and questions without support, grouped by meaning.

They hold no text of their own: it is read from the statement or the question, and goes with it.
"""

from __future__ import annotations

from sqlalchemy import Double, Index, Integer, LargeBinary, PrimaryKeyConstraint, UniqueConstraint

from core.storage.schema import NUMBERED, Big, column, key, of, table

gaps = table(
    "gaps",
    key(),
    of("embedder", "embedders.key", cascade=False),
    column("size", Integer),
    column("sum", LargeBinary),
    column("created_at", Big),
    **NUMBERED,
)
"""A group of texts of one meaning. `sum` is that of its `size` unit vectors, float32, little-endian."""

gap_items = table(
    "gap_items",
    key(),
    of("gap", "gaps.key", null=True, cascade=False),
    of("answer", "answers.key"),
    column("statement", Integer),
    of("audience", "audiences.key", cascade=False),
    of("embedder", "embedders.key", null=True, cascade=False),
    column("vector", LargeBinary, null=True),
    column("revision", Big),
    column("supported_at", Big, null=True),
    column("lost_at", Big, null=True),
    column("created_at", Big),
    UniqueConstraint("answer", "statement"),
    Index(None, "gap", "created_at"),
    Index(None, "created_at"),
    **NUMBERED,
)
"""One unsupported statement of an answer, or with `statement` -1 its unanswered question. audience: groups
that the person asking was in; only who is in all of them is shown it. `gap` and `vector` (float16) are NULL
until it is placed. revision: of the knowledge that was searched in vain; only what came later can close it.
supported_at: since when an article supports it; lost_at: when the last one that did went."""

gap_supports = table(
    "gap_supports",
    of("item", "gap_items.key"),
    of("article", "articles.key"),
    column("probability", Double),
    column("line", Integer, null=True),
    PrimaryKeyConstraint("item", "article"),
    Index(None, "article"),
)
"""Articles that came later and support the text; an item without any is open."""

gap_marks = table("gap_marks", key(), column("revision", Big), **NUMBERED)
"""Up to which revision of the knowledge the gaps were compared with its articles; the latest row counts."""
