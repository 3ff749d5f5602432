"""Decide what happens to an answer before it leaves: send it, send it with a caution, or hand over.

Only calibrated numbers come in; what they are calibrated on is settled in `relevance` and `contribution`.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.domain import Evaluation, GateDecision


@dataclass(frozen=True, slots=True)
class GateThresholds:
    """Least share of supported statements for sending, and for sending with a caution."""

    send: float = 0.6
    caution: float = 0.3


def supported_share(evaluation: Evaluation) -> float | None:
    """Share of the judged statements that the knowledge base supports; None if none was judged."""
    judged = [v for v in evaluation.verdicts if v != "not_judged"]
    if not judged:
        return None
    return sum(v in ("supported", "uncited") for v in judged) / len(judged)


def measure_confidence(found: bool, relevance: float, evaluation: Evaluation) -> float:
    """How far an answer can be relied on, in [0, 1]: the share of its statements that the sources support,
    but no more than the relevance of its best source; 0 if nothing was found."""
    if not found:
        return 0.0
    share = supported_share(evaluation)
    return relevance if share is None else min(share, relevance)


def decide_gate(found: bool, evaluation: Evaluation, thresholds: GateThresholds) -> GateDecision:
    """`hand_over` when nothing was found or too little is supported; unjudged answers get a caution."""
    if not found:
        return "hand_over"
    share = supported_share(evaluation)
    if share is None:
        return "caution"
    if share >= thresholds.send:
        return "send"
    return "caution" if share >= thresholds.caution else "hand_over"
