"""From hits to an order: detection, scores, candidates, calibrated relevance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rag.anchors.aggregation import POOL, AnchorCandidate, gather_candidates, order_candidates
from core.rag.anchors.detection import Detection, detect_anchors
from core.rag.anchors.parsing import parse_question
from core.rag.anchors.relevance import CLEAN, calibrate_anchors
from core.rag.anchors.scoring import is_clean, score_units
from core.rag.anchors.tables import DocumentTables
from core.rag.relevance import CosineScale
from tests.core.rag.anchors.documents import CountedMeaning, Part, document, with_vectors
from tests.fake_models import FakeEmbedder

LAW = document(
    Part("Scope", ("This covers pumps.",), page=1),
    Part("Fees", ("A fee is due for every pump and every valve.",), page=1),
    Part("Valves", ("Each valve is tested.", "The fee of a valve is low."), page=2),
    Part("References", ("Fees of pumps and valves, second series.",), page=3),
)


async def detected(text: str, tables: DocumentTables = LAW) -> Detection:
    return await detect_anchors([tables], parse_question(text), None)


async def ranked(text: str, tables: DocumentTables = LAW) -> list[str]:
    candidates = gather_candidates([tables], parse_question(text), await detected(text, tables))
    return [tables.units[candidate.unit].title for candidate in candidates]


def candidate(score: float, **keys: object) -> AnchorCandidate:
    values: dict[str, object] = {
        **{"document": 0, "unit": 0, "methods": (), "keywords": (), "distinct": 1, "title_hit": False},
        **{"words": score, "line": None, "unit_cosine": None, "score": score, "lines": ()},
    }
    return AnchorCandidate(**{**values, **keys})  # type: ignore[arg-type]  # checked by the class


async def test_every_detector_says_that_it_ran_or_why_not() -> None:
    runs = {run.method: run for run in (await detected("pump")).runs}
    assert runs["keyword_lines"].ran
    assert runs["keyword_lines"].found == 3
    assert not runs["line_embeddings"].ran
    assert runs["line_embeddings"].reason == "embeddings are switched off"


async def test_a_document_without_vectors_says_so() -> None:
    counted = CountedMeaning(FakeEmbedder(), "fees of things")
    detection = await detect_anchors([LAW], parse_question("unheard words"), counted.meaning())
    reasons = {run.reason for run in detection.runs if not run.ran}
    assert reasons == {"no vectors of this kind are stored"}


async def test_words_that_are_nowhere_are_evidence_of_absence() -> None:
    assert not (await detected("earthquake")).found
    assert (await detected("pump")).found


async def test_the_nearest_of_all_meanings_is_no_evidence_by_itself() -> None:
    seen = await with_vectors(LAW, FakeEmbedder())
    far = CountedMeaning(FakeEmbedder(), "earthquake", CosineScale(0.9, 0.5))
    detection = await detect_anchors([seen], parse_question("earthquake"), far.meaning())
    assert any(hit.method == "line_embeddings" for hit in detection.hits)
    assert not detection.found


async def test_a_section_that_holds_more_keywords_comes_first_and_a_list_of_references_loses() -> None:
    order = await ranked("Which fee has a pump with a valve?")
    assert order[0] == "Fees"
    assert order.index("References") > 0


async def test_several_documents_are_scored_on_one_scale() -> None:
    other = document(*(Part(f"Part {n}", ("A pump alone.",)) for n in range(4)))
    question = parse_question("fee of a pump with a valve")
    detection = await detect_anchors([other, LAW], question, None)
    best = gather_candidates([other, LAW], question, detection)[0]
    assert (best.document, LAW.units[best.unit].title) == (1, "Fees")


async def test_a_keyword_of_another_language_that_cannot_stand_there_is_left_out() -> None:
    question = parse_question("ポンプ pump")
    detection = await detect_anchors([LAW], question, None)
    scores = score_units([LAW], question, detection.occurrences, detection.nearness)[0]
    assert scores.coverage.max() == pytest.approx(1.0)


async def test_one_section_with_all_keywords_settles_a_point_question() -> None:
    question = parse_question("Is each valve tested?")
    occurrences = (await detected(question.text)).occurrences[0]
    assert "'Valves' alone holds all 2 keywords" in is_clean(LAW, question, occurrences)
    listing = parse_question("Which kinds of valve are tested?")
    assert is_clean(LAW, listing, occurrences) == ""


async def test_two_sections_with_all_keywords_settle_nothing() -> None:
    question = parse_question("fee valve")
    assert is_clean(LAW, question, (await detected(question.text)).occurrences[0]) == ""


async def test_methods_and_keywords_are_united_by_section() -> None:
    question = parse_question("valve tested fee")
    found = gather_candidates([LAW], question, await detected(question.text))
    valves = next(c for c in found if LAW.units[c.unit].title == "Valves")
    assert {"keyword_lines", "keyword_pages", "keyword_titles"} <= set(valves.methods)
    assert set(valves.keywords) == {"valve", "tested", "fee"}
    assert valves.title_hit
    assert [LAW.lines[n].kind for n in valves.lines] == ["sentence", "sentence"]


async def test_the_pool_is_bounded_but_for_named_places() -> None:
    tables = document(*(Part(f"第{n}条", ("同じ話です。",)) for n in range(1, 31)))
    question = parse_question("第30条の同じ話")
    found = gather_candidates([tables], question, await detect_anchors([tables], question, None))
    assert len(found) == POOL
    assert found[0].named


def test_equal_scores_are_ordered_by_distinct_keywords_title_cosine_and_place() -> None:
    given_ = [
        candidate(0.5, unit=4),
        candidate(0.5, unit=3),
        candidate(0.5, unit=2, unit_cosine=0.4),
        candidate(0.5, unit=1, title_hit=True),
        candidate(0.5, unit=0, distinct=2),
    ]
    assert [one.unit for one in order_candidates(given_)] == [0, 1, 2, 3, 4]


@given(
    st.lists(st.floats(0, 2), min_size=1, max_size=6),
    st.sampled_from([None, CosineScale(0.1, 0.1)]),
)
def test_relevance_is_a_probability(scores: list[float], scale: CosineScale | None) -> None:
    ordered = [candidate(score, line=0.3, unit_cosine=0.2) for score in sorted(scores, reverse=True)]
    found = calibrate_anchors(ordered, scale)
    assert all(0.0 <= value <= 1.0 for value in found)
    assert np.argmax(found) == 0


def test_the_place_that_settles_a_question_is_nearly_certain() -> None:
    assert calibrate_anchors([candidate(0.9), candidate(0.1)], None, clean=True)[0] == CLEAN
