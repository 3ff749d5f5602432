"""Tables of what people said about pairs of a statement and an article.

The text goes with its answer and article; who said what of which pair stays.
"""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, Text, UniqueConstraint

from core.storage.schema import NUMBERED, Big, column, key, of, table

label_draws = table(
    "label_draws",
    key(),
    column("week", Text),
    column("population", Big),
    column("created_at", Big),
    UniqueConstraint("week"),
    **NUMBERED,
)
"""One weekly draw. week: such as 2026-W48. population: how many pairs it was drawn from."""

label_items = table(
    "label_items",
    key(),
    of("draw", "label_draws.key", null=True),
    Column("answer", Big, ForeignKey("answers.key", ondelete="SET NULL"), nullable=True),
    Column("article", Big, ForeignKey("articles.key", ondelete="SET NULL"), nullable=True),
    Column("version", Big, ForeignKey("article_versions.key", ondelete="SET NULL"), nullable=True),
    column("statement", Integer),
    column("week", Text),
    column("stratum", Text),
    column("channel", Text),
    column("language", Text),
    column("verdict", Text),
    column("probability", Double),
    column("evaluator", Text),
    column("inclusion", Double, null=True),
    column("created_at", Big),
    UniqueConstraint("answer", "article", "statement"),
    Index(None, "draw"),
    Index(None, "article"),
    Index(None, "version"),
    **NUMBERED,
)
"""A pair that people are asked about, with what the check said then. inclusion: the probability with which
it was drawn; NULL where somebody picked the pair, which then speaks for no other one."""

labels = table(
    "labels",
    key(),
    of("item", "label_items.key"),
    column("labeller", Text),
    column("verdict", Text),
    column("created_at", Big),
    UniqueConstraint("item", "labeller"),
    **NUMBERED,
)
"""verdict: supported, unsupported or unclear."""
