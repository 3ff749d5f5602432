"""Decide which candidates stand in the prompt: threshold, order or diversity, duplicates, budget.

Whatever is cut keeps its reason; relevance was settled before and is not changed here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.domain import Candidate, ChunkId, Exposure

CutReason = Literal["below the threshold", "over the number of results", "over the token budget"]


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """Limits of a prompt. threshold is a calibrated relevance; mmr_lambda 1.0 orders like top_k."""

    max_results: int
    threshold: float
    budget_tokens: int
    strategy: Literal["top_k", "mmr"] = "top_k"
    mmr_lambda: float = 0.7


@dataclass(frozen=True, slots=True)
class Selected:
    """One numbered source: the candidate that is printed, and those whose text is the same."""

    number: int
    candidate: Candidate
    duplicates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """sources: in order of relevance, numbered from 1. cut: candidates that stay outside, with the reason."""

    sources: tuple[Selected, ...]
    cut: tuple[tuple[Candidate, CutReason], ...]


def select_within_budget(
    candidates: Sequence[Candidate],
    settings: SelectionSettings,
    vectors: Mapping[ChunkId, NDArray[np.float32]],
    costs: Mapping[ChunkId, int],
) -> Selection:
    """Choose the sources of a prompt from candidates that are ordered best first.

    vectors: unit vectors, used by "mmr" alone (Carbonell and Goldstein, SIGIR 1998).
    costs: tokens of each candidate as it stands in the prompt, markup included.
    The sum of the costs never exceeds the budget. Candidates with equal text share one number, and pass or
    fail together: what stands in the prompt stands in all of their articles.
    """
    groups: list[list[Candidate]] = []
    cut: list[tuple[Candidate, CutReason]] = []
    for group in _group_duplicates(candidates):
        if any(c.relevance >= settings.threshold for c in group):
            groups.append(group)
        else:
            cut.extend((c, "below the threshold") for c in group)
    if settings.strategy == "mmr":
        groups = _order_by_mmr(groups, settings.mmr_lambda, vectors)
    chosen: list[list[Candidate]] = []
    spent = 0
    for group in groups:
        cost = costs[group[0].chunk_id]
        if len(chosen) >= settings.max_results:
            cut.extend((c, "over the number of results") for c in group)
        elif spent + cost > settings.budget_tokens:
            cut.extend((c, "over the token budget") for c in group)
        else:
            chosen.append(group)
            spent += cost
    sources = tuple(Selected(n, group[0], tuple(group[1:])) for n, group in enumerate(chosen, start=1))
    return Selection(sources, tuple(cut))


def list_exposures(selection: Selection, costs: Mapping[ChunkId, int]) -> tuple[Exposure, ...]:
    """The ledger of one prompt: what stood in it, then what was retrieved and cut, by relevance."""
    entries: list[tuple[Candidate, int | None, str]] = []
    for source in selection.sources:
        entries.append((source.candidate, source.number, ""))
        entries.extend((duplicate, source.number, "") for duplicate in source.duplicates)
    entries.extend((candidate, None, reason) for candidate, reason in selection.cut)
    return tuple(
        Exposure(
            article_id=candidate.article.id,
            version=candidate.article.version,
            chunk_id=candidate.chunk_id if candidate.chunk_id >= 0 else None,
            first_line=candidate.chunk.first_line,
            last_line=candidate.chunk.last_line,
            rank=rank,
            scores=candidate.scores,
            relevance=candidate.relevance,
            tokens=costs[candidate.chunk_id],
            in_prompt=number is not None,
            source_number=number,
            cut_because=reason,
        )
        for rank, (candidate, number, reason) in enumerate(entries, start=1)
    )


def _group_duplicates(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(_fold(candidate.chunk.text), []).append(candidate)
    return list(groups.values())


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _order_by_mmr(
    groups: list[list[Candidate]], weight: float, vectors: Mapping[ChunkId, NDArray[np.float32]]
) -> list[list[Candidate]]:
    """Repeatedly take the group with the highest weight * relevance - (1 - weight) * nearest chosen."""
    if not groups:
        return []
    matrix = np.stack([vectors[group[0].chunk_id] for group in groups]).astype(np.float64)
    similarity = matrix @ matrix.T
    relevance = np.array([group[0].relevance for group in groups])
    nearest = np.zeros(len(groups))
    remaining = list(range(len(groups)))
    order: list[int] = []
    while remaining:
        gains = [weight * relevance[i] - (1.0 - weight) * (nearest[i] if order else 0.0) for i in remaining]
        best = remaining.pop(int(np.argmax(gains)))
        order.append(best)
        nearest = np.maximum(nearest, similarity[best])
    return [groups[i] for i in order]
