"""What happens to an answer before it leaves."""

from __future__ import annotations

import pytest

from core.domain import Evaluation, GateDecision, Verdict
from core.rag.gate import GateThresholds, decide_gate, decide_unmeasured_gate, measure_confidence


def measured(*verdicts: Verdict) -> Evaluation:
    return Evaluation((), verdicts, (), (), "test")


@pytest.mark.parametrize(
    ("found", "relevance", "verdicts", "decision"),
    [
        (True, 0.9, ("supported", "uncited"), "send"),
        (True, 0.9, ("supported", "unsupported"), "caution"),
        (True, 0.9, ("unverified", "unsupported"), "hand_over"),
        (True, 0.9, ("not_judged",), "caution"),
        (True, 0.9, (), "caution"),
        (False, 0.9, (), "hand_over"),
        (True, 0.9, ("supported", "not_judged"), "send"),
        (True, 0.4, ("supported",), "caution"),
        (True, 0.3, ("supported",), "hand_over"),
    ],
)
def test_decisions(
    found: bool, relevance: float, verdicts: tuple[Verdict, ...], decision: GateDecision
) -> None:
    assert decide_gate(found, relevance, measured(*verdicts), GateThresholds()) == decision


@pytest.mark.parametrize(
    ("found", "relevance", "verdicts", "confidence"),
    [
        (False, 0.9, ("supported",), 0.0),
        (True, 0.9, ("supported", "unsupported"), 0.5),
        (True, 0.4, ("supported",), 0.4),
        (True, 0.7, ("not_judged",), 0.7),
    ],
)
def test_confidence(found: bool, relevance: float, verdicts: tuple[Verdict, ...], confidence: float) -> None:
    assert measure_confidence(found, relevance, measured(*verdicts)) == confidence


@pytest.mark.parametrize(
    ("found", "relevance", "cited", "removed", "decision"),
    [
        (True, 0.9, 1, 0, "send"),
        (True, 0.9, 0, 0, "caution"),
        (True, 0.9, 1, 1, "caution"),
        (True, 0.4, 1, 0, "caution"),
        (True, 0.3, 1, 0, "hand_over"),
        (False, 0.9, 1, 0, "hand_over"),
    ],
)
def test_before_the_measure_relevance_and_checked_citations_decide(
    found: bool, relevance: float, cited: int, removed: int, decision: GateDecision
) -> None:
    assert decide_unmeasured_gate(found, relevance, cited, removed, GateThresholds()) == decision
