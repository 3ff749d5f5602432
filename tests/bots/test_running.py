"""Work is done here when the lock is free, else by the process that holds it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from bots.background import ServiceThread
from bots.running import Work, do_work, open_services
from core.app import index_lock
from core.config import Settings, load_settings
from core.domain import Article
from core.errors import NotReadyError, OperatorError, StoreError
from core.ports import Services
from core.storage.engine import open_database
from core.storage.jobs import SqlJobStore
from core.storage.migrating import upgrade
from core.usecases.ingest import IngestRequest
from core.usecases.jobs import ask_payload, ingest_payload
from core.usecases.reply import AskRequest
from tests.services import write_files

ASK = Work("ask", ask_payload(AskRequest("When do I apply for leave?")))


@pytest.fixture
def settings(workplace: Path) -> Settings:
    chosen = load_settings()
    upgrade(chosen.database_url)
    return chosen


def test_with_the_lock_free_the_work_is_done_here(settings: Settings) -> None:
    with pytest.raises(NotReadyError, match="empty"):
        do_work(settings, ASK)
    with index_lock(settings):
        pass


def test_with_the_lock_held_the_holder_does_it(
    settings: Settings, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_files(workplace, {"docs/leave.md": "# Leave\n\nApply three days before.\n"}) / "docs"
    with ServiceThread(settings) as holder:
        report = do_work(settings, Work("ingest", ingest_payload([IngestRequest(folder)])))
        assert report["added"] == 1

        async def find(services: Services) -> Article | None:
            return services.knowledge.get_article("docs/leave.md")

        assert holder.call(find) is not None
    assert "Another Kiyo process" in capsys.readouterr().err


def test_a_failure_of_the_holder_is_its_sentence(settings: Settings) -> None:
    with ServiceThread(settings), pytest.raises(OperatorError, match="knowledge base is empty"):
        do_work(settings, ASK)


def test_when_the_holder_dies_over_the_job_the_one_who_waits_does_it(settings: Settings) -> None:
    held = threading.Event()

    def hold_and_die() -> None:
        database = open_database(settings.database_url)
        with index_lock(settings):
            held.set()
            while SqlJobStore(database).claim("doomed", 60, ["ask"]) is None:
                pass
        database.close()

    doomed = threading.Thread(target=hold_and_die)
    doomed.start()
    held.wait()
    with pytest.raises(NotReadyError, match="empty"):
        do_work(settings, ASK)
    doomed.join()


def test_a_second_long_running_process_is_refused(settings: Settings) -> None:
    with open_services(settings), pytest.raises(StoreError, match="Another Kiyo process"):
        ServiceThread(settings).__enter__()


def test_what_fails_in_the_thread_fails_in_the_caller(settings: Settings) -> None:
    async def fail(_: Services) -> None:
        raise NotReadyError("not now")

    with ServiceThread(settings) as services:
        with pytest.raises(NotReadyError, match="not now"):
            services.call(fail)
        assert services.call(lambda opened: asyncio.sleep(0, opened.settings)) == settings
    with index_lock(settings):
        pass
