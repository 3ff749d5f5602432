"""`kiyo readers`: who may read an article or a source, and who may from now on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from bots.console import write, write_json

Target = Annotated[
    str, typer.Argument(metavar="ARTICLE_OR_SOURCE", help="An article's id or a source's name.")
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="GROUP", help="Let this group read it, and no other; repeatable."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def register(app: typer.Typer) -> None:
    app.command("readers")(readers)


def readers(target: Target, groups: Groups = None, as_json: AsJson = False) -> None:
    """Say who may read an article or a source, or change it."""
    from bots.operating import acting_here
    from core.config import load_settings
    from core.storage.engine import open_database
    from core.storage.knowledge import SqlKnowledgeStore
    from core.usecases.reader_groups import change_readers, read_readers

    database = open_database(load_settings().database_url)
    try:
        knowledge = SqlKnowledgeStore(database)
        report = read_readers(knowledge, target)
        if groups is not None:
            report = change_readers(knowledge, acting_here(database), target, groups)
    finally:
        database.close()
    if as_json:
        write_json(asdict(report))
        return
    told = f"{report.target} may be read by {', '.join(report.readers)} ({report.articles} articles)."
    write(told if groups is None else f"{told} {report.changed} of them changed.")
