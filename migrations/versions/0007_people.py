"""People of the dashboard, their sessions, and the log of what people do."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_people()
    _create_sessions()
    _create_audit_log()


def downgrade() -> None:
    op.drop_table("audit_log")
    op.drop_table("sessions")
    op.drop_table("people")


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("roles", sa.JSON(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("locked_until", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_people"),
        sa.UniqueConstraint("login", name="uq_people_login"),
        sa.UniqueConstraint("subject", name="uq_people_subject"),
        sqlite_autoincrement=True,
    )


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("person", BIG, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.key"], name="fk_sessions_person_people", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_person", "sessions", ["person"])


def _create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object_kind", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_audit_log"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_action_key", "audit_log", ["action", "key"])
    op.create_index("ix_audit_log_who_key", "audit_log", ["who", "key"])
