"""Small articles and answers for tests of what stores them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from core.domain import (
    Answer,
    Article,
    Chunk,
    Citation,
    Contribution,
    Evaluation,
    Exposure,
    Line,
    Section,
    Statement,
    Support,
    Usage,
    Verdict,
)
from core.ports import ArticleRecord, SourceRecord, Vectors

START = datetime(2026, 9, 1, 9, 30, tzinfo=UTC)
SOURCE = SourceRecord("docs", "/srv/docs", "document", frozenset({"public"}))


def article_record(
    path: str,
    texts: Sequence[str],
    *,
    title: str = "Rules",
    readers: Sequence[str] = ("public",),
    embedder: str = "toy",
) -> ArticleRecord:
    """One section, one line a text, one chunk a line; the version is the hash of the text."""
    text = "\n".join(texts)
    starts = np.cumsum([0, *(len(one) + 1 for one in texts)]).tolist()
    spans = [(start, start + len(one)) for start, one in zip(starts, texts, strict=False)]
    version = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    article = Article(
        id=f"docs:{path}",
        source="docs",
        path=path,
        uri=f"file:///srv/docs/{path}",
        title=title,
        kind="document",
        language="en",
        version=version,
        readers=frozenset(readers),
        updated_at=START,
    )
    return ArticleRecord(
        article=article,
        text=text,
        content_hash=version,
        size=len(text),
        modified_ns=1_700_000_000_123_456_789,
        settings_hash="recursive-512",
        sections=(Section(0, 0, title, None, title, "top", 1, 2),),
        lines=tuple(
            Line(n, 0, "sentence", one, start, end, 1, n + 1, n + 1)
            for n, (one, (start, end)) in enumerate(zip(texts, spans, strict=True))
        ),
        chunks=tuple(
            Chunk(n, 0, one, start, end, n, n, len(one.split()), title)
            for n, (one, (start, end)) in enumerate(zip(texts, spans, strict=True))
        ),
        embedder_id=embedder,
        chunk_vectors=toy_vectors(texts),
    )


def toy_vectors(texts: Sequence[str]) -> Vectors:
    """(n, 8) float32, unit length, the same for the same text; zeros for a text without content."""
    rows = np.zeros((len(texts), 8), dtype=np.float32)
    for place, text in enumerate(texts):
        if text.strip():
            seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            direction = np.random.default_rng(seed).normal(size=8)
            rows[place] = direction / np.linalg.norm(direction)
    return rows


@dataclass(frozen=True, slots=True)
class Shown:
    """What one article did for one answer: carried these statements (by ordinal) with these lines."""

    article_id: str
    carried: Mapping[int, str] = field(default_factory=dict)
    exposed: bool = True
    retrieved: bool = True
    version: str = "v1"


def answer_with(
    answer_id: str,
    shown: Sequence[Shown],
    *,
    statements: int = 4,
    judged: bool = True,
    at: datetime = START,
    channel: str = "terminal",
) -> Answer:
    """An answer of `statements` sentences, all judged or none."""
    text = " ".join(f"Statement {n} of {answer_id}." for n in range(statements))
    parts, start = [], 0
    for n in range(statements):
        one = f"Statement {n} of {answer_id}."
        parts.append(Statement(n, one, start, start + len(one), (1,), judged, "" if judged else "question"))
        start += len(one) + 1
    return Answer(
        id=answer_id,
        question=f"What about {answer_id}?",
        text=text,
        language="en",
        found=True,
        citations=tuple(_citation(n, one) for n, one in enumerate(shown, start=1) if one.carried),
        removed_citations=1,
        exposures=tuple(_exposure(n, one) for n, one in enumerate(shown, start=1) if one.retrieved),
        evaluation=_evaluation(parts, shown, judged),
        confidence=0.75,
        gate="send",
        model="extractive",
        usage=Usage(120, 30, None, 1),
        timings_ms={"retrieval": 12.5, "answering": 3.25},
        asked_by="ana",
        channel=channel,
        created_at=at,
    )


def days_later(days: int) -> datetime:
    return START + timedelta(days=days)


def _citation(n: int, shown: Shown) -> Citation:
    section = Section(1, 1, "Leave", 0, "Rules > Leave", "leave", 2, 3)
    quote = next(iter(shown.carried.values()))
    return Citation(n, shown.article_id, "Rules", "file:///srv/docs/rules.md", section, 2, 4, 5, quote)


def _exposure(rank: int, shown: Shown) -> Exposure:
    return Exposure(
        article_id=shown.article_id,
        version=shown.version,
        chunk_id=rank * 10,
        first_line=0,
        last_line=3,
        rank=rank,
        scores={"keyword": 7.25 / rank, "vector": 0.5},
        relevance=1 / rank,
        tokens=40,
        in_prompt=shown.exposed,
        source_number=rank if shown.exposed else None,
        cut_because="" if shown.exposed else "budget",
    )


def _evaluation(statements: Sequence[Statement], shown: Sequence[Shown], judged: bool) -> Evaluation:
    carried = {n for one in shown for n in one.carried}
    verdicts: list[Verdict] = [
        ("supported" if statement.ordinal in carried else "unsupported") if judged else "not_judged"
        for statement in statements
    ]
    count = len(statements) if judged else 0
    return Evaluation(
        statements=tuple(statements),
        verdicts=tuple(verdicts),
        supports=tuple(_support(n, line, one) for one in shown for n, line in one.carried.items()),
        contributions=tuple(
            Contribution(
                article_id=one.article_id,
                version=one.version,
                share=len(one.carried) / count if count else None,
                sole_share=len(one.carried) / count if count else None,
                statements=len(one.carried),
                strongest=0.9375 if one.carried else None,
                exposed=one.exposed,
            )
            for one in shown
            if one.exposed or one.carried
        ),
        evaluator="toy-1",
    )


def _support(statement: int, line: str, shown: Shown) -> Support:
    return Support(
        statement=statement,
        article_id=shown.article_id,
        version=shown.version,
        line=statement,
        line_text=line,
        label=shown.exposed,
        probability=0.9375,
        verdict="supported" if shown.exposed else "uncited",
        features={"cosine": 0.5, "coverage": 0.25},
        exposed=shown.exposed,
    )
