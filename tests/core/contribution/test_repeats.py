"""What was compared before is not compared again, in any answer, and the figures are the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.contribution.features import TermStats
from core.contribution.measure import Evidence, measure
from core.contribution.repeats import PairMemory
from core.contribution.statements import split_statements
from core.contribution.support import PairVectors, load_model
from core.domain import Evaluation
from core.memory import Memory
from tests.core.contribution.refs import EXPENSES, LEAVE, REFUNDS, lines_of

MODEL = load_model()
ANSWER = "領収書の画像を添付してください[1]。社員食堂は12時に開きます。"
STATS = TermStats(10, {"領収": 2, "画像": 3})


def vectors(lines: int, seed: int = 0) -> PairVectors:
    numbers = np.random.default_rng(seed)
    return PairVectors(
        numbers.normal(size=(2, 8)).astype(np.float32), numbers.normal(size=(lines, 8)).astype(np.float32)
    )


def evidence(memory: PairMemory | None, **articles: str) -> Evidence:
    lines = lines_of(**(articles or {"a": EXPENSES, "b": LEAVE}))
    return Evidence(
        lines=lines,
        cited={1: ["a"]},
        stats=STATS,
        vectors=vectors(len(lines)),
        memory=memory,
        encoder="model",
    )


def evaluate(given: Evidence, answer: str = ANSWER) -> Evaluation:
    return measure(split_statements(answer), given, MODEL)


def test_the_same_pairs_of_another_answer_are_not_compared_again() -> None:
    memory: PairMemory = Memory(100)
    first = evaluate(evidence(memory))
    assert memory.made == 4
    assert evaluate(evidence(memory)) == first
    assert memory.made == 4
    assert first == evaluate(evidence(None))


def test_only_the_new_statement_of_a_longer_answer_is_compared() -> None:
    memory: PairMemory = Memory(100)
    lines = lines_of(a=EXPENSES, b=LEAVE)
    given = Evidence(lines=lines, stats=STATS, memory=memory)
    evaluate(given)
    evaluate(given, ANSWER + "駐車場は裏手にあります。")
    assert memory.made == 6


def test_an_article_under_another_name_with_the_same_lines_is_not_compared_again() -> None:
    memory: PairMemory = Memory(100)
    evaluate(evidence(memory, a=EXPENSES))
    found = evaluate(evidence(memory, renamed=EXPENSES))
    assert memory.made == 2
    assert {support.article_id for support in found.supports} == {"renamed"}


@pytest.mark.parametrize(
    "change",
    [
        lambda one: replace(one, lines=lines_of(a=EXPENSES.replace("画像", "写真"), b=LEAVE)),
        lambda one: replace(one, stats=TermStats(11, STATS.frequencies)),
        lambda one: replace(one, stats=TermStats(10, {"領収": 9, "画像": 3})),
        lambda one: replace(one, vectors=vectors(len(one.lines), 1)),
        lambda one: replace(one, vectors=None),
        lambda one: replace(one, encoder="another model"),
        lambda one: replace(one, exposed={}),
    ],
    ids=["lines", "number of texts", "rarity", "vectors", "no vectors", "model", "looked up"],
)
def test_whatever_a_comparison_reads_makes_it_anew(change: object) -> None:
    assert callable(change)
    memory: PairMemory = Memory(100)
    evaluate(evidence(memory))
    before = memory.made
    changed = change(evidence(memory))
    found = evaluate(changed)
    assert memory.made > before
    assert found == evaluate(replace(changed, memory=None))


def test_other_coefficients_compare_anew_even_under_the_same_name() -> None:
    memory: PairMemory = Memory(100)
    evaluate(evidence(memory))
    other = replace(MODEL, intercept=MODEL.intercept - 1)
    found = measure(split_statements(ANSWER), evidence(memory), other)
    assert memory.made == 8
    assert found == measure(split_statements(ANSWER), evidence(None), other)


def test_a_memory_that_is_too_small_costs_time_and_changes_nothing() -> None:
    small: PairMemory = Memory(1)
    answer = ANSWER + REFUNDS
    assert evaluate(evidence(small), answer) == evaluate(evidence(None), answer)
