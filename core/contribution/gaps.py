"""What no article answers: statements and questions without support, grouped by meaning and named."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

SAME_GAP = 0.5
"""Mean cosine from which a text belongs to a group, for the default embedding: chosen on customer questions
of known intent (CLINC150, BANKING77); a question in Japanese and in English has 0.49 to 0.72."""

CLOSED_SHARE = 0.5
"""A gap is closed once an article supports this share of its texts."""


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Texts that ask or state the same. members: their positions, in order. typical: that of the name."""

    members: tuple[int, ...]
    typical: int


def group_gaps(vectors: Rows, threshold: float = SAME_GAP) -> list[GapGroup]:
    """Group texts by meaning, whatever their language; the largest group first, then by first member.

    vectors: (n, d), unit length; a row of zeros stays alone. Each text goes to the group it is nearest to by
    mean cosine; then, with all groups known, each is placed once more. The same vectors in the same order
    give the same groups.
    """
    if not len(vectors):
        return []
    sums = _Sums(vectors.shape)
    placed = [sums.place(vector, sums.nearest(vector, threshold)) for vector in vectors]
    for index, vector in enumerate(vectors):
        sums.take_out(vector, placed[index])
        placed[index] = sums.place(vector, sums.nearest(vector, threshold))
    members: dict[int, list[int]] = {}
    for index, group in enumerate(placed):
        members.setdefault(group, []).append(index)
    groups = [GapGroup(tuple(rows), rows[find_typical(vectors[rows])]) for rows in members.values()]
    return sorted(groups, key=lambda group: (-len(group.members), group.members[0]))


def assign_gap(
    vector: NDArray[np.float32], sums: Rows, counts: Sequence[int], threshold: float = SAME_GAP
) -> int | None:
    """Find the existing group that a new text belongs to, None if it opens a new one.

    sums: (groups, d), the sum of each group's unit vectors. counts: how many texts each has.
    """
    if not len(counts) or not vector.any():
        return None
    nearness = (sums @ vector) / np.maximum(1, np.asarray(counts))
    best = int(np.argmax(nearness))
    return best if nearness[best] >= threshold else None


def find_typical(vectors: Rows) -> int:
    """The row that is nearest to all rows together; the first of equals. Raises ValueError without rows."""
    if not len(vectors):
        raise ValueError("a group without texts has no name")
    return int(np.argmax(np.round(vectors @ vectors.sum(axis=0), 6)))


def is_closed(supported: Sequence[bool], share: float = CLOSED_SHARE) -> bool:
    """Say whether a gap is closed: an article now supports enough of its texts."""
    return bool(supported) and sum(supported) >= share * len(supported)


class _Sums:
    """Sums and counts of the groups as they grow, at most one a text."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._sums: Rows = np.zeros(shape, dtype=np.float32)
        self._counts: list[int] = []

    def nearest(self, vector: NDArray[np.float32], threshold: float) -> int | None:
        return assign_gap(vector, self._sums[: len(self._counts)], self._counts, threshold)

    def place(self, vector: NDArray[np.float32], group: int | None) -> int:
        if group is None:
            group = self._counts.index(0) if 0 in self._counts else len(self._counts)
            if group == len(self._counts):
                self._counts.append(0)
        self._sums[group] += vector
        self._counts[group] += 1
        return group

    def take_out(self, vector: NDArray[np.float32], group: int) -> None:
        self._sums[group] -= vector
        self._counts[group] -= 1
        if not self._counts[group]:
            self._sums[group] = 0.0
