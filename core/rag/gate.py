"""Decide what happens to an answer before it leaves: send it, send it with a caution, or hand over.

Only calibrated numbers come in; what they are calibrated on is settled in `relevance` and `contribution`.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.domain import Evaluation, GateDecision, GateVerdict


@dataclass(frozen=True, slots=True)
class GateThresholds:
    """Least share of supported statements, and least relevance of the best source, for sending at all and
    for sending without a caution. An answer can quote its sources faithfully and still miss the question."""

    send: float = 0.6
    caution: float = 0.3
    send_relevance: float = 0.5
    caution_relevance: float = 0.35


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


def decide_gate(
    found: bool, relevance: float, evaluation: Evaluation, thresholds: GateThresholds
) -> GateDecision:
    """`hand_over` when nothing was found, too little is supported or the sources are beside the question;
    an answer of which nothing could be judged gets a caution at best."""
    share = supported_share(evaluation)
    if not found or relevance < thresholds.caution_relevance:
        return "hand_over"
    if share is None:
        return "caution"
    if share < thresholds.caution:
        return "hand_over"
    return "send" if share >= thresholds.send and relevance >= thresholds.send_relevance else "caution"


def lower_gate(decision: GateDecision, verdict: GateVerdict) -> GateDecision:
    """What a review leaves of a decision: doubt makes it a caution at best, a bad answer goes to a person."""
    if verdict == "bad":
        return "hand_over"
    return "caution" if verdict == "doubtful" and decision == "send" else decision


UNMEASURED = "relevance and checked citations"
"""What `decide_unmeasured_gate` decides on, for the record of the answer."""


def decide_unmeasured_gate(
    found: bool, relevance: float, cited: int, removed: int, thresholds: GateThresholds
) -> GateDecision:
    """The decision where answers are measured after they left: on relevance and checked citations alone.

    cited, removed: how many different sources the marks lead to, and how many marks led nowhere. An answer
    that cites nothing, or invents a source, gets a caution at best.
    """
    if not found or relevance < thresholds.caution_relevance:
        return "hand_over"
    trusted = cited > 0 and removed == 0 and relevance >= thresholds.send_relevance
    return "send" if trusted else "caution"
