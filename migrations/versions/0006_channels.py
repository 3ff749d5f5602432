"""Channels: what came in, what goes out, drafts for people, feedback, limits, health, keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_inbound()
    _create_inbound_events()
    _create_threads()
    _create_reviews()
    _create_outbox()
    _create_outbox_parts()
    _create_feedback()
    _create_rate_counters()
    _create_channel_health()
    _create_api_keys()


def downgrade() -> None:
    for name in (
        "api_keys",
        "channel_health",
        "rate_counters",
        "feedback",
        "outbox_parts",
        "outbox",
        "reviews",
        "threads",
        "inbound_events",
        "inbound",
    ):
        op.drop_table(name)


def _create_inbound() -> None:
    op.create_table(
        "inbound",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=True),
        sa.Column("edits", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_inbound"),
        sa.UniqueConstraint(
            "channel",
            "workspace",
            "conversation",
            "message_id",
            name="uq_inbound_channel_workspace_conversation_message_id",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_inbound_lane", "inbound", ["lane", "state", "key"])
    op.create_index("ix_inbound_state", "inbound", ["state", "key"])


def _create_inbound_events() -> None:
    op.create_table(
        "inbound_events",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("channel", "event_id", name="pk_inbound_events"),
    )
    op.create_index("ix_inbound_events_created_at", "inbound_events", ["created_at"])


def _create_threads() -> None:
    op.create_table(
        "threads",
        sa.Column("conversation", BIG, autoincrement=False, nullable=False),
        sa.Column("taken_by", sa.Text(), nullable=False),
        sa.Column("taken_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("conversation", name="pk_threads"),
    )


def _create_reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("answer", BIG, nullable=False),
        sa.Column("conversation", BIG, nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("reply_to", sa.Text(), nullable=False),
        sa.Column("asker", sa.Text(), nullable=False),
        sa.Column("edited", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("decided_at", BIG, nullable=True),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_reviews_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversations.key"], name="fk_reviews_conversation_conversations"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_reviews"),
        sa.UniqueConstraint("answer", name="uq_reviews_answer"),
        sa.UniqueConstraint("id", name="uq_reviews_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reviews_state", "reviews", ["state", "key"])


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("reply_to", sa.Text(), nullable=False),
        sa.Column("reply", sa.JSON(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("review", BIG, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", BIG, nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until", BIG, nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("sent_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["review"], ["reviews.key"], name="fk_outbox_review_reviews", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_outbox"),
        sa.UniqueConstraint("id", name="uq_outbox_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_lane", "outbox", ["lane", "state", "key"])
    op.create_index("ix_outbox_review", "outbox", ["review"])
    op.create_index("ix_outbox_state", "outbox", ["state", "channel", "key"])


def _create_outbox_parts() -> None:
    op.create_table(
        "outbox_parts",
        sa.Column("outbox", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("receipt_ids", sa.JSON(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["outbox"], ["outbox.key"], name="fk_outbox_parts_outbox_outbox", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("outbox", "ordinal", name="pk_outbox_parts"),
    )


def _create_feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("article", BIG, nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_feedback_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_feedback_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", "person", name="pk_feedback"),
    )
    op.create_index("ix_feedback_article", "feedback", ["article"])


def _create_rate_counters() -> None:
    op.create_table(
        "rate_counters",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("minute", BIG, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("scope", "minute", name="pk_rate_counters"),
    )


def _create_channel_health() -> None:
    op.create_table(
        "channel_health",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("since", BIG, nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("heartbeat_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("channel", "worker", name="pk_channel_health"),
    )


def _create_api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("used_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_api_keys"),
        sa.UniqueConstraint("hash", name="uq_api_keys_hash"),
        sa.UniqueConstraint("name", name="uq_api_keys_name"),
        sqlite_autoincrement=True,
    )
