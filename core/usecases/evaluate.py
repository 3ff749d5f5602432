"""Measure an answer: which article carried which statement, shown to the answerer or not.

The answerer's marks are the first witness, the support measure is the second. Statements that nothing
exposed supports are looked up in the whole knowledge base, within what the asker may read. A judge, where one
is configured, takes the place of the marks, and a verifier moves the measure within bounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.contribution.measure import Evidence, MeasureSettings, measure
from core.contribution.statements import split_statements
from core.contribution.support import SupportModel
from core.contribution.witnesses import label_pairs
from core.domain import ArticleId, Candidate, Evaluation, LineRef, Statement
from core.ports import AudienceId, Services, Vector
from core.usecases.coefficients import current_model, evaluator_of
from core.usecases.cold_lines import embed_cold_lines
from core.usecases.evidence import LineVectors, line_vectors, list_lines, pair_vectors, term_stats
from core.usecases.further_witnesses import judge_pairs, verify_pairs
from core.usecases.lookup import look_up


@dataclass(frozen=True, slots=True)
class Shown:
    """What stood in a prompt. by_number: source number -> the candidates printed under it.

    gone: source number -> articles, with version, that stood under it and whose text is erased.
    """

    by_number: Mapping[int, Sequence[Candidate]]
    gone: Mapping[int, Sequence[tuple[ArticleId, str]]] = field(default_factory=dict)

    def candidates(self) -> list[Candidate]:
        return [candidate for group in self.by_number.values() for candidate in group]

    def cited(self) -> dict[int, list[ArticleId]]:
        """Source number -> the articles behind it."""
        behind = {n: [one.article.id for one in group] for n, group in self.by_number.items()}
        for n, group in self.gone.items():
            behind.setdefault(n, []).extend(article_id for article_id, _ in group)
        return behind

    def exposed(self) -> dict[ArticleId, str]:
        """Article -> version."""
        erased = dict(one for group in self.gone.values() for one in group)
        return {**erased, **{one.article.id: one.article.version for one in self.candidates()}}


@dataclass(frozen=True, slots=True)
class _Work:
    """One answer on its way through the stages."""

    services: Services
    statements: tuple[Statement, ...]
    audiences: Sequence[AudienceId]
    model: SupportModel
    settings: MeasureSettings

    async def measure(self, evidence: Evidence) -> Evaluation:
        return await asyncio.to_thread(measure, self.statements, evidence, self.model, self.settings)

    async def verify(self, evidence: Evidence, evaluation: Evaluation) -> tuple[Evidence, Evaluation]:
        """Ask the verifier about the pairs that it has not seen, and measure again with what it says."""
        said = await verify_pairs(self.services, evaluation, evidence.lines, evidence.verified)
        if not said:
            return evidence, evaluation
        wider = replace(evidence, verified={**evidence.verified, **said})
        return wider, await self.measure(wider)


async def evaluate_answer(
    services: Services,
    text: str,
    shown: Shown,
    audiences: Sequence[AudienceId],
    *,
    refused: bool = False,
) -> Evaluation:
    """Split the answer, check every statement against what was shown, then look up what is left over.

    text: the answer with checked marks. refused: the answerer says that nothing answers, so there is nothing
    to judge. Never raises for odd text: what cannot be judged is `not_judged`.
    """
    statements = await asyncio.to_thread(split_statements, text)
    if refused:
        statements = tuple(replace(s, judged=False, reason=s.reason or "refusal") for s in statements)
    model = await current_model(services)
    work = _Work(services, statements, audiences, model, _measure_settings(services))
    evidence, by_statement, by_line = await _gather(work, shown)
    evidence, evaluation = await work.verify(evidence, await work.measure(evidence))
    wider = await _look_further(work, evidence, evaluation, (by_statement, by_line))
    if wider is not None:
        evidence, evaluation = await work.verify(wider, await work.measure(wider))
    if services.judge is not None:
        labels = await judge_pairs(services, evaluation, evidence.lines)
        evaluation = label_pairs(evaluation, labels, shown.exposed(), work.settings.counted)
    return replace(evaluation, evaluator=evaluator_of(services, model))


async def _gather(work: _Work, shown: Shown) -> tuple[Evidence, dict[int, Vector], LineVectors]:
    """The evidence of what was shown, and the vectors of statements and lines."""
    services, statements, candidates = work.services, work.statements, shown.candidates()
    lines = list_lines(candidates)
    stats = await asyncio.to_thread(term_stats, services, statements)
    warm = await asyncio.to_thread(line_vectors, services, candidates)
    by_line = await embed_cold_lines(services, statements, lines, warm, stats)
    by_statement = await _statement_vectors(services, statements, lines, by_line)
    evidence = Evidence(
        lines=lines,
        cited=shown.cited(),
        stats=stats,
        vectors=pair_vectors(services.embedder.dimensions, by_statement, by_line, lines),
        exposed=shown.exposed(),
        memory=services.pairs,
        encoder=services.embedder.id,
    )
    return evidence, by_statement, by_line


async def _look_further(
    work: _Work,
    evidence: Evidence,
    evaluation: Evaluation,
    vectors: tuple[Mapping[int, Vector], LineVectors],
) -> Evidence | None:
    """The evidence with what is found for statements that nothing shown supports; None if there is no more.

    vectors: of statements and of lines, as they are so far.
    """
    services, (by_statement, by_line) = work.services, vectors
    missing = [
        statement
        for statement, verdict in zip(work.statements, evaluation.verdicts, strict=True)
        if verdict in ("unsupported", "unverified")
    ]
    found = await look_up(services, missing, by_statement, work.audiences)
    known = {(ref.article_id, ref.line.ordinal) for ref in evidence.lines}
    more = [ref for ref in list_lines(found) if (ref.article_id, ref.line.ordinal) not in known]
    if not more:
        return None
    warm = {**await asyncio.to_thread(line_vectors, services, found), **by_line}
    by_line = await embed_cold_lines(services, missing, more, warm, evidence.stats)
    everything = [*evidence.lines, *more]
    both = pair_vectors(services.embedder.dimensions, by_statement, by_line, everything)
    return replace(evidence, lines=everything, vectors=both)


async def _statement_vectors(
    services: Services,
    statements: Sequence[Statement],
    lines: Sequence[LineRef],
    by_line: LineVectors,
) -> dict[int, Vector]:
    """ordinal -> vector, for judged statements; one that repeats a line word for word takes the line's."""
    same = {ref.line.text.strip(): by_line.get((ref.article_id, ref.line.ordinal)) for ref in lines}
    vectors: dict[int, Vector] = {}
    for statement in statements:
        vector = same.get(statement.text.strip())
        if statement.judged and vector is not None:
            vectors[statement.ordinal] = vector
    new = [s for s in statements if s.judged and s.ordinal not in vectors]
    if new:
        made = await services.embedder.embed_passages([s.text for s in new])
        vectors.update({s.ordinal: vector for s, vector in zip(new, made, strict=True)})
    return vectors


def _measure_settings(services: Services) -> MeasureSettings:
    settings = services.settings.evaluation
    return MeasureSettings(
        threshold=settings.threshold,
        counted=frozenset(settings.counting),
        verifier_weight=settings.verifier_weight,
    )
