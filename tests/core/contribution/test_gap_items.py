from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.contribution.gap_items import QUESTION, find_missing, nearest_chunks
from core.domain import GateDecision
from tests.samples import Shown, answer_with

ANSWERED = answer_with("x", [Shown("docs:a.md", dict.fromkeys(range(4), "Line."))])


def test_statements_without_support_are_missing() -> None:
    assert find_missing(ANSWERED) == ()
    assert find_missing(answer_with("x", [Shown("docs:a.md", {0: "L", 2: "L"})])) == (1, 3)


def test_a_cited_statement_that_failed_the_check_opens_no_gap() -> None:
    evaluation = replace(ANSWERED.evaluation, verdicts=("unverified", "supported", "not_judged", "uncited"))
    assert find_missing(replace(ANSWERED, evaluation=evaluation)) == ()


@pytest.mark.parametrize(
    ("found", "gate", "missing"),
    [
        (True, "send", ()),
        (True, "caution", ()),
        (True, "hand_over", (QUESTION,)),
        (False, "hand_over", (QUESTION,)),
        (False, "caution", (QUESTION,)),
    ],
)
def test_a_question_is_missing_when_nothing_answers_it(
    found: bool, gate: GateDecision, missing: tuple[int, ...]
) -> None:
    assert find_missing(replace(ANSWERED, found=found, gate=gate)) == missing


def test_what_is_handed_over_for_its_statements_is_not_counted_twice() -> None:
    bad = replace(answer_with("x", []), gate="hand_over")
    assert find_missing(bad) == (0, 1, 2, 3)
    assert find_missing(replace(bad, found=False)) == (QUESTION, 0, 1, 2, 3)


@pytest.mark.parametrize("question", ["Hello!", "ありがとうございます。", "  ", "…?"])
def test_who_asks_nothing_leaves_no_gap(question: str) -> None:
    assert find_missing(replace(ANSWERED, found=False, question=question)) == ()


def test_chunks_are_near_by_their_best_line() -> None:
    lines = np.array([[1, 0], [0, 1], [0.6, 0.8], [-1, 0]], dtype=np.float32)
    items = np.array([[1, 0], [0, 1]], dtype=np.float32)
    found = nearest_chunks(items, lines, [0, 2, 3], 0.5, 5)
    assert [[row for row, _ in near] for near in found] == [[0, 1], [0, 1]]
    assert found[0][1][1] == pytest.approx(0.6)
    assert nearest_chunks(items, lines, [0, 2, 3], 0.7, 5)[0] == [(0, 1.0)]
    assert [len(near) for near in nearest_chunks(items, lines, [0, 2, 3], 0.5, 1)] == [1, 1]
    assert nearest_chunks(items, lines[:0], [], 0.5, 5) == [[], []]
