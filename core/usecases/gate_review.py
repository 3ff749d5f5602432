"""Have a model look over an answer before it leaves, where one is configured.

It can hold an answer back and never lets one pass that the figures hold back.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from core.domain import GateDecision, Usage
from core.errors import ProviderError
from core.ports import GateReviewRequest, Services
from core.rag.gate import lower_gate

NOT_ASKED = Usage()

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReviewedGate:
    """The decision after the review. record: for the trace; empty where nobody was asked."""

    decision: GateDecision
    record: Mapping[str, object]
    usage: Usage = NOT_ASKED


async def review_gate(services: Services, request: GateReviewRequest, decision: GateDecision) -> ReviewedGate:
    """The decision, lowered by what the model says of the answer.

    Nobody is asked about what a person looks at anyway. A model that fails counts as one in doubt: the answer
    gets a caution at best.
    """
    reviewer = services.gate_reviewer
    if reviewer is None or decision == "hand_over":
        return ReviewedGate(decision, {})
    try:
        opinion = await reviewer.review(request)
    except ProviderError as error:
        _log.warning("the review of an answer failed, which counts as doubt: %s", error)
        lowered = lower_gate(decision, "doubtful")
        return ReviewedGate(lowered, _record(reviewer.id, decision, "failed", str(error)))
    return ReviewedGate(
        lower_gate(decision, opinion.verdict),
        _record(reviewer.id, decision, opinion.verdict, opinion.reason),
        opinion.usage,
    )


def _record(reviewer: str, before: GateDecision, verdict: str, reason: str) -> dict[str, object]:
    """What the trace of the answer keeps, under one name."""
    told = {"by": reviewer, "before": before, "verdict": verdict, "reason": reason}
    return {"gate_review": told}
