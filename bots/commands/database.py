"""`kiyo db`: the schema of the database, and the texts that leave it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bots.console import write, write_json

if TYPE_CHECKING:
    from core.config import Settings
    from core.ports import PrivacyStore, TextsRemoved
    from core.usecases.audit import Acting

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="The database: create it, migrate it, see where it stands.", no_args_is_help=True
    )
    group.command("upgrade")(upgrade)
    group.command("status")(status)
    group.command("expire")(expire)
    group.command("erase-person")(erase)
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


def expire(as_json: AsJson = False) -> None:
    """Remove texts whose days are over ([privacy]); figures stay. A serving process does it each hour."""
    from core.usecases.privacy import expire_now

    _remove(expire_now, as_json)


def erase(
    person: Annotated[str, typer.Argument(metavar="ID", help="The person, as in [access.people].")],
    as_json: AsJson = False,
) -> None:
    """Remove what a person asked, was answered and thought, and their name; figures stay."""
    from core.usecases.privacy import erase_person

    _remove(lambda store, acting, settings: erase_person(store, acting, settings, person), as_json)


def _remove(work: Callable[[PrivacyStore, Acting, Settings], TextsRemoved], as_json: bool) -> None:
    from bots.operating import acting_here
    from core.config import load_settings
    from core.storage.engine import open_database
    from core.storage.privacy import SqlPrivacyStore

    settings = load_settings()
    database = open_database(settings.database_url)
    try:
        removed = work(SqlPrivacyStore(database), acting_here(database), settings)
    finally:
        database.close()
    if as_json:
        write_json(asdict(removed))
        return
    write(
        f"Removed the texts of {removed.messages} messages, {removed.drafts} drafts, {removed.traces} traces "
        f"and {removed.jobs} jobs."
    )
