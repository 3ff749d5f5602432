"""Every table of the database. Times are UTC milliseconds, days are counted from 1970 in UTC.

Articles and answers have a short integer key beside their public id, because the evaluation tables
repeat them millions of times. Every table has a primary key that is never changed in place and an
`updated_at`, so that change data capture can follow it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.sql.schema import SchemaItem

SCHEMA_REVISION = "0002"
"""The migration that this code needs; a test keeps it equal to the newest one."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Big = BigInteger().with_variant(Integer(), "sqlite")


def _key(name: str = "key") -> Column[int]:
    """A number that is never given twice, not even after its row is gone."""
    return Column(name, Big, Identity(), primary_key=True)


def _column(name: str, kind: Any, *items: SchemaItem, null: bool = False) -> Column[Any]:
    return Column(name, kind, *items, nullable=null)


def _of(name: str, target: str, *, null: bool = False, cascade: bool = True) -> Column[Any]:
    """A reference; the row goes with what it refers to, unless told otherwise."""
    return Column(name, Big, ForeignKey(target, ondelete="CASCADE" if cascade else None), nullable=null)


def _table(name: str, *items: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *items, _column("updated_at", Big), **options)


_NUMBERED = {"sqlite_autoincrement": True}
_CLUSTERED = {"sqlite_with_rowid": False}
"""Rows lie in the order of the primary key, so that those of one article or answer are read together."""

# --- who may see what ------------------------------------------------------------------------------

audiences = _table("audiences", _key(), _column("readers", Text), UniqueConstraint("readers"), **_NUMBERED)
"""A distinct set of reader groups; `readers` is its sorted JSON list."""

audience_groups = _table(
    "audience_groups",
    _of("audience", "audiences.key"),
    _column("reader_group", Text),
    PrimaryKeyConstraint("audience", "reader_group"),
    Index(None, "reader_group", "audience"),
)

# --- knowledge -------------------------------------------------------------------------------------

sources = _table(
    "sources",
    Column("name", Text, primary_key=True),
    _column("location", Text),
    _column("kind", Text),
    _of("audience", "audiences.key", cascade=False),
    _column("created_at", Big),
)

articles = _table(
    "articles",
    _key(),
    _column("id", Text),
    _column("source", Text, ForeignKey("sources.name"), null=True),
    _column("path", Text),
    _column("uri", Text),
    _column("title", Text),
    _column("kind", Text),
    _column("language", Text),
    _column("version", Text),
    _column("content_hash", Text),
    _column("size", Big),
    _column("modified_ns", Big),
    _column("settings_hash", Text),
    _column("origin", Text),
    _of("audience", "audiences.key", cascade=False),
    _column("content_at", Big),
    _column("removed_at", Big, null=True),
    _column("created_at", Big),
    UniqueConstraint("id"),
    Index(None, "source", "path"),
    Index(None, "audience"),
    **_NUMBERED,
)
"""`content_at` is Article.updated_at. source is NULL for an article known only from recorded answers."""

article_versions = _table(
    "article_versions",
    _key(),
    _of("article", "articles.key"),
    _column("version", Text),
    _column("text", Text, null=True),
    _column("created_at", Big),
    UniqueConstraint("article", "version"),
    **_NUMBERED,
)
"""`text` is NULL for a version that is neither the latest nor referred to."""

sections = _table(
    "sections",
    _of("article", "articles.key"),
    _column("ordinal", Integer),
    _column("level", Integer),
    _column("title", Text),
    _column("parent", Integer, null=True),
    _column("breadcrumb", Text),
    _column("anchor", Text),
    _column("page_start", Integer, null=True),
    _column("page_end", Integer, null=True),
    PrimaryKeyConstraint("article", "ordinal"),
    **_CLUSTERED,
)

lines = _table(
    "lines",
    _of("article", "articles.key"),
    _column("ordinal", Integer),
    _column("section", Integer),
    _column("kind", Text),
    _column("text", Text),
    _column("start_char", Integer),
    _column("end_char", Integer),
    _column("page", Integer, null=True),
    _column("line_start", Integer),
    _column("line_end", Integer),
    PrimaryKeyConstraint("article", "ordinal"),
    **_CLUSTERED,
)

