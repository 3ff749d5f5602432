"""How well the right articles are found, on a corpus and questions whose answers are known.

The corpus is read, cut, embedded and indexed by the product's own path, into services that the caller
made for this and throws away.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.contribution.metrics import rank_auc
from core.domain import ANONYMOUS, Article, ArticleId, ChunkId, Hit
from core.errors import ReadError
from core.knowledge.reading import read_passage
from core.ports import AudienceId, FileState, Progress, Services, SourceRecord, no_progress
from core.usecases.ingest import hash_settings, make_record
from core.usecases.refresh import refresh_indexes
from core.usecases.retrieve import retrieve_chunks

Mode = Literal["keyword", "vector", "hybrid"]
SOURCE = "evaluation"
DEPTH = 10
HITS = 100


@dataclass(frozen=True, slots=True)
class Document:
    """One row of the corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """One row of the queries. gold: documents that answer it; empty if nothing in the corpus does."""

    id: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """articles: best first, without repeats. best: score of the first, on the scale of the mode."""

    articles: tuple[ArticleId, ...]
    best: float
    milliseconds: float


Ranking = list[tuple[ChunkId, float]]


async def evaluate_retrieval(
    services: Services,
    corpus: Sequence[Document],
    questions: Sequence[Question],
    mode: Mode = "hybrid",
    progress: Progress = no_progress,
) -> dict[str, float | int | str | None]:
    """Index the corpus in the empty store of `services`, ask every question, measure.

    Ranking figures are over the answerable questions, times over all of them. A figure without questions
    to measure it on is None. answerable_auc: how well the best score tells answerable questions from
    others; for `hybrid` it is the calibrated relevance.
    """
    started = time.perf_counter()
    await index_corpus(services, corpus, progress)
    index_seconds = time.perf_counter() - started
    found = await _ask_all(services, questions, mode, progress)
    answerable = [(q.gold, f.articles) for q, f in zip(questions, found, strict=True) if q.gold]
    times = [f.milliseconds for f in found]
    return {
        "mode": mode,
        "n": len(questions),
        "n_answerable": len(answerable),
        "documents": len(corpus),
        **measure_ranking(answerable),
        "answerable_auc": _answerable_auc(questions, found),
        "p50_ms": round(float(np.percentile(times, 50)), 3) if times else None,
        "p95_ms": round(float(np.percentile(times, 95)), 3) if times else None,
        "index_seconds": round(index_seconds, 3),
    }


def read_corpus(rows: Sequence[Mapping[str, Any]]) -> list[Document]:
    """Rows {id, title, text}. Raises ReadError naming the row that is not like this."""
    documents = [
        Document(_field(row, "id", n), str(row.get("title") or ""), _field(row, "text", n))
        for n, row in enumerate(rows, start=1)
    ]
    if len({document.id for document in documents}) != len(documents):
        raise ReadError("The corpus has the same id twice.")
    return documents


def read_questions(rows: Sequence[Mapping[str, Any]]) -> list[Question]:
    """Rows {id, text, gold_doc_ids}. Raises ReadError naming the row that is not like this."""
    questions = []
    for n, row in enumerate(rows, start=1):
        gold = row.get("gold_doc_ids", [])
        if not isinstance(gold, list):
            raise ReadError(f"Row {n}: `gold_doc_ids` must be a list.")
        ids = frozenset(str(item) for item in gold)
        questions.append(Question(str(row.get("id", n)), _field(row, "text", n), ids))
    return questions


async def index_corpus(
    services: Services, corpus: Sequence[Document], progress: Progress = no_progress
) -> None:
    """Every document becomes an article of its id, for everybody to read."""
    await asyncio.to_thread(
        services.knowledge.save_source,
        SourceRecord(SOURCE, SOURCE, "document", ANONYMOUS.groups),
    )
    settings_hash = hash_settings(services.settings)
    for done, document in enumerate(corpus):
        progress(done, len(corpus), "documents")
        parsed = read_passage(document.text, document.title or document.id)
        content_hash = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
        state = FileState(document.id, document.id, content_hash, 0, 0, "file", settings_hash, False)
        article = Article(
            id=document.id,
            source=SOURCE,
            path=document.id,
            uri=document.id,
            title=parsed.title,
            kind="document",
            language=parsed.language,
            version=content_hash[:16],
            readers=ANONYMOUS.groups,
            updated_at=services.now(),
        )
        record = await make_record(services, article, parsed, state)
        await asyncio.to_thread(services.knowledge.save_article, record)
    progress(len(corpus), len(corpus), "documents")
    await refresh_indexes(services)


