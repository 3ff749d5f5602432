"""What `kiyo serve` runs where channels are configured: a supervisor, and the HTTP server beside it.

Questions are answered by the process that holds the indexes: this one, or the one to which jobs go.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bots.background import ServiceThread
from bots.channels.making import make_channels, one_receiver
from bots.running import is_gone, name_run, name_worker
from bots.supervisor import Supervisor
from core.app import open_desk
from core.channel_ports import Desk
from core.config import Settings
from core.domain import Answer
from core.errors import OperatorError
from core.ports import JobStore, Services
from core.storage.engine import open_database
from core.storage.jobs import SqlJobStore
from core.usecases.conversation.working import Ask
from core.usecases.jobs import ask_payload
from core.usecases.reply import AskRequest, answer_question

if TYPE_CHECKING:
    from bots.http.conversing import HttpChannel

POLL_SECONDS = 0.05


async def serve_channels(settings: Settings, names: Sequence[str], services: ServiceThread | None) -> int:
    """Until SIGINT or SIGTERM, whose number is returned.

    services: of this process; None where another process holds the indexes.
    """
    with ExitStack() as kept:
        desk = kept.enter_context(open_desk(settings))
        jobs = kept.enter_context(_open_jobs(settings))
        ask = ask_here(services) if services is not None else ask_elsewhere(jobs, desk)
        channels = dict(make_channels(settings, names))
        talks = _make_conversations(settings, desk) if "http" in names else None
        if talks is not None:
            channels[talks.name] = talks
        exclusive = one_receiver(settings, names)
        supervisor = Supervisor(desk, ask, channels, name_run(), exclusive=exclusive, is_gone=is_gone)
        stop, received = asyncio.Event(), [0]
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, _stop, number, received, stop)
        async with asyncio.TaskGroup() as group:
            if talks is not None:
                group.create_task(_serve_http(settings, supervisor, talks, stop))
            await supervisor.run(stop)
        return received[0]


def ask_here(services: ServiceThread) -> Ask:
    """Answer in this process, one question at a time, without blocking the loop of the channels."""

    async def ask(request: AskRequest) -> Answer:
        async def work(opened: Services) -> Answer:
            return await answer_question(opened, request)

        return await services.submit(work)

    return ask


def ask_elsewhere(jobs: JobStore, desk: Desk) -> Ask:
    """Leave a job to the process that holds the indexes, and wait for it."""
    worker = name_worker()

    async def ask(request: AskRequest) -> Answer:
        number = await asyncio.to_thread(jobs.enqueue, "ask", ask_payload(request), worker)
        while True:
            state, told = await asyncio.to_thread(jobs.result, number)
            if state == "failed":
                raise OperatorError(str((told or {}).get("error", "The job failed.")))
            if state == "done" and told is not None:
                answer = await asyncio.to_thread(desk.answers.get_answer, str(told["id"]))
                if answer is None:
                    raise OperatorError("The answer is gone.")
                return answer
            await asyncio.sleep(POLL_SECONDS)

    return ask


@contextmanager
def _open_jobs(settings: Settings) -> Iterator[JobStore]:
    database = open_database(settings.database_url)
    try:
        yield SqlJobStore(database)
    finally:
        database.close()


def _stop(number: int, received: list[int], stop: asyncio.Event) -> None:
    received[0] = number
    stop.set()


def _make_conversations(settings: Settings, desk: Desk) -> HttpChannel:
    from bots.http.conversing import HttpChannel

    section = settings.channels.http
    assert section is not None
    return HttpChannel(desk, section)


async def _serve_http(
    settings: Settings, supervisor: Supervisor, talks: HttpChannel, stop: asyncio.Event
) -> None:
    from bots.http.app import make_app
    from bots.http.server import serve_app

    section = settings.channels.http
    assert section is not None
    app = make_app(section, supervisor, talks, supervisor.channels)
    await serve_app(app, section.host, section.port, stop)
