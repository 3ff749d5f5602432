"""CalibrationStore: coefficients that were made here, published and withdrawn again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from core.errors import StoreError
from core.storage.engine import Database
from core.storage.evaluation_tables import calibrations
from core.storage.keys import Clock, from_ms, now_ms

_c = calibrations.c
_IN_USE = (
    select(_c.key, _c.version, _c.coefficients)
    .where(_c.published_at.is_not(None), _c.withdrawn_at.is_(None))
    .order_by(_c.published_at.desc(), _c.key.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """One calibration. report: what was measured when it was made. in_use: whether evaluations use it."""

    version: str
    coefficients: str
    report: Mapping[str, Any]
    reference: Mapping[str, Sequence[float]]
    made_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None
    in_use: bool


class SqlCalibrationStore:
    """Implements CalibrationStore; a version is written once and never changed."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def published(self) -> str | None:
        with self._database.reading() as connection:
            found = connection.execute(_IN_USE).first()
            return None if found is None else str(found.coefficients)

    def coefficients(self, version: str) -> str | None:
        """The coefficients of a version, published or not; None when there is none."""
        with self._database.reading() as connection:
            return connection.scalar(select(_c.coefficients).where(_c.version == version))

    def save(
        self,
        version: str,
        coefficients: str,
        report: Mapping[str, Any],
        reference: Mapping[str, Sequence[float]],
    ) -> None:
        """Keep a calibration, not yet in use. Raises StoreError if the version exists already."""
        now = self._clock()
        row = {
            "version": version,
            "coefficients": coefficients,
            "report": dict(report),
            "reference": {name: list(values) for name, values in reference.items()},
            "created_at": now,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            if _find(connection, version) is not None:
                raise StoreError(f"There is a calibration {version} already; choose another name.")
            connection.execute(insert(calibrations), row)

    def publish(self, version: str) -> None:
        """Use it from the next evaluation on. Raises StoreError if there is no such version."""
        with self._database.writing() as connection:
            key = _find(connection, version)
            if key is None:
                raise StoreError(f"There is no calibration {version}; `kiyo calibrate list` shows them.")
            now = self._next_time(connection)
            values = {"published_at": now, "withdrawn_at": None, "updated_at": now}
            connection.execute(update(calibrations).where(_c.key == key).values(values))

    def revert(self) -> tuple[str, str | None]:
        """Withdraw the one in use; returns it and what is in use now, None for what Kiyo ships.

        Raises StoreError when none is published.
        """
        with self._database.writing() as connection:
            found = connection.execute(_IN_USE).first()
            if found is None:
                raise StoreError("No calibration is published; Kiyo's own coefficients are in use.")
            now = self._clock()
            values = {"withdrawn_at": now, "updated_at": now}
            connection.execute(update(calibrations).where(_c.key == found.key).values(values))
            after = connection.execute(_IN_USE).first()
            return found.version, None if after is None else str(after.version)

    def list(self) -> list[CalibrationRow]:
        """Latest first."""
        with self._database.reading() as connection:
            current = connection.execute(_IN_USE).first()
            rows = connection.execute(select(calibrations).order_by(_c.key.desc())).all()
        return [
            CalibrationRow(
                version=row.version,
                coefficients=row.coefficients,
                report=row.report,
                reference=row.reference,
                made_at=from_ms(row.created_at),
                published_at=None if row.published_at is None else from_ms(row.published_at),
                withdrawn_at=None if row.withdrawn_at is None else from_ms(row.withdrawn_at),
                in_use=current is not None and row.key == current.key,
            )
            for row in rows
        ]

    def _next_time(self, connection: Connection) -> int:
        """Now, or just after the last publication if the clock went back meanwhile."""
        last = connection.scalar(
            select(_c.published_at).order_by(_c.published_at.desc().nulls_last()).limit(1)
        )
        return max(self._clock(), (last or 0) + 1)


def _find(connection: Connection, version: str) -> int | None:
    return connection.scalar(select(_c.key).where(_c.version == version))
