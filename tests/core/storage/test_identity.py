"""A database has one name until it is given another."""

from __future__ import annotations

from core.storage.engine import Database, open_database
from core.storage.identity import read_identity, renew_identity


def test_a_database_keeps_its_name_whoever_opens_it(database: Database, database_url: str) -> None:
    name = read_identity(database)
    another = open_database(database_url)
    assert read_identity(another) == read_identity(database) == name
    another.close()
    assert len(name) == 32


def test_a_new_name_takes_the_place_of_the_old_one(database: Database) -> None:
    old = read_identity(database)
    new = renew_identity(database)
    assert new != old
    assert read_identity(database) == new
