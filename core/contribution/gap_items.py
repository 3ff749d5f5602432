"""What of an answer no article supports, and the values in which gaps travel between use cases and store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.contribution.gaps import Rows
from core.contribution.reasons import reason_not_judged
from core.domain import Answer, ArticleId

QUESTION = -1
"""Stands for the question of an answer where another item is one of its statements, by ordinal."""


@dataclass(frozen=True, slots=True)
class GapText:
    """An item that has to be placed. item: its number in the store."""

    item: int
    text: str


@dataclass(frozen=True, slots=True)
class GapBatch:
    """Placed items as columns, n each. statements: ordinal in the answer, or QUESTION. audiences: of whoever
    asked. revisions: of the knowledge that was searched in vain. vectors: (n, dimensions), float32, unit
    length."""

    items: tuple[int, ...]
    statements: tuple[int, ...]
    audiences: tuple[int, ...]
    revisions: tuple[int, ...]
    vectors: Rows


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """The last thing that happened to an article; live: it can be searched."""

    article_id: ArticleId
    revision: int
    live: bool


@dataclass(frozen=True, slots=True)
class ItemSupport:
    """An article supports an item. probability: that of the check for a statement, the relevance for a
    question. line: the ordinal of the line, None for a question."""

    item: int
    probability: float
    line: int | None


def find_missing(answer: Answer) -> tuple[int, ...]:
    """List what no article supports: ordinals of unsupported statements, or QUESTION.

    The question stands for itself where nothing was found, or where the answer was handed over though all it
    says is supported; a greeting asks nothing. A citation that failed the check says that there is an article
    to read, so `unverified` opens no gap.
    """
    evaluation = answer.evaluation
    statements = tuple(
        statement.ordinal
        for statement, verdict in zip(evaluation.statements, evaluation.verdicts, strict=True)
        if verdict == "unsupported"
    )
    unanswered = not answer.found or (answer.gate == "hand_over" and not statements)
    if unanswered and asks(answer.question):
        return (QUESTION, *statements)
    return statements


def asks(question: str) -> bool:
    """Say whether a question asks anything: a greeting does not."""
    return bool(question.strip()) and reason_not_judged(question.strip(), "text") not in (
        "greeting",
        "too_short",
    )


def nearest_chunks(
    items: Rows, lines: Rows, starts: Sequence[int], least: float, limit: int
) -> list[list[tuple[int, float]]]:
    """For each item the chunks whose best line is near, best first: (row of the chunk, cosine).

    items: (n, d), lines: (m, d), unit length. starts: (chunks,), the first line of each chunk; each has one.
    least: cosines below it are left out. limit: most chunks of an item.
    """
    if not len(items) or not len(starts):
        return [[] for _ in items]
    cosines = np.maximum.reduceat(items @ lines.T, np.asarray(starts), axis=1)
    return [_best(row, least, limit) for row in cosines]


def _best(cosines: NDArray[np.float32], least: float, limit: int) -> list[tuple[int, float]]:
    near = np.flatnonzero(cosines >= least)
    order = near[np.argsort(-cosines[near], kind="stable")][:limit]
    return [(int(row), float(cosines[row])) for row in order]
