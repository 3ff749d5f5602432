"""`kiyo user`: who may sign in to the dashboard, and what they may do there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from bots.console import note, one_line, write, write_json

if TYPE_CHECKING:
    from core.people_ports import Account, PeopleStore
    from core.usecases.audit import Acting

Login = Annotated[str, typer.Argument(metavar="LOGIN", help="What the person signs in as.")]
Roles = Annotated[
    list[str] | None,
    typer.Option("--role", metavar="ROLE", help="viewer, reviewer, labeller or maintainer; repeatable."),
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--group", metavar="GROUP", help="Reader group whose articles they may see; repeatable."),
]
FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the first line of stdin.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Who may sign in to the dashboard.", no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(list_all)
    group.command("roles")(roles)
    group.command("groups")(groups)
    group.command("password")(password)
    group.command("disable")(disable)
    group.command("enable")(enable)
    app.add_typer(group, name="user")


def add(
    login: Login,
    role: Roles = None,
    group: Groups = None,
    email: Annotated[str, typer.Option(help="Only to be shown.")] = "",
    password_stdin: FromStdin = False,
) -> None:
    """Make an account. The password is asked for, twice, and kept as a hash; it is never an argument."""
    from core.people_ports import NewAccount
    from core.storage.password_hashes import Argon2Hashes
    from core.usecases.accounts import add_account, check_roles

    chosen = check_roles(role or ["viewer"])
    hashes = Argon2Hashes()
    secret = _read_password(password_stdin)
    account = NewAccount(login, chosen, frozenset(group or ()), email)
    with _people() as (people, acting):
        made = add_account(people, acting, account, hashes, secret)
    note(f"{made.login} may sign in as {' and '.join(made.roles)}.")


def list_all(as_json: AsJson = False) -> None:
    """All accounts."""
    from bots.rendering import align_columns
    from core.usecases.accounts import list_accounts

    with _people() as (people, acting):
        found = list_accounts(people, acting)
    if as_json:
        write_json({"people": [_as_json(account) for account in found]})
        return
    rows = [
        (one_line(one.login), ", ".join(one.roles), ", ".join(sorted(one.groups)) or "public", _state(one))
        for one in found
    ]
    if rows:
        write("\n".join(align_columns([("login", "roles", "groups", "state"), *rows])))
    else:
        note("Nobody has an account yet: kiyo user add LOGIN --role maintainer.")


def roles(login: Login, role: Roles = None) -> None:
    """Give exactly these roles, from the person's next click on."""
    from core.usecases.accounts import change_roles

    with _people() as (people, acting):
        changed = change_roles(people, acting, login, role or [])
    note(f"{changed.login} is {' and '.join(changed.roles)} now.")


def groups(login: Login, group: Groups = None) -> None:
    """Put the person into exactly these reader groups; without --group they see what is public."""
    from core.usecases.accounts import change_groups

    with _people() as (people, acting):
        changed = change_groups(people, acting, login, group or [])
    note(f"{changed.login} is in {', '.join(sorted(changed.groups | {'public'}))} now.")


def password(login: Login, password_stdin: FromStdin = False) -> None:
    """Give a person another password. They have to sign in again, and a lock ends."""
    from core.storage.password_hashes import Argon2Hashes
    from core.usecases.accounts import reset_password

    hashes = Argon2Hashes()
    secret = _read_password(password_stdin)
    with _people() as (people, acting):
        reset_password(people, acting, hashes, login, secret)
    note(f"{login} has another password; open sessions are ended.")


def disable(login: Login) -> None:
    """Keep a person out from their next click on."""
    _set_disabled(login, True)


def enable(login: Login) -> None:
    """Let a person in again."""
    _set_disabled(login, False)


def _set_disabled(login: str, disabled: bool) -> None:
    from core.usecases.accounts import set_disabled

    with _people() as (people, acting):
        changed = set_disabled(people, acting, login, disabled)
    note(f"{changed.login} may {'no longer ' if disabled else ''}sign in{'' if disabled else ' again'}.")


@contextmanager
def _people() -> Iterator[tuple[PeopleStore, Acting]]:
    from bots.operating import acting_here
    from core.config import load_settings
    from core.storage.engine import open_database
    from core.storage.people import SqlPeopleStore

    database = open_database(load_settings().database_url)
    try:
        yield SqlPeopleStore(database), acting_here(database)
    finally:
        database.close()


def _read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    secret: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return secret


def _state(account: Account) -> str:
    if account.disabled:
        return "disabled"
    if account.locked_until is not None:
        return f"locked until {account.locked_until:%Y-%m-%d %H:%M} UTC"
    return "other provider" if account.subject else ""


def _as_json(account: Account) -> dict[str, object]:
    return {
        "login": account.login,
        "email": account.email,
        "roles": list(account.roles),
        "groups": sorted(account.groups),
        "disabled": account.disabled,
        "other_provider": bool(account.subject),
        "locked_until": account.locked_until.isoformat() if account.locked_until else None,
        "created_at": account.created_at.isoformat(),
    }
