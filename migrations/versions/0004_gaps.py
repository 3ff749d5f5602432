"""Gaps: what no article answers. Figures per article and day that tell why it carries little."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FIGURES = ("relevance", "unsupported", "others")


def upgrade() -> None:
    _create_gaps()
    _create_gap_items()
    _create_gap_supports()
    _create_gap_marks()
    for name in FIGURES:
        for column in (name, f"{name}_total"):
            op.add_column(
                "article_days", sa.Column(column, sa.Double(), nullable=False, server_default=sa.text("0"))
            )
    _fill_figures()


def downgrade() -> None:
    for name in FIGURES:
        for column in (name, f"{name}_total"):
            op.drop_column("article_days", column)
    op.drop_table("gap_marks")
    op.drop_table("gap_supports")
    op.drop_table("gap_items")
    op.drop_table("gaps")


def _create_gaps() -> None:
    op.create_table(
        "gaps",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("embedder", BIG, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sum", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(["embedder"], ["embedders.key"], name="fk_gaps_embedder_embedders"),
        sa.PrimaryKeyConstraint("key", name="pk_gaps"),
        sqlite_autoincrement=True,
    )


def _create_gap_items() -> None:
    op.create_table(
        "gap_items",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("gap", BIG, nullable=True),
        sa.Column("answer", BIG, nullable=False),
        sa.Column("statement", sa.Integer(), nullable=False),
        sa.Column("audience", BIG, nullable=False),
        sa.Column("embedder", BIG, nullable=True),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("supported_at", BIG, nullable=True),
        sa.Column("lost_at", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(["gap"], ["gaps.key"], name="fk_gap_items_gap_gaps"),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_gap_items_answer_answers", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["audience"], ["audiences.key"], name="fk_gap_items_audience_audiences"),
        sa.ForeignKeyConstraint(["embedder"], ["embedders.key"], name="fk_gap_items_embedder_embedders"),
        sa.PrimaryKeyConstraint("key", name="pk_gap_items"),
        sa.UniqueConstraint("answer", "statement", name="uq_gap_items_answer_statement"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_gap_items_gap_created_at", "gap_items", ["gap", "created_at"])
    op.create_index("ix_gap_items_created_at", "gap_items", ["created_at"])


def _create_gap_supports() -> None:
    op.create_table(
        "gap_supports",
        sa.Column("item", BIG, nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["item"], ["gap_items.key"], name="fk_gap_supports_item_gap_items", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_gap_supports_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item", "article", name="pk_gap_supports"),
    )
    op.create_index("ix_gap_supports_article", "gap_supports", ["article"])


def _create_gap_marks() -> None:
    op.create_table(
        "gap_marks",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_gap_marks"),
        sqlite_autoincrement=True,
    )


def _fill_figures() -> None:
    """Of the answers that are recorded already; see `core.storage.rollups` for what the figures mean."""
    relevance = """
        SELECT COALESCE(SUM(best.relevance), 0) FROM contributions c
        JOIN (SELECT answer, article, MAX(relevance) AS relevance FROM exposures WHERE in_prompt
              GROUP BY answer, article) best ON best.answer = c.answer AND best.article = c.article
        WHERE c.article = article_days.article AND c.day = article_days.day AND c.exposed
    """
    shown = """
        FROM contributions c JOIN answers a ON a.key = c.answer
        WHERE c.article = article_days.article AND c.day = article_days.day AND c.exposed
        AND c.share IS NOT NULL AND NOT c.stale AND a.judged > 0
    """
    unsupported = f"SELECT COALESCE(SUM(1.0 - 1.0 * a.carried / a.judged), 0) {shown}"
    others = f"SELECT COALESCE(SUM(1.0 * a.carried / a.judged - COALESCE(c.sole_share, 0)), 0) {shown}"
    for name, query in (("relevance", relevance), ("unsupported", unsupported), ("others", others)):
        op.execute(f"UPDATE article_days SET {name} = ({query})")  # noqa: S608 - texts of this module
        op.execute(
            f"UPDATE article_days SET {name}_total = (SELECT SUM(earlier.{name}) FROM article_days earlier "  # noqa: S608 - texts of this module
            "WHERE earlier.article = article_days.article AND earlier.day <= article_days.day)"
        )
