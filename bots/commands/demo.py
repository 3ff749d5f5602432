"""`kiyo demo`: the whole product on a sample knowledge base, in a folder of its own."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    once: Annotated[bool, typer.Option("--once", help="Stop after the answers, without serving.")] = False,
) -> None:
    """Run the whole product on a sample knowledge base.

    Ingests it in the folder ./demo, asks a dozen questions, shows what carried the answers, then serves the
    dashboard and a chat.
    """
    from bots.background import ServiceThread
    from bots.demo import FOLDER, prepare_folder, run_steps, serve

    settings = prepare_folder(FOLDER)
    with ServiceThread(settings) as services:
        run_steps(services, settings)
        if not once:
            serve(services, FOLDER)
