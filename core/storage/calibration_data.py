"""CalibrationData: pairs that people decided, values of features, what other rules would make of the past."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, func, select

from core.contribution.features import FEATURES
from core.contribution.label_pairs import SettledPair
from core.contribution.labels import LabelVerdict, settle
from core.contribution.previews import PastPreview, compare_blocks
from core.contribution.redeciding import NewRules
from core.contribution.verifying import VERIFIED
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.engine import Database
from core.storage.keys import sampling_step
from core.storage.label_tables import label_items, labels
from core.storage.redecided_blocks import read_block, read_features
from core.storage.rollup_tables import answer_days
from core.storage.staleness import CARRYING

_i, _l, _s, _a = label_items.c, labels.c, t.supports.c, t.answers.c
_DAY = 86_400_000
_LAST_DAY = 3_000_000
STEP = 500


class SqlCalibrationData:
    """Reads alone. audiences: whose articles a preview may name; None is everybody's."""

    def __init__(self, database: Database, audiences: Sequence[AudienceId] | None = None) -> None:
        self._database = database
        self._audiences = audiences

    def settled(self) -> list[SettledPair]:
        """Every pair that people have decided, in the order in which they were drawn; not `unclear` ones."""
        with self._database.reading() as connection:
            said = _said(connection)
            sets = _feature_names(connection)
            rows = connection.execute(_ITEMS).all()
        decided = [(row, settle(said.get(row.key, ()))) for row in rows]
        return [
            _pair(row, sets, supported=verdict == "supported")
            for row, verdict in decided
            if verdict in ("supported", "unsupported")
        ]

    def feature_values(self, days: tuple[int, int], limit: int) -> dict[str, list[float]]:
        """Feature -> its values in about `limit` pairs, spread evenly over the answers of these days.

        days: since 1970, both inclusive. Absent cosines are left out.
        """
        with self._database.reading() as connection:
            keys, _ = _spread(connection, days, limit)
            rows: list[Any] = []
            for start in range(0, len(keys), STEP):
                query = _FEATURES.where(_s.answer.in_(keys[start : start + STEP])).order_by(_s.answer)
                rows.extend(connection.execute(query))
            step = max(1, len(rows) // max(limit, 1))
            features, _ = read_features(connection, rows[::step][:limit])
        return {
            name: [round(float(value), 4) for value in column[np.isfinite(column)]]
            for name, column in zip(FEATURES, features.T, strict=True)
        }

    def preview(self, rules: NewRules, since: int, limit: int) -> PastPreview:
        """What deciding the answers from `since` (UTC ms) on by these rules would change.

        It is seen on about `limit` of them; nothing is written. What may not be named has no title.
        """
        with self._database.reading() as connection:
            keys, total = _spread(connection, (since // _DAY, _LAST_DAY), limit)
            blocks = []
            for start in range(0, len(keys), STEP):
                query = select(_a.key, _a.day, _a.judged).where(_a.key.in_(keys[start : start + STEP]))
                answers = {row["key"]: row for row in connection.execute(query.order_by(_a.key)).mappings()}
                blocks.append(read_block(connection, answers))
            changed = {article for block in blocks for article in block.articles}
            titles = _titles(connection, changed, self._audiences)
        return compare_blocks(rules, blocks, total, titles)


def _said(connection: Connection) -> Mapping[int, Sequence[LabelVerdict]]:
    said: dict[int, list[LabelVerdict]] = {}
    for row in connection.execute(select(_l.item, _l.verdict).order_by(_l.key)):
        said.setdefault(row.item, []).append(row.verdict)
    return said


def _feature_names(connection: Connection) -> dict[int, tuple[str, ...]]:
    query = select(t.feature_sets.c.key, t.feature_sets.c.names)
    return {row.key: tuple(json.loads(row.names)) for row in connection.execute(query)}


_ITEMS = (
    select(
        *(_i.key, _i.week, _i.answer, _i.verdict, _i.inclusion),
        *(_s.features, _s.feature_set),
    )
    .outerjoin(
        t.supports, (_s.answer == _i.answer) & (_s.article == _i.article) & (_s.statement == _i.statement)
    )
    .order_by(_i.key)
)
_FEATURES = select(_s.answer, _s.features, _s.feature_set).where(_s.features.is_not(None))


def _pair(row: Any, sets: Mapping[int, tuple[str, ...]], *, supported: bool) -> SettledPair:
    values: dict[str, float] = {}
    if row.features is not None:
        packed = np.frombuffer(row.features, dtype="<f4").tolist()
        values = dict(zip(sets[row.feature_set], packed, strict=True))
    verified = values.pop(VERIFIED, None)
    return SettledPair(
        item=row.key,
        week=row.week,
        group=row.answer if row.answer is not None else f"item-{row.key}",
        supported=supported,
        checked=row.verdict in CARRYING,
        weight=1 / row.inclusion if row.inclusion else 1.0,
        features=values,
        verified=verified,
    )


def _spread(connection: Connection, days: tuple[int, int], limit: int) -> tuple[Sequence[int], int]:
    """Keys of at most about `limit` answers with something judged, every so many-th of those of the days, and
    how many answers these days have; examples are left out of the sample.

    The index of times alone decides which rows are looked at.
    """
    d = answer_days.c
    total = int(connection.scalar(select(func.sum(d.answers)).where(d.day.between(*days))) or 0)
    step = sampling_step(total, limit)
    between = _a.created_at.between(days[0] * _DAY, (days[1] + 1) * _DAY - 1)
    query = select(_a.key).where(between, _a.key % step == 0, _a.judged > 0, ~_a.example)
    return connection.scalars(query.order_by(_a.key)).all(), total


def _titles(
    connection: Connection, articles: set[int], audiences: Sequence[AudienceId] | None
) -> dict[int, str]:
    ordered = sorted(articles)
    found: dict[int, str] = {}
    for start in range(0, len(ordered), STEP):
        query = select(t.articles.c.key, t.articles.c.title)
        query = query.where(t.articles.c.key.in_(ordered[start : start + STEP]))
        if audiences is not None:
            query = query.where(readable(audiences))
        found |= {row.key: row.title for row in connection.execute(query)}
    return found
