"""LabelStore: which pairs people are asked about, and what they said.

Every read leaves out articles that the person may not see. What is shown never tells what the check says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from core.contribution.label_pairs import LabelCounts, LabelPair, LabelRow, WeeklyDraw
from core.contribution.labels import LabelVerdict, Said, is_disputed, settle
from core.contribution.sampling import Drawn, PairFacts, draw_pairs
from core.domain import AnswerId, ArticleId
from core.errors import AskerError
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.engine import Database, hold
from core.storage.keys import Clock, now_ms
from core.storage.label_tables import label_draws, label_items, labels

LABELLING_LOCK = 4_109
ASKED = 2
"""People who are asked about a pair before a third one has to decide."""
AROUND = 3
"""Lines before and after the nearest one that are shown."""
_DAY = 86_400_000
_i, _l, _a, _s = label_items.c, labels.c, t.answers.c, t.supports.c


class SqlLabelStore:
    """Draws are made once a week and never changed; a person says one thing about a pair."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def draw(self, week: str, days: tuple[int, int], size: int, threshold: float) -> WeeklyDraw:
        """Draw from the pairs of the answers of these days (since 1970, both inclusive), unless it was done.

        A week without a pair is not kept as drawn.
        """
        now = self._clock()
        with self._database.writing() as connection:
            hold(connection, LABELLING_LOCK)
            known = connection.execute(select(label_draws).where(label_draws.c.week == week)).first()
            if known is not None:
                query = select(func.count()).select_from(label_items).where(_i.draw == known.key)
                return WeeklyDraw(week, known.population, connection.scalar(query) or 0, is_new=False)
            pairs = connection.execute(_population(days)).all()
            if not pairs:
                return WeeklyDraw(week, 0, 0, is_new=False)
            facts = [PairFacts(row.verdict, row.channel, row.language, row.probability) for row in pairs]
            drawn = draw_pairs(facts, size, threshold, _seed(week))
            head = {"week": week, "population": len(pairs), "created_at": now, "updated_at": now}
            draw = connection.execute(insert(label_draws).returning(label_draws.c.key), head).scalar_one()
            rows = [_item_row(pairs[one.place], week, now, draw, one) for one in drawn]
            connection.execute(insert(label_items), rows)
        return WeeklyDraw(week, len(pairs), len(drawn), is_new=True)

    def next_pair(
        self, labeller: str, audiences: Sequence[AudienceId], later: Sequence[int] = ()
    ) -> LabelPair | None:
        """A pair that this person has not judged and that fewer than two have: those that nobody has judged
        first, of the latest week first. later: pairs that come after all others, in this order."""
        mine = exists().where(_l.item == _i.key, _l.labeller == labeller)
        said = select(func.count()).where(_l.item == _i.key).correlate(label_items).scalar_subquery()
        put_off = case({item: place for place, item in enumerate(later, start=1)}, value=_i.key, else_=0)
        order = (*((put_off,) if later else ()), said, _i.week.desc(), _i.key)
        query = _pairs(audiences).where(~mine, said < ASKED).order_by(*order).limit(1)
        with self._database.reading() as connection:
            found = connection.execute(query).first()
            return None if found is None else _read_pair(connection, found)

    def pair(self, item: int, audiences: Sequence[AudienceId]) -> LabelPair | None:
        with self._database.reading() as connection:
            found = connection.execute(_pairs(audiences).where(_i.key == item)).first()
            return None if found is None else _read_pair(connection, found)

    def save(self, labeller: str, item: int, verdict: LabelVerdict) -> None:
        """Keep what somebody says, in place of what they said before.

        Raises AskerError without such a pair.
        """
        with self._database.writing() as connection:
            hold(connection, LABELLING_LOCK)
            _save(connection, labeller, item, verdict, self._clock())

    def resolve(self, labeller: str, item: int, verdict: LabelVerdict) -> None:
        """Decide a disputed pair as one more person.

        Raises AskerError when it is not disputed, or when this person is among those who differ.
        """
        with self._database.writing() as connection:
            hold(connection, LABELLING_LOCK)
            said = _said(connection, [item]).get(item, ())
            if not is_disputed([one.verdict for one in said]):
                raise AskerError("Nobody disagrees about this pair any more.")
            if labeller in {one.labeller for one in said}:
                raise AskerError("Somebody who has not judged this pair yet has to decide it.")
            _save(connection, labeller, item, verdict, self._clock())

    def undo(self, labeller: str) -> int | None:
        """Take back the last thing this person said; returns the pair, None when there is nothing."""
        last = select(_l.key, _l.item).where(_l.labeller == labeller)
        with self._database.writing() as connection:
            found = connection.execute(last.order_by(_l.updated_at.desc(), _l.key.desc()).limit(1)).first()
            if found is None:
                return None
            connection.execute(delete(labels).where(_l.key == found.key))
            return int(found.item)

    def disputed(self, audiences: Sequence[AudienceId]) -> list[LabelRow]:
        """Pairs about which two people differ and nobody has decided yet, the oldest first."""
        with self._database.reading() as connection:
            said = {
                item: these
                for item, these in _said(connection).items()
                if is_disputed([one.verdict for one in these])
            }
            found = connection.execute(_pairs(audiences).where(_i.key.in_(said)).order_by(_i.key)).all()
            return [LabelRow(_read_pair(connection, row), said[row.item]) for row in found]

    def rows(self, audiences: Sequence[AudienceId]) -> list[LabelRow]:
        """Every pair whose text is still there, with what was said of it."""
        with self._database.reading() as connection:
            found = connection.execute(_pairs(audiences).order_by(_i.key)).all()
            said = _said(connection)
            return [LabelRow(_read_pair(connection, row), said.get(row.item, ())) for row in found]

    def said(self) -> list[tuple[Said, ...]]:
        """What was said of each pair, whether its text is still there or not."""
        with self._database.reading() as connection:
            return list(_said(connection).values())

    def counts(self) -> LabelCounts:
        with self._database.reading() as connection:
            items = connection.scalar(select(func.count()).select_from(label_items)) or 0
            said = [[one.verdict for one in these] for these in _said(connection).values()]
        results = [settle(these) for these in said]
        supported, unsupported = results.count("supported"), results.count("unsupported")
        disputed = sum(is_disputed(these) for these in said)
        return LabelCounts(items, len(said), supported + unsupported, supported, unsupported, disputed)

    def state(self) -> tuple[int, int]:
        """How many labels there are and when the last of them was changed (UTC ms), 0 without any."""
        query = select(func.count(), func.coalesce(func.max(_l.updated_at), 0)).select_from(labels)
        with self._database.reading() as connection:
            count, changed = connection.execute(query).one()
        return int(count), int(changed)

    def find_item(self, answer_id: AnswerId, article_id: ArticleId, statement: int) -> int | None:
        """The pair with these names; one that was not drawn yet is added as picked by somebody. None when
        nothing was measured under these names."""
        now = self._clock()
        with self._database.writing() as connection:
            hold(connection, LABELLING_LOCK)
            these = and_(_a.id == answer_id, t.articles.c.id == article_id)
            joined = select(_i.key).join(t.answers, _a.key == _i.answer)
            known = joined.join(t.articles, t.articles.c.key == _i.article).where(these)
            item = connection.scalar(known.where(_i.statement == statement))
            if item is not None:
                return int(item)
            named = _MEASURED.join(t.articles, t.articles.c.key == _s.article).where(these)
            pair = connection.execute(named.where(_s.statement == statement)).first()
            if pair is None:
                return None
            row = _item_row(pair, "", now, None, None)
            return int(connection.execute(insert(label_items).returning(_i.key), row).scalar_one())


