"""Measure an answer: which article carried which statement, shown to the answerer or not.

The answerer's marks are the first witness, the support measure is the second. Statements that nothing
exposed supports are looked up in the whole knowledge base, within what the asker may read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.contribution.measure import Evidence, MeasureSettings, measure
from core.contribution.statements import split_statements
from core.contribution.support import load_model
from core.domain import Candidate, Evaluation, LineRef, Statement
from core.ports import AudienceId, Services, Vector
from core.usecases.evidence import LineVectors, line_vectors, list_lines, pair_vectors, term_stats
from core.usecases.lookup import look_up


@dataclass(frozen=True, slots=True)
class Shown:
    """What stood in a prompt. by_number: source number -> the candidates printed under it."""

    by_number: Mapping[int, Sequence[Candidate]]

    def candidates(self) -> list[Candidate]:
        return [candidate for group in self.by_number.values() for candidate in group]


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
    settings = _measure_settings(services)
    candidates = shown.candidates()
    lines = list_lines(candidates)
    by_line = await asyncio.to_thread(line_vectors, services, candidates)
    by_statement = await _statement_vectors(services, statements, lines, by_line)
    evidence = Evidence(
        lines=lines,
        cited={n: [c.article.id for c in group] for n, group in shown.by_number.items()},
        stats=await asyncio.to_thread(term_stats, services, statements),
        vectors=pair_vectors(services.embedder.dimensions, by_statement, by_line, lines),
        exposed={c.article.id: c.article.version for c in candidates},
    )
    evaluation = await asyncio.to_thread(measure, statements, evidence, load_model(), settings)
    missing = [
        statement
        for statement, verdict in zip(statements, evaluation.verdicts, strict=True)
        if verdict in ("unsupported", "unverified")
    ]
    found = await look_up(services, missing, by_statement, audiences)
    known = {(ref.article_id, ref.line.ordinal) for ref in lines}
    more = [ref for ref in list_lines(found) if (ref.article_id, ref.line.ordinal) not in known]
    if not more:
        return evaluation
    everything = [*lines, *more]
    by_line = {**await asyncio.to_thread(line_vectors, services, found), **by_line}
    vectors = pair_vectors(services.embedder.dimensions, by_statement, by_line, everything)
    wider = replace(evidence, lines=everything, vectors=vectors)
    return await asyncio.to_thread(measure, statements, wider, load_model(), settings)


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
    )
