"""What a benchmark reports: figures, each beside its target, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a figure is to keep."""

    sense: Literal["<=", ">="]
    bound: float

    def is_met(self, value: float) -> bool:
        return value <= self.bound if self.sense == "<=" else value >= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. target: None for what is shown only."""

    name: str
    value: Value
    unit: str = ""
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        """None where there is nothing to meet or nothing was measured."""
        if self.target is None or not isinstance(self.value, int | float):
            return None
        return self.target.is_met(self.value)


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one part. skipped: why it did not run, "" if it did."""

    part: str
    figures: tuple[Figure, ...]
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts are given. data: the development data. folder: for stores and files, kept by the caller.
    full: also what takes an hour. notes: things worth saying that are no figure."""

    data: Path | None
    folder: Path
    full: bool = False
    notes: list[str] = field(default_factory=list)


class UnavailableError(Exception):
    """A part cannot run here; the text says what is missing."""


def need_data(context: Context) -> Path:
    """The development data. Raises UnavailableError where it is not at hand."""
    if context.data is None:
        raise UnavailableError("needs the development data; KIYO_BENCH_DATA names its folder")
    return context.data


def at_most(bound: float) -> Target:
    return Target("<=", bound)


def at_least(bound: float) -> Target:
    return Target(">=", bound)


def percentile(values: Sequence[float], share: int) -> float:
    """The value below which this share in percent lies, between neighbours by a straight line."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def as_json(reports: Sequence[Report]) -> dict[str, Any]:
    """part -> {"skipped"?, figures: {name: {value, unit, target?, met?}}}."""
    return {report.part: _part_json(report) for report in reports}


def as_table(report: Report) -> Iterator[str]:
    """Lines of text: name, value, target and whether it is met."""
    yield f"\n== {report.part}" + (f": not run, {report.skipped}" if report.skipped else "")
    width = max((len(figure.name) for figure in report.figures), default=0)
    for figure in report.figures:
        verdict = {True: "met", False: "NOT MET", None: ""}[figure.met]
        target = f"{figure.target.sense} {figure.target.bound:g}" if figure.target else ""
        yield f"{figure.name:<{width}}  {_shown(figure):>16}  {target:<10} {verdict}".rstrip()


def _shown(figure: Figure) -> str:
    value = figure.value
    text = "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{text} {figure.unit}".strip()


def _part_json(report: Report) -> dict[str, Any]:
    if report.skipped:
        return {"skipped": report.skipped}
    return {"figures": {figure.name: _figure_json(figure) for figure in report.figures}}


def _figure_json(figure: Figure) -> dict[str, Any]:
    found: dict[str, Any] = {"value": figure.value, "unit": figure.unit}
    if figure.target is not None:
        found |= {"target": f"{figure.target.sense} {figure.target.bound:g}", "met": figure.met}
    return found