chunks = _table(
    "chunks",
    _key("id"),
    _of("article", "articles.key"),
    _column("ordinal", Integer),
    _column("section", Integer),
    _column("text", Text),
    _column("start_char", Integer),
    _column("end_char", Integer),
    _column("first_line", Integer),
    _column("last_line", Integer),
    _column("tokens", Integer),
    _column("breadcrumb", Text),
    _column("vector_key", Text),
    _column("revision", Big),
    Index(None, "article"),
    Index(None, "revision"),
    Index(None, "vector_key"),
    **_NUMBERED,
)
"""Live chunks only. `revision` is the one in which an index has to take the chunk up."""

removed_chunks = _table(
    "removed_chunks",
    _key(),
    _column("chunk", Big),
    _column("revision", Big),
    Index(None, "revision", "chunk"),
    **_NUMBERED,
)
"""Tombstones: an index drops `chunk` when it passes `revision`."""

revisions = _table(
    "revisions",
    Column("revision", Big, primary_key=True, autoincrement=False),
    _of("article", "articles.key"),
    _column("change", Text),
)
"""Every change of the knowledge, in the order in which it became visible."""

embedders = _table("embedders", _key(), _column("id", Text), UniqueConstraint("id"), **_NUMBERED)

vectors = _table(
    "vectors",
    _of("embedder", "embedders.key"),
    _column("content", Text),
    _column("vector", LargeBinary),
    PrimaryKeyConstraint("embedder", "content"),
)
"""float16, little-endian, by content key: equal texts share one vector."""

# --- conversations and answers ---------------------------------------------------------------------

conversations = _table(
    "conversations",
    _key(),
    _column("channel", Text),
    _column("workspace", Text),
    _column("conversation", Text),
    _column("thread", Text),
    _column("created_at", Big),
    UniqueConstraint("channel", "workspace", "conversation", "thread"),
    **_NUMBERED,
)

messages = _table(
    "messages",
    _key(),
    _of("conversation", "conversations.key", null=True),
    _column("platform_id", Text, null=True),
    _column("direction", Text),
    _column("channel", Text),
    _column("author", Text),
    _column("text", Text, null=True),
    _column("created_at", Big),
    _column("edited_at", Big, null=True),
    _column("deleted_at", Big, null=True),
    UniqueConstraint("conversation", "platform_id"),
    Index(None, "created_at"),
    **_NUMBERED,
)
"""The only place of whole questions and answers; `text` is NULL once it is gone."""

answers = _table(
    "answers",
    _key(),
    _column("id", Text),
    _of("question_message", "messages.key", null=True, cascade=False),
    _of("answer_message", "messages.key", null=True, cascade=False),
    _column("language", Text),
    _column("found", Boolean),
    _column("channel", Text),
    _column("asked_by", Text),
    _column("model", Text),
    _column("input_tokens", Integer),
    _column("output_tokens", Integer),
    _column("calls", Integer),
    _column("cost_usd", Double, null=True),
    _column("timings_ms", JSON),
    _column("confidence", Double, null=True),
    _column("gate", Text),
    _column("evaluator", Text),
    _column("removed_citations", Integer),
    _column("statements", Integer),
    _column("judged", Integer),
    _column("carried", Integer),
    _column("example", Boolean),
    _column("day", Integer),
    _column("created_at", Big),
    UniqueConstraint("id"),
    Index(None, "created_at"),
    Index(None, "question_message"),
    Index(None, "answer_message"),
    **_NUMBERED,
)
"""cost_usd is NULL when unknown. statements, judged, carried: how many the answer has of each."""

citations = _table(
    "citations",
    _of("answer", "answers.key"),
    _column("ordinal", Integer),
    _column("n", Integer),
    _of("article", "articles.key"),
    _column("title", Text),
    _column("uri", Text),
    _column("section", JSON),
    _column("page", Integer, null=True),
    _column("line_start", Integer),
    _column("line_end", Integer),
    _column("quote", Text),
    PrimaryKeyConstraint("answer", "ordinal"),
)

exposures = _table(
    "exposures",
    _of("answer", "answers.key"),
    _column("ordinal", Integer),
    _of("article", "articles.key"),
    _of("version", "article_versions.key"),
    _column("chunk", Big, null=True),
    _column("first_line", Integer),
    _column("last_line", Integer),
    _column("rank", Integer),
    _column("scores", JSON),
    _column("relevance", Double),
    _column("tokens", Integer),
    _column("in_prompt", Boolean),
    _column("source_number", Integer, null=True),
    _column("cut_because", Text),
    PrimaryKeyConstraint("answer", "ordinal"),
    **_CLUSTERED,
)

