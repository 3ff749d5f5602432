from typing import Any

import pytest

from core.errors import ReadError
from core.usecases.eval_attribution import evaluate_attribution
from tests.core.usecases.judged import ATTRIBUTION


async def test_each_sentence_is_credited_to_the_passage_that_says_it() -> None:
    found = await evaluate_attribution(ATTRIBUTION, None)
    names = ("n", "n_with_gold", "n_pairs", "top1", "precision", "recall", "f1", "f1_checked", "pair_auc")
    assert [found[name] for name in names] == [3, 2, 6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]


async def test_a_wrong_gold_passage_costs_top1_and_f1() -> None:
    row = {**ATTRIBUTION[0], "gold": [["q"], ["q"], []]}
    found = await evaluate_attribution([row], None)
    assert (found["top1"], found["f1"]) == (0.5, 0.5)


async def test_copies_of_the_passage_are_credited_alike() -> None:
    passage = ATTRIBUTION[0]["passages"][0]
    row = {
        "answer_sentences": ATTRIBUTION[0]["answer_sentences"][:1],
        "passages": [passage, {**passage, "id": "copy"}],
        "gold": [["p", "copy"]],
    }
    assert (await evaluate_attribution([row], None))["f1"] == 1.0


async def test_nothing_to_measure_gives_none() -> None:
    found = await evaluate_attribution([], None)
    assert (found["n"], found["top1"], found["pair_auc"], found["ci"]["f1"]) == (0, None, None, None)
    no_passages = {"answer_sentences": ["Refunds take 14 days."], "passages": [], "gold": [[]]}
    assert (await evaluate_attribution([no_passages], None))["n_pairs"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": [[]]}, "row 1: `answer_sentences` and `gold`"),
        ({"passages": "text"}, "row 1: `passages`"),
        ({"passages": [{"id": "p", "title": ""}]}, "row 1: `text`"),
    ],
)
async def test_a_wrong_row_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        await evaluate_attribution([{**ATTRIBUTION[0], **change}], None)
