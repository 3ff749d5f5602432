"""Accounts, sessions and the lock, on both databases."""

from __future__ import annotations

import threading
from datetime import timedelta

from core.people_ports import LockRule, NewAccount
from core.storage.engine import Database
from core.storage.keys import from_ms
from core.storage.people import SqlPeopleStore
from tests.databases import Ticks

RULE = LockRule(failures=3, lock_ms=60_000)
RIE = NewAccount("rie", ("reviewer", "labeller"), frozenset({"support", "board"}), "rie@example.org", "hash")


def make_store(database: Database) -> tuple[SqlPeopleStore, Ticks]:
    clock = Ticks()
    store = SqlPeopleStore(database, clock)
    assert store.is_empty()
    assert store.add(RIE)
    return store, clock


def test_an_account_comes_back_as_it_was_made(database: Database) -> None:
    store, clock = make_store(database)
    found = store.find("rie")
    assert found is not None
    assert (found.roles, found.groups) == (("reviewer", "labeller"), frozenset({"support", "board"}))
    assert (found.email, found.password_hash, found.subject) == ("rie@example.org", "hash", "")
    assert (found.disabled, found.failures, found.locked_until) == (False, 0, None)
    assert found.created_at == from_ms(clock.now)
    assert not store.is_empty()
    assert store.find("somebody") is None


def test_a_login_is_given_once(database: Database) -> None:
    store, _ = make_store(database)
    assert not store.add(RIE)
    assert store.add(NewAccount("ann", ("viewer",), subject="https://id|7"))
    assert [one.login for one in store.list_accounts()] == ["ann", "rie"]
    ann = store.find_subject("https://id|7")
    assert ann is not None
    assert ann.login == "ann"


def test_the_last_try_that_is_allowed_locks(database: Database) -> None:
    store, clock = make_store(database)
    tries = [store.count_try("rie", RULE) for _ in range(5)]
    assert [one.failures if one else None for one in tries] == [1, 2, 3, None, None]
    clock.now += 60_000
    after = store.count_try("rie", RULE)
    assert after is not None
    assert (after.failures, after.locked_until) == (1, None)


def test_a_right_password_forgets_what_was_wrong(database: Database) -> None:
    store, _ = make_store(database)
    for _ in range(3):
        store.count_try("rie", RULE)
    store.forget_failures("rie")
    again = store.count_try("rie", RULE)
    assert again is not None
    assert again.failures == 1


def test_two_at_once_get_no_more_tries_than_one(database: Database) -> None:
    store, _ = make_store(database)
    counted: list[object] = []

    def guess() -> None:
        counted.extend(store.count_try("rie", RULE) for _ in range(4))

    guessers = [threading.Thread(target=guess) for _ in range(2)]
    for one in guessers:
        one.start()
    for one in guessers:
        one.join()
    assert sum(one is not None for one in counted) == RULE.failures


def test_nobody_without_a_password_has_tries(database: Database) -> None:
    store, _ = make_store(database)
    store.add(NewAccount("ann", ("viewer",), subject="https://id|7"))
    store.set_disabled("rie", True)
    assert store.count_try("ann", RULE) is None
    assert store.count_try("rie", RULE) is None
    assert store.count_try("nobody", RULE) is None


def test_a_session_ends_by_time_by_hand_and_with_the_account(database: Database) -> None:
    store, clock = make_store(database)
    until = from_ms(clock.now) + timedelta(hours=1)
    for token in ("a", "b", "c"):
        store.open_session("rie", token, until)
    found = store.find_session("a")
    assert found is not None
    assert found.login == "rie"
    store.end_session("a")
    assert store.find_session("a") is None
    assert store.find_session("b") is not None
    clock.now += 3_600_000
    assert store.find_session("b") is None
    store.open_session("rie", "d", from_ms(clock.now) + timedelta(hours=1))
    assert store.count_sessions() == 1
    store.set_disabled("rie", True)
    store.set_disabled("rie", False)
    assert store.find_session("d") is None


def test_another_password_ends_sessions_and_lock(database: Database) -> None:
    store, clock = make_store(database)
    store.open_session("rie", "a", from_ms(clock.now) + timedelta(hours=1))
    for _ in range(3):
        store.count_try("rie", RULE)
    store.set_password("rie", "other")
    assert store.find_session("a") is None
    found = store.count_try("rie", RULE)
    assert found is not None
    assert found.password_hash == "other"


def test_roles_of_a_session_are_those_of_now(database: Database) -> None:
    store, clock = make_store(database)
    store.open_session("rie", "a", from_ms(clock.now) + timedelta(hours=1))
    store.set_access("rie", ["viewer"], ["board"])
    found = store.find_session("a")
    assert found is not None
    assert (found.roles, found.groups) == (("viewer",), frozenset({"board"}))
