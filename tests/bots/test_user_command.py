"""`kiyo user` and `kiyo audit`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bots.__main__ import run
from bots.operating import local_operator
from core.config import load_settings
from core.storage.engine import open_database
from core.storage.migrating import upgrade
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore

PASSWORD = "correct horse"


@pytest.fixture
def empty(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty database, and a password on stdin."""
    upgrade(load_settings().database_url)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    return workplace


def output(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    assert run([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def add(*options: str) -> int:
    return run(["user", "add", "Rie", "--password-stdin", *options])


def test_an_account_is_made_listed_and_changed(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["user", "list"]) == 0
    assert "kiyo user add" in capsys.readouterr().err
    assert add("--role", "reviewer", "--role", "labeller", "--group", "board") == 0
    assert run(["user", "roles", "rie", "--role", "maintainer"]) == 0
    assert run(["user", "groups", "rie", "--group", "support"]) == 0
    (person,) = output(capsys, "user", "list")["people"]
    assert (person["login"], person["roles"], person["groups"]) == ("rie", ["maintainer"], ["support"])
    assert run(["user", "list"]) == 0
    assert "rie" in capsys.readouterr().out


def test_the_password_is_kept_as_a_hash(empty: Path) -> None:
    assert add() == 0
    database = open_database(load_settings().database_url)
    account = SqlPeopleStore(database).find("rie")
    database.close()
    assert account is not None
    assert str(account.password_hash).startswith("$argon2id$")
    assert Argon2Hashes().matches(account.password_hash, PASSWORD)
    assert PASSWORD.encode() not in (empty / ".kiyo" / "kiyo.db").read_bytes()


def test_who_is_disabled_is_enabled_again(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add("--role", "reviewer") == 0
    assert run(["user", "disable", "rie"]) == 0
    assert output(capsys, "user", "list")["people"][0]["disabled"] is True
    assert run(["user", "enable", "rie"]) == 0
    assert output(capsys, "user", "list")["people"][0]["disabled"] is False


def test_the_log_names_the_user_of_the_system(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit"]) == 0
    assert "Nothing was noted" in capsys.readouterr().err
    assert add("--role", "maintainer") == 0
    (entry,) = output(capsys, "audit")["entries"]
    assert (entry["who"], entry["action"]) == (local_operator().name, "person.add")
    assert entry["object"] == {"kind": "person", "id": "rie"}
    assert PASSWORD not in json.dumps(entry)
    assert output(capsys, "audit", "--action", "person.roles")["entries"] == []
    assert run(["audit"]) == 0
    assert "person.add" in capsys.readouterr().out


def test_what_is_wrong_is_said_in_a_sentence(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add("--role", "boss") == 1
    assert "Roles are viewer" in capsys.readouterr().err
    assert run(["user", "disable", "nobody"]) == 1
    assert "nobody called nobody" in capsys.readouterr().err
