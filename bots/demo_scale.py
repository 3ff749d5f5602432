"""The steps of `kiyo demo --scale`: made-up answers in any number, and how long the figures then take."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bots.console import note, show_progress, write
from bots.rendering import align_columns
from core.config import Settings
from core.domain import ANONYMOUS
from core.errors import OperatorError

if TYPE_CHECKING:
    from core.storage.engine import Database
    from core.storage.scaling import Scale

FOLDER = Path("demo-scale")
SPARE = 1.2
"""So much more than the estimate must be free."""


def run_scaled(settings: Settings, fraction: float) -> None:
    """Say what it takes, fill the store, and time what charts ask for.

    Raises OperatorError before anything is written when the disk is too small.
    """
    from core.storage.engine import open_database
    from core.storage.migrating import upgrade
    from core.storage.scaling import Scale, fill

    scale = Scale.of(fraction)
    write(describe_scale(scale))
    free = shutil.disk_usage(settings.folder).free
    if free < scale.bytes * SPARE:
        raise OperatorError(f"Only {_size(free)} are free in {settings.folder.absolute()}.")
    upgrade(settings.database_url)
    database = open_database(settings.database_url)
    now, started = datetime.now(UTC), time.monotonic()
    try:
        with show_progress() as progress:
            fill(database, scale, now, progress)
        write(f"Made in {time.monotonic() - started:.0f} seconds.")
        write("\n".join(align_columns([("figure", "milliseconds"), *time_figures(database, now)])))
    finally:
        database.close()


def describe_scale(scale: Scale) -> str:
    """What is made, and about how long and how much that takes."""
    return (
        f"{scale.answers:,} made-up answers from {scale.articles:,} articles, {scale.exposures:,} exposures: "
        f"about {_duration(scale.seconds)} and {_size(scale.bytes)}."
    )


def time_figures(database: Database, now: datetime) -> Iterator[tuple[str, str]]:
    """How long each figure of the last 90 days takes, the second time it is asked for."""
    from core.storage.knowledge import SqlKnowledgeStore
    from core.storage.made_up import name_article
    from core.storage.reports import Period, Reports

    audiences = SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)
    period = Period((now - timedelta(days=89)).date(), now.date())
    reports, article_id = Reports(database), name_article(0)[0]
    figures: dict[str, Callable[[], object]] = {
        "top 20 articles": lambda: reports.top_articles(period, audiences, 20),
        "articles that carried nothing": lambda: reports.unused_articles(period, audiences),
        "one article, day by day": lambda: reports.article_series(article_id, period, audiences),
        "quadrants of all articles": lambda: reports.quadrant_rows(period, audiences),
    }
    for name, read in figures.items():
        read()
        started = time.perf_counter()
        read()
        yield name, f"{(time.perf_counter() - started) * 1000:.0f}"


def serve_figures(folder: Path) -> None:
    """The dashboard, until Ctrl-C."""
    from bots.serving import find_free_port, running_dashboard

    with running_dashboard(
        find_free_port(), {"KIYO_CONFIG": str((folder / "kiyo.toml").absolute())}
    ) as address:
        write(f"\nDashboard:  {address}")
        note("Ctrl-C ends it.")
        threading.Event().wait()


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} seconds" if seconds < 100 else f"{round(seconds / 60)} minutes"


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count < 2e9 else f"{count / 1e9:,.1f} GB"
