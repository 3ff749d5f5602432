"""The report of a period: which articles carry the answers, which do not and why, what moves the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal

from bots.gap_report import MISSES, describe_misses, miss_to_json
from bots.labels import FIELDS
from bots.rendering import align_columns
from core.contribution.advice import Advice, advise
from core.contribution.advice_words import explain_advice
from core.contribution.quadrants import QUADRANTS, Thresholds, find_thresholds

if TYPE_CHECKING:
    from bots.reading import Reader
    from core.contribution.biases import Biases
    from core.contribution.correctness import FeedbackFigures
    from core.storage.bias_reports import BiasReports
    from core.storage.reports import MissedArticle, Overview, Period, QuadrantRow

Language = Literal["ja", "en"]
SAMPLED = 5_000
"""Answers for the correlations."""
READ = 1_000
"""Answers whose statements are read for repetition."""
LISTED = 20
TO_DO = ("in_vain", "hidden", "idle", "carrying")
"""Where there is most to gain comes first."""


@dataclass(frozen=True, slots=True)
class Conciseness:
    """statements_per_needed: judged ones for each that an article carries and no earlier one says.

    repeated: share of the statements that mostly repeat an earlier one of the same answer.
    """

    answers: int
    statements_per_needed: float | None
    repeated: float | None


@dataclass(frozen=True, slots=True)
class Correctness:
    """What people said of pairs drawn from the period. labels: that are decided.

    agreed: share on which check and people agree; right: share of what the check credits that people support.
    Both count each pair as often as it stands for others; None where there is nothing to count.
    """

    labels: int
    agreed: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class ArticleReport:
    """articles: those with figures in the period and those that were never found, each with its advice."""

    period: Period
    overview: Overview
    thresholds: Thresholds
    articles: tuple[tuple[QuadrantRow, Advice], ...]
    misses: Sequence[MissedArticle]
    biases: Biases
    conciseness: Conciseness
    correctness: Correctness
    feedback: FeedbackFigures
    not_shown: int


def read_report(reader: Reader, period: Period) -> ArticleReport:
    """Everything from stored figures; articles that the person may not read are counted only."""
    from core.contribution.biases import find_biases
    from core.contribution.correctness import compare_with_feedback
    from core.storage.bias_reports import BiasReports
    from core.storage.reports import Reports

    reports, biases = Reports(reader.database), BiasReports(reader.database)
    active = reports.quadrant_rows(period, reader.audiences)
    thresholds = find_thresholds((row.exposure, row.rate) for row in active)
    known = {row.article_id for row in active}
    unused = [r for r in reports.unused_articles(period, reader.audiences) if r.article_id not in known]
    placed = [(row, advise(row.figures, thresholds)) for row in [*active, *unused]]
    placed.sort(key=lambda pair: (-pair[0].contribution, -pair[0].exposure, pair[0].title))
    return ArticleReport(
        period=period,
        overview=reports.overview(period),
        thresholds=thresholds,
        articles=tuple(placed),
        misses=reports.missed_articles(period, reader.audiences, MISSES),
        biases=find_biases(biases.answer_figures(period, SAMPLED)),
        conciseness=_read_conciseness(biases, period),
        correctness=_read_correctness(reader, period),
        feedback=compare_with_feedback(biases.opinions(period, SAMPLED)),
        not_shown=len(reports.quadrant_rows(period, reader.everyone)) - len(active),
    )


def report_to_json(report: ArticleReport) -> dict[str, Any]:
    rows = [row for row, _ in report.articles]
    return {
        "period": {"since": report.period.first.isoformat(), "until": report.period.last.isoformat()},
        "overview": asdict(report.overview),
        "thresholds": asdict(report.thresholds),
        "articles": [_article_to_json(row, advice) for row, advice in report.articles],
        "not_shown": report.not_shown,
        "retrieval_misses": [miss_to_json(miss) for miss in report.misses],
        "stale": [_named(row, stale=row.stale) for row in rows if row.stale],
        "never_used": [
            _named(row, exposure=row.exposure, retrieved=row.retrieved) for row in _unused(report)
        ],
        "biases": asdict(report.biases)
        | {
            "conciseness": asdict(report.conciseness),
            "correctness": asdict(report.correctness),
            "feedback": asdict(report.feedback),
        },
    }


def describe_report(report: ArticleReport, language: Language) -> str:
    blocks = [
        _describe_head(report),
        "\n".join(_describe_advice(report, language)),
        "\n".join(_describe_misses(report)),
        "\n".join(_describe_unused(report)),
        "\n".join(_describe_biases(report)),
    ]
    return "\n\n".join(block for block in blocks if block)


def _read_conciseness(biases: BiasReports, period: Period) -> Conciseness:
    from core.contribution.biases import count_needed, repeated_share
    from core.contribution.reading import terms_of

    sampled = [
        [(frozenset(terms_of(text)), carried) for text, carried in one]
        for one in biases.statements(period, READ)
    ]
    statements = sum(len(one) for one in sampled)
    needed = sum(count_needed(one) for one in sampled)
    repeated = sum(repeated_share([terms for terms, _ in one]) * len(one) for one in sampled)
    return Conciseness(
        answers=len(sampled),
        statements_per_needed=round(statements / needed, 4) if needed else None,
        repeated=round(repeated / statements, 4) if statements else None,
    )


def _read_correctness(reader: Reader, period: Period) -> Correctness:
    from core.storage.calibration_data import SqlCalibrationData

    drawn = [
        pair
        for pair in SqlCalibrationData(reader.database).settled()
        if pair.week and period.first <= date.fromisoformat(f"{pair.week}-7") <= period.last + timedelta(6)
    ]
    credited = [pair for pair in drawn if pair.checked]
    return Correctness(
        labels=len(drawn),
        agreed=_weighted([(pair.weight, pair.checked == pair.supported) for pair in drawn]),
        right=_weighted([(pair.weight, pair.supported) for pair in credited]),
    )


def _weighted(pairs: Sequence[tuple[float, bool]]) -> float | None:
    total = sum(weight for weight, _ in pairs)
    return round(sum(weight for weight, holds in pairs if holds) / total, 4) if total else None


def _article_to_json(row: QuadrantRow, advice: Advice) -> dict[str, Any]:
    words = {language: explain_advice(advice.reason, row.figures, language) for language in ("ja", "en")}
    return {
        **asdict(row),
        "rate": row.rate,
        "field": advice.quadrant,
        "reason": advice.reason,
        "why": {language: why for language, (why, _) in words.items()},
        "suggestion": {language: what for language, (_, what) in words.items()},
    }


def _named(row: QuadrantRow, **figures: int) -> dict[str, Any]:
    return {"article_id": row.article_id, "title": row.title, **figures}


def _unused(report: ArticleReport) -> list[QuadrantRow]:
    """Live articles that carried nothing, the most exposed first."""
    idle = [row for row, _ in report.articles if not row.carried and not row.removed]
    return sorted(idle, key=lambda row: (-row.exposure, -row.retrieved, row.title))


def _describe_head(report: ArticleReport) -> str:
    overview, period = report.overview, report.period
    carried = f"{overview.carried / overview.judged:.0%}" if overview.judged else "–"
    fields = [advice.quadrant for _, advice in report.articles]
    counts = ", ".join(f"{fields.count(field)} {FIELDS[field]}" for field in QUADRANTS)
    lines = [
        f"{period.first} to {period.last}: {overview.answers} answers, {overview.found} with an answer; "
        f"articles carry {carried} of their statements.",
        f"Articles: {counts}.",
    ]
    if report.not_shown:
        lines.append(f"{report.not_shown} more articles are not shown: you may not read them.")
    return "\n".join(lines)


def _describe_advice(report: ArticleReport, language: Language) -> Iterator[str]:
    """Of the articles where there is most to do; those that nothing found stand further down."""
    found = [pair for pair in report.articles if pair[0].retrieved or pair[0].carried or pair[0].stale]
    found.sort(key=lambda pair: (TO_DO.index(pair[1].quadrant), -pair[0].exposure, -pair[0].contribution))
    for row, advice in found[:LISTED]:
        why, what = explain_advice(advice.reason, row.figures, language)
        rate = "–" if row.rate is None else f"{row.rate:.0%}"
        yield f"{row.title}: {FIELDS[advice.quadrant]}, exposure {row.exposure}, rate {rate}, n {row.answers}"
        yield f"  {why}"
        yield f"  → {what}"
    if len(found) > LISTED:
        yield f"… and {len(found) - LISTED} more articles; --json lists all."


def _describe_misses(report: ArticleReport) -> Iterator[str]:
    if report.misses:
        yield "Said by an article that was not shown (retrieval misses):"
        yield from (f"  {line}" for line in describe_misses(report.misses))


def _describe_unused(report: ArticleReport) -> Iterator[str]:
    stale = [row for row, _ in report.articles if row.stale]
    if stale:
        yield f"Carried by lines that have been edited since: {sum(row.stale for row in stale)} answers"
        yield from (f"  {row.title} ({row.stale})" for row in stale[:LISTED])
    unused = _unused(report)
    if unused:
        table = [
            ("article", "found", "shown"),
            *((r.title, str(r.retrieved), str(r.exposure)) for r in unused),
        ]
        yield f"Carried nothing in this period: {len(unused)} articles"
        yield from (f"  {line}" for line in align_columns(table[: LISTED + 1]))


def _describe_biases(report: ArticleReport) -> Iterator[str]:
    biases, concise = report.biases, report.conciseness
    yield f"Does anything else explain the contribution? ({biases.answers} answers)"
    yield f"  length of the answer: {_correlation(biases.length)}"
    yield f"  number of sentences: {_correlation(biases.sentences)}"
    for name, groups in (("format", biases.by_format), ("model", biases.by_model)):
        shares = ", ".join(f"{group} {mean:.0%} (n {count})" for group, (count, mean) in groups.items())
        yield f"  by {name}: {shares or '–'}"
    if concise.statements_per_needed is not None and concise.repeated is not None:
        yield f"  statements for each one needed: {concise.statements_per_needed:.2f}"
        yield f"  statements that repeat an earlier one: {concise.repeated:.0%}"
    if report.correctness.agreed is not None:
        said = report.correctness
        right = "" if said.right is None else f"; {said.right:.0%} of what it credits is right"
        yield f"  people agree with the check on {said.agreed:.0%} (n {said.labels}){right}"
    yield from _describe_feedback(report.feedback)
    if biases.warns:
        yield "  Warning: length explains part of the score; compare answers of about the same length."


def _describe_feedback(said: FeedbackFigures) -> Iterator[str]:
    if said.share is not None and said.interval is not None:
        low, high = said.interval
        yield (
            f"  people find {said.share:.0%} of the answers helpful (n {said.liked + said.disliked}, "
            f"95 %: {low:.0%} to {high:.0%})"
        )
    if said.carried_liked is not None and said.carried_disliked is not None:
        order = "" if said.order is None else f"; the helpful one has more in {said.order:.0%} of the pairs"
        yield (
            f"  articles carry {said.carried_liked:.0%} of helpful answers and "
            f"{said.carried_disliked:.0%} of the others{order}"
        )
    if said.wrong_sources:
        yield f"  sources called wrong: {said.wrong_sources}, credited anyway: {said.wrong_but_credited}"
    if said.warns:
        yield "  Warning: what people say does not agree with the figures; have more pairs labelled."


def _correlation(value: float | None) -> str:
    return "too few answers to say" if value is None else f"rank correlation {value:+.2f}"
