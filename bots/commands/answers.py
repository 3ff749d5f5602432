"""`kiyo answers`: answers that other bots gave."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bots.console import note, show_progress, write, write_json


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Answers that other bots gave.", no_args_is_help=True)
    group.command("import")(import_file)
    app.add_typer(group, name="answers")


def import_file(
    file: Annotated[
        Path, typer.Argument(help="JSON lines {question, answer, supplied, model?, channel?, at?}.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure recorded answers like our own. Importing the same file again changes nothing."""
    from bots.jsonl import read_lines
    from bots.running import Work, do_work
    from core.config import load_settings

    work = Work("import", {"lines": read_lines(file)})
    with show_progress() as progress:
        report = do_work(load_settings(), work, progress)
    if as_json:
        write_json(report)
    else:
        write(f"{report['imported']} answers imported, {report['known']} known already.")
    for problem in report["problems"]:
        note(f"{file}, {problem}")
    if report["problems"]:
        raise typer.Exit(1)
