"""`kiyo serve`: hold the indexes and do the work of every other Kiyo process until told to stop."""

from __future__ import annotations

import typer

from bots.console import note


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve() -> None:
    """Hold the indexes and do what other Kiyo commands ask."""
    import threading

    from bots.background import ServiceThread
    from core.config import load_settings
    from core.usecases.refresh import refresh_indexes

    with ServiceThread(load_settings()) as services:
        services.call(refresh_indexes)
        note("Serving. Other Kiyo commands on this database are answered here; Ctrl-C ends it.")
        threading.Event().wait()
