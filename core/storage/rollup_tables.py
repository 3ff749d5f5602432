"""The tables that charts read: figures per article and day, counts per day."""

from __future__ import annotations

from sqlalchemy import Double, Integer, PrimaryKeyConstraint, Text

from core.storage.schema import CLUSTERED, Big, column, of, table

FIGURES = {
    "retrieved": Big,
    "exposed": Big,
    "judged": Big,
    "carried": Big,
    "missed": Big,
    "stale": Big,
    "share": Double,
    "sole_share": Double,
    "relevance": Double,
    "unsupported": Double,
    "others": Double,
}
"""Per article and day. Numbers of answers in which it was retrieved; stood in the prompt; was exposed or
carried and could be judged; carried; carried without being exposed; had carried with lines now gone;
then the sums of the shares. `judged`, `carried`, `missed` and both sums leave stale answers out. Last, sums
over the answers in whose prompt it stood: of the relevance of its best place; of the share of the statements
that nothing carries; and of the share that other articles carry, the latter two over those that could be
judged and are not stale."""

article_days = table(
    "article_days",
    of("article", "articles.key"),
    column("day", Integer),
    *(column(name, kind) for name, kind in FIGURES.items()),
    *(column(f"{name}_total", kind) for name, kind in FIGURES.items()),
    PrimaryKeyConstraint("article", "day"),
    **CLUSTERED,
)
"""`*_total` runs through the days of the article, so that any period is the difference of two rows."""

COUNTS = {
    "answers": Big,
    "found": Big,
    "sent": Big,
    "handed_over": Big,
    "statements": Big,
    "judged": Big,
    "carried": Big,
    "input_tokens": Big,
    "output_tokens": Big,
    "unpriced": Big,
    "cost_usd": Double,
}

answer_days = table(
    "answer_days",
    column("day", Integer),
    column("channel", Text),
    column("language", Text),
    *(column(name, kind) for name, kind in COUNTS.items()),
    PrimaryKeyConstraint("day", "channel", "language"),
)
