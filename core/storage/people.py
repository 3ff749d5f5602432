"""PeopleStore: who may sign in to the dashboard, and who is signed in."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, func, insert, or_, select, update

from core.people_ports import ROLES, Account, LockRule, NewAccount, Role
from core.storage.engine import Database
from core.storage.keys import Clock, from_ms, now_ms, storable, to_ms
from core.storage.people_tables import people, sessions

_p, _s = people.c, sessions.c


class SqlPeopleStore:
    """Implements PeopleStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def add(self, account: NewAccount) -> bool:
        now = self._clock()
        row = {
            "login": storable(account.login),
            "email": storable(account.email),
            "password_hash": account.password_hash,
            "subject": account.subject or None,
            "roles": _ordered(account.roles),
            "groups": sorted(account.groups),
            "disabled": False,
            "failures": 0,
            "created_at": now,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            if connection.scalar(select(_p.key).where(_p.login == row["login"])) is not None:
                return False
            connection.execute(insert(people).values(row))
        return True

    def find(self, login: str) -> Account | None:
        return self._one(_p.login == storable(login))

    def find_subject(self, subject: str) -> Account | None:
        return self._one(_p.subject == subject)

    def list_accounts(self) -> list[Account]:
        with self._database.reading() as connection:
            return [_account(row) for row in connection.execute(select(people).order_by(_p.login))]

    def is_empty(self) -> bool:
        with self._database.reading() as connection:
            return connection.scalar(select(_p.key).limit(1)) is None

    def set_access(self, login: str, roles: Collection[Role], groups: Collection[str]) -> None:
        self._change(login, {"roles": _ordered(roles), "groups": sorted(groups)})

    def set_disabled(self, login: str, disabled: bool) -> None:
        self._change(login, {"disabled": disabled}, ends_sessions=disabled)

    def set_password(self, login: str, password_hash: str) -> None:
        values = {"password_hash": password_hash, "failures": 0, "locked_until": None}
        self._change(login, values, ends_sessions=True)

    def count_try(self, login: str, rule: LockRule) -> Account | None:
        now = self._clock()
        tried = case((_p.locked_until.is_not(None), 1), else_=_p.failures + 1)
        free = or_(_p.locked_until.is_(None), _p.locked_until <= now)
        counted = (
            update(people)
            .where(_p.login == storable(login), ~_p.disabled, _p.password_hash.is_not(None), free)
            .values(
                failures=tried,
                locked_until=case((tried >= rule.failures, now + rule.lock_ms), else_=None),
                updated_at=now,
            )
            .returning(*people.c)
        )
        with self._database.writing() as connection:
            row = connection.execute(counted).first()
        return None if row is None else _account(row)

    def forget_failures(self, login: str) -> None:
        self._change(login, {"failures": 0, "locked_until": None})

    def open_session(self, login: str, token_hash: str, expires_at: datetime) -> None:
        now = self._clock()
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(_s.expires_at <= now))
            person = connection.execute(select(_p.key).where(_p.login == storable(login))).scalar_one()
            row = {"person": person, "token_hash": token_hash, "expires_at": to_ms(expires_at)}
            connection.execute(insert(sessions).values(row | {"created_at": now, "updated_at": now}))

    def find_session(self, token_hash: str) -> Account | None:
        alive = and_(_s.token_hash == token_hash, _s.expires_at > self._clock(), ~_p.disabled)
        query = select(people).join(sessions, _s.person == _p.key).where(alive)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _account(row)

    def end_session(self, token_hash: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(_s.token_hash == token_hash))

    def count_sessions(self) -> int:
        """How many are not over."""
        query = select(func.count()).select_from(sessions).where(_s.expires_at > self._clock())
        with self._database.reading() as connection:
            return int(connection.scalar(query) or 0)

    def _one(self, which: ColumnElement[bool]) -> Account | None:
        with self._database.reading() as connection:
            row = connection.execute(select(people).where(which)).first()
        return None if row is None else _account(row)

    def _change(self, login: str, values: dict[str, object], *, ends_sessions: bool = False) -> None:
        this = _p.login == storable(login)
        with self._database.writing() as connection:
            connection.execute(update(people).where(this).values(values | {"updated_at": self._clock()}))
            if ends_sessions:
                mine = select(_p.key).where(this)
                connection.execute(delete(sessions).where(_s.person.in_(mine)))


def _ordered(roles: Collection[Role]) -> list[Role]:
    return [role for role in ROLES if role in roles]


def _account(row: Any) -> Account:
    return Account(
        key=row.key,
        login=row.login,
        email=row.email,
        password_hash=row.password_hash,
        subject=row.subject or "",
        roles=tuple(row.roles),
        groups=frozenset(row.groups),
        disabled=row.disabled,
        failures=row.failures,
        locked_until=None if row.locked_until is None else from_ms(row.locked_until),
        created_at=from_ms(row.created_at),
    )
