"""`kiyo api-key`: who may ask over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import note, write, write_json


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Keys for asking over HTTP.", no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(list_all)
    group.command("revoke")(revoke)
    app.add_typer(group, name="api-key")


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the program that asks.")],
    staff: Annotated[bool, typer.Option("--staff", help="Show shares and scores to it, too.")] = False,
    group: Annotated[
        list[str] | None, typer.Option("--group", help="Reader group whose articles it may see; repeat it.")
    ] = None,
) -> None:
    """Make a key. It is shown once, and stored as a hash."""
    from bots.http.keys import hash_key, make_key
    from bots.operating import local_operator
    from core.app import open_desk
    from core.config import load_settings
    from core.usecases.api_keys import NewKey, add_key
    from core.usecases.audit import Acting

    key = make_key()
    new = NewKey(name, hash_key(key), "staff" if staff else "ask", frozenset(group or ()))
    with open_desk(load_settings()) as desk:
        made = add_key(desk.keys, Acting(local_operator(), desk.log), new)
    if not made:
        note(f"There is a key {name} already; revoke it first, or choose another name.")
        raise typer.Exit(1)
    note("Keep this key; it is not shown again.")
    write(key)


def list_all(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The keys, without the keys themselves."""
    from core.app import open_desk
    from core.config import load_settings

    with open_desk(load_settings()) as desk:
        keys = desk.keys.list_keys()
    if as_json:
        rows = [
            {
                "name": key.name,
                "scopes": sorted(key.scopes),
                "groups": sorted(key.groups),
                "revoked": key.revoked,
                "created_at": key.created_at.isoformat(),
                "used_at": key.used_at.isoformat() if key.used_at else None,
            }
            for key in keys
        ]
        write_json({"keys": rows})
        return
    for key in keys:
        state = "revoked" if key.revoked else ", ".join(sorted(key.scopes))
        used = key.used_at.date().isoformat() if key.used_at else "never"
        write(f"{key.name}  {state}  groups: {', '.join(sorted(key.groups)) or 'public'}  last used: {used}")
    if not keys:
        note("There is no key yet: kiyo api-key add NAME.")


def revoke(name: Annotated[str, typer.Argument(metavar="NAME", help="As listed.")]) -> None:
    """Refuse a key from now on."""
    from bots.operating import local_operator
    from core.app import open_desk
    from core.config import load_settings
    from core.usecases.api_keys import revoke_key
    from core.usecases.audit import Acting

    with open_desk(load_settings()) as desk:
        done = revoke_key(desk.keys, Acting(local_operator(), desk.log), name)
    if not done:
        note(f"There is no key {name}.")
        raise typer.Exit(1)
    note(f"The key {name} is revoked.")
