from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from core.domain import ANONYMOUS
from core.ports import Deferral
from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from core.storage.jobs import SqlJobStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Period, Reports
from core.storage.schema import SCHEMA_REVISION
from core.usecases.reply import NOT_YET
from tests.core.storage.worker import WRITES
from tests.samples import SOURCE, START, Shown, answer_with, article_record

_ROOT = Path(__file__).parents[3]


@pytest.fixture
def knowledge(database: Database) -> SqlKnowledgeStore:
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    for name in ("a.md", "b.md"):
        store.save_article(article_record(name, ["The same.", "Another."]))
    return store


@contextmanager
def worker(task: str, url: str, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that waits for a line before it begins; killed at the end if it is still there."""
    command = [sys.executable, "-W", "error", "-m", "tests.core.storage.worker", task, url, name]
    process = subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with process.stdin, process.stdout:
            assert process.stdout.readline() == "ready\n"
            yield process
    finally:
        process.kill()
        process.wait()


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def rest_of(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    words = process.stdout.read().split()
    assert process.wait() == 0
    return words


def test_of_two_processes_writing_at_once_no_write_is_lost(
    database: Database, database_url: str, knowledge: SqlKnowledgeStore
) -> None:
    with worker("write", database_url, "one") as one, worker("write", database_url, "two") as two:
        for process in (one, two):
            begin(process)
        for process in (one, two):
            rest_of(process)
    assert knowledge.counts().articles == 2 + 2 * 10
    with database.reading() as connection:
        revisions = connection.scalars(select(t.revisions.c.revision).order_by(t.revisions.c.revision)).all()
        assert revisions == list(range(1, 2 + WRITES + 1))
        assert len(connection.scalars(select(t.answers.c.id)).all()) == WRITES
    with database.reading() as connection:
        audiences = connection.scalars(select(t.audiences.c.key)).all()
    rows = Reports(database).quadrant_rows(Period(START.date(), START.date()), audiences)
    figures = {row.article_id: (row.exposure, row.carried, row.contribution) for row in rows}
    assert figures == {"docs:a.md": (WRITES, WRITES, WRITES / 2), "docs:b.md": (WRITES, 0, 0.0)}


def test_every_job_is_done_once_whoever_takes_it(database: Database, database_url: str) -> None:
    jobs = SqlJobStore(database)
    wanted = [jobs.enqueue("ask", {"n": n}, "ana") for n in range(100)]
    with worker("work", database_url, "one") as one, worker("work", database_url, "two") as two:
        for process in (one, two):
            begin(process)
        taken = [int(word) for process in (one, two) for word in rest_of(process)]
    assert sorted(taken) == wanted
    assert {jobs.result(key)[0] for key in wanted} == {"done"}


def test_every_deferred_answer_is_evaluated_once_whoever_takes_it(
    database: Database, database_url: str, knowledge: SqlKnowledgeStore
) -> None:
    answers = SqlAnswerStore(database)
    wanted = [f"x{n:03}" for n in range(100)]
    for name in wanted:
        whole = answer_with(name, [Shown("docs:a.md"), Shown("docs:b.md")], statements=2)
        answers.defer_answer(replace(whole, evaluation=NOT_YET), Deferral({}, (), 0.5, "citations"))
    with worker("evaluate", database_url, "one") as one, worker("evaluate", database_url, "two") as two:
        for process in (one, two):
            begin(process)
        taken = [word for process in (one, two) for word in rest_of(process)]
    assert sorted(taken) == wanted
    assert answers.evaluation_states() == {"done": len(wanted)}
    audiences = knowledge.readable_audiences(ANONYMOUS)
    rows = Reports(database).quadrant_rows(Period(START.date(), START.date()), audiences)
    figures = {row.article_id: (row.exposure, row.answers, row.contribution) for row in rows}
    assert figures == {"docs:a.md": (100, 100, 50.0), "docs:b.md": (100, 100, 0.0)}


def test_a_process_killed_while_it_writes_an_article_leaves_nothing_half_written(
    database: Database, database_url: str, knowledge: SqlKnowledgeStore
) -> None:
    before = knowledge.counts(), knowledge.article_lines("docs:a.md"), knowledge.delta_since(0, "toy", 100)
    with worker("stall", database_url, "a") as process:
        begin(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        assert knowledge.counts() == before[0]
        process.kill()
        process.wait()
    after = knowledge.counts(), knowledge.article_lines("docs:a.md"), knowledge.delta_since(0, "toy", 100)
    assert after[:2] == before[:2]
    assert [entry.text for entry in after[2].entries] == [entry.text for entry in before[2].entries]
    assert knowledge.save_article(article_record("a.md", ["New."])) == 3


def test_two_first_upgrades_at_once_both_succeed(empty_url: str) -> None:
    with worker("upgrade", empty_url, "one") as one, worker("upgrade", empty_url, "two") as two:
        for process in (one, two):
            begin(process)
        assert [rest_of(process) for process in (one, two)] == [[SCHEMA_REVISION], [SCHEMA_REVISION]]
    open_database(empty_url).close()
