"""What charts ask for, recording an answer and deciding the past anew, over made-up answers of a year.

A tenth of a million answers from all the 5,000 articles, with --full a million; see `kiyo demo --scale`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.contribution.measure import MeasureSettings
from core.contribution.redeciding import NewRules
from core.contribution.support import load_model
from core.domain import ANONYMOUS
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.made_up import draw_answer, name_article
from core.storage.migrating import upgrade
from core.storage.reports import Period, Reports
from core.storage.rescoring import SqlPastStore
from core.storage.scaling import EXPOSURES, Scale, fill
from core.usecases.rethreshold import redecide_past
from tests.bench.figures import Context, Figure, at_most, percentile

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
EVERYDAY = Scale(100_000, 5_000)
DAYS = (7, 90, 365)
RUNS = 5
RECORDED = 200
FIGURE_MS = at_most(100)
RECORDING_MS = at_most(10)
BYTES = at_most(2000)
ANEW_SECONDS = at_most(60)


def run(context: Context) -> list[Figure]:
    scale = Scale.of(1.0) if context.full else EVERYDAY
    path = context.folder / f"figures-{scale.answers}-{scale.articles}.db"
    if not path.exists():
        _make(path, scale)
    size = path.stat().st_size
    database = open_database(f"sqlite:///{path}")
    try:
        name = f"{scale.answers:,} answers, {scale.articles:,} articles"
        return [
            Figure(f"{name}: bytes an exposure", round(size / scale.exposures), "bytes", BYTES),
            *measure_charts(database, name),
            *measure_recording(database, scale, name),
            *measure_deciding(database),
        ]
    finally:
        database.close()


def _make(path: Path, scale: Scale) -> None:
    """Under another name until it is whole."""
    draft = path.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    upgrade(f"sqlite:///{draft}")
    database = open_database(f"sqlite:///{draft}")
    try:
        fill(database, scale, NOW)
        with database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()
    draft.rename(path)


def measure_charts(database: Database, name: str) -> Iterator[Figure]:
    """What charts ask for, over periods of up to a year."""
    reports = Reports(database)
    audiences = SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)
    article, _, _ = name_article(0)
    for days in DAYS:
        period = Period((NOW - timedelta(days=days - 1)).date(), NOW.date())
        asked: dict[str, Callable[[Period], object]] = {
            "top 20": lambda period: reports.top_articles(period, audiences, 20),
            "unused": lambda period: reports.unused_articles(period, audiences),
            "series of one article": lambda period: reports.article_series(article, period, audiences),
            "quadrants of all articles": lambda period: reports.quadrant_rows(period, audiences),
        }
        for what, ask in asked.items():
            times = [_milliseconds(ask, period) for _ in range(RUNS)]
            label = f"{name}: {what}, {days} days, median"
            yield Figure(label, round(percentile(times, 50), 1), "ms", FIGURE_MS)


def measure_recording(database: Database, scale: Scale, name: str) -> Iterator[Figure]:
    """One answer after the other, as they come in."""
    store, chance = SqlAnswerStore(database), random.Random(time.time_ns())
    times = []
    for number in range(RECORDED):
        drawn = draw_answer(chance, number, scale.articles, EXPOSURES, NOW)
        answer = replace(drawn, id=f"bench-{time.time_ns()}")
        times.append(_milliseconds(store.record_answer, answer))
    for share in (50, 95):
        what = f"{name}: recording an answer, p{share}"
        yield Figure(what, round(percentile(times, share), 1), "ms", RECORDING_MS)


def measure_deciding(database: Database) -> Iterator[Figure]:
    """The same pairs by another threshold, then by other coefficients, then back."""
    model = load_model()
    store, counted = SqlPastStore(database), MeasureSettings().counted
    other = replace(model, version="other", intercept=model.intercept - 0.5)
    for what, chosen, threshold in (
        ("the shipped coefficients", model, None),
        ("another threshold", model, 0.6),
        ("other coefficients", other, 0.4),
    ):
        report = redecide_past(store, NewRules(chosen, threshold, 0.3, counted))
        seconds = report.seconds * 1_000_000 / max(report.pairs, 1)
        label = f"deciding {report.pairs:,} pairs by {what} ({report.changed:,} change), for a million"
        yield Figure(label, round(seconds, 1), "s", ANEW_SECONDS)


def _milliseconds(work: Callable[[Any], object], argument: object) -> float:
    started = time.perf_counter()
    work(argument)
    return (time.perf_counter() - started) * 1000
