"""Reads for the list of answers: search, filters and pages, within what the person looking may read.

Latest first along the index of times; what an answer says in full is read by `SqlAnswerStore`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    or_,
    select,
)

from core.domain import AnswerId
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.engine import Database
from core.storage.evaluation_tables import deferred_evaluations
from core.storage.keys import day_number, from_ms, to_ms
from core.storage.reports import Period
from core.storage.rollup_tables import answer_days

_DAY_MS = 86_400_000
BLOCK = 2_000
"""Answers that are read at once for a file."""
SEARCHED = 30_000
"""Answers whose texts are looked through at once; more would take seconds."""
_UNFINISHED = ("waiting", "running")
_a = t.answers.c
_asked = t.messages.alias("asked")
_said = t.messages.alias("said")


@dataclass(frozen=True, slots=True)
class AnswerFilter:
    """Which answers to list. Empty tuples and "" let everything pass.

    text: part of the question or the answer. lowest, highest: share of the judged statements that articles
    carry, 0 to 1, both inclusive; unless they are 0 and 1, answers without judged statements are left out.
    """

    period: Period
    text: str = ""
    channels: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    lowest: float = 0.0
    highest: float = 1.0


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answer in a list.

    question: "" once its message is gone, and where the answer is protected: it rests on articles that the
    person looking may not read. share: None when nothing could be judged. evaluating: it left before its
    evaluation, which is not done yet.
    """

    id: AnswerId
    question: str
    channel: str
    language: str
    gate: str
    share: float | None
    example: bool
    protected: bool
    evaluating: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """Some answers of a list, latest first; more: others follow.

    searched_to: how far back a search by text has looked, None where nothing older is left.
    """

    lines: tuple[AnswerLine, ...]
    more: bool
    searched_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class AnswerChoices:
    """What can be chosen in a period, ascending."""

    channels: tuple[str, ...]
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer in a file. question: "" once it is gone or where the answer is protected. share: of the
    judged statements. seconds: from the question to the record, None where unknown."""

    id: AnswerId
    at: str
    channel: str
    language: str
    question: str
    found: bool
    gate: str
    confidence: float | None
    statements: int
    judged: int
    carried: int
    share: float | None
    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    seconds: float | None
    example: bool


class AnswerReports:
    """Lists of answers; audiences are those that the person looking may read."""

    def __init__(self, database: Database, block: int = BLOCK, searched: int = SEARCHED) -> None:
        self._database = database
        self._block = block
        self._searched = searched

    def find_answers(
        self,
        wanted: AnswerFilter,
        audiences: Sequence[AudienceId],
        limit: int,
        offset: int = 0,
        before: datetime | None = None,
    ) -> AnswerPage:
        """A search by text leaves out protected answers, so that it tells nothing of what they say.

        It looks through the latest SEARCHED answers that the other choices let pass. before: `searched_to` of
        the page whose search is to go on.
        """
        query = _lines(audiences).where(*_conditions(wanted, audiences))
        if before is not None:
            query = query.where(_a.created_at < to_ms(before))
        latest = query.order_by(_a.created_at.desc(), _a.key.desc()).limit(limit + 1).offset(offset)
        with self._database.reading() as connection:
            end = _search_end(connection, wanted, before, self._searched) if wanted.text.strip() else None
            if end is not None:
                latest = latest.where(_a.created_at >= end)
            lines = [_line(row) for row in connection.execute(latest).mappings()]
        searched_to = None if end is None else from_ms(end)
        return AnswerPage(tuple(lines[:limit]), more=len(lines) > limit, searched_to=searched_to)

    def get_line(self, answer_id: AnswerId, audiences: Sequence[AudienceId]) -> AnswerLine | None:
        """None if there is no such answer."""
        query = _lines(audiences).where(_a.id == answer_id)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        return None if row is None else _line(row)

    def choices(self, period: Period) -> AnswerChoices:
        """Channels and languages of the answers of the period, from the rollups."""
        d = answer_days.c
        query = (
            select(d.channel, d.language)
            .where(d.day.between(day_number(period.first), day_number(period.last)))
            .distinct()
        )
        with self._database.reading() as connection:
            found = connection.execute(query).all()
        return AnswerChoices(
            tuple(sorted({row.channel for row in found})), tuple(sorted({row.language for row in found}))
        )

    def count(self, wanted: AnswerFilter, audiences: Sequence[AudienceId], most: int) -> int:
        """How many answers the filter lets pass; from `most` on it does not go on counting."""
        some = select(_a.key).outerjoin(_asked, _asked.c.key == _a.question_message)
        some = some.outerjoin(_said, _said.c.key == _a.answer_message)
        found = some.where(*_conditions(wanted, audiences)).limit(most).subquery()
        with self._database.reading() as connection:
            return connection.scalar(select(func.count()).select_from(found)) or 0

    def all_rows(self, wanted: AnswerFilter, audiences: Sequence[AudienceId]) -> Iterator[AnswerRow]:
        """Every answer that the filter lets pass, oldest first, read in blocks: memory does not grow."""
        last = 0
        query = _rows(wanted, audiences).where(_a.key > bindparam("last")).order_by(_a.key).limit(self._block)
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(query, {"last": last}).mappings().all()
            yield from (_row(row) for row in rows)
            if len(rows) < self._block:
                return
            last = rows[-1]["key"]

    def is_evaluating(self, answer_id: AnswerId) -> bool:
        d = deferred_evaluations.c
        query = select(d.answer).join(t.answers, _a.key == d.answer)
        waiting = query.where(_a.id == answer_id, d.state.in_(_UNFINISHED))
        with self._database.reading() as connection:
            return connection.scalar(waiting) is not None


def _search_end(
    connection: Connection, wanted: AnswerFilter, before: datetime | None, searched: int
) -> int | None:
    """When the oldest answer was given that a search looks at, None where it reaches the end."""
    query = select(_a.created_at).where(*_conditions(replace(wanted, text=""), ()))
    if before is not None:
        query = query.where(_a.created_at < to_ms(before))
    ends = connection.scalars(query.order_by(_a.created_at.desc()).limit(2).offset(searched - 1)).all()
    return ends[0] if len(ends) > 1 else None


def filter_values(wanted: AnswerFilter) -> dict[str, object]:
    """A filter as plain values, for a job; `answer_rows` reads them."""
    values = asdict(wanted) | {"period": [wanted.period.first.isoformat(), wanted.period.last.isoformat()]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def answer_rows(
    database: Database, values: Mapping[str, Any], audiences: Sequence[AudienceId]
) -> Iterator[Mapping[str, object]]:
    """The rows of `AnswerReports.all_rows` by name, for a filter as plain values."""
    first, last = (date.fromisoformat(day) for day in values["period"])
    channels, languages, gates = (tuple(values[name]) for name in ("channels", "languages", "gates"))
    share = (float(values["lowest"]), float(values["highest"]))
    wanted = AnswerFilter(Period(first, last), str(values["text"]), channels, languages, gates, *share)
    yield from (asdict(row) for row in AnswerReports(database).all_rows(wanted, audiences))


def _lines(audiences: Sequence[AudienceId]) -> Select[tuple[object, ...]]:
    unfinished = exists().where(
        deferred_evaluations.c.answer == _a.key, deferred_evaluations.c.state.in_(_UNFINISHED)
    )
    return (
        select(
            *(_a.id, _asked.c.text, _a.channel, _a.language, _a.gate, _a.judged, _a.carried),
            *(_a.example, _a.created_at),
            _protected(audiences).label("protected"),
            unfinished.label("evaluating"),
        )
        .outerjoin(_asked, _asked.c.key == _a.question_message)
        .outerjoin(_said, _said.c.key == _a.answer_message)
    )


def _rows(wanted: AnswerFilter, audiences: Sequence[AudienceId]) -> Select[tuple[object, ...]]:
    return (
        select(
            *(_a.key, _a.id, _a.created_at, _a.channel, _a.language, _a.found, _a.gate, _a.confidence),
            *(_a.statements, _a.judged, _a.carried, _a.model, _a.input_tokens, _a.output_tokens),
            *(_a.cost_usd, _a.timings_ms, _a.example, _asked.c.text),
            _protected(audiences).label("protected"),
        )
        .outerjoin(_asked, _asked.c.key == _a.question_message)
        .outerjoin(_said, _said.c.key == _a.answer_message)
        # Without the sum SQLite takes the index of times and sorts the whole period for every block.
        .where(*_conditions(wanted, audiences, _a.created_at + 0))
    )


def _row(row: RowMapping) -> AnswerRow:
    times = row["timings_ms"]
    return AnswerRow(
        id=row["id"],
        at=from_ms(row["created_at"]).isoformat(timespec="seconds"),
        channel=row["channel"],
        language=row["language"],
        question="" if row["protected"] else row["text"] or "",
        found=row["found"],
        gate=row["gate"],
        confidence=row["confidence"],
        statements=row["statements"],
        judged=row["judged"],
        carried=row["carried"],
        share=round(row["carried"] / row["judged"], 4) if row["judged"] else None,
        model=row["model"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        cost_usd=row["cost_usd"],
        seconds=round(sum(times.values()) / 1000, 3) if times else None,
        example=row["example"],
    )


def _protected(audiences: Sequence[AudienceId]) -> ColumnElement[bool]:
    """An article that stood in the prompt, or carried a statement, may not be read."""
    e, c = t.exposures.c, t.contributions.c
    shown = exists().where(e.answer == _a.key, e.in_prompt, e.article == t.articles.c.key)
    carried = exists().where(c.answer == _a.key, c.statements > 0, c.article == t.articles.c.key)
    return or_(shown.where(~readable(audiences)), carried.where(~readable(audiences)))


def _conditions(
    wanted: AnswerFilter, audiences: Sequence[AudienceId], created_at: ColumnElement[int] = _a.created_at
) -> list[ColumnElement[bool]]:
    first = day_number(wanted.period.first) * _DAY_MS
    after = (day_number(wanted.period.last) + 1) * _DAY_MS
    found: list[ColumnElement[bool]] = [and_(created_at >= first, created_at < after)]
    chosen = ((_a.channel, wanted.channels), (_a.language, wanted.languages), (_a.gate, wanted.gates))
    found.extend(column.in_(values) for column, values in chosen if values)
    if (wanted.lowest, wanted.highest) != (0.0, 1.0):
        found.append(_a.judged > 0)
        found.append(_a.carried >= wanted.lowest * _a.judged)
        found.append(_a.carried <= wanted.highest * _a.judged)
    text = " ".join(wanted.text.split())
    if text:
        asked, said = (words.c.text.icontains(text, autoescape=True) for words in (_asked, _said))
        # In this order: what may be read is found out only for the few that match.
        found.append(case((or_(asked, said), ~_protected(audiences)), else_=false()))
    return found


def _line(row: RowMapping) -> AnswerLine:
    return AnswerLine(
        id=row["id"],
        question="" if row["protected"] else row["text"] or "",
        channel=row["channel"],
        language=row["language"],
        gate=row["gate"],
        share=row["carried"] / row["judged"] if row["judged"] else None,
        example=row["example"],
        protected=bool(row["protected"]),
        evaluating=bool(row["evaluating"]),
        created_at=from_ms(row["created_at"]),
    )