_MEASURED = (
    select(
        *(_s.answer, _s.article, _s.statement, _s.version, _s.probability, _s.verdict),
        *(_a.channel, _a.language, _a.evaluator),
    )
    .join(t.answers, _a.key == _s.answer)
    .where(_s.line_hash.is_not(None), _s.probability.is_not(None), _s.verdict != "not_judged")
)
"""Pairs that can be asked about: with a line to look at and a verdict to compare with."""


def _population(days: tuple[int, int]) -> Select[Any]:
    drawn = exists().where(_i.answer == _s.answer, _i.article == _s.article, _i.statement == _s.statement)
    first, last = days[0] * _DAY, (days[1] + 1) * _DAY - 1
    query = _MEASURED.where(_a.created_at.between(first, last), ~_a.example, ~drawn)
    return query.order_by(_s.answer, _s.article, _s.statement)


def _item_row(pair: Any, week: str, now: int, draw: int | None, drawn: Drawn | None) -> dict[str, object]:
    return {
        "draw": draw,
        "answer": pair.answer,
        "article": pair.article,
        "version": pair.version,
        "statement": pair.statement,
        "week": week,
        "stratum": drawn.stratum if drawn is not None else "picked",
        "channel": pair.channel,
        "language": pair.language,
        "verdict": pair.verdict,
        "probability": pair.probability,
        "evaluator": pair.evaluator,
        "inclusion": drawn.inclusion if drawn is not None else None,
        "created_at": now,
        "updated_at": now,
    }


