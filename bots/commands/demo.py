"""`kiyo demo`: the whole product on a sample knowledge base, in a folder of its own."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    once: Annotated[bool, typer.Option("--once", help="Stop after the answers, without serving.")] = False,
    scale: Annotated[
        float | None,
        typer.Option(
            min=0.0001, max=1.0, metavar="FRACTION", help="Figures of so many million made-up answers."
        ),
    ] = None,
) -> None:
    """Run the whole product on a sample knowledge base.

    Ingests it in the folder ./demo, asks a dozen questions, shows what carried the answers, then serves the
    dashboard and a chat. With --scale it makes up answers in ./demo-scale instead, to show how fast figures
    of many are: 0.01 for every day, 1.0 for a million answers from 5,000 articles.
    """
    if scale is not None:
        _run_scaled(scale, once)
        return
    from bots.background import ServiceThread
    from bots.demo import FOLDER, prepare_folder, run_steps, serve

    settings = prepare_folder(FOLDER)
    with ServiceThread(settings) as services:
        run_steps(services, settings)
        if not once:
            serve(services, FOLDER)


def _run_scaled(fraction: float, once: bool) -> None:
    from bots.demo import prepare_folder
    from bots.demo_scale import FOLDER, run_scaled, serve_figures

    run_scaled(prepare_folder(FOLDER), fraction)
    if not once:
        serve_figures(FOLDER)
