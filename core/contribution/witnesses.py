"""Further witnesses: labels of a judge in place of the answerer's marks, and a verifier beside the check.

What they are is not known here: their verdicts and probabilities come in as values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from core.contribution.measure import VERDICT_ORDER, decide_verdict, sum_contributions
from core.domain import ArticleId, Evaluation, Support, Verdict

Pair = tuple[int, ArticleId]
"""A statement, by ordinal, and an article."""


def label_pairs(
    evaluation: Evaluation,
    labels: Mapping[Pair, bool | None],
    exposed: Mapping[ArticleId, str],
    counted: Collection[Verdict],
) -> Evaluation:
    """Put a judge's labels in the place of the answerer's; the independent check stays as it is.

    labels: of each pair that has a line; None where the judge failed, which makes the pair `not_judged`.
    A judge that failed for every pair has judged nothing of the answer, not even what has no pair, so that
    no share is made from the rest. exposed: article -> version. counted: verdicts that count.
    """
    if labels and all(label is None for label in labels.values()):
        return _unjudged(evaluation, exposed, counted)
    supports = tuple(_relabel(support, labels) for support in evaluation.supports)
    by_statement: dict[int, list[Verdict]] = {}
    for support in supports:
        by_statement.setdefault(support.statement, []).append(support.verdict)
    verdicts = tuple(
        min(by_statement.get(statement.ordinal, ["unsupported"]), key=VERDICT_ORDER.index)
        if statement.judged
        else "not_judged"
        for statement in evaluation.statements
    )
    judged = sum(verdict != "not_judged" for verdict in verdicts)
    contributions = sum_contributions(supports, judged, exposed, frozenset(counted))
    return replace(evaluation, supports=supports, verdicts=verdicts, contributions=contributions)


def _unjudged(
    evaluation: Evaluation, exposed: Mapping[ArticleId, str], counted: Collection[Verdict]
) -> Evaluation:
    supports = tuple(replace(one, label=False, verdict="not_judged") for one in evaluation.supports)
    return replace(
        evaluation,
        supports=supports,
        verdicts=tuple("not_judged" for _ in evaluation.verdicts),
        contributions=sum_contributions(supports, 0, exposed, frozenset(counted)),
    )


def _relabel(support: Support, labels: Mapping[Pair, bool | None]) -> Support:
    if support.verdict == "not_judged":
        return support
    if support.line is None:
        return replace(support, label=False, verdict="unsupported")
    label = labels.get((support.statement, support.article_id))
    if label is None:
        return replace(support, label=False, verdict="not_judged")
    checked = support.verdict in ("supported", "uncited")
    return replace(support, label=label, verdict=decide_verdict(label, checked))
