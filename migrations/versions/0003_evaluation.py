"""Evaluations after the reply, deciding the past anew, labels of people, views for BI tools."""

from __future__ import annotations

from string import Template

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

VIEWS = ("bi_answers", "bi_statements", "bi_supports", "bi_contributions", "bi_articles")
"""A later migration that changes a table below one of these drops the views first and makes them again."""


def upgrade() -> None:
    _create_deferred_evaluations()
    _create_deferred_spans()
    _create_late_warnings()
    _create_rethreshold_runs()
    _create_calibrations()
    _create_label_draws()
    _create_label_items()
    _create_labels()
    for statement in _view_statements(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    for view in VIEWS:
        op.execute(f"DROP VIEW {view}")
    op.drop_table("labels")
    op.drop_table("label_items")
    op.drop_table("label_draws")
    op.drop_table("calibrations")
    op.drop_table("rethreshold_runs")
    op.drop_table("late_warnings")
    op.drop_table("deferred_spans")
    op.drop_table("deferred_evaluations")


def _create_deferred_evaluations() -> None:
    op.create_table(
        "deferred_evaluations",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("gate_basis", sa.Text(), nullable=False),
        sa.Column("audiences", sa.JSON(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("relevance", sa.Double(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", BIG, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("finished_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_deferred_evaluations_answer_answers", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", name="pk_deferred_evaluations"),
    )
    op.create_index("ix_deferred_evaluations_state_answer", "deferred_evaluations", ["state", "answer"])


def _create_deferred_spans() -> None:
    op.create_table(
        "deferred_spans",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("article", BIG, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("span", sa.JSON(), nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"],
            ["deferred_evaluations.answer"],
            name="fk_deferred_spans_answer_deferred_evaluations",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_deferred_spans_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", "ordinal", name="pk_deferred_spans"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_deferred_spans_article", "deferred_spans", ["article"])


def _create_late_warnings() -> None:
    op.create_table(
        "late_warnings",
        sa.Column("answer", BIG, nullable=False),
        sa.Column("gate_sent", sa.Text(), nullable=False),
        sa.Column("gate_measured", sa.Text(), nullable=False),
        sa.Column("share", sa.Double(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("seen_at", BIG, nullable=True),
        sa.Column("seen_by", sa.Text(), nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_late_warnings_answer_answers", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer", name="pk_late_warnings"),
    )
    op.create_index("ix_late_warnings_seen_at_created_at", "late_warnings", ["seen_at", "created_at"])


def _create_rethreshold_runs() -> None:
    op.create_table(
        "rethreshold_runs",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("threshold", sa.Double(), nullable=True),
        sa.Column("since", BIG, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("last_answer", BIG, nullable=False),
        sa.Column("answers", BIG, nullable=False),
        sa.Column("pairs", BIG, nullable=False),
        sa.Column("changed", BIG, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("finished_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_rethreshold_runs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rethreshold_runs_state", "rethreshold_runs", ["state"])


def _create_calibrations() -> None:
    op.create_table(
        "calibrations",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("coefficients", sa.Text(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("reference", sa.JSON(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("published_at", BIG, nullable=True),
        sa.Column("withdrawn_at", BIG, nullable=True),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_calibrations"),
        sa.UniqueConstraint("version", name="uq_calibrations_version"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_calibrations_published_at", "calibrations", ["published_at"])


def _create_label_draws() -> None:
    op.create_table(
        "label_draws",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("week", sa.Text(), nullable=False),
        sa.Column("population", BIG, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_label_draws"),
        sa.UniqueConstraint("week", name="uq_label_draws_week"),
        sqlite_autoincrement=True,
    )


def _create_label_items() -> None:
    op.create_table(
        "label_items",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("draw", BIG, nullable=True),
        sa.Column("answer", BIG, nullable=True),
        sa.Column("article", BIG, nullable=True),
        sa.Column("version", BIG, nullable=True),
        sa.Column("statement", sa.Integer(), nullable=False),
        sa.Column("week", sa.Text(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("evaluator", sa.Text(), nullable=False),
        sa.Column("inclusion", sa.Double(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"], ["answers.key"], name="fk_label_items_answer_answers", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.key"], name="fk_label_items_article_articles", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["draw"], ["label_draws.key"], name="fk_label_items_draw_label_draws", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version"],
            ["article_versions.key"],
            name="fk_label_items_version_article_versions",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("key", name="pk_label_items"),
        sa.UniqueConstraint("answer", "article", "statement", name="uq_label_items_answer_article_statement"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_label_items_article", "label_items", ["article"])
    op.create_index("ix_label_items_draw", "label_items", ["draw"])
    op.create_index("ix_label_items_version", "label_items", ["version"])


def _create_labels() -> None:
    op.create_table(
        "labels",
        sa.Column("key", BIG, sa.Identity(), nullable=False),
        sa.Column("item", BIG, nullable=False),
        sa.Column("labeller", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["item"], ["label_items.key"], name="fk_labels_item_label_items", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_labels"),
        sa.UniqueConstraint("item", "labeller", name="uq_labels_item_labeller"),
        sqlite_autoincrement=True,
    )


_VIEW_STATEMENTS = Template(
    """
CREATE VIEW bi_answers AS
SELECT a.id AS answer_id, $answer_time AS asked_at, $answer_day AS day,
       a.channel, a.language, a.model, a.found, a.gate, a.confidence,
       CASE WHEN d.state IN ('waiting', 'running') THEN 'evaluating'
            WHEN d.state = 'failed' THEN 'failed' ELSE 'evaluated' END AS state,
       a.evaluator, a.statements, a.judged, a.carried, a.removed_citations,
       a.input_tokens, a.output_tokens, a.cost_usd, a.example, a.updated_at
FROM answers a LEFT JOIN deferred_evaluations d ON d.answer = a.key;

CREATE VIEW bi_statements AS
SELECT a.id AS answer_id, s.ordinal AS statement, s.excerpt AS text, s.judged, s.reason, s.verdict,
       s.updated_at
FROM statements s JOIN answers a ON a.key = s.answer;

CREATE VIEW bi_supports AS
SELECT a.id AS answer_id, s.statement, r.id AS article_id, v.version, s.label, s.probability,
       s.verdict, s.exposed, s.line, e.excerpt AS line_text, e.gone_at IS NOT NULL AS line_gone,
       s.updated_at
FROM supports s
JOIN answers a ON a.key = s.answer
JOIN articles r ON r.key = s.article
JOIN article_versions v ON v.key = s.version
LEFT JOIN line_excerpts e ON e.article = s.article AND e.line_hash = s.line_hash;

CREATE VIEW bi_contributions AS
SELECT a.id AS answer_id, r.id AS article_id, v.version, $contribution_day AS day, c.share,
       c.sole_share, c.statements, c.strongest, c.retrieved, c.exposed, c.stale, c.updated_at
FROM contributions c
JOIN answers a ON a.key = c.answer
JOIN articles r ON r.key = c.article
JOIN article_versions v ON v.key = c.version;

CREATE VIEW bi_articles AS
SELECT r.id AS article_id, r.title, r.uri, r.kind, r.language, r.source, r.origin, r.version,
       u.readers, r.line_count AS lines, r.chunk_count AS chunks, $article_time AS content_at,
       r.removed_at IS NOT NULL AS removed, r.updated_at
FROM articles r JOIN audiences u ON u.key = r.audience
"""
)
"""docs/bi-views.md promises these columns."""


def _view_statements(dialect: str) -> list[str]:
    moment, day = "strftime('%Y-%m-%dT%H:%M:%fZ', {} / 1000.0, 'unixepoch')", "date({} * 86400, 'unixepoch')"
    if dialect == "postgresql":
        moment, day = "to_timestamp({} / 1000.0)", "(DATE '1970-01-01' + {})"
    filled = _VIEW_STATEMENTS.substitute(
        answer_time=moment.format("a.created_at"),
        answer_day=day.format("a.day"),
        contribution_day=day.format("c.day"),
        article_time=moment.format("r.content_at"),
    )
    return filled.split(";")
