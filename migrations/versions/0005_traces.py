"""Traces: how answers came about, and what models said of tables of contents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "traces",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("trace", sa.JSON(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_traces_answer_answers", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", name="pk_traces"),
    )
    op.create_index("ix_traces_created_at", "traces", ["created_at"])
    op.create_table(
        "toc_selections",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("selection", sa.JSON(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_toc_selections"),
    )
    op.create_index("ix_toc_selections_created_at", "toc_selections", ["created_at"])


def downgrade() -> None:
    op.drop_table("toc_selections")
    op.drop_table("traces")
