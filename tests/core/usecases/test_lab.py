"""The retrieval lab: every detector side by side, settings to try, sets with known articles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.domain import ANONYMOUS, Principal
from core.errors import AskerError, RoleError
from core.lab_requests import LabQuestion, LabRequest, LabSettings, lab_payload
from core.ports import Services
from core.usecases.ingest import IngestRequest
from core.usecases.jobs import ingest_payload, perform, run_pending_job
from core.usecases.lab_sets import ask_lab, run_set, save_set
from core.usecases.people import Person
from tests.services import write_files

FILES = {
    "rules/leave.md": "# Leave\n\nApply for annual leave three days before.\n",
    "rules/travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n",
    "rules/pay.md": "# Pay\n\nSalaries are paid on the 25th.\n",
}
MIA = Person("mia", "maintainer")


@pytest.fixture
async def filled(services: Services, tmp_path: Path) -> Services:
    folder = write_files(tmp_path, FILES) / "rules"
    await perform(services, "ingest", ingest_payload([IngestRequest(folder)]))
    return services


async def search(services: Services, text: str, **settings: Any) -> dict[str, Any]:
    request = LabRequest((LabQuestion(text),), ANONYMOUS, LabSettings(**settings), detailed=True)
    found = await perform(services, "lab", lab_payload(request))
    json.dumps(found)
    return found


async def test_each_detector_tells_what_it_found(filled: Services) -> None:
    found = await search(filled, "How much is paid for hotels?")
    for name in ("keyword", "vector", "anchors"):
        assert found["detectors"][name][0]["title"] == "Travel"
    best = found["fused"][0]
    assert best["number"] == 1
    assert best["ranks"]["keyword"] == 1
    assert best["relevance"] > 0
    assert found["mode"] == "hybrid"


async def test_what_is_cut_has_its_reason(filled: Services) -> None:
    found = await search(filled, "When are hotels and salaries paid?", max_results=1, relevance_threshold=0.0)
    assert [one["number"] for one in found["fused"]].count(1) == 1
    assert "over the number of results" in {one["cut_because"] for one in found["fused"]}
    strict = await search(filled, "When are hotels and salaries paid?", relevance_threshold=1.0)
    assert {one["cut_because"] for one in strict["fused"]} == {"below the threshold"}


async def test_settings_are_tried_and_not_kept(filled: Services) -> None:
    before = filled.settings.rag
    found = await search(filled, "How much is paid for hotels?", mode="anchors", fusion="rrf")
    assert found["fused"][0]["chunk"] < 0
    assert found["trace"]
    assert filled.settings.rag == before
    with pytest.raises(AskerError, match="cannot be tried"):
        await search(filled, "Hotels?", max_results=0)


async def test_articles_of_others_are_not_found(services: Services, tmp_path: Path) -> None:
    folder = write_files(tmp_path, FILES) / "rules"
    await perform(services, "ingest", ingest_payload([IngestRequest(folder, readers=("managers",))]))
    found = await search(services, "How much is paid for hotels?")
    assert found["fused"] == []
    assert not any(found["detectors"].values())
    boss = Principal("boss", frozenset({"public", "managers"}))
    request = LabRequest((LabQuestion("How much is paid for hotels?"),), boss, detailed=True)
    assert (await perform(services, "lab", lab_payload(request)))["fused"]


async def test_a_set_tells_recall_and_ranks(filled: Services) -> None:
    first = (await search(filled, "How much is paid for hotels?"))["fused"][0]["article_id"]
    questions = (
        LabQuestion("How much is paid for hotels?", (first,)),
        LabQuestion("When do I apply for leave?", ("nowhere",)),
    )
    found = await perform(filled, "lab", lab_payload(LabRequest(questions, ANONYMOUS)))
    figures = found["figures"]
    assert (figures["n"], figures["recall_at_1"], figures["mrr"]) == (2, 0.5, 0.5)
    assert [row["rank"] for row in found["questions"]] == [1, None]
    assert figures["milliseconds"] >= 0


async def test_a_job_of_the_lab_is_done_by_who_holds_the_index(filled: Services) -> None:
    job = ask_lab(filled.jobs, MIA, ANONYMOUS, "How much is paid for hotels?", LabSettings())
    assert await run_pending_job(filled, "worker")
    state, result = filled.jobs.result(job)
    assert state == "done"
    assert result is not None
    assert result["question"] == "How much is paid for hotels?"


class Kept:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.sets: dict[str, tuple[LabQuestion, ...]] = {}
        self.runs: list[tuple[int, int]] = []

    def save_set(self, name: str, questions: Any, person: str) -> int:
        self.sets[name] = tuple(questions)
        return 1

    def remove_set(self, key: int) -> None:
        self.sets.clear()

    def add_run(self, lab_set: int, job: int, settings: Any, person: str) -> int:
        self.runs.append((lab_set, job))
        return 1


def test_maintainers_alone_write_and_run_sets(services: Services) -> None:
    store, one = Kept(), (LabQuestion("Q?", ("docs:a.md",)),)
    with pytest.raises(RoleError):
        save_set(store, Person("eve", "reviewer"), "mine", one)
    with pytest.raises(RoleError):
        run_set(store, services.jobs, Person("eve", "viewer"), 1, LabRequest(one, ANONYMOUS))
    with pytest.raises(AskerError, match="name"):
        save_set(store, MIA, "  ", one)
    with pytest.raises(AskerError, match="question"):
        save_set(store, MIA, "mine", ())
    assert (store.sets, store.runs) == ({}, [])
    save_set(store, MIA, " mine ", one)
    run_set(store, services.jobs, MIA, 1, LabRequest(one, ANONYMOUS))
    assert store.sets == {"mine": one}
    assert len(store.runs) == 1
