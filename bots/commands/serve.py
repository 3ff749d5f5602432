"""`kiyo serve`: run the channels, hold the indexes, and do the work of every other Kiyo process."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from bots.console import note


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    channels: Annotated[
        list[str] | None, typer.Argument(metavar="[CHANNEL]...", help="Only these of the configured ones.")
    ] = None,
) -> None:
    """Run the configured channels, and do what other commands ask.

    Without any channel it holds the indexes. Channels may be spread over machines that share one database;
    the process that holds the indexes answers for all.
    """
    import asyncio
    import signal
    import threading

    from bots.background import ServiceThread
    from bots.channel_server import serve_channels
    from bots.channels.making import choose
    from core.config import load_settings
    from core.errors import StoreError
    from core.usecases.refresh import refresh_indexes

    settings = load_settings()
    chosen = choose(settings, channels or ())
    with ExitStack() as kept:
        services: ServiceThread | None = None
        try:
            services = kept.enter_context(ServiceThread(settings))
        except StoreError:
            if not chosen:
                raise
            note("Another Kiyo process holds the indexes; it answers the questions that come in here.")
        if services is not None:
            services.call(refresh_indexes)
        if not chosen:
            note("Serving. Other Kiyo commands on this database are answered here; Ctrl-C ends it.")
            threading.Event().wait()
        note(f"Serving {', '.join(chosen)}. Other Kiyo commands are answered here, too; Ctrl-C ends it.")
        received = asyncio.run(serve_channels(settings, chosen, services))
    if received == signal.SIGINT:
        raise KeyboardInterrupt
    raise typer.Exit(128 + received)
