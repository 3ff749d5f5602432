"""Which of four fields an article stands in: how often it was shown against how much it then carried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal, get_args

Quadrant = Literal["carrying", "hidden", "in_vain", "idle"]
"""carrying: shown often, carries much. hidden: seldom shown, carries much. in_vain: shown often, carries
little. idle: seldom shown, carries little."""

QUADRANTS: tuple[Quadrant, ...] = get_args(Quadrant)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From these values on an article counts as shown often, and as carrying much. Zero never does."""

    exposure: float
    rate: float


def find_thresholds(figures: Iterable[tuple[int, float | None]]) -> Thresholds:
    """The medians over the articles of a period.

    figures: (exposure, rate) of each; a rate of None was never measured and is left out of its median.
    """
    known = list(figures)
    rates = [rate for _, rate in known if rate is not None]
    return Thresholds(
        exposure=float(median([exposure for exposure, _ in known])) if known else 0.0,
        rate=float(median(rates)) if rates else 0.0,
    )


def classify_quadrant(exposure: int, rate: float | None, thresholds: Thresholds) -> Quadrant:
    """The field of an article with these figures."""
    often = exposure > 0 and exposure >= thresholds.exposure
    much = rate is not None and rate > 0 and rate >= thresholds.rate
    if much:
        return "carrying" if often else "hidden"
    return "in_vain" if often else "idle"
