"""Gaps follow verdicts when the past is decided anew: what nothing supports any more opens one.

What is supported now closes by itself, since an item counts only as long as its statement is unsupported.
Nothing is embedded here: new items wait for their place like any others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

from sqlalchemy import BindParameter, Connection, RowMapping, bindparam, delete, exists, func, select, update

from core.contribution.gap_items import QUESTION, asks
from core.domain import PUBLIC
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.engine import insert_missing
from core.storage.gap_tables import gap_items, gap_marks

_i, _a, _x, _r = gap_items.c, t.answers.c, t.exposures.c, t.revisions.c
_RANGE: tuple[BindParameter[int], BindParameter[int]] = (bindparam("first"), bindparam("last"))


@dataclass(frozen=True, slots=True)
class Missing:
    """Ordinals of the statements of one answer that nothing supported before, and supports now."""

    before: frozenset[int]
    after: frozenset[int]


def follow_verdicts(
    connection: Connection,
    answers: Mapping[int, RowMapping],
    missing: Mapping[int, Missing],
    now: int,
) -> None:
    """Open what lost its support. answers: by key, with `found`, `gate` and `created_at`.

    missing: of answers where it changed. Doing so again changes nothing.
    """
    handed_over = {key for key in missing if answers[key]["found"] and answers[key]["gate"] == "hand_over"}
    asking = _questions(connection, [key for key in handed_over if not missing[key].after])
    opened = [(key, ordinal) for key, one in missing.items() for ordinal in sorted(one.after - one.before)]
    opened += [(key, QUESTION) for key in sorted(asking)]
    said = [key for key in handed_over if missing[key].after]
    if said:
        # The question stood for an answer that was handed over though nothing in it was missing.
        connection.execute(delete(gap_items).where(_i.answer.in_(said), _i.statement == QUESTION))
    if opened:
        _open(connection, answers, opened, now)


def compare_again(connection: Connection, answers: Collection[int], now: int) -> None:
    """Have the gaps of these answers compared anew with whatever articles came after them."""
    these = {"first": min(answers), "last": max(answers)}
    oldest = connection.scalar(_OLDEST, these)
    if oldest is not None:
        later = update(gap_marks).where(gap_marks.c.revision > oldest)
        connection.execute(later.values(revision=oldest, updated_at=now))


def _open(
    connection: Connection,
    answers: Mapping[int, RowMapping],
    opened: Collection[tuple[int, int]],
    now: int,
) -> None:
    keys = {key for key, _ in opened}
    audiences = _audiences(connection, keys, now)
    times = {key: answers[key]["created_at"] for key in keys}
    revisions = _revisions(connection, times)
    rows = [
        {
            "answer": key,
            "statement": ordinal,
            "audience": audiences[key],
            "revision": revisions[key],
            "created_at": times[key],
            "updated_at": now,
        }
        for key, ordinal in opened
    ]
    insert_missing(connection, gap_items, rows)


def _audiences(connection: Connection, answers: Collection[int], now: int) -> dict[int, int]:
    """Who is shown a gap of each answer: as its other gaps say, else who may read all that it was shown.

    Nobody, if it was shown what nobody may read any more.
    """
    these = {"first": min(answers), "last": max(answers)}
    known = {row.answer: row.audience for row in connection.execute(_OF_ITEMS, these)}
    needed: dict[int, set[str | None]] = {}
    for row in connection.execute(_RESTRICTED, these):
        needed.setdefault(row.answer, set()).add(row.reader_group)
    made: dict[frozenset[str], int] = {}
    found = {}
    for key in answers:
        names = needed.get(key, set())
        groups = frozenset() if None in names else frozenset({PUBLIC, *(name for name in names if name)})
        if key not in known and groups not in made:
            made[groups] = ensure_audience(connection, groups, now)
        found[key] = known[key] if key in known else made[groups]
    return found


def _revisions(connection: Connection, times: Mapping[int, int]) -> dict[int, int]:
    """The newest revision of the knowledge when each answer was given."""
    query = select(_r.updated_at, _r.revision).where(_r.updated_at <= max(times.values()))
    rows = connection.execute(query.order_by(_r.revision)).all()
    # A clock that went backwards leaves times out of order; a revision never comes before an earlier one.
    rising = list(accumulate((row.updated_at for row in rows), max))
    return {
        key: rows[place - 1].revision if (place := bisect_right(rising, time)) else 0
        for key, time in times.items()
    }


def _questions(connection: Connection, answers: Collection[int]) -> set[int]:
    """Those of the answers whose question asks something."""
    m = t.messages.c
    query = select(_a.key, m.text).join(t.messages, m.key == _a.question_message).where(_a.key.in_(answers))
    return {row.key for row in connection.execute(query) if asks(row.text or "")} if answers else set()


_OLDEST = select(func.min(_i.revision)).where(_i.answer.between(*_RANGE))
_OF_ITEMS = select(_i.answer, _i.audience).where(_i.answer.between(*_RANGE))
_g, _public = t.audience_groups.c, t.audience_groups.alias("public")
_RESTRICTED = (
    select(_x.answer, _g.reader_group)
    .distinct()
    .join(t.articles, t.articles.c.key == _x.article)
    .outerjoin(t.audience_groups, _g.audience == t.articles.c.audience)
    .where(_x.answer.between(*_RANGE), _x.in_prompt)
    .where(~exists().where(_public.c.audience == t.articles.c.audience, _public.c.reader_group == PUBLIC))
)
