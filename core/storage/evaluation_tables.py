"""Tables of evaluations that come later than the reply, and of deciding the past anew."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
)

from core.storage.schema import CLUSTERED, NUMBERED, Big, column, key, of, table

deferred_evaluations = table(
    "deferred_evaluations",
    Column("answer", Big, ForeignKey("answers.key", ondelete="CASCADE"), primary_key=True),
    column("state", Text),
    column("gate_basis", Text),
    column("audiences", JSON),
    column("shown", JSON),
    column("relevance", Double),
    column("worker", Text, null=True),
    column("attempts", Integer),
    column("lease_until", Big, null=True),
    column("reason", Text, null=True),
    column("created_at", Big),
    column("finished_at", Big, null=True),
    Index(None, "state", "answer"),
)
"""Answers that left before they were evaluated: the queue, and afterwards the record that it was so.
state: waiting, running, done or failed. shown: source number -> the articles behind it, with versions.
relevance: of the best source, for the gate. An answer that is waiting or running here is `evaluating`."""

deferred_spans = table(
    "deferred_spans",
    of("answer", "deferred_evaluations.answer"),
    column("ordinal", Integer),
    column("number", Integer),
    of("article", "articles.key"),
    column("version", Text),
    column("span", JSON),
    PrimaryKeyConstraint("answer", "ordinal"),
    Index(None, "article"),
    **CLUSTERED,
)
"""What stood in the prompt of such an answer, until it is evaluated: the article may have changed by then.
A span goes at once when its article is erased."""

late_warnings = table(
    "late_warnings",
    Column("answer", Big, ForeignKey("answers.key", ondelete="CASCADE"), primary_key=True),
    column("gate_sent", Text),
    column("gate_measured", Text),
    column("share", Double, null=True),
    column("created_at", Big),
    column("seen_at", Big, null=True),
    column("seen_by", Text, null=True),
    Index(None, "seen_at", "created_at"),
)
"""Answers that left and turned out to be worse than the gate allowed; share: of supported statements."""

rethreshold_runs = table(
    "rethreshold_runs",
    key(),
    column("version", Text),
    column("threshold", Double, null=True),
    column("since", Big),
    column("state", Text),
    column("last_answer", Big),
    column("answers", Big),
    column("pairs", Big),
    column("changed", Big),
    column("created_at", Big),
    column("finished_at", Big, null=True),
    Index(None, "state"),
    **NUMBERED,
)
"""Deciding the past anew. threshold: NULL is that of the coefficients `version`. since: UTC milliseconds.
last_answer: how far it got; everything up to it is decided and nothing after it."""

calibrations = table(
    "calibrations",
    key(),
    column("version", Text),
    column("coefficients", Text),
    column("report", JSON),
    column("reference", JSON),
    column("created_at", Big),
    column("published_at", Big, null=True),
    column("withdrawn_at", Big, null=True),
    UniqueConstraint("version"),
    Index(None, "published_at"),
    **NUMBERED,
)
"""Coefficients of the support measure that were made here. The one in use was published last and not
withdrawn. reference: feature -> a sample of its values when it was made, for drift."""
