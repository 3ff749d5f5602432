"""The figures of the overview: read, written in the locale, and held against the period before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.storage.overview_reports import AnswerScope, OverviewReports
from core.storage.reports import Overview, Reports
from dashboard.keeping import keep
from dashboard.runtime import Viewer
from dashboard.text import Words

Colour = Literal["normal", "inverse", "off"]
NowAndBefore = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Figures:
    """helpful, opinions: what people said. median_seconds: of the time an answer took, None without any."""

    counts: Overview
    helpful: int
    opinions: int
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class Told:
    """One figure as it is shown. before, change: "" where there is nothing to hold it against.

    colour: whether more is better, worse, or neither.
    """

    name: str
    value: str
    before: str
    change: str
    colour: Colour


def read_figures(viewer: Viewer, scope: AnswerScope) -> Figures:
    """Figures of the answers of a scope."""

    def read() -> Figures:
        more = OverviewReports(viewer.database)
        counts = Reports(viewer.database).overview(scope.period, scope.channels, scope.languages)
        helpful, opinions = more.opinions(scope) if counts.answers else (0, 0)
        seconds = more.median_seconds(scope) if counts.answers else None
        return Figures(counts, helpful, opinions, seconds)

    days = (scope.period.first, scope.period.last)
    answers = Reports(viewer.database).overview(scope.period).answers
    return keep(
        ("overview", str(viewer.database.engine.url), *days, scope.channels, scope.languages, answers), read
    )


def tell_figures(now: Figures, before: Figures | None, words: Words) -> list[Told]:
    """In the order in which they are shown. before: None where no period comes before."""
    known = before if before is not None and before.counts.answers else None
    return [
        _count("answers", now.counts.answers, 0 if known is None else known.counts.answers),
        _share("carried_share", _both(_carried, now, known), "normal", words),
        _share("handed_share", _both(_handed, now, known), "inverse", words),
        _share("helpful_share", _both(_helpful, now, known), "normal", words),
        _amount("median_time", _both(lambda one: one.median_seconds, now, known), "{:,.1f} s", words),
        _amount("cost_usd", _both(lambda one: one.counts.cost_usd, now, known), "{:,.2f} USD", words),
    ]


def _both(figure: Callable[[Figures], float | None], now: Figures, before: Figures | None) -> NowAndBefore:
    return figure(now), None if before is None else figure(before)


def _carried(one: Figures) -> float | None:
    return _ratio(one.counts.carried, one.counts.judged)


def _handed(one: Figures) -> float | None:
    return _ratio(one.counts.handed_over, one.counts.answers)


def _helpful(one: Figures) -> float | None:
    return _ratio(one.helpful, one.opinions)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _count(name: str, now: int, before: int) -> Told:
    if not before:
        return Told(name, f"{now:,}", "", "", "off")
    return Told(name, f"{now:,}", f"{before:,}", _change(now, before), "off")


def _share(name: str, values: NowAndBefore, colour: Colour, words: Words) -> Told:
    now, before = values
    if now is None:
        return Told(name, words("nothing_known"), "", "", "off")
    if before is None:
        return Told(name, f"{now:.0%}", "", "", "off")
    moved = round(100 * (now - before))
    points = words("points", value=f"{moved:+d}") if moved else ""
    return Told(name, f"{now:.0%}", f"{before:.0%}", points, colour)


def _amount(name: str, values: NowAndBefore, shape: str, words: Words) -> Told:
    now, before = values
    if now is None:
        return Told(name, words("nothing_known"), "", "", "off")
    if not before:
        return Told(name, shape.format(now), "", "", "off")
    return Told(name, shape.format(now), shape.format(before), _change(now, before), "inverse")


def _change(now: float, before: float) -> str:
    moved = round(100 * (now / before - 1))
    return f"{moved:+d}%" if moved else ""
