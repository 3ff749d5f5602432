"""GapStore: what no article answers, grouped by meaning; what closes it and opens it again.

Texts stay where they are: an item points to the statement or the question. An item counts as long as its
statement is still unsupported; what a later evaluation supports drops out by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from core.contribution.gap_items import QUESTION, ArticleChange, GapBatch, GapText, ItemSupport
from core.contribution.gaps import Rows, assign_gap
from core.domain import PUBLIC, AnswerId, ArticleId
from core.ports import AudienceId, Vector
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.engine import Database, hold, insert_missing
from core.storage.gap_tables import gap_items, gap_marks, gap_supports, gaps
from core.storage.keys import Clock, now_ms
from core.storage.vectors import ensure_embedder, find_embedder, pack, unpack

_LOCK = 4_105
_i, _g, _s = gap_items.c, gaps.c, gap_supports.c

counts_still = or_(_i.statement == QUESTION, t.statements.c.verdict == "unsupported")
"""Whether an item is still one, where `statements` is joined as in `with_texts`."""


class SqlGapStore:
    """Every method is one transaction."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    # --- items come in -----------------------------------------------------------------------------

    def note_items(
        self, answer_id: AnswerId, statements: Sequence[int], groups: Iterable[str], revision: int
    ) -> None:
        """Keep items of a recorded answer, once each. groups: of who asked; without any nobody is shown them.

        Nothing happens when there is no such answer.
        """
        now = self._clock()
        with self._database.writing() as connection:
            query = select(t.answers.c.key, t.answers.c.created_at).where(t.answers.c.id == answer_id)
            answer = connection.execute(query).first()
            if answer is None:
                return
            common = {
                "answer": answer.key,
                "audience": ensure_audience(connection, groups, now),
                "revision": revision,
                "created_at": answer.created_at,
                "updated_at": now,
            }
            insert_missing(connection, gap_items, [common | {"statement": one} for one in statements])

    def groups_behind(self, audiences: Sequence[AudienceId]) -> frozenset[str]:
        """Groups that are surely enough to read what these audiences may read, for answers of which only the
        audiences are known."""
        a = t.audience_groups.c
        beside = select(a.audience).where(a.reader_group == PUBLIC)
        query = select(a.reader_group, a.audience).where(a.audience.not_in(beside))
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        outside = {row.reader_group for row in rows if row.audience not in set(audiences)}
        return frozenset({PUBLIC, *(row.reader_group for row in rows if row.reader_group not in outside)})

    # --- items are grouped -------------------------------------------------------------------------

    def unplaced(self, embedder_id: str, limit: int) -> list[GapText]:
        """Items that have no vector of this model yet, oldest first; those whose text is gone are left."""
        with self._database.reading() as connection:
            embedder = find_embedder(connection, embedder_id)
            missing = true() if embedder is None else _i.embedder.is_distinct_from(embedder)
            query = with_texts(_i.key).where(missing, counts_still, TEXT.is_not(None), TEXT != "")
            rows = connection.execute(query.order_by(_i.key).limit(limit))
            return [GapText(row.key, row.text) for row in rows]

    def place(self, embedder_id: str, vectors: Mapping[int, Vector], threshold: float) -> None:
        """Put each item to the gap that it is nearest to by mean cosine, or open a new one for it.

        vectors: by item. An item that belongs to a gap already keeps it and only changes its model.
        """
        now = self._clock()
        with self._database.writing() as connection:
            hold(connection, _LOCK)
            embedder = ensure_embedder(connection, embedder_id, now)
            found = connection.execute(select(_i.key, _i.gap).where(_i.key.in_(list(vectors)))).all()
            groups = _Groups(connection, embedder, now)
            for item in sorted(found, key=lambda row: row.key):
                vector = vectors[item.key]
                gap = groups.renew(item.gap, vector) if item.gap else groups.add(vector, threshold)
                values = {"gap": gap, "embedder": embedder, "vector": pack(vector), "updated_at": now}
                connection.execute(update(gap_items).where(_i.key == item.key).values(values))
            groups.save()

    def drop_empty(self) -> None:
        """Gaps whose items are all gone go, too."""
        with self._database.writing() as connection:
            hold(connection, _LOCK)
            connection.execute(delete(gaps).where(~exists().where(_i.gap == _g.key)))

    # --- articles arrive and go --------------------------------------------------------------------

    def changes(self) -> tuple[int, list[ArticleChange]]:
        """The newest revision, and the articles that changed since the gaps were last compared with them."""
        r, a = t.revisions.c, t.articles.c
        with self._database.reading() as connection:
            newest = connection.scalar(select(func.max(r.revision))) or 0
            mark = connection.scalar(select(gap_marks.c.revision).order_by(gap_marks.c.key.desc()).limit(1))
            query = (
                select(a.id, func.max(r.revision), a.removed_at)
                .join(t.articles, r.article == a.key)
                .where(r.revision > (mark or 0))
                .group_by(a.key, a.id, a.removed_at)
                .order_by(a.key)
            )
            rows = connection.execute(query).all()
        return newest, [ArticleChange(name, revision, removed is None) for name, revision, removed in rows]

    def mark_compared(self, revision: int) -> None:
        """Everything up to this revision is compared with the gaps."""
        now = self._clock()
        with self._database.writing() as connection:
            done = connection.execute(update(gap_marks).values(revision=revision, updated_at=now))
            if not done.rowcount:
                connection.execute(insert(gap_marks).values(revision=revision, updated_at=now))

    def items_after(self, item: int, embedder_id: str, limit: int) -> GapBatch:
        """Placed items in their order, from the one after this number."""
        columns = (_i.key, _i.statement, _i.audience, _i.revision, _i.vector)
        with self._database.reading() as connection:
            embedder = find_embedder(connection, embedder_id)
            query = select(*columns).where(_i.key > item, _i.embedder == embedder).order_by(_i.key)
            rows = connection.execute(query.limit(limit)).all()
        vectors = [unpack(row.vector) for row in rows]
        return GapBatch(
            items=tuple(row.key for row in rows),
            statements=tuple(row.statement for row in rows),
            audiences=tuple(row.audience for row in rows),
            revisions=tuple(row.revision for row in rows),
            vectors=np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32),
        )

    def texts(self, items: Sequence[int]) -> dict[int, str]:
        """Of those that still are items and whose text is there."""
        query = with_texts(_i.key).where(_i.key.in_(items), counts_still, TEXT.is_not(None))
        with self._database.reading() as connection:
            return {row.key: row.text for row in connection.execute(query)}

    def groups_of(self, audience: AudienceId) -> frozenset[str]:
        a = t.audience_groups.c
        with self._database.reading() as connection:
            return frozenset(connection.scalars(select(a.reader_group).where(a.audience == audience)))

    def replace_supports(self, found: Mapping[ArticleId, Sequence[ItemSupport]]) -> None:
        """What these articles support from now on; items are closed and opened by it."""
        now = self._clock()
        with self._database.writing() as connection:
            a = t.articles.c
            query = select(a.id, a.key).where(a.id.in_(list(found)))
            keys = {row.id: row.key for row in connection.execute(query)}
            before = set(connection.scalars(select(_s.item).where(_s.article.in_(keys.values()))))
            connection.execute(delete(gap_supports).where(_s.article.in_(keys.values())))
            rows = [
                {"item": one.item, "article": keys[article], "line": one.line, "updated_at": now}
                | {"probability": one.probability}
                for article, supports in found.items()
                for one in supports
            ]
            insert_missing(connection, gap_supports, rows)
            _settle(connection, before | {one.item for many in found.values() for one in many}, now)


