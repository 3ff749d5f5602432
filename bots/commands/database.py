"""`kiyo db`: the schema of the database."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import write, write_json

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="The database: create it, migrate it, see where it stands.", no_args_is_help=True
    )
    group.command("upgrade")(upgrade)
    group.command("status")(status)
    app.add_typer(group, name="db")


def upgrade(as_json: AsJson = False) -> None:
    """Create the database, or bring it to the schema of this version."""
    from core.config import load_settings
    from core.storage.migrating import current_revision
    from core.storage.migrating import upgrade as migrate

    url = load_settings().database_url
    before = current_revision(url)
    after = migrate(url)
    if as_json:
        write_json({"before": before, "after": after})
    elif before == after:
        write(f"The database is up to date (revision {after}).")
    else:
        write(f"The database is now at revision {after}" + (f", from {before}." if before else ", new."))


def status(as_json: AsJson = False) -> None:
    """Say which revision the database is at and which one this version needs; exit code 1 if they differ."""
    from core.config import load_settings
    from core.storage.migrating import current_revision, head_revision

    current, head = current_revision(load_settings().database_url), head_revision()
    if as_json:
        write_json({"current": current, "needed": head, "up_to_date": current == head})
    elif current == head:
        write(f"The database is up to date (revision {current}).")
    else:
        found = f"at revision {current}" if current else "empty or absent"
        write(f"The database is {found}; this version needs {head}. Run `kiyo db upgrade`.")
    if current != head:
        raise typer.Exit(1)
