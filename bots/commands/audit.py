"""`kiyo audit`: who changed what, and when."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from bots.console import note, one_line, write, write_json


def register(app: typer.Typer) -> None:
    app.command("audit")(audit)


def audit(
    who: Annotated[str, typer.Option(help="Only what this person did.")] = "",
    action: Annotated[str, typer.Option(help="Only this action, such as person.roles.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="So many, latest first.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say who did what, and when."""
    from bots.operating import acting_here
    from bots.rendering import align_columns
    from core.config import load_settings
    from core.people_ports import AuditFilter
    from core.storage.engine import open_database
    from core.usecases.audit import read_audit

    database = open_database(load_settings().database_url)
    try:
        acting = acting_here(database)
        entries = read_audit(acting.log, acting.person, AuditFilter(who=who, action=action), limit)
    finally:
        database.close()
    if as_json:
        rows = [
            {
                "id": one.id,
                "at": one.at.isoformat(),
                "who": one.who,
                "action": one.action,
                "object": {"kind": one.object_kind, "id": one.object_id},
                "detail": dict(one.detail),
            }
            for one in entries
        ]
        write_json({"entries": rows})
        return
    shown = [
        (
            f"{one.at:%Y-%m-%d %H:%M:%S}",
            one_line(one.who),
            one.action,
            one_line(one.object_id),
            one_line(json.dumps(dict(one.detail), ensure_ascii=False)) if one.detail else "",
        )
        for one in entries
    ]
    if shown:
        write("\n".join(align_columns([("at (UTC)", "who", "action", "what", ""), *shown])))
    else:
        note("Nothing was noted yet.")
