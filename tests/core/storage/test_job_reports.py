"""Jobs as pages show them."""

from __future__ import annotations

from core.storage.engine import Database
from core.storage.job_reports import JobReports
from core.storage.jobs import SqlJobStore


def test_a_person_finds_only_jobs_of_their_own(database: Database) -> None:
    jobs, reports = SqlJobStore(database), JobReports(database)
    mine, other = jobs.enqueue("ask", {"question": "?"}, "mina"), jobs.enqueue("ask", {}, "rie")
    assert set(reports.find([mine, other, 999], "mina")) == {mine}
    assert reports.find([], "mina") == {}


def test_a_job_tells_how_far_it_is(database: Database) -> None:
    jobs, reports = SqlJobStore(database), JobReports(database)
    number = jobs.enqueue("ask", {"question": "?"}, "mina")
    assert reports.find([number], "mina")[number].is_open
    assert reports.count_open() == 1
    jobs.finish(number, {"answer": "Yes."})
    seen = reports.find([number], "mina")[number]
    assert (seen.is_open, seen.result, seen.payload) == (False, {"answer": "Yes."}, {"question": "?"})
    assert seen.finished_at is not None
    assert reports.count_open() == 0


def test_work_that_never_waited_is_told_like_a_job_and_never_given_out(database: Database) -> None:
    jobs, reports = SqlJobStore(database), JobReports(database)
    first = jobs.enqueue("ingest", {}, "mina")
    jobs.finish(first, {"added": 1})
    jobs.keep_done("ingest", {"added": 2}, "cli:mina")
    jobs.enqueue("ask", {}, "mina")
    assert [one.result for one in reports.latest(["ingest"], 5)] == [{"added": 2}, {"added": 1}]
    assert jobs.claim("worker", 60, ["ingest"]) is None
