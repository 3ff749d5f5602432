"""Sets of questions for the retrieval lab, and their runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "lab_sets",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("questions", sa.JSON(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_lab_sets"),
        sa.UniqueConstraint("name", name="uq_lab_sets_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "lab_runs",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("lab_set", BIG, nullable=False),
        sa.Column("job", BIG, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=True),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["lab_set"], ["lab_sets.key"], name="fk_lab_runs_lab_set_lab_sets", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_lab_runs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_lab_runs_lab_set", "lab_runs", ["lab_set"])


def downgrade() -> None:
    op.drop_index("ix_lab_runs_lab_set", table_name="lab_runs")
    op.drop_table("lab_runs")
    op.drop_table("lab_sets")
