"""An answer as the JSON object that programs read: the CLI, jobs and whoever calls over HTTP.

The keys are a promise; what is shown to people is made from the same object elsewhere.
"""

from __future__ import annotations

from typing import TypedDict

from core.domain import Answer, Citation, Contribution, Exposure, Support, Verdict


class SectionJson(TypedDict):
    ordinal: int
    title: str
    breadcrumb: str


class CitationJson(TypedDict):
    n: int
    article_id: str
    title: str
    uri: str
    section: SectionJson
    page: int | None
    line_start: int
    line_end: int
    quote: str


class ExposureJson(TypedDict):
    article_id: str
    version: str
    chunk_id: int | None
    rank: int
    scores: dict[str, float]
    relevance: float
    tokens: int
    in_prompt: bool


class ContributionJson(TypedDict):
    article_id: str
    share: float | None
    sole_share: float | None
    statements: int
    strongest: float | None
    exposed: bool


class SupportJson(TypedDict):
    article_id: str
    line: int | None
    probability: float | None


class StatementJson(TypedDict):
    text: str
    verdict: Verdict
    support: list[SupportJson]


class UsageJson(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    calls: int


class AnswerJson(TypedDict):
    """A whole turn. found is False when the sources do not hold the answer; cost None is unknown."""

    id: str
    question: str
    answer: str
    language: str
    found: bool
    citations: list[CitationJson]
    exposures: list[ExposureJson]
    contributions: list[ContributionJson]
    statements: list[StatementJson]
    confidence: float | None
    gate: str
    model: str
    usage: UsageJson
    timings_ms: dict[str, float]


def answer_to_json(answer: Answer) -> AnswerJson:
    """The whole turn. A statement's `support` holds the pairs that the independent check confirmed, best
    first; contributions are ordered by share, then by article."""
    return {
        "id": answer.id,
        "question": answer.question,
        "answer": answer.text,
        "language": answer.language,
        "found": answer.found,
        "citations": [_citation(citation) for citation in answer.citations],
        "exposures": [_exposure(exposure) for exposure in answer.exposures],
        "contributions": [
            _contribution(item) for item in sorted(answer.evaluation.contributions, key=_order)
        ],
        "statements": _statements(answer),
        "confidence": answer.confidence,
        "gate": answer.gate,
        "model": answer.model,
        "usage": {
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "cost_usd": answer.usage.cost_usd,
            "calls": answer.usage.calls,
        },
        "timings_ms": dict(answer.timings_ms),
    }


def _citation(citation: Citation) -> CitationJson:
    section = citation.section
    return {
        "n": citation.n,
        "article_id": citation.article_id,
        "title": citation.title,
        "uri": citation.uri,
        "section": {
            "ordinal": section.ordinal,
            "title": section.title,
            "breadcrumb": section.breadcrumb,
        },
        "page": citation.page,
        "line_start": citation.line_start,
        "line_end": citation.line_end,
        "quote": citation.quote,
    }


def _exposure(exposure: Exposure) -> ExposureJson:
    return {
        "article_id": exposure.article_id,
        "version": exposure.version,
        "chunk_id": exposure.chunk_id,
        "rank": exposure.rank,
        "scores": {name: round(float(score), 6) for name, score in exposure.scores.items()},
        "relevance": round(float(exposure.relevance), 6),
        "tokens": exposure.tokens,
        "in_prompt": exposure.in_prompt,
    }


def _order(contribution: Contribution) -> tuple[float, str]:
    return (-1.0 if contribution.share is None else contribution.share) * -1.0, contribution.article_id


def _contribution(contribution: Contribution) -> ContributionJson:
    return {
        "article_id": contribution.article_id,
        "share": contribution.share,
        "sole_share": contribution.sole_share,
        "statements": contribution.statements,
        "strongest": contribution.strongest,
        "exposed": contribution.exposed,
    }


def _statements(answer: Answer) -> list[StatementJson]:
    confirmed: dict[int, list[Support]] = {}
    for support in answer.evaluation.supports:
        if support.verdict in ("supported", "uncited"):
            confirmed.setdefault(support.statement, []).append(support)
    return [
        {
            "text": statement.text,
            "verdict": verdict,
            "support": [
                {"article_id": s.article_id, "line": s.line, "probability": s.probability}
                for s in sorted(confirmed.get(statement.ordinal, []), key=_strength)
            ],
        }
        for statement, verdict in zip(answer.evaluation.statements, answer.evaluation.verdicts, strict=True)
    ]


def _strength(support: Support) -> tuple[float, str]:
    return 0.0 if support.probability is None else -support.probability, support.article_id
