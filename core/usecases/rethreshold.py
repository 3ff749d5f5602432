"""Decide the past anew: another threshold or other coefficients, from stored features alone.

No language model and no embedding model is asked. What was too improbable to be kept when an answer was
measured stays out, so a much lower threshold finds less than measuring anew would.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Protocol

from core.contribution.redeciding import NewRules
from core.contribution.support import SupportModel, load_model, parse_model
from core.errors import AskerError
from core.ports import Progress, no_progress
from core.sections.evaluation import EvaluationSettings


class Run(Protocol):
    """How far a run over the past has come."""

    @property
    def run(self) -> int: ...

    @property
    def answers(self) -> int: ...

    @property
    def pairs(self) -> int: ...

    @property
    def changed(self) -> int: ...

    @property
    def is_resumed(self) -> bool: ...


class PastStore(Protocol):
    """Recorded answers, decided anew block by block."""

    def start(self, rules: NewRules, since: int) -> Run: ...

    def count(self, since: int) -> int: ...

    def advance(self, run: int, rules: NewRules) -> Run | None: ...

    def finish(self, run: int) -> None: ...


class KeptCalibrations(Protocol):
    """Coefficients by version."""

    def published(self) -> str | None: ...

    def coefficients(self, version: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class PastReport:
    """What a run did. version, threshold: what the past is decided by now.

    resumed: whether an earlier run was taken up; the counts are those of both.
    """

    version: str
    threshold: float
    answers: int
    pairs: int
    changed: int
    resumed: bool
    seconds: float


def choose_rules(
    settings: EvaluationSettings,
    calibrations: KeptCalibrations,
    threshold: float | None,
    version: str | None,
) -> NewRules:
    """threshold: None for the configured one, else that of the coefficients. version: None for those in use.

    Raises AskerError for a version that is not there or cannot be read.
    """
    chosen = threshold if threshold is not None else settings.threshold
    model = find_model(calibrations, version)
    return NewRules(model, chosen, settings.verifier_weight, frozenset(settings.counting))


def find_model(calibrations: KeptCalibrations, version: str | None) -> SupportModel:
    """The coefficients of a version, made here or shipped; None for those in use. Raises AskerError."""
    shipped = load_model()
    if version == shipped.version:
        return shipped
    text = calibrations.published() if version is None else calibrations.coefficients(version)
    if text is None:
        if version is None:
            return shipped
        raise AskerError(f"There are no coefficients {version}; `kiyo calibrate list` shows what there is.")
    try:
        return parse_model(text)
    except ValueError as error:
        raise AskerError(f"The coefficients cannot be used: {error}.") from error


def redecide_past(
    store: PastStore,
    rules: NewRules,
    since: date | None = None,
    progress: Progress = no_progress,
    clock: Callable[[], float] = time.monotonic,
) -> PastReport:
    """Apply the rules to every answer from a day (UTC) on, all when none is named.

    Stopped in between, the same call goes on where it was; running it again changes nothing.
    """
    began = clock()
    first = 0 if since is None else _milliseconds(since)
    run = store.start(rules, first)
    resumed, total = run.is_resumed, store.count(first)
    while (further := store.advance(run.run, rules)) is not None:
        run = further
        progress(run.answers, max(total, run.answers), "answers")
    store.finish(run.run)
    return PastReport(
        version=rules.model.version,
        threshold=rules.least,
        answers=run.answers,
        pairs=run.pairs,
        changed=run.changed,
        resumed=resumed,
        seconds=round(clock() - began, 2),
    )


def _milliseconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
