"""What needs a person: each alarm with the page on which it is mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from core.contribution.biases import WARNING_CORRELATION
from core.storage.channel_state import SqlHealthStore
from core.storage.overview_reports import OverviewReports
from dashboard.calibrating import Calibrating
from dashboard.keeping import keep
from dashboard.runtime import Viewer

OLD_DAYS = 90
"""A calibration that was made longer ago is too old."""
SILENT = timedelta(minutes=5)
"""A channel that said nothing for so long is down, and work that waited so long has nobody who does it."""
FORGOTTEN = timedelta(days=7)
"""A channel that said nothing for so long is no longer in use."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """word: of its sentence. values: for the sentence. page: where it is mended, with the place on it."""

    word: str
    level: Literal["alarm", "watch"]
    values: tuple[tuple[str, object], ...]
    page: str


def find_alarms(viewer: Viewer, now: datetime | None = None) -> list[Alarm]:
    """All of now, the worst first."""
    moment = now if now is not None else datetime.now(UTC)
    found = [*_channels(viewer, moment), *_indexes(viewer, moment), *_check(viewer, moment)]
    return sorted(found, key=lambda one: one.level != "alarm")


def _channels(viewer: Viewer, now: datetime) -> Iterator[Alarm]:
    """Several processes may serve one channel; it is down when none of them is up."""
    up: set[str] = set()
    down: dict[str, tuple[datetime, str]] = {}
    for health in SqlHealthStore(viewer.database).list_health():
        silent = now - health.heartbeat_at
        if health.state == "stopped" or silent > FORGOTTEN:
            continue
        if health.state == "up" and silent <= SILENT:
            up.add(health.channel)
        else:
            since = health.heartbeat_at if health.state == "up" else health.since
            down[health.channel] = (since, health.error)
    for channel, (since, error) in sorted(down.items()):
        if channel not in up:
            values = (("channel", channel), ("since", f"{since:%Y-%m-%d %H:%M}"), ("error", error or "–"))
            yield Alarm("alarm_channel", "alarm", values, "health")


def _indexes(viewer: Viewer, now: datetime) -> Iterator[Alarm]:
    reports = OverviewReports(viewer.database)
    waiting = reports.waiting_work(now - SILENT)
    if waiting.oldest is not None:
        values = (("count", waiting.count), ("since", f"{waiting.oldest:%Y-%m-%d %H:%M}"))
        yield Alarm("alarm_work", "watch", values, "knowledge")
    if keep(("vectors", str(viewer.database.engine.url)), reports.lacks_vectors):
        yield Alarm("alarm_vectors", "alarm", (), "knowledge")


def _check(viewer: Viewer, now: datetime) -> Iterator[Alarm]:
    work = Calibrating(viewer)
    drift = work.drift(now.date())
    if drift.level in ("alarm", "watch"):
        yield Alarm(f"alarm_drift_{drift.level}", drift.level, (), "calibration#drift")
    biases = work.biases(now.date())
    if biases.warns:
        strongest = max(biases.length or 0.0, biases.sentences or 0.0, key=abs)
        values = (("value", f"{strongest:+.2f}"), ("limit", f"{WARNING_CORRELATION:g}"))
        yield Alarm("alarm_bias", "watch", values, "calibration#biases")
    in_use = next((row for row in work.versions().rows if row.in_use), None)
    if in_use is not None and now - in_use.made_at > timedelta(days=OLD_DAYS):
        age = (("version", in_use.version), ("days", (now - in_use.made_at).days))
        yield Alarm("alarm_old", "watch", age, "calibration")
