"""Conversations, answers with exposures, supports and contributions, rollups."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_answer_days()
    _create_conversations()
    _create_feature_sets()
    _create_messages()
    _create_answers()
    _create_article_days()
    _create_citations()
    _create_line_excerpts()
    _create_statements()
    _create_contributions()
    _create_exposures()
    _create_supports()


def downgrade() -> None:
    op.drop_table("supports")
    op.drop_table("exposures")
    op.drop_table("contributions")
    op.drop_table("statements")
    op.drop_table("line_excerpts")
    op.drop_table("citations")
    op.drop_table("article_days")
    op.drop_table("answers")
    op.drop_table("messages")
    op.drop_table("feature_sets")
    op.drop_table("conversations")
    op.drop_table("answer_days")


def _create_answer_days() -> None:
    op.create_table(
        "answer_days",
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("answers", BIG, nullable=False),
        sa.Column("found", BIG, nullable=False),
        sa.Column("sent", BIG, nullable=False),
        sa.Column("handed_over", BIG, nullable=False),
        sa.Column("statements", BIG, nullable=False),
        sa.Column("judged", BIG, nullable=False),
        sa.Column("carried", BIG, nullable=False),
        sa.Column("input_tokens", BIG, nullable=False),
        sa.Column("output_tokens", BIG, nullable=False),
        sa.Column("unpriced", BIG, nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("day", "channel", "language", name="pk_answer_days"),
    )


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_conversations"),
        sa.UniqueConstraint(
            "channel",
            "workspace",
            "conversation",
            "thread",
            name="uq_conversations_channel_workspace_conversation_thread",
        ),
        sqlite_autoincrement=True,
    )


def _create_feature_sets() -> None:
    op.create_table(
        "feature_sets",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("names", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_feature_sets"),
        sa.UniqueConstraint("names", name="uq_feature_sets_names"),
        sqlite_autoincrement=True,
    )


def _create_messages() -> None:
    op.create_table(
        "messages",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("conversation", BIG, nullable=True),
        sa.Column("platform_id", sa.Text(), nullable=True),
        sa.Column("direction", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("edited_at", BIG, nullable=True),
        sa.Column("deleted_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"],
            ["conversations.key"],
            name="fk_messages_conversation_conversations",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name="pk_messages"),
        sa.UniqueConstraint("conversation", "platform_id", name="uq_messages_conversation_platform_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_messages_created_at", "messages", ["created_at"])


def _create_answers() -> None:
    op.create_table(
        "answers",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("question_message", BIG, nullable=True),
        sa.Column("answer_message", BIG, nullable=True),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("found", sa.Boolean(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=True),
        sa.Column("timings_ms", sa.JSON(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("gate", sa.Text(), nullable=False),
        sa.Column("evaluator", sa.Text(), nullable=False),
        sa.Column("removed_citations", sa.Integer(), nullable=False),
        sa.Column("statements", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("carried", sa.Integer(), nullable=False),
        sa.Column("example", sa.Boolean(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_message"], ["messages.key"], name="fk_answers_answer_message_messages"
        ),
        sa.ForeignKeyConstraint(
            ["question_message"], ["messages.key"], name="fk_answers_question_message_messages"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_answers"),
        sa.UniqueConstraint("id", name="uq_answers_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_answers_answer_message", "answers", ["answer_message"])
    op.create_index("ix_answers_created_at", "answers", ["created_at"])
    op.create_index("ix_answers_question_message", "answers", ["question_message"])


def _create_article_days() -> None:
    op.create_table(
        "article_days",
        sa.Column("article", BIG, nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("retrieved", BIG, nullable=False),
        sa.Column("exposed", BIG, nullable=False),
        sa.Column("judged", BIG, nullable=False),
        sa.Column("carried", BIG, nullable=False),
        sa.Column("missed", BIG, nullable=False),
        sa.Column("stale", BIG, nullable=False),
        sa.Column("share", sa.Double(), nullable=False),
        sa.Column("sole_share", sa.Double(), nullable=False),
        sa.Column("retrieved_total", BIG, nullable=False),
        sa.Column("exposed_total", BIG, nullable=False),
        sa.Column("judged_total", BIG, nullable=False),
        sa.Column("carried_total", BIG, nullable=False),
        sa.Column("missed_total", BIG, nullable=False),
        sa.Column("stale_total", BIG, nullable=False),
        sa.Column("share_total", sa.Double(), nullable=False),
        sa.Column("sole_share_total", sa.Double(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_article_days_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article", "day", name="pk_article_days"),
        sqlite_with_rowid=False,
    )


def _create_citations() -> None:
    op.create_table(
        "citations",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("section", sa.JSON(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("line_start", sa.Integer(), nullable=False),
        sa.Column("line_end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_citations_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_citations_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", "ordinal", name="pk_citations"),
    )


def _create_line_excerpts() -> None:
    op.create_table(
        "line_excerpts",
        sa.Column("article", BIG, nullable=False),
        sa.Column("line_hash", BIG, nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.Column("gone_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_line_excerpts_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article", "line_hash", name="pk_line_excerpts"),
    )


def _create_statements() -> None:
    op.create_table(
        "statements",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.Column("text_hash", BIG, nullable=False),
        sa.Column("start_char", sa.Integer(), nullable=False),
        sa.Column("end_char", sa.Integer(), nullable=False),
        sa.Column("cited", sa.JSON(), nullable=False),
        sa.Column("judged", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_statements_answer_answers", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", "ordinal", name="pk_statements"),
        sqlite_with_rowid=False,
    )


def _create_contributions() -> None:
    op.create_table(
        "contributions",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("share", sa.Double(), nullable=True),
        sa.Column("sole_share", sa.Double(), nullable=True),
        sa.Column("statements", sa.Integer(), nullable=False),
        sa.Column("strongest", sa.Double(), nullable=True),
        sa.Column("retrieved", sa.Boolean(), nullable=False),
        sa.Column("exposed", sa.Boolean(), nullable=False),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_contributions_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_contributions_article_articles", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version"],
            ["article_versions.key"],
            name="fk_contributions_version_article_versions",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("answer", "article", name="pk_contributions"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_contributions_article_day_answer", "contributions", ["article", "day", "answer"])


def _create_exposures() -> None:
    op.create_table(
        "exposures",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("chunk", BIG, nullable=True),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.Column("last_line", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("relevance", sa.Double(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("in_prompt", sa.Boolean(), nullable=False),
        sa.Column("source_number", sa.Integer(), nullable=True),
        sa.Column("cut_because", sa.Text(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_exposures_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_exposures_article_articles", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version"],
            ["article_versions.key"],
            name="fk_exposures_version_article_versions",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("answer", "ordinal", name="pk_exposures"),
        sqlite_with_rowid=False,
    )


def _create_supports() -> None:
    op.create_table(
        "supports",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("statement", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("line_hash", BIG, nullable=True),
        sa.Column("label", sa.Boolean(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("exposed", sa.Boolean(), nullable=False),
        sa.Column("feature_set", BIG, nullable=True),
        sa.Column("features", sa.LargeBinary(), nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_supports_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["article", "line_hash"],
            ["line_excerpts.article", "line_excerpts.line_hash"],
            name="fk_supports_article_line_hash_line_excerpts",
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_supports_article_articles", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["feature_set"], ["feature_sets.key"], name="fk_supports_feature_set_feature_sets"
        ),
        sa.ForeignKeyConstraint(
            ["version"],
            ["article_versions.key"],
            name="fk_supports_version_article_versions",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("answer", "article", "statement", name="pk_supports"),
        sqlite_with_rowid=False,
    )
