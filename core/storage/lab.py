"""LabStore: sets of questions for the retrieval lab, and how their runs went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, null, select, update

from core.lab_requests import LabQuestion
from core.storage import tables as t
from core.storage.engine import Database
from core.storage.keys import Clock, from_ms, now_ms
from core.storage.lab_tables import lab_runs, lab_sets

_s, _r, _j = lab_sets.c, lab_runs.c, t.jobs.c


@dataclass(frozen=True, slots=True)
class LabSet:
    """Questions whose articles are known."""

    key: int
    name: str
    questions: tuple[LabQuestion, ...]
    created_by: str


@dataclass(frozen=True, slots=True)
class LabRun:
    """settings: those that were tried. figures: None until the job is done. error: why it failed, else ""."""

    key: int
    settings: Mapping[str, Any]
    figures: Mapping[str, Any] | None
    error: str
    created_by: str
    created_at: datetime


class SqlLabStore:
    """A set is replaced by saving it again under its name; its runs stay."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def sets(self) -> list[LabSet]:
        """By name."""
        with self._database.reading() as connection:
            rows = connection.execute(select(lab_sets).order_by(_s.name)).all()
        return [LabSet(row.key, row.name, _questions(row.questions), row.created_by) for row in rows]

    def save_set(self, name: str, questions: Sequence[LabQuestion], person: str) -> int:
        """Returns its key."""
        now = self._clock()
        told = [{"text": one.text, "articles": list(one.articles)} for one in questions]
        with self._database.writing() as connection:
            known = connection.scalar(select(_s.key).where(_s.name == name))
            if known is not None:
                values = {"questions": told, "updated_at": now}
                connection.execute(update(lab_sets).where(_s.key == known).values(values))
                return int(known)
            row = {
                "name": name,
                "questions": told,
                "created_by": person,
                "created_at": now,
                "updated_at": now,
            }
            return int(connection.execute(insert(lab_sets).returning(_s.key), row).scalar_one())

    def remove_set(self, key: int) -> None:
        """With its runs."""
        with self._database.writing() as connection:
            connection.execute(delete(lab_sets).where(_s.key == key))

    def add_run(self, lab_set: int, job: int, settings: Mapping[str, Any], person: str) -> int:
        """A run whose figures the job will bring."""
        now = self._clock()
        row = {"lab_set": lab_set, "job": job, "settings": dict(settings), "created_by": person}
        row |= {"figures": null(), "created_at": now, "updated_at": now}
        with self._database.writing() as connection:
            return int(connection.execute(insert(lab_runs).values(row).returning(_r.key)).scalar_one())

    def runs(self, lab_set: int) -> list[LabRun]:
        """Oldest first. Figures of jobs that have ended meanwhile are taken over."""
        self._take_over(lab_set)
        query = (
            select(lab_runs, _j.state, _j.result)
            .outerjoin(t.jobs, _j.id == _r.job)
            .where(_r.lab_set == lab_set)
            .order_by(_r.key)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            LabRun(
                key=row.key,
                settings=row.settings,
                figures=row.figures,
                error=str((row.result or {}).get("error", "")) if row.state == "failed" else "",
                created_by=row.created_by,
                created_at=from_ms(row.created_at),
            )
            for row in rows
        ]

    def _take_over(self, lab_set: int) -> None:
        """Jobs may be swept away one day; what they found stays."""
        ended = select(_r.key, _j.result).join(t.jobs, _j.id == _r.job).where(_r.lab_set == lab_set)
        ended = ended.where(_j.state == "done")
        with self._database.reading() as connection:
            rows = [row for row in connection.execute(ended).all() if row.result]
            known = set(connection.scalars(select(_r.key).where(_r.figures.is_not(None))))
        found = {row.key: row.result["figures"] for row in rows if row.key not in known}
        if not found:
            return
        now = self._clock()
        with self._database.writing() as connection:
            for key, figures in found.items():
                values = {"figures": figures, "updated_at": now}
                connection.execute(update(lab_runs).where(_r.key == key).values(values))


def _questions(rows: Sequence[Mapping[str, Any]]) -> tuple[LabQuestion, ...]:
    return tuple(LabQuestion(str(row["text"]), tuple(row["articles"])) for row in rows)
