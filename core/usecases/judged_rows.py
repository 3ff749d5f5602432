"""Rows that people judged, as `kiyo eval` and `kiyo calibrate` read them, and their features."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import Features, TermStats, count_terms, read_article, weigh_statement
from core.contribution.matching import article_rows, select_lines
from core.contribution.passages import passage_lines
from core.contribution.reading import read_statement, terms_of
from core.contribution.support import SupportModel
from core.errors import ReadError
from core.ports import Embedder, Progress, Vector, no_progress

_BATCH = 512


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A statement, a passage, and whether people found that the passage supports it.

    group: pairs that share a source or question. error_type: why it is unsupported, "" if not said.
    """

    statement: str
    title: str
    text: str
    supported: bool
    lang: str = ""
    group: str = ""
    error_type: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredPair:
    """rows: FEATURES of the passage's best candidate lines, at least one. overlap: the plain baseline."""

    pair: JudgedPair
    rows: Features
    overlap: float


def read_support_rows(rows: Iterable[Mapping[str, Any]]) -> list[JudgedPair]:
    """Check the rows of `kiyo eval support`. Raises ReadError naming the row that is wrong."""
    pairs = []
    for number, row in enumerate(rows, 1):
        label = row.get("label")
        if label not in ("supported", "unsupported"):
            raise ReadError(f"row {number}: `label` must be supported or unsupported, not {label!r}")
        pairs.append(
            JudgedPair(
                statement=_text(row, "sentence", number),
                title="",
                text=_text(row, "source_text", number),
                supported=label == "supported",
                lang=str(row.get("lang") or ""),
                group=str(row.get("group") or row.get("id") or number),
                error_type=str(row.get("error_type") or ""),
            )
        )
    return pairs


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence of an answer and the passages that were supplied; gold: ids of those that carry it.

    passages: (id, title, text).
    """

    sentence: str
    passages: tuple[tuple[str, str, str], ...]
    gold: frozenset[str]
    lang: str
    group: str

    def pairs(self) -> list[JudgedPair]:
        """The sentence with each passage, in order."""
        return [
            JudgedPair(self.sentence, title, text, id_ in self.gold, self.lang, self.group)
            for id_, title, text in self.passages
        ]


def read_attribution_rows(rows: Iterable[Mapping[str, Any]]) -> list[JudgedSentence]:
    """Check the rows of `kiyo eval attribution`, a value a sentence. Raises ReadError naming a wrong row."""
    sentences: list[JudgedSentence] = []
    for number, row in enumerate(rows, 1):
        stated, gold = row.get("answer_sentences"), row.get("gold")
        given = row.get("passages")
        if not isinstance(stated, list) or not isinstance(gold, list) or len(stated) != len(gold):
            raise ReadError(f"row {number}: `answer_sentences` and `gold` must be lists of the same length")
        if not isinstance(given, list) or not all(isinstance(passage, Mapping) for passage in given):
            raise ReadError(f"row {number}: `passages` must be a list of objects with id, title and text")
        passages = tuple(
            (_text(passage, "id", number), str(passage.get("title") or ""), _text(passage, "text", number))
            for passage in given
        )
        lang, group = str(row.get("lang") or ""), str(row.get("group") or row.get("id") or number)
        sentences.extend(
            JudgedSentence(str(sentence), passages, frozenset(map(str, ids)), lang, group)
            for sentence, ids in zip(stated, gold, strict=True)
        )
    return sentences


async def measure_pairs(
    pairs: Sequence[JudgedPair], embedder: Embedder | None, progress: Progress = no_progress
) -> list[MeasuredPair]:
    """Compute the features of each pair, as the product computes them. embedder: None for no cosines.

    How rare terms are is counted over the distinct passages of the pairs.
    """
    passages = dict.fromkeys(f"{pair.title}\n{pair.text}" for pair in pairs)
    stats = await asyncio.to_thread(count_terms, passages)
    texts = [pair.statement for pair in pairs]
    texts += [ref.line.text for pair in pairs for ref in passage_lines(pair.text)]
    vectors = await embed_distinct(texts, embedder, progress) if embedder is not None else {}
    return await asyncio.to_thread(lambda: [_measure(pair, stats, vectors) for pair in pairs])


async def embed_distinct(
    texts: Sequence[str], embedder: Embedder, progress: Progress = no_progress
) -> dict[str, Vector]:
    """Vector of each distinct text."""
    distinct = list(dict.fromkeys(texts))
    vectors: dict[str, Vector] = {}
    for start in range(0, len(distinct), _BATCH):
        batch = distinct[start : start + _BATCH]
        rows = await embedder.embed_passages(batch)
        vectors.update(zip(batch, rows, strict=True))
        progress(len(vectors), len(distinct), "sentences")
    return vectors


def best_log_odds(model: SupportModel, measured: Sequence[MeasuredPair]) -> NDArray[np.float64]:
    """Score of each pair's best line, before calibration."""
    return np.array([model.log_odds(item.rows).max() for item in measured])


def _measure(pair: JudgedPair, stats: TermStats, vectors: Mapping[str, Vector]) -> MeasuredPair:
    lines = passage_lines(pair.text, title=pair.title) or passage_lines("-", title=pair.title)
    article = read_article(lines)
    weighed = weigh_statement(read_statement(pair.statement), stats)
    cosines = _cosines(vectors.get(pair.statement), [vectors.get(ref.line.text) for ref in lines])
    positions = select_lines(weighed, article, cosines) or [int(np.argmax(np.nan_to_num(cosines)))]
    terms = terms_of(pair.statement)
    overlap = sum(1 for term in terms if term in article.terms) / len(terms) if terms else 0.0
    return MeasuredPair(pair, article_rows(weighed, article, positions, cosines), overlap)


def _cosines(statement: Vector | None, lines: Sequence[Vector | None]) -> NDArray[np.float64]:
    def cosine(line: Vector | None) -> float:
        if statement is None or line is None or not statement.any() or not line.any():
            return float("nan")
        return float(np.dot(statement, line))

    return np.array([cosine(line) for line in lines])


def _text(row: Mapping[str, Any], name: str, number: int) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise ReadError(f"row {number}: `{name}` must be text")
    return value
