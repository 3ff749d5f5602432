"""What happens to an answer before it leaves."""

from __future__ import annotations

import pytest

from core.domain import Evaluation, GateDecision, Verdict
from core.rag.gate import GateThresholds, decide_gate, measure_confidence


def measured(*verdicts: Verdict) -> Evaluation:
    return Evaluation((), verdicts, (), (), "test")


@pytest.mark.parametrize(
    ("found", "verdicts", "decision"),
    [
        (True, ("supported", "uncited"), "send"),
        (True, ("supported", "unsupported"), "caution"),
        (True, ("unverified", "unsupported"), "hand_over"),
        (True, ("not_judged",), "caution"),
        (True, (), "caution"),
        (False, (), "hand_over"),
        (True, ("supported", "not_judged"), "send"),
    ],
)
def test_decisions(found: bool, verdicts: tuple[Verdict, ...], decision: GateDecision) -> None:
    assert decide_gate(found, measured(*verdicts), GateThresholds()) == decision


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
