"""Getting work done: here, with the lock on the indexes held, or by the process that holds it.

Exactly one process may open the embedded indexes. Whoever finds them taken leaves a job in the database and
waits; when the holder ends before it is done, the one that waits does the work itself.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from bots.console import note
from bots.memory import settled, share_arenas
from bots.operating import local_operator
from core.config import Settings
from core.errors import OperatorError, StoreError
from core.ports import JobStore, Progress, Services, no_progress
from core.usecases.jobs import JobKind, perform, shorten_report

POLL_SECONDS = 0.1
REMIND_POLLS = 150
TOLD_LATER: tuple[JobKind, ...] = ("ingest", "reindex")
"""Work whose report is kept for the pages, wherever it was done."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done: a kind of job and its payload."""

    kind: JobKind
    payload: Mapping[str, Any]
    is_job: bool = False
    """Whether a job waits for its result."""


@contextmanager
def open_services(settings: Settings) -> Iterator[Services]:
    """Services with the lock held. Raises StoreError if another process holds it."""
    from core.app import index_lock

    with index_lock(settings), _built(settings) as services:
        yield services


def do_work(settings: Settings, work: Work, progress: Progress = no_progress) -> Mapping[str, Any]:
    """The result of the work, done in this process if it can hold the lock, else by the one that does.

    Raises what the work raises here, OperatorError with the other process's sentence if it failed there.
    """
    with ExitStack() as held:
        if _take_lock(settings, held):
            return _do_here(settings, work, progress)
    from core.storage.engine import open_database
    from core.storage.jobs import SqlJobStore

    database = open_database(settings.database_url)
    try:
        jobs = SqlJobStore(database)
        number = jobs.enqueue(work.kind, work.payload, name_worker())
        note(f"Another Kiyo process holds the indexes; waiting for it to do this (job {number}).")
        try:
            return _wait(settings, work, jobs, number, progress)
        except KeyboardInterrupt:
            jobs.fail(number, "Whoever asked for this stopped waiting.")
            raise
    finally:
        database.close()


def name_worker() -> str:
    """This process, as jobs name it."""
    return f"{socket.gethostname()}:{os.getpid()}"


def name_run() -> str:
    """This process and no later one with its number."""
    return f"{name_worker()}:{secrets.token_hex(4)}"


def is_gone(worker: str) -> bool:
    """Whether a run has certainly ended: it was on this machine, and its process is not there any more."""
    host, _, rest = worker.rpartition(":")[0].rpartition(":")
    if os.name != "posix" or host != socket.gethostname() or not rest.isdecimal():
        return False
    if int(rest) == os.getpid():
        return True
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is there, and somebody else's
        return False
    return False


@contextmanager
def _built(settings: Settings) -> Iterator[Services]:
    from core.app import build, close

    share_arenas()
    services = build(settings)
    try:
        with settled():
            yield services
    finally:
        close(services)


def _take_lock(settings: Settings, held: ExitStack) -> bool:
    from core.app import index_lock

    try:
        held.enter_context(index_lock(settings))
    except StoreError:
        return False
    return True


def _do_here(settings: Settings, work: Work, progress: Progress) -> Mapping[str, Any]:
    with _built(settings) as services:
        result = asyncio.run(perform(services, work.kind, work.payload, progress))
        if work.kind in TOLD_LATER and not work.is_job:
            services.jobs.keep_done(work.kind, shorten_report(result), local_operator().name)
        return result


def _wait(
    settings: Settings, work: Work, jobs: JobStore, number: int, progress: Progress
) -> Mapping[str, Any]:
    polls = 0
    while True:
        state, result = jobs.result(number)
        if state == "done" and result is not None:
            return result
        if state == "failed":
            raise OperatorError(str((result or {}).get("error", "The job failed.")))
        with ExitStack() as held:
            if _take_lock(settings, held) and jobs.result(number)[0] in ("waiting", "running"):
                done = _do_here(settings, replace(work, is_job=True), progress)
                jobs.finish(number, done)
                return done
        polls += 1
        if polls % REMIND_POLLS == 0:
            note(f"Job {number} is {state}.")
        time.sleep(POLL_SECONDS)
