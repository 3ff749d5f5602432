"""Services and their event loop in a thread of their own, for a command that talks to a person meanwhile.

While it runs it holds the lock on the indexes and works off the jobs of other processes, one thing at a
time: a turn of the conversation and a job never share the indexes at the same moment.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

from bots.running import name_worker, open_services
from core.config import Settings
from core.errors import StoreError
from core.ports import Services
from core.usecases.jobs import run_pending_job
from core.usecases.privacy import expire_texts

IDLE_SECONDS = 0.25
RESTING_SECONDS = 1.0
"""Between two looks for a job once there was none for RESTING_AFTER of them: a process at rest takes next to
nothing of the machine."""
RESTING_AFTER = 40
EXPIRE_SECONDS = 3600.0
T = TypeVar("T")

_log = logging.getLogger(__name__)


class ServiceThread:
    """A context manager; entering raises whatever opening the services raises."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="kiyo-services", daemon=True)

    def __enter__(self) -> ServiceThread:
        self._thread.start()
        self._ready.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(RuntimeError):  # the loop ended by itself
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def call(self, work: Callable[[Services], Awaitable[T]]) -> T:
        """Run `work` on the services and wait for it; Ctrl-C while waiting cancels it."""
        waiting = asyncio.run_coroutine_threadsafe(self._exclusive(work), self._loop)
        try:
            return waiting.result()
        except KeyboardInterrupt:
            waiting.cancel()
            raise

    async def submit(self, work: Callable[[Services], Awaitable[T]]) -> T:
        """`call` for another event loop: it waits without blocking that one."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._exclusive(work), self._loop))

    async def _exclusive(self, work: Callable[[Services], Awaitable[T]]) -> T:
        async with self._turn:
            return await work(self._services)

    def _run(self) -> None:
        try:
            with open_services(self._settings) as services:
                self._services = services
                asyncio.run(self._serve())
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)

    async def _expire(self) -> None:
        """Texts whose days are over go at the start and then each hour."""
        if self._services.privacy is not None:
            await asyncio.to_thread(expire_texts, self._services.privacy, self._services.settings)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._turn = asyncio.Lock()
        self._stop = asyncio.Event()
        self._ready.set_result(None)
        worker = name_worker()
        expired_at = -math.inf
        idle = 0
        while not self._stop.is_set():
            try:
                if self._loop.time() - expired_at >= EXPIRE_SECONDS:
                    expired_at = self._loop.time()
                    await self._expire()
                async with self._turn:
                    busy = await run_pending_job(self._services, worker)
            except StoreError as error:
                _log.warning("looking for jobs failed: %s", error)
                busy = False
            idle = 0 if busy else idle + 1
            if not busy:
                pause = IDLE_SECONDS if idle < RESTING_AFTER else RESTING_SECONDS
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), pause)
