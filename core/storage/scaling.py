"""Made-up answers in any number, straight into the tables: for seeing how figures and storage grow.

The first answers are recorded like any others; the rest are copies of their rows, moved through the days of a
year. They look like real ones to every report, and are marked as made up by their channel.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    text,
    true,
    update,
)

from core.domain import PUBLIC
from core.ports import Progress, no_progress
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.engine import Database
from core.storage.keys import now_ms, to_ms
from core.storage.made_up import CHANNEL, draw_answer, name_article
from core.storage.recording import Recording, write_answer
from core.storage.rollup_tables import COUNTS, answer_days
from core.storage.rollups import rebuild_article_figures
from core.storage.staleness import mark_stale

FULL_ANSWERS = 1_000_000
FULL_ARTICLES = 5_000
EXPOSURES = 10
"""Of an answer, in its prompt."""
DAYS = 365
BLOCK = 1_000
"""Answers that are recorded one by one and then copied."""
EDITED = 40
"""One line of so many was edited after it carried something."""
_DAY = 86_400_000

BYTES_OF_ANSWER = 6_500
SECONDS_OF_ANSWER = 0.0007
SECONDS_OF_BLOCK = 8.0
"""Measured on two cores of a small machine: on disk, for each copied answer, and for the first block."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is made."""

    answers: int
    articles: int

    @classmethod
    def of(cls, fraction: float) -> Scale:
        """The share of a million answers from 5,000 articles with 10 million exposures."""
        return cls(max(100, round(FULL_ANSWERS * fraction)), max(20, round(FULL_ARTICLES * fraction)))

    @property
    def exposures(self) -> int:
        return self.answers * EXPOSURES

    @property
    def bytes(self) -> int:
        """About what it takes on disk."""
        return self.answers * BYTES_OF_ANSWER

    @property
    def seconds(self) -> float:
        """About what it takes on a small machine."""
        first = min(self.answers, BLOCK)
        return SECONDS_OF_BLOCK * first / BLOCK + self.answers * SECONDS_OF_ANSWER


def fill(database: Database, scale: Scale, until: datetime, progress: Progress = no_progress) -> None:
    """Fill an empty database; the answers are spread over the year that ends at `until`.

    The same scale and time give the same rows.
    """
    step = timedelta(days=DAYS) / scale.answers
    start = until - timedelta(days=DAYS)
    size = min(BLOCK, scale.answers)
    with database.writing() as connection:
        _write_articles(connection, scale.articles, to_ms(start))
        keys = _write_block(connection, scale, (start, step), size)
        _age(connection)
    progress(size, scale.answers, "answers")
    done = size
    while done < scale.answers:
        many = min(size, scale.answers - done)
        with database.writing() as connection:
            _copy_block(connection, keys, done, many, to_ms(start + done * step) - to_ms(start))
        done += many
        progress(done, scale.answers, "answers")
    with database.writing() as connection:
        _count(connection)


@dataclass(frozen=True, slots=True)
class _Keys:
    """First keys of the block that is copied: of its answers and of their messages."""

    answer: int
    message: int


def _write_articles(connection: Connection, count: int, now: int) -> None:
    everybody = ensure_audience(connection, [PUBLIC], now)
    source = {"name": CHANNEL, "location": CHANNEL, "kind": "document", "audience": everybody}
    connection.execute(insert(t.sources), source | {"created_at": now, "updated_at": now})
    blank = {"content_hash": "", "settings_hash": "", "size": 0, "modified_ns": 0, "origin": "file"}
    times = {"content_at": now, "removed_at": None, "created_at": now, "updated_at": now}
    counted = {"chunk_count": 1, "line_count": 20, "version": "1", "kind": "document"}
    rows = []
    for number in range(count):
        article_id, title, language = name_article(number)
        named = {
            "id": article_id,
            "path": article_id,
            "uri": article_id,
            "title": title,
            "language": language,
        }
        rows.append({**blank, **times, **counted, **named, "source": CHANNEL, "audience": everybody})
    connection.execute(insert(t.articles), rows)


