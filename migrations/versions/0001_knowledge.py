"""Sources, articles with everything derived from them, and jobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_audiences()
    _create_embedders()
    _create_identities()
    _create_jobs()
    _create_removed_chunks()
    _create_audience_groups()
    _create_sources()
    _create_vectors()
    _create_articles()
    _create_article_versions()
    _create_chunks()
    _create_lines()
    _create_revisions()
    _create_sections()
    _create_span_vectors()


def downgrade() -> None:
    op.drop_table("span_vectors")
    op.drop_table("sections")
    op.drop_table("revisions")
    op.drop_table("lines")
    op.drop_table("chunks")
    op.drop_table("article_versions")
    op.drop_table("articles")
    op.drop_table("vectors")
    op.drop_table("sources")
    op.drop_table("audience_groups")
    op.drop_table("removed_chunks")
    op.drop_table("jobs")
    op.drop_table("identities")
    op.drop_table("embedders")
    op.drop_table("audiences")


def _create_audiences() -> None:
    op.create_table(
        "audiences",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("readers", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_audiences"),
        sa.UniqueConstraint("readers", name="uq_audiences_readers"),
        sqlite_autoincrement=True,
    )


def _create_embedders() -> None:
    op.create_table(
        "embedders",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_embedders"),
        sa.UniqueConstraint("id", name="uq_embedders_id"),
        sqlite_autoincrement=True,
    )


def _create_identities() -> None:
    op.create_table(
        "identities",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_identities"),
        sqlite_autoincrement=True,
    )


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("started_at", BIG, nullable=True),
        sa.Column("finished_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_state_id", "jobs", ["state", "id"])


def _create_removed_chunks() -> None:
    op.create_table(
        "removed_chunks",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("chunk", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_removed_chunks"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_removed_chunks_revision_chunk", "removed_chunks", ["revision", "chunk"])


def _create_audience_groups() -> None:
    op.create_table(
        "audience_groups",
        sa.Column("audience", BIG, nullable=False),
        sa.Column("reader_group", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["audience"], ["audiences.key"], name="fk_audience_groups_audience_audiences", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("audience", "reader_group", name="pk_audience_groups"),
    )
    op.create_index(
        "ix_audience_groups_reader_group_audience", "audience_groups", ["reader_group", "audience"]
    )


def _create_sources() -> None:
    op.create_table(
        "sources",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("audience", BIG, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(["audience"], ["audiences.key"], name="fk_sources_audience_audiences"),
        sa.PrimaryKeyConstraint("name", name="pk_sources"),
    )


def _create_vectors() -> None:
    op.create_table(
        "vectors",
        sa.Column("embedder", BIG, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["embedder"], ["embedders.key"], name="fk_vectors_embedder_embedders", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("embedder", "content", name="pk_vectors"),
    )


def _create_articles() -> None:
    op.create_table(
        "articles",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("size", BIG, nullable=False),
        sa.Column("modified_ns", BIG, nullable=False),
        sa.Column("settings_hash", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("audience", BIG, nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("line_count", sa.Integer(), nullable=False),
        sa.Column("content_at", BIG, nullable=False),
        sa.Column("removed_at", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(["audience"], ["audiences.key"], name="fk_articles_audience_audiences"),
        sa.ForeignKeyConstraint(["source"], ["sources.name"], name="fk_articles_source_sources"),
        sa.PrimaryKeyConstraint("key", name="pk_articles"),
        sa.UniqueConstraint("id", name="uq_articles_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_articles_counts", "articles", ["removed_at", "audience", "chunk_count", "line_count"])
    op.create_index("ix_articles_source_path", "articles", ["source", "path"])


def _create_article_versions() -> None:
    op.create_table(
        "article_versions",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_article_versions_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_article_versions"),
        sa.UniqueConstraint("article", "version", name="uq_article_versions_article_version"),
        sqlite_autoincrement=True,
    )


def _create_chunks() -> None:
    op.create_table(
        "chunks",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("section", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("start_char", sa.Integer(), nullable=False),
        sa.Column("end_char", sa.Integer(), nullable=False),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.Column("last_line", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("breadcrumb", sa.Text(), nullable=False),
        sa.Column("vector_key", sa.Text(), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_chunks_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_chunks"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_chunks_article", "chunks", ["article"])
    op.create_index("ix_chunks_revision", "chunks", ["revision"])
    op.create_index("ix_chunks_vector_key", "chunks", ["vector_key"])


def _create_lines() -> None:
    op.create_table(
        "lines",
        sa.Column("article", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("section", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("start_char", sa.Integer(), nullable=False),
        sa.Column("end_char", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("line_start", sa.Integer(), nullable=False),
        sa.Column("line_end", sa.Integer(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_lines_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article", "ordinal", name="pk_lines"),
        sqlite_with_rowid=False,
    )


def _create_revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("revision", BIG, autoincrement=False, nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_revisions_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("revision", name="pk_revisions"),
    )


def _create_sections() -> None:
    op.create_table(
        "sections",
        sa.Column("article", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("breadcrumb", sa.Text(), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("page_start", sa.Integer(), nullable=True),
        sa.Column("page_end", sa.Integer(), nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_sections_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article", "ordinal", name="pk_sections"),
        sqlite_with_rowid=False,
    )


def _create_span_vectors() -> None:
    op.create_table(
        "span_vectors",
        sa.Column("embedder", BIG, nullable=False),
        sa.Column("chunk", BIG, nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk"], ["chunks.id"], name="fk_span_vectors_chunk_chunks", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["embedder"], ["embedders.key"], name="fk_span_vectors_embedder_embedders", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("embedder", "chunk", name="pk_span_vectors"),
    )
    op.create_index("ix_span_vectors_chunk", "span_vectors", ["chunk"])
