"""People of the dashboard: making and changing accounts, signing in and out.

Only maintainers change accounts; everybody may change their own password. All is sync.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.errors import AskerError
from core.people_ports import (
    ROLES,
    Account,
    AuditLog,
    LockRule,
    NewAccount,
    PasswordHashes,
    PeopleStore,
    Role,
)
from core.usecases.audit import Acting

LOGIN_CHARS = 100
PASSWORD_CHARS = (10, 500)
TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class Door:
    """What signing in needs."""

    people: PeopleStore
    hashes: PasswordHashes
    log: AuditLog
    rule: LockRule


def list_accounts(people: PeopleStore, acting: Acting) -> list[Account]:
    """By login. Raises RoleError for who is no maintainer."""
    acting.require("maintainer")
    return people.list_accounts()


def add_account(
    people: PeopleStore, acting: Acting, account: NewAccount, hashes: PasswordHashes | None, password: str
) -> Account:
    """Let a person sign in. hashes, password: None and "" for who signs in with another provider.

    Raises RoleError, or AskerError for a login that is taken or a password that is too short.
    """
    acting.require("maintainer")
    hashed = None if hashes is None else hashes.make(_checked(password))
    login = clean_login(account.login)
    made = replace(account, login=login, roles=check_roles(account.roles), password_hash=hashed)
    with acting.changing() as note:
        if not people.add(made):
            raise AskerError(f"There is somebody called {login} already.")
        note("person.add", "person", login, roles=made.roles, groups=made.groups)
    return _found(people, login)


def change_roles(people: PeopleStore, acting: Acting, login: str, roles: Collection[str]) -> Account:
    """Give exactly these roles, from the person's next click on.

    Raises RoleError, or AskerError for an unknown role or when no maintainer would be left.
    """
    acting.require("maintainer")
    wanted = check_roles(roles)
    with acting.changing() as note:
        before = _found(people, login)
        if "maintainer" not in wanted:
            _keep_a_maintainer(people, before)
        people.set_access(before.login, wanted, before.groups)
        note("person.roles", "person", before.login, before=before.roles, after=wanted)
    return _found(people, login)


def change_groups(people: PeopleStore, acting: Acting, login: str, groups: Collection[str]) -> Account:
    """Let the person read what exactly these groups may read, besides what is public. Raises RoleError."""
    acting.require("maintainer")
    wanted = frozenset(group.strip() for group in groups if group.strip())
    with acting.changing() as note:
        before = _found(people, login)
        people.set_access(before.login, before.roles, wanted)
        note("person.groups", "person", before.login, before=before.groups, after=wanted)
    return _found(people, login)


def set_disabled(people: PeopleStore, acting: Acting, login: str, disabled: bool) -> Account:
    """Keep a person out from their next click on, or let them in again.

    Raises RoleError, or AskerError when no maintainer would be left.
    """
    acting.require("maintainer")
    with acting.changing() as note:
        before = _found(people, login)
        if disabled:
            _keep_a_maintainer(people, before)
        people.set_disabled(before.login, disabled)
        note("person.disable" if disabled else "person.enable", "person", before.login)
    return _found(people, login)


def reset_password(
    people: PeopleStore, acting: Acting, hashes: PasswordHashes, login: str, password: str
) -> None:
    """Give a person another password; their sessions and a lock end. Raises RoleError or AskerError."""
    acting.require("maintainer")
    hashed = hashes.make(_checked(password))
    with acting.changing() as note:
        found = _found(people, login)
        if found.subject:
            raise AskerError(f"{found.login} signs in with another provider and has no password here.")
        people.set_password(found.login, hashed)
        note("person.password", "person", found.login)


def change_own_password(door: Door, acting: Acting, old: str, new: str) -> None:
    """Change the password of the person who asks; all their sessions end.

    A wrong old one counts as a failure. Raises AskerError.
    """
    hashed = door.hashes.make(_checked(new))
    account = door.people.count_try(acting.person.name, door.rule)
    if account is None or not door.hashes.matches(account.password_hash, old):
        raise AskerError("That is not your password.")
    with acting.changing() as note:
        door.people.set_password(account.login, hashed)
        note("person.password", "person", account.login)


def sign_in(door: Door, login: str, password: str) -> Account | None:
    """The person with this password; None for anything else, without saying what was wrong.

    A try is counted before the password is looked at, so that no number of processes gives more of them.
    An unknown, disabled or locked login takes as long as a wrong password.
    """
    name = login.strip().casefold()[:LOGIN_CHARS]
    account = door.people.count_try(name, door.rule)
    fits = door.hashes.matches(account.password_hash if account else None, password[: PASSWORD_CHARS[1]])
    if account is not None and fits:
        door.people.forget_failures(account.login)
        return account
    if account is not None and account.failures >= door.rule.failures:
        with door.log.writing() as write:
            write(account.login, "person.lock", "person", account.login, {"failures": account.failures})
    return None


def admit_from_outside(people: PeopleStore, log: AuditLog, outside: NewAccount) -> Account | None:
    """Whom another provider has vouched for, with the roles and groups that it names.

    Without roles nobody gets in. None also for who is disabled here, or whose login is another account's.
    """
    if not outside.roles or not outside.subject:
        return None
    login = clean_login(outside.login)
    with log.writing() as write:
        found = people.find_subject(outside.subject)
        if found is None:
            if not people.add(replace(outside, login=login, password_hash=None)):
                return None
            detail = {"roles": outside.roles, "groups": outside.groups}
            write(login, "person.first_sign_in", "person", login, detail)
        elif (set(found.roles), found.groups) != (set(outside.roles), outside.groups):
            people.set_access(found.login, outside.roles, outside.groups)
            detail = {"roles": outside.roles, "groups": outside.groups}
            write(found.login, "person.access", "person", found.login, detail)
    account = people.find_subject(outside.subject)
    return account if account is not None and not account.disabled else None


def open_session(people: PeopleStore, login: str, now: datetime, hours: float) -> str:
    """A token for the person's browser; the database keeps only its hash."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    people.open_session(login, hash_token(token), now + timedelta(hours=hours))
    return token