def _write_block(connection: Connection, scale: Scale, times: tuple[datetime, timedelta], size: int) -> _Keys:
    """times: of the first answer, and from one to the next."""
    chance = random.Random(scale.answers)  # noqa: S311 - no secret, the same every time
    now, (start, step) = now_ms(), times
    for number in range(size):
        answer = draw_answer(chance, number, scale.articles, EXPOSURES, start + number * step)
        write_answer(connection, Recording(answer, False, 240, now))
    first = select(func.min(t.answers.c.key)).scalar_subquery()
    message = select(func.min(t.messages.c.key)).scalar_subquery()
    row = connection.execute(select(first, message)).one()
    return _Keys(int(row[0]), int(row[1]))


def _age(connection: Connection) -> None:
    """Some lines have been edited since: what they carried is stale."""
    e = t.line_excerpts.c
    now = now_ms()
    connection.execute(update(t.line_excerpts).where(e.line_hash % EDITED == 0).values(gone_at=now))
    mark_stale(connection, true(), now)


def _copy_block(connection: Connection, keys: _Keys, done: int, many: int, later: int) -> None:
    """Copy the first `many` answers of the block behind the `done` that are there, moved on by `later` ms."""
    answers = (keys.answer, keys.answer + many - 1)
    messages = (keys.message, keys.message + 2 * many - 1)
    _copy(connection, t.messages, "key", messages, {"key": 2 * done, "created_at": later})
    a = t.answers.c
    moved: dict[str, int | ColumnElement[Any]] = {
        "key": done,
        "question_message": 2 * done,
        "answer_message": 2 * done,
    }
    said: dict[str, int | ColumnElement[Any]] = {
        "id": literal(f"{CHANNEL}-") + cast(a.key + done, Text),
        "created_at": a.created_at + later,
        "day": (a.created_at + later) // _DAY,
    }
    _copy(connection, t.answers, "key", answers, moved | said)
    for table in (t.citations, t.exposures, t.statements, t.supports):
        _copy(connection, table, "answer", answers, {"answer": done})
    c = t.contributions.c
    day = select(a.day).where(a.key == c.answer + done).scalar_subquery()
    _copy(connection, t.contributions, "answer", answers, {"answer": done, "day": day})


def _copy(
    connection: Connection,
    table: Table,
    by: str,
    between: tuple[int, int],
    changes: dict[str, int | ColumnElement[Any]],
) -> None:
    """Rows with `by` in a range once more. changes: what is added to a column, or stands in its place."""
    columns = [_changed(column, changes.get(column.name, 0)) for column in table.columns]
    rows = select(*columns).where(table.c[by].between(*between)).order_by(*table.primary_key.columns)
    connection.execute(insert(table).from_select([column.name for column in table.columns], rows))


def _changed(column: ColumnElement[Any], change: int | ColumnElement[Any]) -> ColumnElement[Any]:
    if isinstance(change, int):
        return column + change if change else column
    return change


def _count(connection: Connection) -> None:
    """The rollups and, on PostgreSQL, the numbers for the next rows."""
    now, a = now_ms(), t.answers.c
    rebuild_article_figures(connection, now)
    sums = {
        "answers": func.count(),
        "found": _number(a.found),
        "sent": _number(a.gate == "send"),
        "handed_over": _number(a.gate == "hand_over"),
        "unpriced": _number(a.cost_usd.is_(None)),
        "cost_usd": func.coalesce(func.sum(a.cost_usd), 0.0),
    }
    columns = [sums[name] if name in sums else func.sum(a[name]) for name in COUNTS]
    counted = select(a.day, a.channel, a.language, *columns, literal(now)).group_by(
        a.day, a.channel, a.language
    )
    names = ["day", "channel", "language", *COUNTS, "updated_at"]
    connection.execute(delete(answer_days))
    connection.execute(insert(answer_days).from_select(names, counted))
    if connection.dialect.name == "postgresql":
        for name in ("answers", "messages"):
            connection.execute(
                text(f"SELECT setval(pg_get_serial_sequence('{name}', 'key'), MAX(key)) FROM {name}")  # noqa: S608 - names of this module
            )


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))
