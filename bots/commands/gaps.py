"""`kiyo gaps`: what no article answers."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import note, write, write_json

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Weeks = Annotated[int, typer.Option("--weeks", min=1, max=520, help="Calendar weeks up to this one.")]
Person = Annotated[
    str | None, typer.Option("--as", metavar="PERSON", help="See with the groups of [access.people].")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="What no article answers, by meaning and week.", invoke_without_command=True)
    group.callback()(list_gaps)
    group.command("show")(show)
    app.add_typer(group, name="gaps")


def list_gaps(
    context: typer.Context, weeks: Weeks = 8, person: Person = None, as_json: AsJson = False
) -> None:
    """What no article answers, and what an article answered without being shown.

    A gap closes by itself when an article that answers it is ingested, and opens again when that goes.
    """
    if context.invoked_subcommand:
        return
    from datetime import UTC, datetime

    from bots.gap_report import describe_gaps, gaps_to_json, read_gaps
    from bots.reading import open_reader
    from core.config import load_settings

    with open_reader(load_settings(), person) as reader:
        found = read_gaps(reader, datetime.now(UTC).date(), weeks)
    if as_json:
        write_json(gaps_to_json(found))
    else:
        write(describe_gaps(found))


def show(
    number: Annotated[int, typer.Argument(metavar="ID", help="Number of the gap, as `kiyo gaps` lists it.")],
    weeks: Weeks = 8,
    person: Person = None,
    as_json: AsJson = False,
) -> None:
    """One gap: its texts, and the articles that support them."""
    from datetime import UTC, datetime

    from bots.gap_report import describe_gap, entry_to_json, gap_to_json
    from bots.reading import open_reader
    from core.config import load_settings
    from core.storage.gap_reports import GapReports

    with open_reader(load_settings(), person) as reader:
        reports = GapReports(reader.database, reader.principal)
        gap = reports.gap(number, datetime.now(UTC).date(), weeks)
        entries = reports.entries(number)
    if gap is None:
        note(f"There is no gap {number} that you may see; `kiyo gaps` lists them.")
        raise typer.Exit(1)
    if as_json:
        write_json({**gap_to_json(gap), "entries": [entry_to_json(entry) for entry in entries]})
    else:
        write(describe_gap(gap, entries))