def measure_ranking(
    answerable: Sequence[tuple[frozenset[str], Sequence[ArticleId]]],
) -> dict[str, float | None]:
    """recall@k: share of questions with any gold document in the first k; mrr@10; ndcg@10 with equal gains
    (Järvelin and Kekäläinen, TOIS 2002)."""
    names = ("recall@1", "recall@3", "recall@10", "mrr@10", "ndcg@10")
    if not answerable:
        return dict.fromkeys(names)
    rows = [_measure_one(gold, ranked[:DEPTH]) for gold, ranked in answerable]
    return {name: round(float(mean), 4) for name, mean in zip(names, np.mean(rows, axis=0), strict=True)}


def _answerable_auc(questions: Sequence[Question], found: Sequence[Found]) -> float | None:
    labels = np.array([bool(question.gold) for question in questions], dtype=bool)
    area = rank_auc(labels, np.array([one.best for one in found], dtype=float))
    return None if area is None else round(area, 4)


def _measure_one(gold: frozenset[str], ranked: Sequence[ArticleId]) -> tuple[float, ...]:
    ranks = [rank for rank, article in enumerate(ranked, start=1) if article in gold]
    first = ranks[0] if ranks else math.inf
    gain = sum(1 / math.log2(rank + 1) for rank in ranks)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), DEPTH) + 1))
    return float(first <= 1), float(first <= 3), float(first <= DEPTH), 1 / first, gain / ideal


async def _ask_all(
    services: Services, questions: Sequence[Question], mode: Mode, progress: Progress
) -> list[Found]:
    audiences = await asyncio.to_thread(services.knowledge.readable_audiences, ANONYMOUS)
    rank = _ranker(services, mode, audiences)
    owners: dict[ChunkId, ArticleId] = {}
    found = []
    if questions:
        await rank(questions[0].text)  # models and indexes load on first use
    for done, question in enumerate(questions):
        progress(done, len(questions), "questions")
        started = time.perf_counter()
        ranking = await rank(question.text)
        milliseconds = (time.perf_counter() - started) * 1000
        articles = await asyncio.to_thread(_owners, services, owners, ranking, audiences)
        best = ranking[0][1] if ranking else 0.0
        found.append(Found(tuple(dict.fromkeys(articles)), best, milliseconds))
    progress(len(questions), len(questions), "questions")
    return found


def _ranker(
    services: Services, mode: Mode, audiences: Sequence[AudienceId]
) -> Callable[[str], Awaitable[Ranking]]:
    async def by_keyword(text: str) -> Ranking:
        terms = list(dict.fromkeys(services.analyse(text)))
        return _pairs(await asyncio.to_thread(services.keyword.search, terms, audiences, HITS))

    async def by_vector(text: str) -> Ranking:
        vector = await services.embedder.embed_query(text)
        return _pairs(await asyncio.to_thread(services.vector.search, vector, audiences, HITS))

    async def by_both(text: str) -> Ranking:
        retrieved = await retrieve_chunks(services, text, ANONYMOUS)
        return [(c.chunk_id, c.relevance) for c in retrieved.candidates]

    return {"keyword": by_keyword, "vector": by_vector, "hybrid": by_both}[mode]


def _pairs(hits: Sequence[Hit]) -> Ranking:
    return [(hit.chunk_id, hit.score) for hit in hits]


def _owners(
    services: Services, known: dict[ChunkId, ArticleId], ranking: Ranking, audiences: Sequence[AudienceId]
) -> list[ArticleId]:
    missing = [chunk_id for chunk_id, _ in ranking if chunk_id not in known]
    loaded = services.knowledge.load_chunks(missing, audiences) if missing else {}
    known.update({chunk_id: stored.article.id for chunk_id, stored in loaded.items()})
    return [known[chunk_id] for chunk_id, _ in ranking]


def _field(row: Mapping[str, Any], name: str, number: int) -> str:
    value = row.get(name)
    if not isinstance(value, str | int) or (isinstance(value, str) and not value.strip()):
        raise ReadError(f"Row {number}: `{name}` is missing or not a text.")
    return str(value)
