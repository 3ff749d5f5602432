"""The JSON object of an answer: its keys are a promise."""

from __future__ import annotations

import json
from dataclasses import replace

from core.domain import Answer, Support, Verdict
from core.usecases.answer_json import answer_to_json
from tests.samples import Shown, answer_with


def answer() -> Answer:
    return answer_with(
        "x1",
        [
            Shown("docs:a.md", {0: "first line", 1: "second line"}),
            Shown("docs:b.md", {2: "third line"}, exposed=False),
            Shown("docs:c.md"),
        ],
    )


def test_the_keys_are_those_that_others_call() -> None:
    made = json.loads(json.dumps(answer_to_json(answer())))
    assert set(made) == {
        *("id", "question", "answer", "language", "found", "citations", "exposures", "contributions"),
        *("statements", "confidence", "gate", "model", "usage", "timings_ms"),
    }
    assert set(made["citations"][0]) == {
        *("n", "article_id", "title", "uri", "section", "page", "line_start", "line_end", "quote"),
    }
    assert made["citations"][0]["section"] == {
        "ordinal": 1,
        "title": "Leave",
        "breadcrumb": "Rules > Leave",
    }
    assert set(made["exposures"][0]) == {
        *("article_id", "version", "chunk_id", "rank", "scores", "relevance", "tokens", "in_prompt"),
    }
    assert set(made["contributions"][0]) == {
        *("article_id", "share", "sole_share", "statements", "strongest", "exposed"),
    }
    assert set(made["statements"][0]) == {"text", "verdict", "support"}
    assert set(made["statements"][0]["support"][0]) == {"article_id", "line", "probability"}
    assert made["usage"] == {"input_tokens": 120, "output_tokens": 30, "cost_usd": None, "calls": 1}
    assert made["timings_ms"] == {"retrieval": 12.5, "answering": 3.25}


def test_contributions_come_strongest_first_and_unmeasured_ones_last() -> None:
    whole = answer()
    unmeasured = replace(whole.evaluation.contributions[0], article_id="docs:z.md", share=None)
    shuffled = (unmeasured, *reversed(whole.evaluation.contributions))
    evaluation = replace(whole.evaluation, contributions=shuffled)
    made = answer_to_json(replace(whole, evaluation=evaluation))
    order = [(item["article_id"], item["share"]) for item in made["contributions"]]
    assert order == [("docs:a.md", 0.5), ("docs:b.md", 0.25), ("docs:c.md", 0.0), ("docs:z.md", None)]


def test_only_confirmed_pairs_support_a_statement_best_first() -> None:
    whole = answer()
    first = whole.evaluation.supports[0]

    def pair(article: str, probability: float, verdict: Verdict) -> Support:
        return replace(first, article_id=article, probability=probability, verdict=verdict)

    supports = (
        pair("docs:weak.md", 0.6, "uncited"),
        pair("docs:cited.md", 0.1, "unverified"),
        pair("docs:no.md", 0.2, "unsupported"),
        pair("docs:strong.md", 0.9, "supported"),
    )
    evaluation = replace(whole.evaluation, supports=supports)
    made = answer_to_json(replace(whole, evaluation=evaluation))
    named = [item["article_id"] for item in made["statements"][0]["support"]]
    assert named == ["docs:strong.md", "docs:weak.md"]
    assert made["statements"][3]["support"] == []
