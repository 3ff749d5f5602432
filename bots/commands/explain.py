"""`kiyo explain`: how an answer came about."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import write, write_json


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    answer_id: Annotated[str, typer.Argument(metavar="ANSWER_ID", help="As `kiyo ask --json` prints it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show how an answer came about.

    What was searched, found, cut and shown, and how long it took.
    """
    from bots.trace_report import render_explanation
    from core.config import load_settings
    from core.storage.answers import SqlAnswerStore
    from core.storage.engine import open_database
    from core.storage.traces import SqlTraceStore
    from core.usecases.explain import explain_answer

    settings = load_settings()
    database = open_database(settings.database_url)
    try:
        traces = SqlTraceStore(database, settings.privacy.keep_traces_days)
        found = explain_answer(SqlAnswerStore(database), traces, answer_id)
    finally:
        database.close()
    if as_json:
        write_json(found)
    else:
        write(render_explanation(found))
