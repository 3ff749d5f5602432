"""`kiyo dashboard`: the charts in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import note


def register(app: typer.Typer) -> None:
    app.command("dashboard")(dashboard)


def dashboard(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    person: Annotated[
        str | None, typer.Option("--as", metavar="PERSON", help="See with the groups of [access.people].")
    ] = None,
) -> None:
    """Serve the dashboard until Ctrl-C. It reads the database alone, so it may run beside anything."""
    import os
    import subprocess

    from bots.people import find_principal
    from bots.serving import GROUPS_VARIABLE, check_address, dashboard_command
    from core.config import load_settings
    from core.storage.engine import open_database

    settings = load_settings()
    open_database(settings.database_url).close()
    check_address(host, port)
    command = dashboard_command(host, port)
    groups = ",".join(sorted(find_principal(settings, person).groups))
    note(f"The dashboard is at http://{host}:{port} (Ctrl-C ends it).")
    finished = subprocess.run(command, env={**os.environ, GROUPS_VARIABLE: groups}, check=False)  # noqa: S603 - our own command line
    raise typer.Exit(finished.returncode)
