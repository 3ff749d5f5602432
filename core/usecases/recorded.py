"""Answers that another bot gave are measured like our own: what it was supplied counts as shown."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from core.domain import Answer, Candidate, Evaluation, Exposure, Usage
from core.errors import ReadError
from core.ports import AudienceId, Progress, Services, no_progress
from core.rag.citations import CheckedText, check_citations, locate_citations
from core.rag.gate import GateThresholds, decide_gate, measure_confidence
from core.rag.selection import Selected
from core.text.language import detect_language
from core.usecases.evaluate import Shown, evaluate_answer
from core.usecases.gaps import groups_shown, note_gaps
from core.usecases.refresh import refresh_indexes
from core.usecases.supplied import Catalogue, Supplied, read_catalogue

CHANNEL = "recorded"
SUPPLIED_RELEVANCE = 1.0
"""The other bot chose its sources by a measure of its own, so nothing is held against them here."""


FIRST_TIME = datetime(1970, 1, 1, tzinfo=UTC)
END_OF_TIME = datetime(9000, 1, 1, tzinfo=UTC)
"""Days outside, in whatever zone, can be neither counted nor shown."""


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """One line of the file. at: when the answer was given, None if unknown. example: made up to show what
    the product does, and marked so wherever it is seen."""

    question: str
    answer: str
    supplied: tuple[Supplied, ...]
    model: str
    channel: str
    at: datetime | None
    example: bool

    @property
    def id(self) -> str:
        """The same for the same row, so that a second import changes nothing."""
        supplied = [[item.reference, item.text] for item in self.supplied]
        at = self.at.isoformat() if self.at else ""
        content = json.dumps([self.question, self.answer, supplied, self.model, self.channel, at])
        return f"{CHANNEL}-{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"


@dataclass(slots=True)
class ImportReport:
    """problems: a sentence for each line that was left out, with its number."""

    imported: int = 0
    known: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ground:
    catalogue: Catalogue
    audiences: tuple[AudienceId, ...]


async def import_answers(
    services: Services, lines: Sequence[str], progress: Progress = no_progress
) -> ImportReport:
    """Measure and record every line of JSON. A bad one is a problem of the report and the rest goes on."""
    await refresh_indexes(services)
    catalogue, audiences = await read_catalogue(services)
    ground = _Ground(catalogue, audiences)
    report = ImportReport()
    for number, line in enumerate(lines, start=1):
        progress(number - 1, len(lines), "answers")
        if not line.strip():
            continue
        try:
            row = read_row(line)
            if await asyncio.to_thread(services.answers.get_answer, row.id) is not None:
                report.known += 1
                continue
            answer = await _measure(services, ground, row)
        except ReadError as error:
            report.problems.append(f"line {number}: {error}")
            continue
        await asyncio.to_thread(services.answers.record_answer, answer, example=row.example)
        await note_gaps(services, answer, await groups_shown(services, answer))
        report.imported += 1
    progress(len(lines), len(lines), "answers")
    return report


def read_row(line: str) -> RecordedRow:
    """One line of the file. Raises ReadError with what is wrong with it."""
    try:
        line.encode()
        row = json.loads(line)
    except UnicodeEncodeError as error:
        raise ReadError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ReadError(f"not valid JSON ({error})") from error
    if not isinstance(row, dict):
        raise ReadError("expected an object")
    supplied = row.get("supplied", [])
    if not isinstance(supplied, list):
        raise ReadError("`supplied` must be a list")
    return RecordedRow(
        question=_text(row, "question"),
        answer=_text(row, "answer"),
        supplied=tuple(_read_supplied(item) for item in supplied),
        model=_text(row, "model", "unknown"),
        channel=_text(row, "channel", CHANNEL),
        at=_time(row.get("at")),
        example=row.get("example") is True,
    )


def _read_supplied(item: object) -> Supplied:
    if isinstance(item, str):
        return Supplied(item)
    if not isinstance(item, dict):
        raise ReadError("each of `supplied` must name an `article` or a `uri`")
    reference = item.get("article") or item.get("uri")
    if not isinstance(reference, str):
        raise ReadError("each of `supplied` must name an `article` or a `uri`")
    return Supplied(reference, _text(item, "text", ""))


def _text(row: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = row.get(key, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise ReadError(f"`{key}` must be a text")
    return value


def _time(value: object) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ReadError("`at` must be a time such as 2026-11-30T09:00:00+09:00")
    try:
        at = datetime.fromisoformat(value)
    except ValueError as error:
        raise ReadError(f"`at` is not a time: {value}") from error
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    if not FIRST_TIME <= at < END_OF_TIME:
        raise ReadError(f"`at` is not between {FIRST_TIME.year} and {END_OF_TIME.year}: {value}")
    return at


async def _measure(services: Services, ground: _Ground, row: RecordedRow) -> Answer:
    shown = await asyncio.to_thread(_find_shown, ground, row.supplied)
    checked = check_citations(row.answer, list(shown))
    evaluation = await evaluate_answer(services, checked.text, Shown(shown), ground.audiences)
    return _assemble(services, row, (checked, shown, evaluation))


def _find_shown(ground: _Ground, supplied: Iterable[Supplied]) -> dict[int, list[Candidate]]:
    """[n] of a recorded answer is the nth thing that was supplied."""
    shown = {}
    for number, item in enumerate(supplied, start=1):
        article = ground.catalogue.find_article(item.reference)
        shown[number] = ground.catalogue.find_candidates(article, item.text, ground.audiences)
    return shown


def _assemble(
    services: Services,
    row: RecordedRow,
    measured: tuple[CheckedText, Mapping[int, Sequence[Candidate]], Evaluation],
) -> Answer:
    checked, shown, evaluation = measured
    sources = [Selected(n, _best(n, group, evaluation)) for n, group in shown.items() if group]
    found = any(statement.judged for statement in evaluation.statements)
    return Answer(
        id=row.id,
        question=row.question,
        text=checked.text,
        language=detect_language(row.question),
        found=found,
        citations=locate_citations([n for n in checked.numbers if shown[n]], sources, evaluation),
        removed_citations=checked.removed,
        exposures=_exposures(shown),
        evaluation=evaluation,
        confidence=round(measure_confidence(found, SUPPLIED_RELEVANCE, evaluation), 4),
        gate=decide_gate(found, SUPPLIED_RELEVANCE, evaluation, GateThresholds()),
        model=row.model,
        usage=Usage(),
        timings_ms={},
        asked_by=CHANNEL,
        channel=row.channel,
        created_at=row.at or services.now(),
    )


def _best(number: int, group: Sequence[Candidate], evaluation: Evaluation) -> Candidate:
    """The chunk with the line that best supports a statement citing this number, else the first."""
    citing = {s.ordinal for s in evaluation.statements if number in s.cited}
    lines = [
        (support.probability, support.line)
        for support in evaluation.supports
        if support.statement in citing and support.article_id == group[0].article.id
        if support.probability is not None and support.line is not None
    ]
    best = max(lines, default=(0.0, -1))[1]
    return next((c for c in group if c.chunk.first_line <= best <= c.chunk.last_line), group[0])


def _exposures(shown: Mapping[int, Sequence[Candidate]]) -> tuple[Exposure, ...]:
    """One span an item, from the first to the last line that was given; its rank is its place."""
    return tuple(
        Exposure(
            article_id=group[0].article.id,
            version=group[0].article.version,
            chunk_id=None,
            first_line=min(c.chunk.first_line for c in group),
            last_line=max(c.chunk.last_line for c in group),
            rank=number,
            scores={},
            relevance=SUPPLIED_RELEVANCE,
            tokens=sum(c.chunk.tokens for c in group),
            in_prompt=True,
            source_number=number,
        )
        for number, group in shown.items()
        if group
    )
