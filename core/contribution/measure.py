"""Measure an answer: verdicts of its statements, and the share of it that each article carried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import TermStats
from core.contribution.support import PairScore, PairVectors, SupportModel, score_statement
from core.domain import ArticleId, Contribution, Evaluation, LineRef, Statement, Support, Verdict

VERDICT_ORDER: tuple[Verdict, ...] = ("supported", "uncited", "unverified", "unsupported", "not_judged")
"""Best first: a statement's verdict is the best of its pairs'."""


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """threshold: probability from which the check says yes, None for the model's own.

    counted: verdicts that count as contribution. excerpt_chars: longest stored excerpt of a line.
    """

    threshold: float | None = None
    counted: frozenset[Verdict] = frozenset({"supported", "uncited"})
    excerpt_chars: int = 240


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the statements are checked against.

    lines: of every article to consider, in any order. cited: source number -> the articles behind it.
    exposed: articles that stood in the prompt; None means all articles of `lines`. An exposed article without
    lines gets an explicit 0. versions: of exposed articles that have no lines (deleted meanwhile).
    vectors: None where no embedding is at hand.
    """

    lines: Sequence[LineRef]
    cited: Mapping[int, Sequence[ArticleId]] = field(default_factory=dict)
    stats: TermStats = field(default_factory=TermStats)
    vectors: PairVectors | None = None
    exposed: Mapping[ArticleId, str] | None = None


def measure(
    statements: Sequence[Statement],
    evidence: Evidence,
    model: SupportModel,
    settings: MeasureSettings | None = None,
) -> Evaluation:
    """Check every judged statement against every article and sum up what each article carried.

    Returns pairs in the order of statements and then articles; contributions by share, then article id.
    """
    chosen = settings if settings is not None else MeasureSettings()
    threshold = chosen.threshold if chosen.threshold is not None else model.threshold
    supports: list[Support] = []
    verdicts: list[Verdict] = []
    for index, statement in enumerate(statements):
        pairs = _pairs(index, statement, evidence, model) if statement.judged else []
        judged = [_judge(statement, pair, evidence, threshold, chosen) for pair in pairs]
        supports.extend(judged)
        verdicts.append(_best(statement, judged))
    contributions = _contributions(statements, supports, evidence, chosen)
    return Evaluation(tuple(statements), tuple(verdicts), tuple(supports), contributions, model.version)


def _pairs(index: int, statement: Statement, evidence: Evidence, model: SupportModel) -> list[PairScore]:
    cosines: NDArray[np.float32] | None = None
    if evidence.vectors is not None:
        cosines = evidence.vectors.lines @ evidence.vectors.statements[index]
    return score_statement(
        statement.text, evidence.lines, None if cosines is None else cosines.tolist(), evidence.stats, model
    )


def _judge(
    statement: Statement, pair: PairScore, evidence: Evidence, threshold: float, settings: MeasureSettings
) -> Support:
    ref = evidence.lines[pair.line]
    label = any(pair.article_id in evidence.cited.get(number, ()) for number in statement.cited)
    checked = pair.probability >= threshold
    verdict: Verdict = (
        "supported" if label and checked else "uncited" if checked else "unverified" if label else "unsupported"
    )
    exposed = evidence.exposed is None or pair.article_id in evidence.exposed
    return Support(
        statement.ordinal,
        pair.article_id,
        ref.version,
        ref.line.ordinal,
        ref.line.text[: settings.excerpt_chars],
        label,
        pair.probability,
        verdict,
        pair.features,
        exposed,
    )


def _best(statement: Statement, supports: Sequence[Support]) -> Verdict:
    if not statement.judged:
        return "not_judged"
    return min((support.verdict for support in supports), key=VERDICT_ORDER.index, default="unsupported")


def _contributions(
    statements: Sequence[Statement], supports: Sequence[Support], evidence: Evidence, settings: MeasureSettings
) -> tuple[Contribution, ...]:
    judged = sum(1 for statement in statements if statement.judged)
    versions = {ref.article_id: ref.version for ref in evidence.lines}
    exposed = versions if evidence.exposed is None else evidence.exposed
    carriers: dict[int, set[ArticleId]] = {}
    strongest: dict[ArticleId, float] = {}
    for support in supports:
        if support.probability is not None:
            strongest[support.article_id] = max(strongest.get(support.article_id, 0.0), support.probability)
        if support.verdict in settings.counted:
            carriers.setdefault(support.statement, set()).add(support.article_id)
    contributions = []
    for article_id, version in {**versions, **exposed}.items():
        carried = sum(1 for articles in carriers.values() if article_id in articles)
        sole = sum(1 for articles in carriers.values() if articles == {article_id})
        if carried == 0 and article_id not in exposed:
            continue
        contributions.append(
            Contribution(
                article_id,
                version,
                carried / judged if judged else None,
                sole / judged if judged else None,
                carried,
                strongest.get(article_id),
                article_id in exposed,
            )
        )
    contributions.sort(key=lambda item: (-(item.share or 0.0), item.article_id))
    return tuple(contributions)
