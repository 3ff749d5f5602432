"""Draw the pairs that people are asked about, so that a few labels speak for all pairs of a week."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain import Verdict

NEAR_SHARE = 0.7
"""Share of a draw that comes from pairs near the threshold, where labels tell most."""
NEAR_LOG_ODDS = 1.0
"""How far from the threshold, in log odds, a pair is still near it."""


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What a stratum is made of."""

    verdict: Verdict
    channel: str
    language: str
    probability: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """One pair of a draw. place: in the population. inclusion: the probability with which it was drawn."""

    place: int
    stratum: str
    inclusion: float


def draw_pairs(population: Sequence[PairFacts], size: int, threshold: float, seed: int) -> list[Drawn]:
    """Draw `size` pairs, most of them near the threshold, spread over verdict, channel and language.

    Every pair of the population has a chance: where there are more strata than places, language is given up,
    then channel, then verdict. In a stratum of N pairs of which n are drawn each has inclusion n / N, so that
    the sum of 1 / inclusion over the draw is the size of the population (Horvitz and Thompson 1952).
    The same arguments give the same draw, in the order of the population.
    """
    near = [size < 2 or _is_near(one.probability, threshold) for one in population]
    bands = [[place for place, is_near in enumerate(near) if is_near is wanted] for wanted in (True, False)]
    quotas = _split_between(len(bands[0]), len(bands[1]), size)
    generator = np.random.default_rng(seed)
    drawn: list[Drawn] = []
    for name, places, quota in zip(("near", "far"), bands, quotas, strict=True):
        strata = _stratify(population, places, quota)
        counts = _allocate([len(members) for members in strata.values()], quota)
        for (stratum, members), count in zip(strata.items(), counts, strict=True):
            chosen = generator.choice(len(members), count, replace=False).tolist()
            inclusion = count / len(members)
            label = "/".join((name, *map(str, stratum)))
            drawn += [Drawn(members[index], label, inclusion) for index in chosen]
    return sorted(drawn, key=lambda one: one.place)


def _is_near(probability: float, threshold: float) -> bool:
    low, high = 1e-6, 1 - 1e-6
    p, t = min(high, max(low, probability)), min(high, max(low, threshold))
    return bool(abs(np.log(p / (1 - p)) - np.log(t / (1 - t))) <= NEAR_LOG_ODDS)


def _split_between(near: int, far: int, size: int) -> tuple[int, int]:
    """Places for both bands; what one cannot fill the other gets, and neither is left without any."""
    size = min(size, near + far)
    wanted = round(size * NEAR_SHARE)
    if far and size > 1:
        wanted = min(wanted, size - 1)
    if near:
        wanted = max(wanted, 1)
    first = min(near, max(wanted, size - far))
    return first, size - first


def _stratify(
    population: Sequence[PairFacts], places: Sequence[int], quota: int
) -> dict[tuple[Hashable, ...], list[int]]:
    """The finest strata of which there are no more than places to give, in a fixed order."""
    keys: tuple[Callable[[PairFacts], tuple[Hashable, ...]], ...] = (
        lambda one: (one.verdict, one.channel, one.language),
        lambda one: (one.verdict, one.channel),
        lambda one: (one.verdict,),
        lambda _: (),
    )
    strata: dict[tuple[Hashable, ...], list[int]] = {}
    for key in keys:
        strata = {}
        for place in places:
            strata.setdefault(key(population[place]), []).append(place)
        if len(strata) <= max(1, quota):
            break
    return {key: strata[key] for key in sorted(strata, key=str)}


def _allocate(sizes: Sequence[int], quota: int) -> list[int]:
    """Places for each stratum: one at least, the rest by the root of its size, never more than it has."""
    counts = [min(1, size) for size in sizes] if quota >= len(sizes) else [0] * len(sizes)
    left = min(quota, sum(sizes)) - sum(counts)
    while left > 0:
        room = [index for index, size in enumerate(sizes) if counts[index] < size]
        lacking = max(room, key=lambda index: (np.sqrt(sizes[index]) / (counts[index] + 1), -index))
        counts[lacking] += 1
        left -= 1
    return counts
