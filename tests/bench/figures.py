"""A measured figure beside what it is meant to reach, and how both are printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

Wanted = Literal["at least", "at most"]


@dataclass(frozen=True, slots=True)
class Figure:
    """name: part and measure. value None: could not be measured here, `note` says why."""

    name: str
    value: float | None
    target: float | None = None
    wanted: Wanted = "at least"
    note: str = ""

    @property
    def met(self) -> bool | None:
        """None where there is nothing to compare."""
        if self.value is None or self.target is None:
            return None
        return self.value >= self.target if self.wanted == "at least" else self.value <= self.target


def as_table(figures: Sequence[Figure]) -> str:
    """Aligned columns for reading."""
    width = max((len(figure.name) for figure in figures), default=0)
    lines = []
    for figure in figures:
        value = "not measured" if figure.value is None else f"{figure.value:.4g}"
        target = "" if figure.target is None else f"{figure.wanted} {figure.target:g}"
        verdict = {True: "met", False: "NOT MET", None: ""}[figure.met]
        lines.append(f"{figure.name:<{width}}  {value:>12}  {target:<16} {verdict:<8} {figure.note}".rstrip())
    return "\n".join(lines)


def as_json(figures: Sequence[Figure]) -> str:
    """One JSON list, for programs."""
    return json.dumps([{**asdict(figure), "met": figure.met} for figure in figures], ensure_ascii=False)
