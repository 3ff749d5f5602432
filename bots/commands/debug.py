"""`kiyo debug`: tools that show one step alone."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import note, write, write_json


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Look at one step of the search alone.", no_args_is_help=True)
    group.command("toc")(toc)
    app.add_typer(group, name="debug")


def toc(
    question: Annotated[str, typer.Argument(help="In Japanese or English.")],
    article: Annotated[str, typer.Option("--article", metavar="ID", help="Whose table of contents.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask the language model which sections it would open, by the table of contents alone.

    The same question about the same table asks no model again while traces are kept.
    """
    import asyncio

    from core.app import make_toc_reader
    from core.config import load_settings
    from core.errors import SettingsError
    from core.storage.engine import open_database
    from core.storage.knowledge import SqlKnowledgeStore
    from core.storage.traces import SqlTraceStore
    from core.usecases.debug_toc import select_sections

    settings = load_settings()
    reader = make_toc_reader(settings)
    if reader is None:
        raise SettingsError("kiyo debug toc needs a language model; set [llm] model.")
    database = open_database(settings.database_url)
    try:
        knowledge = SqlKnowledgeStore(database)
        traces = SqlTraceStore(database, settings.privacy.keep_traces_days)
        found = asyncio.run(select_sections(knowledge, traces, reader, question, article))
    finally:
        database.close()
    if as_json:
        write_json(found)
        return
    for section in found["sections"]:
        pages = f" (p. {section['pages']})" if section["pages"] else ""
        write(f"{section['id']:>4}  {section['breadcrumb']}{pages}")
    if not found["sections"]:
        write("The model selected no section.")
    if found["rejected"]:
        note(f"Not in the table of contents: {', '.join(found['rejected'])}")
    write(found["reasoning"])
    note(f"{found['prompt']} with {found['model']}{', from the cache' if found['cached'] else ''}")
