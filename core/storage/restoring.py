"""Rows of answers back into values, many answers at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, Select, Table, and_, select

from core.domain import (
    Answer,
    Citation,
    Contribution,
    Evaluation,
    Exposure,
    Section,
    Statement,
    Support,
    Usage,
)
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.keys import from_ms, text_hash


def restore_answers(
    connection: Connection, keys: Sequence[int], audiences: Sequence[AudienceId] | None
) -> list[Answer]:
    """In the order of `keys`. audiences: only articles that these may read; None: all."""
    heads = {row.key: row for row in connection.execute(_HEADS.where(t.answers.c.key.in_(keys)))}
    parts = {
        table.name: _parts(connection, _limited(query, audiences).where(table.c.answer.in_(keys)))
        for table, query in (
            (t.citations, _CITATIONS),
            (t.exposures, _EXPOSURES),
            (t.supports, _SUPPORTS),
            (t.contributions, _CONTRIBUTIONS),
        )
    }
    parts["statements"] = _parts(connection, _STATEMENTS.where(t.statements.c.answer.in_(keys)))
    return [_answer(heads[key], {name: rows.get(key, []) for name, rows in parts.items()}) for key in keys]


def _parts(connection: Connection, query: Select[Any]) -> dict[int, list[Row[Any]]]:
    rows: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in connection.execute(query):
        rows[row.answer].append(row)
    return rows


def _limited(query: Select[Any], audiences: Sequence[AudienceId] | None) -> Select[Any]:
    return query if audiences is None else query.where(readable(audiences))


def _answer(head: Row[Any], parts: dict[str, list[Row[Any]]]) -> Answer:
    text = head.answer_text or ""
    return Answer(
        id=head.id,
        question=head.question_text or "",
        text=text,
        language=head.language,
        found=head.found,
        citations=tuple(_citation(row) for row in parts["citations"]),
        removed_citations=head.removed_citations,
        exposures=tuple(_exposure(row) for row in parts["exposures"]),
        evaluation=Evaluation(
            statements=tuple(_statement(row, text) for row in parts["statements"]),
            verdicts=tuple(row.verdict for row in parts["statements"]),
            supports=tuple(_support(row) for row in parts["supports"]),
            contributions=tuple(_contribution(row) for row in parts["contributions"]),
            evaluator=head.evaluator,
        ),
        confidence=head.confidence,
        gate=head.gate,
        model=head.model,
        usage=Usage(head.input_tokens, head.output_tokens, head.cost_usd, head.calls),
        timings_ms=head.timings_ms,
        asked_by=head.asked_by,
        channel=head.channel,
        created_at=from_ms(head.created_at),
    )


def _citation(row: Row[Any]) -> Citation:
    return Citation(
        n=row.n,
        article_id=row.article_id,
        title=row.title,
        uri=row.uri,
        section=Section(**row.section),
        page=row.page,
        line_start=row.line_start,
        line_end=row.line_end,
        quote=row.quote,
    )


def _exposure(row: Row[Any]) -> Exposure:
    return Exposure(
        article_id=row.article_id,
        version=row.version_name,
        chunk_id=row.chunk,
        first_line=row.first_line,
        last_line=row.last_line,
        rank=row.rank,
        scores=row.scores,
        relevance=row.relevance,
        tokens=row.tokens,
        in_prompt=row.in_prompt,
        source_number=row.source_number,
        cut_because=row.cut_because,
    )


def _statement(row: Row[Any], answer_text: str) -> Statement:
    whole = answer_text[row.start_char : row.end_char]
    return Statement(
        ordinal=row.ordinal,
        text=whole if text_hash(whole) == row.text_hash else row.excerpt,
        start=row.start_char,
        end=row.end_char,
        cited=tuple(row.cited),
        judged=row.judged,
        reason=row.reason,
    )


def _support(row: Row[Any]) -> Support:
    values = np.frombuffer(row.features or b"", dtype="<f4")
    return Support(
        statement=row.statement,
        article_id=row.article_id,
        version=row.version_name,
        line=row.line,
        line_text=row.excerpt or "",
        label=row.label,
        probability=row.probability,
        verdict=row.verdict,
        features=dict(zip(json.loads(row.names or "[]"), values.tolist(), strict=True)),
        exposed=row.exposed,
    )


def _contribution(row: Row[Any]) -> Contribution:
    return Contribution(
        article_id=row.article_id,
        version=row.version_name,
        share=row.share,
        sole_share=row.sole_share,
        statements=row.statements,
        strongest=row.strongest,
        exposed=row.exposed,
    )


_ARTICLE_ID = t.articles.c.id.label("article_id")
_VERSION = t.article_versions.c.version.label("version_name")
_asked = t.messages.alias("asked")
_written = t.messages.alias("written")

_HEADS = (
    select(t.answers, _asked.c.text.label("question_text"), _written.c.text.label("answer_text"))
    .outerjoin(_asked, _asked.c.key == t.answers.c.question_message)
    .outerjoin(_written, _written.c.key == t.answers.c.answer_message)
)
_STATEMENTS = select(t.statements).order_by(t.statements.c.answer, t.statements.c.ordinal)
_CITATIONS = (
    select(t.citations, _ARTICLE_ID)
    .join(t.articles, t.citations.c.article == t.articles.c.key)
    .order_by(t.citations.c.answer, t.citations.c.ordinal)
)


def _of_version(table: Table, *more: Any) -> Select[Any]:
    return (
        select(table, _ARTICLE_ID, _VERSION, *more)
        .join(t.articles, table.c.article == t.articles.c.key)
        .join(t.article_versions, table.c.version == t.article_versions.c.key)
        .order_by(table.c.answer, table.c.ordinal)
    )


_EXPOSURES = _of_version(t.exposures)
_CONTRIBUTIONS = _of_version(t.contributions).where(t.contributions.c.ordinal.is_not(None))
_SUPPORTS = (
    _of_version(t.supports, t.line_excerpts.c.excerpt, t.feature_sets.c.names)
    .outerjoin(
        t.line_excerpts,
        and_(
            t.line_excerpts.c.article == t.supports.c.article,
            t.line_excerpts.c.line_hash == t.supports.c.line_hash,
        ),
    )
    .outerjoin(t.feature_sets, t.feature_sets.c.key == t.supports.c.feature_set)
)
