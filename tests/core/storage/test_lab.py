from __future__ import annotations

from core.lab_requests import LabQuestion
from core.storage.engine import Database
from core.storage.jobs import SqlJobStore
from core.storage.lab import SqlLabStore

ONE = LabQuestion("When?", ("docs:a.md",))
TWO = LabQuestion("どこ？", ("docs:b.md", "docs:c.md"))


def test_a_set_is_replaced_under_its_name_and_its_runs_stay(database: Database) -> None:
    store = SqlLabStore(database)
    key = store.save_set("daily", [ONE], "ana")
    store.add_run(key, 1, {"mode": "anchors"}, "ana")
    assert store.save_set("daily", [ONE, TWO], "ben") == key
    (kept,) = store.sets()
    assert (kept.questions, kept.created_by) == ((ONE, TWO), "ana")
    assert [run.settings for run in store.runs(key)] == [{"mode": "anchors"}]
    store.remove_set(key)
    assert store.sets() == []
    assert store.runs(key) == []


def test_a_run_has_its_figures_once_its_job_is_done(database: Database) -> None:
    store, jobs = SqlLabStore(database), SqlJobStore(database)
    key = store.save_set("daily", [ONE], "ana")
    job, lost = jobs.enqueue("lab", {}, "ana"), jobs.enqueue("lab", {}, "ana")
    store.add_run(key, job, {}, "ana")
    store.add_run(key, lost, {}, "ana")
    assert [run.figures for run in store.runs(key)] == [None, None]
    jobs.finish(job, {"figures": {"mrr": 0.5}})
    jobs.fail(lost, "no index")
    done, failed = store.runs(key)
    assert done.figures == {"mrr": 0.5}
    assert (failed.figures, failed.error) == (None, "no index")


def test_figures_outlive_their_job(database: Database) -> None:
    store, jobs = SqlLabStore(database), SqlJobStore(database)
    key = store.save_set("daily", [ONE], "ana")
    job = jobs.enqueue("lab", {}, "ana")
    store.add_run(key, job, {}, "ana")
    jobs.finish(job, {"figures": {"mrr": 1.0}})
    store.runs(key)
    with database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM jobs")
    assert [run.figures for run in store.runs(key)] == [{"mrr": 1.0}]
