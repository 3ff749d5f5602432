"""uvicorn in the loop of the channels; signals are left to whoever owns the process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from core.errors import OperatorError


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn would take SIGINT and SIGTERM and raise them again at its end."""
        yield


async def serve_app(app: ASGIApp, host: str, port: int, stop: asyncio.Event) -> None:
    """Until `stop` is set. Raises OperatorError when the address cannot be had."""
    config = uvicorn.Config(app, host=host, port=port, log_config=None, lifespan="off", access_log=False)
    server = _Server(config)
    serving = asyncio.create_task(_serve(server, host, port))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    stopping.cancel()
    await serving


async def _serve(server: uvicorn.Server, host: str, port: int) -> None:
    try:
        await server.serve()
    except SystemExit as error:  # what uvicorn does when the port is taken
        raise OperatorError(
            f"The HTTP server cannot listen on {host}:{port}; choose another [channels.http] port."
        ) from error
