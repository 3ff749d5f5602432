"""People of the dashboard and the log of what they do: the values, and what the database keeps of them.

All is sync. Implementations live in storage; passwords are hashed by `core.storage.password_hashes`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, get_args

Role = Literal["viewer", "reviewer", "labeller", "maintainer"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Person:
    """A person who works with Kiyo. also: further roles, since a reviewer need not be a labeller."""

    name: str
    role: Role
    also: frozenset[Role] = frozenset()

    @property
    def roles(self) -> tuple[Role, ...]:
        """All roles, the first one first."""
        return (self.role, *(role for role in ROLES if role in self.also and role != self.role))

    def may(self, needed: Role) -> bool:
        """Whether the roles include the needed one: a maintainer may do everything, everybody may look."""
        return needed == "viewer" or needed in self.roles or "maintainer" in self.roles


@dataclass(frozen=True, slots=True)
class Account:
    """A person as the dashboard knows them. roles: at least one, in the order of ROLES.

    password_hash: None for who signs in elsewhere. subject: issuer and id there, "" for local accounts.
    failures: wrong passwords since the last right one or the end of the last lock.
    """

    key: int
    login: str
    email: str
    password_hash: str | None
    subject: str
    roles: tuple[Role, ...]
    groups: frozenset[str]
    disabled: bool
    failures: int
    locked_until: datetime | None
    created_at: datetime

    @property
    def person(self) -> Person:
        widest: Role = "maintainer" if "maintainer" in self.roles else self.roles[0]
        return Person(self.login, widest, frozenset(self.roles))


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to be made; fields as in Account."""

    login: str
    roles: tuple[Role, ...]
    groups: frozenset[str] = frozenset()
    email: str = ""
    password_hash: str | None = None
    subject: str = ""


@dataclass(frozen=True, slots=True)
class LockRule:
    """After so many wrong passwords nothing is accepted for so long."""

    failures: int
    lock_ms: int


class PeopleStore(Protocol):
    """Accounts and their sessions; a session's token is kept as a hash."""

    def add(self, account: NewAccount) -> bool:
        """False if there is this login already."""
        ...

    def find(self, login: str) -> Account | None: ...

    def find_subject(self, subject: str) -> Account | None: ...

    def list_accounts(self) -> list[Account]:
        """By login."""
        ...

    def is_empty(self) -> bool: ...

    def set_access(self, login: str, roles: Collection[Role], groups: Collection[str]) -> None: ...

    def set_disabled(self, login: str, disabled: bool) -> None:
        """Disabling ends every session."""
        ...

    def set_password(self, login: str, password_hash: str) -> None:
        """Ends every session and the lock."""
        ...

    def count_try(self, login: str, rule: LockRule) -> Account | None:
        """Count a try before its password is looked at, in one statement; the last one allowed locks.

        None, without counting, for a login that is unknown, disabled, locked or without a password.
        """
        ...

    def forget_failures(self, login: str) -> None: ...

    def open_session(self, login: str, token_hash: str, expires_at: datetime) -> None:
        """Also drops sessions that are over."""
        ...

    def find_session(self, token_hash: str) -> Account | None:
        """Whose session it is; None when it is over, was ended, or the person is disabled."""
        ...

    def end_session(self, token_hash: str) -> None: ...


class PasswordHashes(Protocol):
    """Slow hashes of passwords."""

    def make(self, password: str) -> str: ...

    def matches(self, password_hash: str | None, password: str) -> bool:
        """None is compared with a hash that nothing matches, which takes as long."""
        ...


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that somebody did. id: counts up. object_kind, object_id: to what, such as "person" and its
    login. detail: a few short values without secrets."""

    id: int
    at: datetime
    who: str
    action: str
    object_kind: str
    object_id: str
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """None and "" leave everything in. text: a part of the object's id. before: only lower ids."""

    who: str = ""
    action: str = ""
    text: str = ""
    before: int | None = None


NoteAction = Callable[[str, str, str, str, Mapping[str, object]], None]
"""(who, action, object kind, object id, detail)"""


class AuditLog(Protocol):
    """What people did, kept for good."""

    def writing(self) -> AbstractContextManager[NoteAction]:
        """What every store writes inside, and what is noted, is kept together or not at all."""
        ...

    def entries(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        """Latest first."""
        ...

    def actions(self) -> list[str]:
        """Those that ever happened, by name."""
        ...
