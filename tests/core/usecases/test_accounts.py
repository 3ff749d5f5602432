"""Making accounts, signing in, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core.errors import AskerError, RoleError
from core.people_ports import AuditFilter, LockRule, NewAccount, Person
from core.storage.audit import SqlAuditLog
from core.storage.engine import Database
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore
from core.usecases import accounts
from core.usecases.accounts import Door
from core.usecases.audit import Acting, read_audit
from tests.core.storage.conftest import migrated_sqlite, sqlite_database

__all__ = ["migrated_sqlite", "sqlite_database"]

PASSWORD = "correct horse"
OUTSIDE = NewAccount("Kei@Example.org ", ("reviewer",), frozenset({"board"}), subject="https://id|7")


class CountingHashes(Argon2Hashes):
    """Counts comparisons, each of which takes as long as any other."""

    def __init__(self) -> None:
        super().__init__()
        self.compared = 0

    def matches(self, password_hash: str | None, password: str) -> bool:
        self.compared += 1
        return super().matches(password_hash, password)


class House:
    """A database with the maintainer mina and the reviewer rie."""

    def __init__(self, database: Database) -> None:
        self.people = SqlPeopleStore(database)
        self.log = SqlAuditLog(database)
        self.hashes = CountingHashes()
        self.mina = Acting(Person("mina", "maintainer"), self.log)
        self.door = Door(self.people, self.hashes, self.log, LockRule(3, 60_000))
        self.add("mina", "maintainer")
        self.add("rie", "reviewer")

    def add(self, login: str, *roles: str, password: str = PASSWORD) -> None:
        made = NewAccount(login, accounts.check_roles(roles))
        accounts.add_account(self.people, self.mina, made, self.hashes, password)

    def actions(self) -> list[tuple[str, str, str]]:
        found = self.log.entries(AuditFilter(), 100)
        return [(one.who, one.action, one.object_id) for one in reversed(found)]


@pytest.fixture
def house(sqlite_database: Database) -> House:
    return House(sqlite_database)


def test_who_has_the_password_gets_in(house: House) -> None:
    found = accounts.sign_in(house.door, " RIE ", PASSWORD)
    assert found is not None
    assert found.person == Person("rie", "reviewer", frozenset({"reviewer"}))
    token = accounts.open_session(house.people, "rie", datetime.now(UTC), 1)
    again = accounts.find_session(house.people, token)
    assert again is not None
    assert again.login == "rie"
    accounts.end_session(house.people, token)
    assert accounts.find_session(house.people, token) is None
    assert accounts.find_session(house.people, "") is None


def test_a_locked_account_refuses_the_right_password_too(house: House) -> None:
    for _ in range(3):
        assert accounts.sign_in(house.door, "rie", "something else") is None
    assert accounts.sign_in(house.door, "rie", PASSWORD) is None
    assert ("rie", "person.lock", "rie") in house.actions()


def test_every_refusal_compares_one_hash(house: House) -> None:
    accounts.set_disabled(house.people, house.mina, "rie", True)
    for login in ("mina", "nobody", "rie"):
        before = house.hashes.compared
        assert accounts.sign_in(house.door, login, "something else") is None
        assert house.hashes.compared == before + 1


def test_only_maintainers_change_accounts_and_read_the_log(house: House) -> None:
    rie = Acting(Person("rie", "reviewer"), house.log)
    with pytest.raises(RoleError):
        accounts.add_account(house.people, rie, NewAccount("eve", ("maintainer",)), house.hashes, PASSWORD)
    with pytest.raises(RoleError):
        accounts.change_roles(house.people, rie, "rie", ["maintainer"])
    with pytest.raises(RoleError):
        accounts.change_groups(house.people, rie, "rie", ["board"])
    with pytest.raises(RoleError):
        accounts.set_disabled(house.people, rie, "mina", True)
    with pytest.raises(RoleError):
        accounts.reset_password(house.people, rie, house.hashes, "mina", PASSWORD)
    with pytest.raises(RoleError):
        accounts.list_accounts(house.people, rie)
    with pytest.raises(RoleError):
        read_audit(house.log, rie.person, AuditFilter())
    assert house.actions() == [("mina", "person.add", "mina"), ("mina", "person.add", "rie")]


def test_every_change_is_noted_and_no_password_is(house: House) -> None:
    accounts.change_roles(house.people, house.mina, "rie", ["labeller", "reviewer"])
    accounts.change_groups(house.people, house.mina, "rie", ["board", " "])
    accounts.reset_password(house.people, house.mina, house.hashes, "rie", "another password")
    accounts.set_disabled(house.people, house.mina, "rie", True)
    accounts.set_disabled(house.people, house.mina, "rie", False)
    names = [action for _, action, _ in house.actions()[2:]]
    assert names == [f"person.{what}" for what in ("roles", "groups", "password", "disable", "enable")]
    entries = read_audit(house.log, house.mina.person, AuditFilter())
    assert dict(entries[-3].detail) == {"before": ["reviewer"], "after": ["reviewer", "labeller"]}
    assert "another password" not in str(entries)
    assert "argon2" not in str(entries)


def test_a_maintainer_always_remains(house: House) -> None:
    with pytest.raises(AskerError, match="only maintainer"):
        accounts.set_disabled(house.people, house.mina, "mina", True)
    with pytest.raises(AskerError, match="only maintainer"):
        accounts.change_roles(house.people, house.mina, "mina", ["viewer"])
    accounts.change_roles(house.people, house.mina, "rie", ["maintainer"])
    assert accounts.set_disabled(house.people, house.mina, "mina", True).disabled


def test_ones_own_password_needs_the_old_one(house: House) -> None:
    rie = Acting(Person("rie", "reviewer"), house.log)
    with pytest.raises(AskerError, match="not your password"):
        accounts.change_own_password(house.door, rie, "something else", "another password")
    accounts.change_own_password(house.door, rie, PASSWORD, "another password")
    assert accounts.sign_in(house.door, "rie", PASSWORD) is None
    assert accounts.sign_in(house.door, "rie", "another password") is not None


@pytest.mark.parametrize("password", ["", "short", "x" * 501])
def test_a_password_has_a_length(house: House, password: str) -> None:
    with pytest.raises(AskerError, match="10 to 500"):
        house.add("eve", "viewer", password=password)


@pytest.mark.parametrize("login", ["", "  ", "a\nb", "x" * 101, "MINA"])
def test_a_login_is_new_and_printable(house: House, login: str) -> None:
    with pytest.raises(AskerError):
        house.add(login, "viewer")


@pytest.mark.parametrize("roles", [[], ["boss"], ["viewer", "boss"]])
def test_roles_are_those_there_are(house: House, roles: list[str]) -> None:
    with pytest.raises(AskerError, match="Roles are viewer, reviewer, labeller, maintainer"):
        accounts.change_roles(house.people, house.mina, "rie", roles)


def test_nobody_of_that_name_is_said(house: House) -> None:
    with pytest.raises(AskerError, match="nobody called eve"):
        accounts.change_groups(house.people, house.mina, "eve", ["board"])


def test_who_comes_from_outside_has_the_roles_named_there(house: House) -> None:
    first = accounts.admit_from_outside(house.people, house.log, OUTSIDE)
    assert first is not None
    assert (first.login, first.roles, first.groups) == (
        "kei@example.org",
        ("reviewer",),
        frozenset({"board"}),
    )
    moved = NewAccount("renamed", ("labeller",), subject=OUTSIDE.subject)
    second = accounts.admit_from_outside(house.people, house.log, moved)
    assert second is not None
    assert (second.login, second.roles, second.groups) == ("kei@example.org", ("labeller",), frozenset())
    accounts.admit_from_outside(house.people, house.log, moved)
    assert [action for _, action, _ in house.actions()[2:]] == ["person.first_sign_in", "person.access"]
    with pytest.raises(AskerError, match="another provider"):
        accounts.reset_password(house.people, house.mina, house.hashes, first.login, PASSWORD)


def test_from_outside_nobody_gets_in_without_roles_or_into_the_account_of_another(house: House) -> None:
    assert accounts.admit_from_outside(house.people, house.log, NewAccount("kei", (), subject="s")) is None
    taken = NewAccount("mina", ("maintainer",), subject="s")
    assert accounts.admit_from_outside(house.people, house.log, taken) is None
    assert accounts.admit_from_outside(house.people, house.log, OUTSIDE) is not None
    accounts.set_disabled(house.people, house.mina, "kei@example.org", True)
    assert accounts.admit_from_outside(house.people, house.log, OUTSIDE) is None
