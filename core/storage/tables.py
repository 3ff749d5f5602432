"""Every table of the database but the rollups. Times are UTC milliseconds, days are counted from 1970 in UTC.

Articles and answers have a short integer key beside their public id, because the evaluation tables
repeat them millions of times. Every table has a primary key that is never changed in place and an
`updated_at`, so that change data capture can follow it.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
)

from core.storage.schema import CLUSTERED, NUMBERED, Big, column, key, of, table

# --- who may see what ------------------------------------------------------------------------------

audiences = table("audiences", key(), column("readers", Text), UniqueConstraint("readers"), **NUMBERED)
"""A distinct set of reader groups; `readers` is its sorted JSON list."""

audience_groups = table(
    "audience_groups",
    of("audience", "audiences.key"),
    column("reader_group", Text),
    PrimaryKeyConstraint("audience", "reader_group"),
    Index(None, "reader_group", "audience"),
)

# --- knowledge -------------------------------------------------------------------------------------

sources = table(
    "sources",
    Column("name", Text, primary_key=True),
    column("location", Text),
    column("kind", Text),
    of("audience", "audiences.key", cascade=False),
    column("created_at", Big),
)

articles = table(
    "articles",
    key(),
    column("id", Text),
    column("source", Text, ForeignKey("sources.name"), null=True),
    column("path", Text),
    column("uri", Text),
    column("title", Text),
    column("kind", Text),
    column("language", Text),
    column("version", Text),
    column("content_hash", Text),
    column("size", Big),
    column("modified_ns", Big),
    column("settings_hash", Text),
    column("origin", Text),
    of("audience", "audiences.key", cascade=False),
    column("chunk_count", Integer),
    column("line_count", Integer),
    column("content_at", Big),
    column("removed_at", Big, null=True),
    column("created_at", Big),
    UniqueConstraint("id"),
    Index(None, "source", "path"),
    Index("ix_articles_counts", "removed_at", "audience", "chunk_count", "line_count"),
    **NUMBERED,
)
"""`content_at` is Article.updated_at. source is NULL for an article known only from recorded answers."""

article_versions = table(
    "article_versions",
    key(),
    of("article", "articles.key"),
    column("version", Text),
    column("text", Text, null=True),
    column("created_at", Big),
    UniqueConstraint("article", "version"),
    **NUMBERED,
)
"""`text` is NULL for a version that is neither the latest nor referred to."""

sections = table(
    "sections",
    of("article", "articles.key"),
    column("ordinal", Integer),
    column("level", Integer),
    column("title", Text),
    column("parent", Integer, null=True),
    column("breadcrumb", Text),
    column("anchor", Text),
    column("page_start", Integer, null=True),
    column("page_end", Integer, null=True),
    PrimaryKeyConstraint("article", "ordinal"),
    **CLUSTERED,
)

lines = table(
    "lines",
    of("article", "articles.key"),
    column("ordinal", Integer),
    column("section", Integer),
    column("kind", Text),
    column("text", Text),
    column("start_char", Integer),
    column("end_char", Integer),
    column("page", Integer, null=True),
    column("line_start", Integer),
    column("line_end", Integer),
    PrimaryKeyConstraint("article", "ordinal"),
    **CLUSTERED,
)

chunks = table(
    "chunks",
    key("id"),
    of("article", "articles.key"),
    column("ordinal", Integer),
    column("section", Integer),
    column("text", Text),
    column("start_char", Integer),
    column("end_char", Integer),
    column("first_line", Integer),
    column("last_line", Integer),
    column("tokens", Integer),
    column("breadcrumb", Text),
    column("vector_key", Text),
    column("revision", Big),
    Index(None, "article"),
    Index(None, "revision"),
    Index(None, "vector_key"),
    **NUMBERED,
)
"""Live chunks only. `revision` is the one in which an index has to take the chunk up."""

removed_chunks = table(
    "removed_chunks",
    key(),
    column("chunk", Big),
    column("revision", Big),
    Index(None, "revision", "chunk"),
    **NUMBERED,
)
"""Tombstones: an index drops `chunk` when it passes `revision`."""

revisions = table(
    "revisions",
    Column("revision", Big, primary_key=True, autoincrement=False),
    of("article", "articles.key"),
    column("change", Text),
)
"""Every change of the knowledge, in the order in which it became visible."""

embedders = table("embedders", key(), column("id", Text), UniqueConstraint("id"), **NUMBERED)

vectors = table(
    "vectors",
    of("embedder", "embedders.key"),
    column("content", Text),
    column("vector", LargeBinary),
    PrimaryKeyConstraint("embedder", "content"),
)
"""float16, little-endian, by content key: equal texts share one vector."""

span_vectors = table(
    "span_vectors",
    of("embedder", "embedders.key"),
    of("chunk", "chunks.id"),
    column("packed", LargeBinary),
    PrimaryKeyConstraint("embedder", "chunk"),
    Index(None, "chunk"),
)
"""What one model made of the heading and the lines of a chunk, in one block (`core.rag.spans`)."""

# --- conversations and answers ---------------------------------------------------------------------

conversations = table(
    "conversations",
    key(),
    column("channel", Text),
    column("workspace", Text),
    column("conversation", Text),
    column("thread", Text),
    column("created_at", Big),
    UniqueConstraint("channel", "workspace", "conversation", "thread"),
    **NUMBERED,
)

messages = table(
    "messages",
    key(),
    of("conversation", "conversations.key", null=True),
    column("platform_id", Text, null=True),
    column("direction", Text),
    column("channel", Text),
    column("author", Text),
    column("text", Text, null=True),
    column("created_at", Big),
    column("edited_at", Big, null=True),
    column("deleted_at", Big, null=True),
    UniqueConstraint("conversation", "platform_id"),
    Index(None, "created_at"),
    **NUMBERED,
)
"""The only place of whole questions and answers; `text` is NULL once it is gone."""

answers = table(
    "answers",
    key(),
    column("id", Text),
    of("question_message", "messages.key", null=True, cascade=False),
    of("answer_message", "messages.key", null=True, cascade=False),
    column("language", Text),
    column("found", Boolean),
    column("channel", Text),
    column("asked_by", Text),
    column("model", Text),
    column("input_tokens", Integer),
    column("output_tokens", Integer),
    column("calls", Integer),
    column("cost_usd", Double, null=True),
    column("timings_ms", JSON),
    column("confidence", Double, null=True),
    column("gate", Text),
    column("evaluator", Text),
    column("removed_citations", Integer),
    column("statements", Integer),
    column("judged", Integer),
    column("carried", Integer),
    column("example", Boolean),
    column("day", Integer),
    column("created_at", Big),
    UniqueConstraint("id"),
    Index(None, "created_at"),
    Index(None, "question_message"),
    Index(None, "answer_message"),
    **NUMBERED,
)
"""cost_usd is NULL when unknown. statements, judged, carried: how many the answer has of each."""

citations = table(
    "citations",
    of("answer", "answers.key"),
    column("ordinal", Integer),
    column("n", Integer),
    of("article", "articles.key"),
    column("title", Text),
    column("uri", Text),
    column("section", JSON),
    column("page", Integer, null=True),
    column("line_start", Integer),
    column("line_end", Integer),
    column("quote", Text),
    PrimaryKeyConstraint("answer", "ordinal"),
)

exposures = table(
    "exposures",
    of("answer", "answers.key"),
    column("ordinal", Integer),
    of("article", "articles.key"),
    of("version", "article_versions.key"),
    column("chunk", Big, null=True),
    column("first_line", Integer),
    column("last_line", Integer),
    column("rank", Integer),
    column("scores", JSON),
    column("relevance", Double),
    column("tokens", Integer),
    column("in_prompt", Boolean),
    column("source_number", Integer, null=True),
    column("cut_because", Text),
    PrimaryKeyConstraint("answer", "ordinal"),
    **CLUSTERED,
)

statements = table(
    "statements",
    of("answer", "answers.key"),
    column("ordinal", Integer),
    column("excerpt", Text),
    column("text_hash", Big),
    column("start_char", Integer),
    column("end_char", Integer),
    column("cited", JSON),
    column("judged", Boolean),
    column("reason", Text),
    column("verdict", Text),
    PrimaryKeyConstraint("answer", "ordinal"),
    **CLUSTERED,
)

line_excerpts = table(
    "line_excerpts",
    of("article", "articles.key"),
    column("line_hash", Big),
    column("excerpt", Text),
    column("gone_at", Big, null=True),
    PrimaryKeyConstraint("article", "line_hash"),
)
"""Lines that some statement was compared with, once each; `gone_at` when the article lost the line."""

feature_sets = table("feature_sets", key(), column("names", Text), UniqueConstraint("names"), **NUMBERED)
"""Names of the features of a support, as a JSON list in the order of their values."""

supports = table(
    "supports",
    of("answer", "answers.key"),
    of("article", "articles.key"),
    column("statement", Integer),
    column("ordinal", Integer),
    of("version", "article_versions.key"),
    column("line", Integer, null=True),
    column("line_hash", Big, null=True),
    column("label", Boolean),
    column("probability", Double, null=True),
    column("verdict", Text),
    column("exposed", Boolean),
    of("feature_set", "feature_sets.key", null=True, cascade=False),
    column("features", LargeBinary, null=True),
    PrimaryKeyConstraint("answer", "article", "statement"),
    ForeignKeyConstraint(["article", "line_hash"], ["line_excerpts.article", "line_excerpts.line_hash"]),
    **CLUSTERED,
)
"""`features` are float32, little-endian. `ordinal` is the place of the pair in the evaluation."""

contributions = table(
    "contributions",
    of("answer", "answers.key"),
    of("article", "articles.key"),
    of("version", "article_versions.key"),
    column("ordinal", Integer, null=True),
    column("day", Integer),
    column("share", Double, null=True),
    column("sole_share", Double, null=True),
    column("statements", Integer),
    column("strongest", Double, null=True),
    column("retrieved", Boolean),
    column("exposed", Boolean),
    column("stale", Boolean),
    PrimaryKeyConstraint("answer", "article"),
    Index(None, "article", "day", "answer"),
    **CLUSTERED,
)
"""The mapping article x answer: one row for every article that was retrieved or contributed.
`ordinal` is NULL where the evaluation does not list the article (retrieved and cut)."""

# --- this database ---------------------------------------------------------------------------------

identities = table("identities", key(), column("name", Text), **NUMBERED)
"""Random names of this database; the latest counts."""

# --- work for another process ----------------------------------------------------------------------

jobs = table(
    "jobs",
    key("id"),
    column("kind", Text),
    column("payload", JSON),
    column("state", Text),
    column("result", JSON(none_as_null=True), null=True),
    column("created_by", Text),
    column("worker", Text, null=True),
    column("attempts", Integer),
    column("lease_until", Big, null=True),
    column("created_at", Big),
    column("started_at", Big, null=True),
    column("finished_at", Big, null=True),
    Index(None, "state", "id"),
    **NUMBERED,
)