def _settle(connection: Connection, items: Iterable[int], now: int) -> None:
    """Note since when the items are supported, or that they no longer are."""
    supported = exists().where(_s.item == _i.key)
    these = list(items)
    for start in range(0, len(these), 500):
        some = _i.key.in_(these[start : start + 500])
        closed = update(gap_items).where(some, _i.supported_at.is_(None), supported)
        connection.execute(closed.values(supported_at=now, updated_at=now))
        opened = update(gap_items).where(some, _i.supported_at.is_not(None), ~supported)
        connection.execute(opened.values(supported_at=None, lost_at=now, updated_at=now))


class _Groups:
    """The gaps of one model while items are added to them."""

    def __init__(self, connection: Connection, embedder: int, now: int) -> None:
        self._connection, self._embedder, self._now = connection, embedder, now
        rows = connection.execute(select(_g.key, _g.size, _g.sum).where(_g.embedder == embedder)).all()
        self._keys = [row.key for row in rows]
        self._sizes = [row.size for row in rows]
        self._sums = [np.frombuffer(row.sum, dtype="<f4").copy() for row in rows]
        self._changed: set[int] = set()

    def add(self, vector: Vector, threshold: float) -> int:
        """The gap that the vector goes to."""
        sums: Rows = np.array(self._sums, dtype=np.float32).reshape(len(self._sums), len(vector))
        place = assign_gap(vector, sums, self._sizes, threshold)
        if place is None:
            return self._open(vector)
        self._grow(place, vector)
        return int(self._keys[place])

    def renew(self, gap: int, vector: Vector) -> int:
        """The same gap under this model; the sum of another model's vectors is dropped at the first item."""
        if gap not in self._keys:
            self._keys.append(gap)
            self._sizes.append(0)
            self._sums.append(np.zeros(len(vector), dtype=np.float32))
        self._grow(self._keys.index(gap), vector)
        return gap

    def save(self) -> None:
        for place in self._changed:
            values = self._values(self._sizes[place], self._sums[place])
            self._connection.execute(update(gaps).where(_g.key == self._keys[place]).values(values))

    def _grow(self, place: int, vector: Vector) -> None:
        self._sums[place] = self._sums[place] + vector
        self._sizes[place] += 1
        self._changed.add(place)

    def _open(self, vector: Vector) -> int:
        values = self._values(1, vector) | {"created_at": self._now}
        key = int(self._connection.scalars(insert(gaps).values(values).returning(_g.key)).one())
        self._keys.append(key)
        self._sizes.append(1)
        self._sums.append(np.asarray(vector, dtype=np.float32))
        return key

    def _values(self, size: int, total: Vector) -> dict[str, object]:
        packed = np.asarray(total, dtype="<f4").tobytes()
        return {"embedder": self._embedder, "size": size, "sum": packed, "updated_at": self._now}


TEXT: ColumnElement[str | None] = func.coalesce(t.statements.c.excerpt, t.messages.c.text).label("text")


def with_texts(*columns: ColumnElement[Any]) -> Select[Any]:
    """Items with their text: the excerpt of the statement, or the question, NULL once it is gone."""
    of_statement = and_(t.statements.c.answer == _i.answer, t.statements.c.ordinal == _i.statement)
    asked = and_(t.messages.c.key == t.answers.c.question_message, _i.statement == QUESTION)
    return (
        select(*columns, TEXT)
        .select_from(gap_items)
        .join(t.answers, t.answers.c.key == _i.answer)
        .outerjoin(t.statements, of_statement)
        .outerjoin(t.messages, asked)
    )
