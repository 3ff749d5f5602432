"""How one answer becomes rows, inside a transaction that the store opens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
from sqlalchemy import Connection, Insert, Table, bindparam, insert, select

from core.domain import Answer, ArticleId, Contribution, Support
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.engine import hold, insert_missing
from core.storage.keys import day_of, finite, storable, text_hash, to_ms
from core.storage.rollups import add_answer_figures, add_article_figures
from core.storage.staleness import CARRYING, mark_answer_stale, note_lines_gone

RECORDING_LOCK = 4_103
_NEW_ANSWER = insert(t.answers).returning(t.answers.c.key)
_NEW_MESSAGE = insert(t.messages).returning(t.messages.c.key)
_RECORDED = select(t.answers.c.key).where(t.answers.c.id == bindparam("of_id"))
_ARTICLES = select(t.articles.c.id, t.articles.c.key).where(
    t.articles.c.id.in_(bindparam("ids", expanding=True))
)
_VERSIONS = select(
    t.article_versions.c.article, t.article_versions.c.version, t.article_versions.c.key
).where(
    t.article_versions.c.article.in_(bindparam("articles", expanding=True)),
    t.article_versions.c.version.in_(bindparam("versions", expanding=True)),
)
_FEATURE_SETS = select(t.feature_sets.c.names, t.feature_sets.c.key).where(
    t.feature_sets.c.names.in_(bindparam("names", expanding=True))
)
"""Built once, since they run with every answer."""


@dataclass(frozen=True, slots=True)
class Recording:
    """An answer on its way into the tables; now: UTC milliseconds."""

    answer: Answer
    example: bool
    excerpt_chars: int
    now: int

    @property
    def day(self) -> int:
        return day_of(to_ms(self.answer.created_at))

    @property
    def judged(self) -> int:
        return sum(verdict != "not_judged" for verdict in self.answer.evaluation.verdicts)

    @property
    def carried(self) -> int:
        return sum(verdict in CARRYING for verdict in self.answer.evaluation.verdicts)

    def excerpt(self, text: str) -> str:
        return storable(text)[: self.excerpt_chars]


@dataclass(frozen=True, slots=True)
class _Keys:
    """Integer keys of the answer, its articles and their versions."""

    answer: int
    articles: dict[ArticleId, int]
    versions: dict[tuple[ArticleId, str], int]


def write_answer(connection: Connection, recording: Recording) -> int | None:
    """The whole turn with its rollups; returns the key, None without effect if it is recorded already."""
    hold(connection, RECORDING_LOCK)
    answer = recording.answer
    if connection.scalar(_RECORDED, {"of_id": answer.id}) is not None:
        return None
    articles = _article_keys(connection, recording)
    versions = _version_keys(connection, recording, articles)
    keys = _Keys(_write_head(connection, recording), articles, versions)
    _insert(connection, t.citations, _citation_rows(recording, keys), recording.now)
    _insert(connection, t.exposures, _exposure_rows(recording, keys), recording.now)
    _write_measure(connection, recording, keys)
    add_article_figures(connection, keys.answer, recording.day, recording.now)
    add_answer_figures(connection, _counts(recording), recording.now)
    return keys.answer


def write_measure(connection: Connection, recording: Recording, answer: int) -> None:
    """Statements, pairs and mapping of an answer that was recorded without them.

    The mapping rows that it was recorded with must be gone; the figures of articles and days, and the counts
    in its own row, are left to the caller.
    """
    articles = _article_keys(connection, recording)
    keys = _Keys(answer, articles, _version_keys(connection, recording, articles))
    _write_measure(connection, recording, keys)


def _write_measure(connection: Connection, recording: Recording, keys: _Keys) -> None:
    _insert(connection, t.statements, _statement_rows(recording, keys), recording.now)
    insert_missing(connection, t.line_excerpts, _line_rows(recording, keys))
    note_lines_gone(connection, keys.versions.values(), recording.now)
    features = _feature_sets(connection, recording)
    _insert(connection, t.supports, _support_rows(recording, keys, features), recording.now)
    _insert(connection, t.contributions, _mapping_rows(recording, keys), recording.now)
    mark_answer_stale(connection, keys.answer, recording.now)


def _insert(connection: Connection, table: Table, rows: Iterable[dict[str, object]], now: int) -> None:
    complete = [row | {"updated_at": now} for row in rows]
    if complete:
        connection.execute(_into(table), complete)


@cache
def _into(table: Table) -> Insert:
    return insert(table)


# --- keys ------------------------------------------------------------------------------------------


def _article_keys(connection: Connection, recording: Recording) -> dict[ArticleId, int]:
    answer = recording.answer
    wanted = {
        *(citation.article_id for citation in answer.citations),
        *(exposure.article_id for exposure in answer.exposures),
        *(support.article_id for support in answer.evaluation.supports),
        *(contribution.article_id for contribution in answer.evaluation.contributions),
    }
    these = {"ids": sorted(wanted)}
    known = {row.id: row.key for row in connection.execute(_ARTICLES, these)}
    missing = sorted(wanted - known.keys())
    if missing:
        _note_unknown_articles(connection, missing, recording.now)
        known = {row.id: row.key for row in connection.execute(_ARTICLES, these)}
    return known


def _note_unknown_articles(connection: Connection, missing: Sequence[ArticleId], now: int) -> None:
    """An article erased meanwhile leaves a row that nobody may read, so that the answer is not lost."""
    blank = dict.fromkeys(("path", "uri", "version", "content_hash", "settings_hash"), "")
    blank |= {"kind": "document", "language": "other", "origin": "file"}
    counted = dict.fromkeys(("size", "modified_ns", "chunk_count", "line_count"), 0)
    times = dict.fromkeys(("content_at", "removed_at", "created_at", "updated_at"), now)
    nobody = ensure_audience(connection, (), now)
    common = {**blank, **counted, **times, "audience": nobody}
    insert_missing(
        connection, t.articles, [common | {"id": article, "title": article} for article in missing]
    )


def _version_keys(
    connection: Connection, recording: Recording, articles: dict[ArticleId, int]
) -> dict[tuple[ArticleId, str], int]:
    now = recording.now
    wanted = {(articles[named[0]], named[1]): named for named in _named_versions(recording.answer)}
    these = {
        "articles": sorted({article for article, _ in wanted}),
        "versions": sorted({version for _, version in wanted}),
    }
    found = {(article, version): key for article, version, key in connection.execute(_VERSIONS, these)}
    if not found.keys() >= wanted.keys():
        rows = [
            {"article": article, "version": version, "text": None, "created_at": now, "updated_at": now}
            for article, version in wanted.keys() - found.keys()
        ]
        insert_missing(connection, t.article_versions, rows)
        found = {(article, version): key for article, version, key in connection.execute(_VERSIONS, these)}
    return {named: found[pair] for pair, named in wanted.items()}


def _named_versions(answer: Answer) -> set[tuple[ArticleId, str]]:
    return {
        *((exposure.article_id, exposure.version) for exposure in answer.exposures),
        *((support.article_id, support.version) for support in answer.evaluation.supports),
        *((one.article_id, one.version) for one in answer.evaluation.contributions),
    }


def _feature_sets(connection: Connection, recording: Recording) -> dict[str, int]:
    names = {_names(support) for support in recording.answer.evaluation.supports if support.features}
    if not names:
        return {}
    these = {"names": sorted(names)}
    known = {row.names: row.key for row in connection.execute(_FEATURE_SETS, these)}
    if len(known) < len(names):
        rows = [{"names": one, "updated_at": recording.now} for one in sorted(names - known.keys())]
        insert_missing(connection, t.feature_sets, rows)
        known = {row.names: row.key for row in connection.execute(_FEATURE_SETS, these)}
    return known


def _names(support: Support) -> str:
    return json.dumps(list(support.features), ensure_ascii=False)


# --- rows ------------------------------------------------------------------------------------------


def _write_head(connection: Connection, recording: Recording) -> int:
    answer, now = recording.answer, recording.now
    asked = _write_message(connection, recording, "in", answer.question)
    written = _write_message(connection, recording, "out", answer.text)
    row = {
        "id": answer.id,
        "question_message": asked,
        "answer_message": written,
        "language": answer.language,
        "found": answer.found,
        "channel": storable(answer.channel),
        "asked_by": storable(answer.asked_by),
        "model": storable(answer.model),
        "input_tokens": answer.usage.input_tokens,
        "output_tokens": answer.usage.output_tokens,
        "calls": answer.usage.calls,
        "cost_usd": answer.usage.cost_usd,
        "timings_ms": finite(answer.timings_ms),
        "confidence": answer.confidence,
        "gate": answer.gate,
        "evaluator": answer.evaluation.evaluator,
        "removed_citations": answer.removed_citations,
        "statements": len(answer.evaluation.statements),
        "judged": recording.judged,
        "carried": recording.carried,
        "example": recording.example,
        "day": recording.day,
        "created_at": to_ms(answer.created_at),
        "updated_at": now,
    }
    return int(connection.execute(_NEW_ANSWER, row).scalar_one())


def _write_message(connection: Connection, recording: Recording, direction: str, text: str) -> int:
    answer = recording.answer
    row = {
        "direction": direction,
        "channel": storable(answer.channel),
        "author": storable(answer.asked_by if direction == "in" else answer.model),
        "text": storable(text),
        "created_at": to_ms(answer.created_at),
        "updated_at": recording.now,
    }
    return int(connection.execute(_NEW_MESSAGE, row).scalar_one())


def _citation_rows(recording: Recording, keys: _Keys) -> list[dict[str, object]]:
    return [
        {
            "answer": keys.answer,
            "ordinal": ordinal,
            "n": citation.n,
            "article": keys.articles[citation.article_id],
            "title": storable(citation.title),
            "uri": citation.uri,
            "section": asdict(citation.section),
            "page": citation.page,
            "line_start": citation.line_start,
            "line_end": citation.line_end,
            "quote": recording.excerpt(citation.quote),
        }
        for ordinal, citation in enumerate(recording.answer.citations)
    ]


def _exposure_rows(recording: Recording, keys: _Keys) -> list[dict[str, object]]:
    return [
        {
            "answer": keys.answer,
            "ordinal": ordinal,
            "article": keys.articles[exposure.article_id],
            "version": keys.versions[exposure.article_id, exposure.version],
            "chunk": exposure.chunk_id,
            "first_line": exposure.first_line,
            "last_line": exposure.last_line,
            "rank": exposure.rank,
            "scores": finite(exposure.scores),
            "relevance": exposure.relevance,
            "tokens": exposure.tokens,
            "in_prompt": exposure.in_prompt,
            "source_number": exposure.source_number,
            "cut_because": exposure.cut_because,
        }
        for ordinal, exposure in enumerate(recording.answer.exposures)
    ]


def _statement_rows(recording: Recording, keys: _Keys) -> list[dict[str, object]]:
    evaluation = recording.answer.evaluation
    return [
        {
            "answer": keys.answer,
            "ordinal": statement.ordinal,
            "excerpt": recording.excerpt(statement.text),
            "text_hash": text_hash(statement.text),
            "start_char": statement.start,
            "end_char": statement.end,
            "cited": list(statement.cited),
            "judged": statement.judged,
            "reason": statement.reason,
            "verdict": verdict,
        }
        for statement, verdict in zip(evaluation.statements, evaluation.verdicts, strict=True)
    ]


def _line_rows(recording: Recording, keys: _Keys) -> list[dict[str, object]]:
    """One row for each line, however many statements were compared with it."""
    rows = {
        (keys.articles[support.article_id], text_hash(storable(support.line_text))): support.line_text
        for support in recording.answer.evaluation.supports
        if support.line is not None
    }
    return [
        {
            "article": article,
            "line_hash": line_hash,
            "excerpt": recording.excerpt(text),
            "gone_at": None,
            "updated_at": recording.now,
        }
        for (article, line_hash), text in rows.items()
    ]


def _support_rows(recording: Recording, keys: _Keys, features: dict[str, int]) -> list[dict[str, object]]:
    return [
        {
            "answer": keys.answer,
            "article": keys.articles[support.article_id],
            "statement": support.statement,
            "ordinal": ordinal,
            "version": keys.versions[support.article_id, support.version],
            "line": support.line,
            "line_hash": None if support.line is None else text_hash(storable(support.line_text)),
            "label": support.label,
            "probability": support.probability,
            "verdict": support.verdict,
            "exposed": support.exposed,
            "feature_set": features[_names(support)] if support.features else None,
            "features": _pack(support),
        }
        for ordinal, support in enumerate(recording.answer.evaluation.supports)
    ]


def _pack(support: Support) -> bytes | None:
    return np.array(list(support.features.values()), dtype="<f4").tobytes() if support.features else None


def _mapping_rows(recording: Recording, keys: _Keys) -> list[dict[str, object]]:
    """One row for each article that was retrieved or contributed."""
    exposures = recording.answer.exposures
    shown = {exposure.article_id for exposure in exposures if exposure.in_prompt}
    found = {exposure.article_id for exposure in exposures}
    rows: dict[ArticleId, dict[str, object]] = {}
    for place, one in enumerate(recording.answer.evaluation.contributions):
        row = _measure(one, recording.judged) | {"ordinal": place, "exposed": one.exposed}
        rows[one.article_id] = row | {"version": keys.versions[one.article_id, one.version]}
    for exposure in exposures:
        row = _measure(None, recording.judged) | {"ordinal": None, "exposed": False}
        row["version"] = keys.versions[exposure.article_id, exposure.version]
        rows.setdefault(exposure.article_id, row)
    for article, row in rows.items():
        row |= {"answer": keys.answer, "article": keys.articles[article], "day": recording.day}
        row |= {"retrieved": article in found, "stale": False}
        row["exposed"] = article in shown or row["exposed"]
    return list(rows.values())


def _measure(found: Contribution | None, judged: int) -> dict[str, object]:
    if found is None:
        share = 0.0 if judged else None
        return {"share": share, "sole_share": share, "statements": 0, "strongest": None}
    return {
        "share": found.share,
        "sole_share": found.sole_share,
        "statements": found.statements,
        "strongest": found.strongest,
    }


def _counts(recording: Recording) -> dict[str, object]:
    answer = recording.answer
    return {
        "day": recording.day,
        "channel": storable(answer.channel),
        "language": answer.language,
        "answers": 1,
        "found": int(answer.found),
        "sent": int(answer.gate == "send"),
        "handed_over": int(answer.gate == "hand_over"),
        "statements": len(answer.evaluation.statements),
        "judged": recording.judged,
        "carried": recording.carried,
        "input_tokens": answer.usage.input_tokens,
        "output_tokens": answer.usage.output_tokens,
        "unpriced": int(answer.usage.cost_usd is None),
        "cost_usd": answer.usage.cost_usd or 0.0,
    }