statements = _table(
    "statements",
    _of("answer", "answers.key"),
    _column("ordinal", Integer),
    _column("excerpt", Text),
    _column("text_hash", Big),
    _column("start_char", Integer),
    _column("end_char", Integer),
    _column("cited", JSON),
    _column("judged", Boolean),
    _column("reason", Text),
    _column("verdict", Text),
    PrimaryKeyConstraint("answer", "ordinal"),
    **_CLUSTERED,
)

line_excerpts = _table(
    "line_excerpts",
    _of("article", "articles.key"),
    _column("line_hash", Big),
    _column("excerpt", Text),
    _column("gone_at", Big, null=True),
    PrimaryKeyConstraint("article", "line_hash"),
)
"""Lines that some statement was compared with, once each; `gone_at` when the article lost the line."""

feature_sets = _table("feature_sets", _key(), _column("names", Text), UniqueConstraint("names"), **_NUMBERED)
"""Names of the features of a support, as a JSON list in the order of their values."""

supports = _table(
    "supports",
    _of("answer", "answers.key"),
    _of("article", "articles.key"),
    _column("statement", Integer),
    _column("ordinal", Integer),
    _of("version", "article_versions.key"),
    _column("line", Integer, null=True),
    _column("line_hash", Big, null=True),
    _column("label", Boolean),
    _column("probability", Double, null=True),
    _column("verdict", Text),
    _column("exposed", Boolean),
    _of("feature_set", "feature_sets.key", null=True, cascade=False),
    _column("features", LargeBinary, null=True),
    PrimaryKeyConstraint("answer", "article", "statement"),
    ForeignKeyConstraint(["article", "line_hash"], ["line_excerpts.article", "line_excerpts.line_hash"]),
    **_CLUSTERED,
)
"""`features` are float32, little-endian. `ordinal` is the place of the pair in the evaluation."""

contributions = _table(
    "contributions",
    _of("answer", "answers.key"),
    _of("article", "articles.key"),
    _of("version", "article_versions.key"),
    _column("ordinal", Integer, null=True),
    _column("day", Integer),
    _column("share", Double, null=True),
    _column("sole_share", Double, null=True),
    _column("statements", Integer),
    _column("strongest", Double, null=True),
    _column("retrieved", Boolean),
    _column("exposed", Boolean),
    _column("stale", Boolean),
    PrimaryKeyConstraint("answer", "article"),
    Index(None, "article", "day", "answer"),
    **_CLUSTERED,
)
"""The mapping article x answer: one row for every article that was retrieved or contributed.
`ordinal` is NULL where the evaluation does not list the article (retrieved and cut)."""

# --- rollups ---------------------------------------------------------------------------------------

FIGURES = {
    "retrieved": Big,
    "exposed": Big,
    "judged": Big,
    "carried": Big,
    "missed": Big,
    "stale": Big,
    "share": Double,
    "sole_share": Double,
}
"""Per article and day. Numbers of answers in which it was retrieved; stood in the prompt; was exposed or
carried and could be judged; carried; carried without being exposed; had carried with lines now gone;
then the sums of the shares. `judged`, `carried`, `missed` and both sums leave stale answers out."""

article_days = _table(
    "article_days",
    _of("article", "articles.key"),
    _column("day", Integer),
    *(_column(name, kind) for name, kind in FIGURES.items()),
    *(_column(f"{name}_total", kind) for name, kind in FIGURES.items()),
    PrimaryKeyConstraint("article", "day"),
    **_CLUSTERED,
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

answer_days = _table(
    "answer_days",
    _column("day", Integer),
    _column("channel", Text),
    _column("language", Text),
    *(_column(name, kind) for name, kind in COUNTS.items()),
    PrimaryKeyConstraint("day", "channel", "language"),
)

# --- work for another process ----------------------------------------------------------------------

jobs = _table(
    "jobs",
    _key("id"),
    _column("kind", Text),
    _column("payload", JSON),
    _column("state", Text),
    _column("result", JSON(none_as_null=True), null=True),
    _column("created_by", Text),
    _column("worker", Text, null=True),
    _column("attempts", Integer),
    _column("lease_until", Big, null=True),
    _column("created_at", Big),
    _column("started_at", Big, null=True),
    _column("finished_at", Big, null=True),
    Index(None, "state", "id"),
    **_NUMBERED,
)
