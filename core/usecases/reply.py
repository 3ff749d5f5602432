"""A question becomes a recorded answer: retrieve, select, answer, check, measure, decide, record."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from core.domain import ANONYMOUS, Answer, Draft, Evaluation, GateDecision, Principal
from core.errors import NotReadyError
from core.ports import AnswerRequest, Deferral, GateReviewRequest, Services, Source, Turn
from core.prompts.loading import load_words
from core.rag.citations import CheckedText, check_citations, locate_citations
from core.rag.gate import (
    UNMEASURED,
    GateThresholds,
    decide_gate,
    decide_unmeasured_gate,
    measure_confidence,
)
from core.rag.prompting import to_source
from core.rag.selection import list_exposures
from core.text.language import detect_language
from core.usecases.evaluate import Shown, evaluate_answer
from core.usecases.explain import add_usage, keep_trace
from core.usecases.gaps import note_gaps
from core.usecases.gate_review import ReviewedGate, review_gate
from core.usecases.refresh import refresh_indexes
from core.usecases.retrieve import Retrieved, retrieve

NOT_YET = Evaluation((), (), (), (), "")
"""Of an answer that is `evaluating`: measured after it left."""


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question and who asks it. history: earlier turns of the thread, oldest first.

    thresholds: what the answer must reach to leave, where it was asked.
    """

    question: str
    principal: Principal = ANONYMOUS
    channel: str = "terminal"
    history: tuple[Turn, ...] = ()
    thresholds: GateThresholds = field(default_factory=GateThresholds)


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds by stage."""

    timings_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent, 3)


async def answer_question(
    services: Services, request: AskRequest, on_text: Callable[[str], None] | None = None
) -> Answer:
    """Answer from what the asker may see, measure what carried the answer, and record the turn.

    on_text: receives the answerer's text as it comes, before citations are checked; for progress only.
    Raises NotReadyError when the question holds no word or there is nothing to answer from,
    IndexMismatchError when the index belongs to another model, ProviderError when the answerer fails.
    """
    if not any(character.isalnum() for character in request.question):
        raise NotReadyError("Please ask a question.")
    watch = Stopwatch()
    with watch.stage("refresh"):
        await refresh_indexes(services)
    if services.keyword.count() == 0:
        raise NotReadyError("The knowledge base is empty. Run `kiyo ingest FOLDER` first.")
    with watch.stage("retrieve"):
        retrieved = await retrieve(services, request.question, request.principal, request.history)
    with watch.stage("answer"):
        draft = await _write_draft(services, request, retrieved, on_text)
        checked = check_citations(draft.text, [s.number for s in retrieved.selection.sources])
    shown = Shown({s.number: (s.candidate, *s.duplicates) for s in retrieved.selection.sources})
    evaluation: Evaluation | None = None
    if services.settings.evaluation.mode == "inline":
        with watch.stage("evaluate"):
            evaluation = await evaluate_answer(
                services, checked.text, shown, retrieved.audiences, refused=not draft.found
            )
    turned = _Turned(retrieved, draft, checked, evaluation)
    with watch.stage("review"):
        reviewed = await _review(services, request, turned)
    answer = _assemble(services, request, turned, reviewed, watch)
    with watch.stage("record"):
        await _record(services, answer, turned, shown)
        await keep_trace(services, answer.id, {**retrieved.trace, **reviewed.record})
    with watch.stage("gaps"):
        await note_gaps(services, answer, request.principal.groups)
    return answer


@dataclass(frozen=True, slots=True)
class _Turned:
    """What the stages made of one question. evaluation: None where the answer leaves unmeasured."""

    retrieved: Retrieved
    draft: Draft
    checked: CheckedText
    evaluation: Evaluation | None

    @property
    def relevance(self) -> float:
        """Of the best source; 0 without any."""
        return max((s.candidate.relevance for s in self.retrieved.selection.sources), default=0.0)

    @property
    def sources(self) -> tuple[Source, ...]:
        """As the answerer saw them, best first."""
        return _sources(self.retrieved)

    def gate(self, thresholds: GateThresholds) -> GateDecision:
        found, checked = self.draft.found, self.checked
        if self.evaluation is None:
            return decide_unmeasured_gate(
                found, self.relevance, len(checked.numbers), checked.removed, thresholds
            )
        return decide_gate(found, self.relevance, self.evaluation, thresholds)


async def _record(services: Services, answer: Answer, turned: _Turned, shown: Shown) -> None:
    if turned.evaluation is not None:
        await asyncio.to_thread(services.answers.record_answer, answer)
        return
    deferral = Deferral(shown.by_number, turned.retrieved.audiences, turned.relevance, UNMEASURED)
    await asyncio.to_thread(services.answers.defer_answer, answer, deferral)


async def _write_draft(
    services: Services,
    request: AskRequest,
    retrieved: Retrieved,
    on_text: Callable[[str], None] | None,
) -> Draft:
    language = detect_language(request.question)
    if retrieved.nothing_found:
        return Draft(load_words("extractive", "not_found")[language], False, services.answerer.name)
    answer_request = AnswerRequest(
        question=request.question,
        language=language,
        sources=_sources(retrieved),
        history=request.history,
    )
    return await services.answerer.answer(answer_request, on_text)


async def _review(services: Services, request: AskRequest, turned: _Turned) -> ReviewedGate:
    return await review_gate(
        services,
        GateReviewRequest(request.question, turned.checked.text, turned.sources, request.history),
        turned.gate(request.thresholds),
    )


def _sources(retrieved: Retrieved) -> tuple[Source, ...]:
    return tuple(to_source(s.number, s.candidate) for s in retrieved.selection.sources)


def _assemble(
    services: Services, request: AskRequest, turned: _Turned, reviewed: ReviewedGate, watch: Stopwatch
) -> Answer:
    selection = turned.retrieved.selection
    found = turned.draft.found
    evaluation = turned.evaluation if turned.evaluation is not None else NOT_YET
    now = services.now()
    return Answer(
        id=new_answer_id(now),
        question=request.question,
        text=turned.checked.text,
        language=detect_language(request.question),
        found=found,
        citations=locate_citations(turned.checked.numbers, selection.sources, evaluation),
        removed_citations=turned.checked.removed,
        exposures=list_exposures(selection, turned.retrieved.costs),
        evaluation=evaluation,
        confidence=round(measure_confidence(found, turned.relevance, evaluation), 4),
        gate=reviewed.decision,
        model=turned.draft.model,
        usage=add_usage(add_usage(turned.retrieved.usage, turned.draft.usage), reviewed.usage),
        timings_ms=watch.timings_ms,
        asked_by=request.principal.id,
        channel=request.channel,
        created_at=now,
    )


def new_answer_id(now: datetime) -> str:
    """Sortable by time: 11 hex digits of milliseconds, then 10 random ones."""
    return f"{int(now.timestamp() * 1000):011x}{secrets.token_hex(5)}"
