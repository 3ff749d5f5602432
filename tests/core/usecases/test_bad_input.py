"""Answers and sources that nobody wants: each ends in a defined verdict, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.domain import Answer
from core.ports import Services, Vector, Vectors
from core.usecases.ingest import IngestRequest, ingest_path
from core.usecases.recorded import import_answers, read_row
from tests.fake_models import FakeEmbedder
from tests.services import write_files

TRAVEL = "# Travel\n\nHotels are paid up to 14,000 yen a night.\n\nGreen cars are not paid for.\n"
CLAIM = "Hotels are paid up to 14,000 yen a night [1]."


class Zeros(FakeEmbedder):
    """A model that has nothing to say about any text."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)

    async def embed_query(self, text: str) -> Vector:
        return np.zeros(self.dimensions, dtype=np.float32)


async def measured(services: Services, folder: Path, answer: str, source: str = TRAVEL) -> Answer:
    """The answer as it is recorded."""
    write_files(folder, {"rules/travel.md": source})
    await ingest_path(services, IngestRequest(folder / "rules"))
    line = json.dumps({"question": "Hotels?", "answer": answer, "supplied": ["travel.md"]})
    report = await import_answers(services, [line])
    assert (report.problems, report.imported) == ([], 1)
    found = services.answers.get_answer(read_row(line).id)
    assert found is not None
    assert found.text == answer
    return found


def share(answer: Answer) -> float | None:
    (contribution,) = answer.evaluation.contributions
    return contribution.share


@pytest.mark.parametrize(
    "answer",
    ["```python\nprint('hotels')\n```", "# Hotels", "Hello!", "- [Travel](https://example.org/travel)", "…"],
    ids=["code", "heading", "greeting", "links", "dots"],
)
async def test_an_answer_that_claims_nothing_has_no_share(
    services: Services, tmp_path: Path, answer: str
) -> None:
    found = await measured(services, tmp_path, answer)
    assert set(found.evaluation.verdicts) <= {"not_judged"}
    assert share(found) is None


async def test_an_empty_answer_is_refused_with_its_line_and_the_next_is_taken(
    services: Services, tmp_path: Path
) -> None:
    write_files(tmp_path, {"rules/travel.md": TRAVEL})
    await ingest_path(services, IngestRequest(tmp_path / "rules"))
    rows = [
        json.dumps({"question": "Hotels?", "answer": text, "supplied": ["travel.md"]}) for text in ("", CLAIM)
    ]
    report = await import_answers(services, rows)
    assert report.imported == 1
    assert len(report.problems) == 1


async def test_an_answer_of_200_kilobytes_is_measured_to_its_end(services: Services, tmp_path: Path) -> None:
    filler = "The canteen opens at noon on Fridays. " * 5_400
    found = await measured(services, tmp_path, f"{filler}{CLAIM}")
    assert len(found.text) > 200_000
    assert found.evaluation.verdicts[-1] == "supported"
    assert share(found) == pytest.approx(1 / sum(v != "not_judged" for v in found.evaluation.verdicts))


async def test_a_third_language_is_judged_and_not_supported_by_chance(
    services: Services, tmp_path: Path
) -> None:
    found = await measured(services, tmp_path, "Die Kantine öffnet freitags um zwölf Uhr.")
    assert found.evaluation.verdicts == ("unsupported",)
    assert share(found) == 0.0


@pytest.mark.parametrize("answer", ['{"answer": "' + CLAIM, f'{{"answer": ["{CLAIM}",,]}}'])
async def test_json_that_is_broken_is_measured_as_text(
    services: Services, tmp_path: Path, answer: str
) -> None:
    found = await measured(services, tmp_path, answer)
    assert "not_judged" not in found.evaluation.verdicts
    assert found.evaluation.statements


async def test_control_characters_in_a_source_change_no_verdict(services: Services, tmp_path: Path) -> None:
    dirty = TRAVEL.replace("yen a", "yen\u200b a\u202e").replace("Hotels", "\u2066Hotels\x0c")
    found = await measured(services, tmp_path, CLAIM, dirty)
    assert found.evaluation.verdicts == ("supported",)


async def test_vectors_of_zeros_leave_the_words(services: Services, tmp_path: Path) -> None:
    found = await measured(replace(services, embedder=Zeros()), tmp_path, CLAIM)
    assert found.evaluation.verdicts == ("supported",)
    (support,) = found.evaluation.supports
    assert support.probability is not None
    assert 0 < support.probability < 1


async def test_an_answer_of_one_word_repeated_ends(services: Services, tmp_path: Path) -> None:
    found = await measured(services, tmp_path, "hotels " * 3_000)
    assert len(found.evaluation.verdicts) >= 1


async def test_the_same_answer_twice_is_recorded_once(services: Services, tmp_path: Path) -> None:
    await measured(services, tmp_path, CLAIM)
    line = json.dumps({"question": "Hotels?", "answer": CLAIM, "supplied": ["travel.md"]})
    await import_answers(services, [line, line])
    assert len(services.answers.recent_answers(10)) == 1
