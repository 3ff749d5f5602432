"""Jobs: one payload in, one result out, failures as sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.domain import Principal
from core.errors import AskerError, NotReadyError
from core.ports import Services, Turn
from core.usecases.ingest import IngestRequest
from core.usecases.jobs import KINDS, LEASE_SECONDS, ask_payload, ingest_payload, perform, run_pending_job
from core.usecases.reply import AskRequest
from tests.services import FakeAnswerer, write_files

RULES = {
    "rules/leave.md": "# Leave\n\nApply for leave three days before.\n",
    "rules/travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n",
}


async def ingest(services: Services, folder: Path) -> dict[str, object]:
    return await perform(services, "ingest", ingest_payload([IngestRequest(folder)]))


async def test_an_ingest_counts_what_became_of_every_file(services: Services, tmp_path: Path) -> None:
    folder = write_files(tmp_path, {**RULES, "rules/empty.md": ""}) / "rules"
    first = await ingest(services, folder)
    assert (first["added"], first["skipped"], first["unchanged"]) == (2, 1, 0)
    assert first["articles"] == 2
    again = await ingest(services, folder)
    assert (again["added"], again["unchanged"]) == (0, 2)
    json.dumps(again)


async def test_a_path_that_is_absent_is_a_problem_and_the_rest_goes_on(
    services: Services, tmp_path: Path
) -> None:
    folder = write_files(tmp_path, RULES) / "rules"
    payload = ingest_payload([IngestRequest(tmp_path / "absent"), IngestRequest(folder)])
    report = await perform(services, "ingest", payload)
    assert report["added"] == 2
    assert report["problems"] == [f"{tmp_path / 'absent'} does not exist."]


def test_paths_of_a_payload_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    payload = ingest_payload([IngestRequest(Path("rules"))])
    assert payload["paths"] == [
        {
            "path": str(tmp_path / "rules"),
            "recursive": True,
            "kind": "document",
            "readers": None,
            "source": None,
            "allow_empty": False,
        }
    ]


async def test_a_job_is_done_once_and_its_result_is_the_answer(services: Services, tmp_path: Path) -> None:
    await ingest(services, write_files(tmp_path, RULES) / "rules")
    number = services.jobs.enqueue("ask", ask_payload(AskRequest("When do I apply for leave?")), "cli")
    assert await run_pending_job(services, "worker")
    state, result = services.jobs.result(number)
    assert state == "done"
    assert result is not None
    assert "three days before" in str(result["answer"])
    assert not await run_pending_job(services, "worker")


async def test_the_asker_and_the_thread_reach_the_answerer(services: Services, tmp_path: Path) -> None:
    folder = write_files(tmp_path, RULES) / "rules"
    request = IngestRequest(folder, readers=("managers",))
    await perform(services, "ingest", ingest_payload([request]))
    asked = AskRequest(
        "And hotels?", Principal("ana", frozenset({"managers"})), "dashboard", (Turn("user", "Hello"),)
    )
    result = await perform(services, "ask", json.loads(json.dumps(ask_payload(asked))))
    assert "14,000" in str(result["answer"])
    assert isinstance(services.answerer, FakeAnswerer)
    assert services.answerer.requests[-1].history == (Turn("user", "Hello"),)
    recorded = services.answers.get_answer(str(result["id"]))
    assert recorded is not None
    assert (recorded.asked_by, recorded.channel) == ("ana", "dashboard")


async def test_who_may_not_read_an_article_gets_nothing_of_it(services: Services, tmp_path: Path) -> None:
    folder = write_files(tmp_path, RULES) / "rules"
    await perform(services, "ingest", ingest_payload([IngestRequest(folder, readers=("managers",))]))
    result = await perform(services, "ask", ask_payload(AskRequest("How much are hotels?")))
    assert result["found"] is False
    assert (result["exposures"], result["contributions"]) == ([], [])


async def test_a_failed_job_holds_the_sentence_of_the_error(services: Services) -> None:
    number = services.jobs.enqueue("ask", ask_payload(AskRequest("Anything?")), "cli")
    assert await run_pending_job(services, "worker")
    state, result = services.jobs.result(number)
    assert state == "failed"
    assert result == {"error": "The knowledge base is empty. Run `kiyo ingest FOLDER` first."}


async def test_a_broken_payload_fails_with_an_incident_instead_of_a_traceback(
    services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    number = services.jobs.enqueue("ask", {}, "cli")
    assert await run_pending_job(services, "worker")
    state, result = services.jobs.result(number)
    assert state == "failed"
    assert result is not None
    sentence = str(result["error"])
    assert "KeyError" not in sentence
    incident = sentence.rpartition("(")[2].rstrip(").")
    assert incident in caplog.text


async def test_an_error_comes_through_where_the_work_is_done_directly(services: Services) -> None:
    with pytest.raises(NotReadyError):
        await perform(services, "ask", ask_payload(AskRequest("Anything?")))
    with pytest.raises(AskerError, match="no work of the kind"):
        await perform(services, "dance", {})


async def test_questions_are_done_before_long_work(services: Services) -> None:
    long = services.jobs.enqueue("reindex", {}, "cli")
    question = services.jobs.enqueue("ask", ask_payload(AskRequest("Anything?")), "cli")
    await run_pending_job(services, "worker")
    assert services.jobs.result(question)[0] == "failed"
    assert services.jobs.result(long)[0] == "waiting"


async def test_reindex_reports_what_it_embedded(services: Services, tmp_path: Path) -> None:
    await ingest(services, write_files(tmp_path, RULES) / "rules")
    report = await perform(services, "reindex", {})
    assert report["embedded"] == 0
    assert report["chunks"] == services.keyword.count()


async def test_an_import_is_a_job_like_any_other(services: Services) -> None:
    assert await perform(services, "import", {"lines": []}) == {"imported": 0, "known": 0, "problems": []}


def test_every_kind_has_a_lease() -> None:
    assert set(LEASE_SECONDS) == set(KINDS)
