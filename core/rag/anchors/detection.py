"""All detectors over all documents at once; meaning is compared only where words settle nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from core.ports import Vector
from core.rag.anchors.hits import AnchorHit, DetectorRun, Method
from core.rag.anchors.keyword_detectors import detect_lines, detect_pages, detect_titles
from core.rag.anchors.keywords import Occurrences, find_occurrences
from core.rag.anchors.meaning_detectors import Cosines, Nearness, cosines, hits_of, threshold
from core.rag.anchors.named import detect_named
from core.rag.anchors.parsing import AnchorQuestion
from core.rag.anchors.scoring import is_clean
from core.rag.anchors.tables import DocumentTables
from core.rag.anchors.value_detector import detect_values
from core.rag.relevance import CosineScale

NOT_CONFIGURED = "embeddings are switched off"
NO_VECTORS = "no vectors of this kind are stored"

WORD_METHODS: tuple[Method, ...] = ("keyword_lines", "keyword_pages", "keyword_titles", "values", "named")
MEANING_METHODS: tuple[Method, ...] = ("title_embeddings", "line_embeddings", "unit_embeddings")

Found = tuple[DetectorRun, list[AnchorHit]]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How to compare meaning. embed: the question's vector, made when it is first needed. scale: how cosines
    of unrelated texts are spread, given the vector."""

    embed: Callable[[], Awaitable[Vector]]
    scale: Callable[[Vector], Awaitable[CosineScale]]


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found. occurrences, nearness: by document. clean: why embeddings were not needed, or "".
    scale: how the cosines are to be read, None where none were taken."""

    hits: tuple[AnchorHit, ...]
    runs: tuple[DetectorRun, ...]
    occurrences: tuple[Occurrences, ...]
    nearness: tuple[Nearness, ...]
    clean: str = ""
    scale: CosineScale | None = None

    @property
    def found(self) -> bool:
        """Whether any keyword stands anywhere, or any meaning comes near enough. Words that are nowhere in an
        exhaustive scan are evidence of absence; the nearest of all cosines never is."""
        return any(hit.strong for hit in self.hits)


async def detect_anchors(
    documents: Sequence[DocumentTables], question: AnchorQuestion, meaning: Meaning | None
) -> Detection:
    """Run every detector over every document in one task group.

    meaning: None switches the embeddings off. They are skipped as well, and the question is not embedded,
    where the keywords settle a point question in exactly one of the documents.
    """
    scan = _Scan(documents, question, meaning)
    async with asyncio.TaskGroup() as group:
        words = group.create_task(asyncio.to_thread(scan.find_keywords))
        by_words = [group.create_task(scan.by_words(words, method)) for method in WORD_METHODS]
        by_meaning = group.create_task(scan.by_meaning(words))
    nearness, compared, clean, scale = by_meaning.result()
    results = [*(task.result() for task in by_words), *compared]
    return Detection(
        hits=tuple(hit for _, hits in results for hit in hits),
        runs=tuple(run for run, _ in results),
        occurrences=words.result(),
        nearness=nearness,
        clean=clean,
        scale=scale,
    )


@dataclass(frozen=True, slots=True)
class _Scan:
    documents: Sequence[DocumentTables]
    question: AnchorQuestion
    meaning: Meaning | None

    def find_keywords(self) -> tuple[Occurrences, ...]:
        return tuple(find_occurrences(tables, self.question.keywords) for tables in self.documents)

    async def by_words(self, words: asyncio.Task[tuple[Occurrences, ...]], method: Method) -> Found:
        found = await words
        return await asyncio.to_thread(self._run, method, found)

    def _run(self, method: Method, found: Sequence[Occurrences]) -> Found:
        started = time.perf_counter()
        hits = [
            hit
            for i, tables in enumerate(self.documents)
            for hit in _detect_words(method, i, tables, (self.question, found[i]))
        ]
        return DetectorRun(method, True, len(hits), _since(started)), hits

    async def by_meaning(
        self, words: asyncio.Task[tuple[Occurrences, ...]]
    ) -> tuple[tuple[Nearness, ...], list[Found], str, CosineScale | None]:
        clean = self._settled(await words)
        if self.meaning is None or clean:
            reason = NOT_CONFIGURED if self.meaning is None else f"not needed: {clean}"
            skipped: list[Found] = [(DetectorRun(m, False, reason=reason), []) for m in MEANING_METHODS]
            return tuple(Nearness() for _ in self.documents), skipped, clean, None
        vector = await self.meaning.embed()
        scale = await self.meaning.scale(vector)
        return *await asyncio.to_thread(self._compare, vector, scale), "", scale

    def _settled(self, found: Sequence[Occurrences]) -> str:
        reasons = [
            is_clean(tables, self.question, one) for tables, one in zip(self.documents, found, strict=True)
        ]
        settled = [reason for reason in reasons if reason]
        return settled[0] if len(settled) == 1 else ""

    def _compare(self, vector: Vector, scale: CosineScale) -> tuple[tuple[Nearness, ...], list[Found]]:
        by_document = [Nearness() for _ in self.documents]
        results: list[Found] = []
        for method in MEANING_METHODS:
            started = time.perf_counter()
            hits: list[AnchorHit] = []
            compared = False
            for i, tables in enumerate(self.documents):
                found = _compare_one(tables, method, vector)
                compared = compared or found is not None
                by_document[i] = _with(by_document[i], method, found)
                least = threshold(scale, 0 if found is None else len(found))
                hits += hits_of(i, tables, method, found, least)
            reason = "" if compared else NO_VECTORS
            results.append((DetectorRun(method, compared, len(hits), _since(started), reason), hits))
        return tuple(by_document), results


def _detect_words(
    method: Method, document: int, tables: DocumentTables, asked: tuple[AnchorQuestion, Occurrences]
) -> list[AnchorHit]:
    question, occurrences = asked
    if method == "keyword_lines":
        return detect_lines(document, tables, occurrences)
    if method == "keyword_pages":
        return detect_pages(document, tables, occurrences)
    if method == "keyword_titles":
        return detect_titles(document, tables, occurrences)
    if method == "values":
        return detect_values(document, tables, question, occurrences)
    return detect_named(document, tables, question)


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _compare_one(tables: DocumentTables, method: Method, vector: Vector) -> Cosines | None:
    if tables.vectors is None:
        return None
    rows = {
        "title_embeddings": tables.vectors.titles,
        "line_embeddings": tables.vectors.lines,
        "unit_embeddings": tables.vectors.units,
    }[method]
    return cosines(rows, vector)


def _with(nearness: Nearness, method: Method, found: Cosines | None) -> Nearness:
    return Nearness(
        titles=found if method == "title_embeddings" else nearness.titles,
        lines=found if method == "line_embeddings" else nearness.lines,
        units=found if method == "unit_embeddings" else nearness.units,
    )
