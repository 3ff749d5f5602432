"""Merge the rankings of several detectors into one order. What a score means is left to `relevance`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.domain import ChunkId, DetectorName, Hit


def fuse_rankings(rankings: Mapping[DetectorName, Sequence[Hit]], k: int = 60) -> list[Hit]:
    """Merge rankings by reciprocal rank: score(c) = sum over rankings of 1 / (k + rank).

    rankings: detector name -> hits, best first, without repeats. Ranks count from 1.
    k: damping in ranks; 60 as in Cormack, Clarke and Buettcher (SIGIR 2009).
    Returns each chunk once, best first; equal scores are ordered by chunk id, so runs repeat.
    Raises ValueError if k < 1 or a ranking repeats a chunk.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    scores: dict[ChunkId, float] = {}
    for name, hits in rankings.items():
        _refuse_repeats(name, hits)
        for rank, hit in enumerate(hits, start=1):
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + 1.0 / (k + rank)
    return _best_first(scores)


def fuse_scores(
    rankings: Mapping[DetectorName, Sequence[Hit]], weights: Mapping[DetectorName, float]
) -> list[Hit]:
    """Merge by a weighted sum of scores that were scaled to [0, 1] inside each ranking (min-max).

    A chunk that a ranking does not hold counts 0 there; a ranking whose scores are all equal counts 1.
    Returns each chunk once, best first; equal scores are ordered by chunk id.
    Raises KeyError if a ranking has no weight, ValueError if it repeats a chunk.
    """
    scores: dict[ChunkId, float] = {}
    for name, hits in rankings.items():
        _refuse_repeats(name, hits)
        weight = weights[name]
        if not hits:
            continue
        low = min(hit.score for hit in hits)
        spread = max(hit.score for hit in hits) - low
        for hit in hits:
            scaled = (hit.score - low) / spread if spread > 0 else 1.0
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + weight * scaled
    return _best_first(scores)


def _refuse_repeats(name: DetectorName, hits: Sequence[Hit]) -> None:
    if len({hit.chunk_id for hit in hits}) != len(hits):
        raise ValueError(f"the ranking of {name} repeats a chunk")


def _best_first(scores: Mapping[ChunkId, float]) -> list[Hit]:
    return [Hit(chunk_id, score) for chunk_id, score in sorted(scores.items(), key=lambda i: (-i[1], i[0]))]