def _seed(week: str) -> int:
    return int.from_bytes(hashlib.sha256(week.encode()).digest()[:4], "big")


def _pairs(audiences: Sequence[AudienceId]) -> Select[Any]:
    """Pairs whose statement and line are there and whose article may be read."""
    st, e, r = t.statements.c, t.line_excerpts.c, t.articles.c
    pair = and_(_s.answer == _i.answer, _s.article == _i.article, _s.statement == _i.statement)
    return (
        select(
            *(_i.key.label("item"), _i.week, _i.channel, _i.language, _i.statement, _i.article),
            *(_a.id.label("answer_id"), r.id.label("article_id"), r.title, st.excerpt.label("text")),
            *(e.excerpt.label("line_text"), _s.line, t.messages.c.text.label("question")),
            (t.article_versions.c.version == r.version).label("is_latest"),
        )
        .join(t.supports, pair)
        .join(t.answers, _a.key == _i.answer)
        .join(t.articles, r.key == _i.article)
        .join(t.article_versions, t.article_versions.c.key == _s.version)
        .join(t.statements, and_(st.answer == _i.answer, st.ordinal == _i.statement))
        .join(t.line_excerpts, and_(e.article == _s.article, e.line_hash == _s.line_hash))
        .outerjoin(t.messages, t.messages.c.key == _a.question_message)
        .where(readable(audiences))
    )


def _read_pair(connection: Connection, row: Row[Any]) -> LabelPair:
    before, after = _around(connection, row.article, row.line) if row.is_latest else ((), ())
    return LabelPair(
        item=row.item,
        answer_id=row.answer_id,
        article_id=row.article_id,
        article_title=row.title,
        statement=row.statement,
        text=row.text,
        question=row.question or "",
        line=row.line_text,
        before=before,
        after=after,
        week=row.week,
        channel=row.channel,
        language=row.language,
    )


def _around(connection: Connection, article: int, line: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    n = t.lines.c
    near: ColumnElement[bool] = n.ordinal.between(line - AROUND, line + AROUND)
    query = select(n.ordinal, n.text).where(n.article == article, near).order_by(n.ordinal)
    rows = connection.execute(query).all()
    before = tuple(row.text for row in rows if row.ordinal < line)
    return before, tuple(row.text for row in rows if row.ordinal > line)


def _said(connection: Connection, items: Iterable[int] | None = None) -> dict[int, tuple[Said, ...]]:
    """Pair -> what was said of it, oldest first; of all pairs that somebody judged unless some are named."""
    query = select(_l.item, _l.labeller, _l.verdict).order_by(_l.item, _l.created_at, _l.key)
    if items is not None:
        query = query.where(_l.item.in_(list(items)))
    said: dict[int, list[Said]] = {}
    for row in connection.execute(query):
        said.setdefault(row.item, []).append(Said(row.labeller, row.verdict))
    return {item: tuple(these) for item, these in said.items()}


def _save(connection: Connection, labeller: str, item: int, verdict: LabelVerdict, now: int) -> None:
    if connection.scalar(select(_i.key).where(_i.key == item)) is None:
        raise AskerError("There is no such pair.")
    mine = and_(_l.item == item, _l.labeller == labeller)
    known = connection.execute(select(_l.key, _l.verdict).where(mine)).first()
    if known is None:
        row = {"item": item, "labeller": labeller, "verdict": verdict, "created_at": now, "updated_at": now}
        connection.execute(insert(labels), row)
    elif known.verdict != verdict:
        connection.execute(update(labels).where(_l.key == known.key).values(verdict=verdict, updated_at=now))
