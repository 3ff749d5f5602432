"""How an answer came about: what its exposures do not tell is kept beside it for a limited time.

A search of chunks leaves everything in the exposures; one for anchors leaves its audit record as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from core.domain import Answer, AnswerId, Exposure, Usage
from core.errors import AskerError
from core.ports import AnswerStore, Services, TraceStore


async def keep_trace(services: Services, answer_id: AnswerId, trace: Mapping[str, object]) -> None:
    """Keep the trace of a recorded answer, where traces are kept."""
    if services.traces is not None and trace:
        await asyncio.to_thread(services.traces.save_trace, answer_id, trace)


def explain_answer(answers: AnswerStore, traces: TraceStore, answer_id: AnswerId) -> dict[str, Any]:
    """Plain values for JSON: the head of the answer, everything that was retrieved with scores, and what
    became of it, and the trace, None once it is gone. Raises AskerError if there is no such answer.
    """
    answer = answers.get_answer(answer_id)
    if answer is None:
        raise AskerError(f"There is no answer {answer_id}.")
    trace = traces.get_trace(answer_id)
    return {
        "id": answer.id,
        "question": answer.question,
        "at": answer.created_at.isoformat(),
        "found": answer.found,
        "gate": answer.gate,
        "confidence": answer.confidence,
        "model": answer.model,
        "usage": _usage(answer),
        "timings_ms": dict(answer.timings_ms),
        "mode": _mode(answer, trace),
        "exposures": [_exposure(one) for one in answer.exposures],
        "trace": trace,
    }


def add_usage(one: Usage, other: Usage) -> Usage:
    """Both together; an unknown price of either makes that of both unknown."""
    if one.calls == 0 or other.calls == 0:
        return other if one.calls == 0 else one
    known = one.cost_usd is not None and other.cost_usd is not None
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost_usd=(one.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        calls=one.calls + other.calls,
    )


def _mode(answer: Answer, trace: Mapping[str, object] | None) -> object:
    """Only places that were expanded are no stored chunks; None where nothing tells."""
    if trace is not None and "mode" in trace:
        return trace["mode"]
    shown = [one.chunk_id is not None for one in answer.exposures]
    return None if not shown else "hybrid" if all(shown) else "anchors"


def _usage(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _exposure(one: Exposure) -> dict[str, Any]:
    return {
        "article_id": one.article_id,
        "version": one.version,
        "chunk_id": one.chunk_id,
        "first_line": one.first_line,
        "last_line": one.last_line,
        "rank": one.rank,
        "relevance": one.relevance,
        "scores": dict(one.scores),
        "tokens": one.tokens,
        "in_prompt": one.in_prompt,
        "source_number": one.source_number,
        "cut_because": one.cut_because,
    }