def find_session(people: PeopleStore, token: str) -> Account | None:
    """Whose token it is, as that person's roles and groups are now."""
    return people.find_session(hash_token(token)) if token else None


def end_session(people: PeopleStore, token: str) -> None:
    """Sign out."""
    people.end_session(hash_token(token))


def hash_token(token: str) -> str:
    """A token is random and long, so that a fast hash keeps it."""
    return hashlib.sha256(token.encode()).hexdigest()


def clean_login(login: str) -> str:
    """As logins are kept: without blanks around, in lower case. Raises AskerError for none."""
    name = login.strip().casefold()
    if not name or len(name) > LOGIN_CHARS or not name.isprintable():
        raise AskerError(f"A login has 1 to {LOGIN_CHARS} characters, all of them printable.")
    return name


def check_roles(roles: Collection[str]) -> tuple[Role, ...]:
    """In the order of ROLES. Raises AskerError for none, or for one that is not there."""
    unknown = sorted(set(roles) - set(ROLES))
    if unknown or not roles:
        raise AskerError(f"Roles are {', '.join(ROLES)}; not {', '.join(unknown) or 'none at all'}.")
    return tuple(role for role in ROLES if role in roles)


def _checked(password: str) -> str:
    least, most = PASSWORD_CHARS
    if not least <= len(password) <= most:
        raise AskerError(f"A password has {least} to {most} characters.")
    return password


def _found(people: PeopleStore, login: str) -> Account:
    found = people.find(clean_login(login))
    if found is None:
        raise AskerError(f"There is nobody called {login}.")
    return found


def _keep_a_maintainer(people: PeopleStore, leaving: Account) -> None:
    if "maintainer" not in leaving.roles or leaving.disabled:
        return
    others = (one for one in people.list_accounts() if one.login != leaving.login and not one.disabled)
    if not any("maintainer" in one.roles for one in others):
        raise AskerError(f"{leaving.login} is the only maintainer; give another person that role first.")
