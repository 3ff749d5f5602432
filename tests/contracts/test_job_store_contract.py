"""What every JobStore does."""

from __future__ import annotations

import pytest

from core.errors import StoreError
from core.ports import JobStore
from core.storage.engine import Database
from core.storage.jobs import MAX_ATTEMPTS, SqlJobStore
from tests.databases import Ticks


@pytest.fixture
def clock() -> Ticks:
    return Ticks()


@pytest.fixture
def store(database: Database, clock: Ticks) -> SqlJobStore:
    return SqlJobStore(database, clock)


def test_it_is_a_job_store(store: SqlJobStore) -> None:
    port: JobStore = store
    assert port.claim("w1", 60, ["ask"]) is None


def test_a_job_goes_from_waiting_to_done(store: SqlJobStore) -> None:
    payload = {"question": "有給休暇は?\0", "top": 3, "nested": {"list": [1, None]}}
    key = store.enqueue("ask", payload, "ana")
    assert store.result(key) == ("waiting", None)
    job = store.claim("w1", 60, ["ask"])
    assert job is not None
    assert (job.id, job.kind, job.payload, job.created_by) == (key, "ask", payload, "ana")
    assert store.result(key) == ("running", None)
    store.finish(key, {"answer": "ten days"})
    assert store.result(key) == ("done", {"answer": "ten days"})


def test_a_failed_job_says_why(store: SqlJobStore) -> None:
    key = store.enqueue("ingest", {}, "ana")
    store.claim("w1", 60, ["ingest"])
    store.fail(key, "the folder is gone")
    assert store.result(key) == ("failed", {"error": "the folder is gone"})


def test_the_oldest_job_of_the_asked_kinds_comes_first(store: SqlJobStore) -> None:
    store.enqueue("ingest", {}, "ana")
    second = store.enqueue("ask", {}, "ana")
    third = store.enqueue("ask", {}, "ana")
    first, after = store.claim("w1", 60, ["ask", "other"]), store.claim("w1", 60, ["ask"])
    assert first is not None
    assert after is not None
    assert [first.id, after.id] == [second, third]
    assert store.claim("w1", 60, ["ask"]) is None


def test_a_running_job_is_given_to_nobody_else_until_its_lease_runs_out(
    store: SqlJobStore, clock: Ticks
) -> None:
    key = store.enqueue("ask", {}, "ana")
    store.claim("w1", 60, ["ask"])
    clock.now += 60_000
    assert store.claim("w2", 60, ["ask"]) is None
    clock.now += 1
    again = store.claim("w2", 60, ["ask"])
    assert again is not None
    assert again.id == key


def test_a_renewed_lease_lasts_and_a_lost_one_is_not_renewed(store: SqlJobStore, clock: Ticks) -> None:
    key = store.enqueue("ingest", {}, "ana")
    store.claim("w1", 60, ["ingest"])
    clock.now += 50_000
    assert store.renew(key, "w1", 60)
    clock.now += 50_000
    assert store.claim("w2", 60, ["ingest"]) is None
    clock.now += 20_000
    assert store.claim("w2", 60, ["ingest"]) is not None
    assert not store.renew(key, "w1", 60)
    assert store.renew(key, "w2", 60)


def test_the_first_end_counts(store: SqlJobStore) -> None:
    key = store.enqueue("ask", {}, "ana")
    store.claim("w1", 60, ["ask"])
    store.finish(key, {"answer": "first"})
    store.finish(key, {"answer": "second"})
    store.fail(key, "late")
    assert store.result(key) == ("done", {"answer": "first"})


def test_a_job_that_stops_every_worker_is_given_up(store: SqlJobStore, clock: Ticks) -> None:
    key = store.enqueue("ingest", {}, "ana")
    for _ in range(MAX_ATTEMPTS):
        assert store.claim("w1", 1, ["ingest"]) is not None
        clock.now += 2_000
    assert store.claim("w1", 1, ["ingest"]) is None
    state, result = store.result(key)
    assert state == "failed"
    assert result is not None
    assert "stopped" in str(result["error"])


def test_an_unknown_job_is_an_error(store: SqlJobStore) -> None:
    with pytest.raises(StoreError, match="no job 7"):
        store.result(7)
