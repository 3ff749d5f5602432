"""Evaluate answers that left before they were measured; the database is the queue, so nothing gets lost.

Any process that may open the indexes can do it, at any time and beside others: each answer gets one result.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from core.domain import GateDecision
from core.errors import KiyoError
from core.ports import LateOutcome, PendingEvaluation, Progress, Services, no_progress
from core.rag.gate import GateThresholds, decide_gate, measure_confidence, supported_share
from core.usecases.evaluate import Shown, evaluate_answer
from core.usecases.gaps import note_late_gaps
from core.usecases.refresh import refresh_indexes

LEASE_SECONDS = 300.0
_ORDER: tuple[GateDecision, ...] = ("send", "caution", "hand_over")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PendingReport:
    """evaluated: answers with a result now. warned: those of them that the gate would have held back.

    lost: evaluated here, but another worker was given the answer meanwhile. failed: tried in vain, to be
    tried again after a pause. left: still waiting.
    """

    evaluated: int = 0
    warned: int = 0
    lost: int = 0
    failed: int = 0
    left: int = 0


async def evaluate_pending(
    services: Services, limit: int | None = None, progress: Progress = no_progress
) -> PendingReport:
    """Evaluate what waits, oldest first; limit: at most so many answers."""
    worker, report = secrets.token_hex(8), PendingReport()
    total = _waiting(await asyncio.to_thread(services.answers.evaluation_states))
    done = 0
    while limit is None or done < limit:
        pending = await asyncio.to_thread(services.answers.claim_evaluation, worker, LEASE_SECONDS)
        if pending is None:
            break
        await _evaluate(services, pending, report)
        done += 1
        progress(done, max(total, done), "answers")
    report.left = _waiting(await asyncio.to_thread(services.answers.evaluation_states))
    return report


async def _evaluate(services: Services, pending: PendingEvaluation, report: PendingReport) -> None:
    if pending.text is None:
        report.failed += 1
        await asyncio.to_thread(services.answers.fail_evaluation, pending, "The text of the answer is gone.")
        return
    try:
        outcome = await _measure(services, pending, pending.text)
    except KiyoError as error:
        reason = str(error)
    except Exception:
        _log.exception("answer %s could not be evaluated", pending.answer_id)
        reason = "Something went wrong inside Kiyo; the log says more."
    else:
        if await asyncio.to_thread(services.answers.finish_evaluation, pending, outcome):
            report.evaluated += 1
            report.warned += outcome.warned_gate is not None
            await note_late_gaps(services, pending.answer_id, pending.audiences)
        else:
            report.lost += 1
        return
    report.failed += 1
    await asyncio.to_thread(services.answers.fail_evaluation, pending, reason)


async def _measure(services: Services, pending: PendingEvaluation, text: str) -> LateOutcome:
    await refresh_indexes(services)
    shown = Shown(pending.shown, pending.gone)
    evaluation = await evaluate_answer(services, text, shown, pending.audiences, refused=not pending.found)
    later = decide_gate(pending.found, pending.relevance, evaluation, GateThresholds())
    worse = pending.gate in _ORDER and later in _ORDER and _ORDER.index(later) > _ORDER.index(pending.gate)
    return LateOutcome(
        evaluation=evaluation,
        confidence=round(measure_confidence(pending.found, pending.relevance, evaluation), 4),
        share=supported_share(evaluation),
        warned_gate=later if worse else None,
    )


def _waiting(states: Mapping[str, int]) -> int:
    return states.get("waiting", 0) + states.get("running", 0)
