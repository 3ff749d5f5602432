"""Opening a database, transactions for reading and for writing, vendor errors as sentences.

Storage is sync; callers in coroutines go through `asyncio.to_thread`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Insert,
    Table,
    Update,
    create_engine,
    event,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError

from core.errors import ExtraMissingError, StoreError
from core.storage.schema import SCHEMA_REVISION

BUSY_TIMEOUT_MS = 15_000
CHECKPOINT_PAGES = 4_000
"""16 MB of changes, about 70 recorded answers; moving them into the file takes 40 ms. With the 1,000 pages of
SQLite every 17th answer waits 12 ms."""
CACHE_KIB = 16_000
"""Of each connection. The 2 MB of SQLite do not hold the inner pages of the indexes of 100,000 answers."""
_IMMEDIATE = "kiyo_immediate"
_FORMS = "write sqlite:///FILE or postgresql://USER@HOST/NAME"


class Database:
    """One database of this process, with a pool of connections."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writing = engine.execution_options(**{_IMMEDIATE: True})
        snapshot = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._reading = engine.execution_options(**snapshot)
        self._joined = threading.local()
        self._turn = _turn_of(str(engine.url)) if engine.dialect.name == "sqlite" else None

    @property
    def dialect(self) -> str:
        """ "sqlite" or "postgresql"."""
        return self.engine.dialect.name

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads and sees one state of the database throughout.

        Raises StoreError when the database cannot be used.
        """
        if (joined := self._shared()) is not None:
            yield joined
            return
        with _sentences(), self._reading.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may read before it writes; all of it is kept or nothing.

        On SQLite it waits here until it is the only writer, since a transaction that turns from reading
        to writing is refused at once when another one wrote meanwhile.
        """
        if (joined := self._shared()) is not None:
            yield joined
            return
        with _sentences(), _queued(self._turn), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[Connection]:
        """One writing transaction for all that this thread reads and writes inside, by whatever store."""
        with self.writing() as connection:
            outer, self._joined.connection = self._shared(), connection
            try:
                yield connection
            finally:
                self._joined.connection = outer

    def close(self) -> None:
        self.engine.dispose()

    def _shared(self) -> Connection | None:
        found: Connection | None = getattr(self._joined, "connection", None)
        return found


@cache
def _turn_of(url: str) -> threading.Lock:  # noqa: ARG001 - one for each
    return threading.Lock()


@contextmanager
def _queued(turn: threading.Lock | None) -> Iterator[None]:
    """Writers of one process wait for each other here: SQLite makes them sleep and try again, in no order."""
    held = turn is not None and turn.acquire(timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        yield
    finally:
        if turn is not None and held:
            turn.release()


def create_database(url: str, *, foreign_keys: bool = True) -> Database:
    """Connect without looking at the schema; `open_database` is for everything but migrating.

    foreign_keys: False lets a migration rebuild a SQLite table without losing the rows that refer to it.
    """
    parsed = _supported(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed)
        _use_sqlite(engine, foreign_keys)
        return Database(engine)
    try:
        return Database(create_engine(parsed, pool_pre_ping=True))
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "PostgreSQL needs the extra `postgres`; in Kiyo's folder: pip install -e '.[postgres]'."
        ) from error


def open_database(url: str) -> Database:
    """The database at `url`, with the schema of this code.

    Raises StoreError with the command to run when it is absent, older or newer.
    """
    database = create_database(url)
    path = sqlite_path(url)
    if path is not None and not path.exists():
        raise StoreError(f"There is no database at {path} yet; create it with `kiyo db upgrade`.")
    found = schema_revision(database)
    if found == SCHEMA_REVISION:
        return database
    database.close()
    if found is None:
        raise StoreError("The database is empty; create its tables with `kiyo db upgrade`.")
    if found < SCHEMA_REVISION:
        raise StoreError(
            f"The database is at {found} and this version needs {SCHEMA_REVISION}; run `kiyo db upgrade`."
        )
    raise StoreError(f"The database is at {found}, newer than this version of Kiyo; update Kiyo.")


def schema_revision(database: Database) -> str | None:
    """The migration that the database is at, None before the first."""
    with database.reading() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return found


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite URL; None for other databases."""
    parsed = _supported(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        return None
    return Path(parsed.database)


def _supported(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreError(f"`[storage] url` cannot be read; {_FORMS}.") from error
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername != "sqlite":
        raise StoreError(f"`[storage] url` names {parsed.drivername}, which is not supported; {_FORMS}.")
    return parsed


def hold(connection: Connection, key: int) -> None:
    """Let one transaction at a time pass here, to its end; SQLite's writers are alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(key)))


def insert_missing(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert the rows whose keys are not there yet; the others stay as they are."""
    if not rows:
        return
    connection.execute(_adding_missing(connection.dialect.name, table), rows)


def insert_new(connection: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert a row; False if one with a key of it is there, or another process is just putting it there."""
    added = _adding_missing(connection.dialect.name, table).returning(*table.primary_key.columns)
    return connection.execute(added, row).first() is not None


def execute_many(connection: Connection, statement: Update, rows: Sequence[Mapping[str, Any]]) -> None:
    """Run an update for each row of plain numbers and texts, by its bind names.

    On SQLite the driver is given the values as they are: with a hundred thousand rows, naming and converting
    each value takes longer than writing it.
    """
    if not rows:
        return
    if connection.dialect.name != "sqlite":
        connection.execute(statement, rows)
        return
    sql, names = _positional(statement)
    connection.exec_driver_sql(sql, [tuple(row[name] for name in names) for row in rows])


@cache
def _positional(statement: Update) -> tuple[str, tuple[str, ...]]:
    """The statement with question marks, and the bind names in their order."""
    compiled = statement.compile(dialect=sqlite.dialect())
    assert compiled.positiontup is not None
    return compiled.string, tuple(compiled.positiontup)


@cache
def _adding_missing(dialect: str, table: Table) -> Insert:
    return _insert_into(dialect, table).on_conflict_do_nothing()


@cache
def replacing(dialect: str, table: Table) -> Insert:
    """Insert a row, or put it in the place of the one with the same key."""
    insert = _insert_into(dialect, table)
    keys = list(table.primary_key.columns)
    rest = {one.name: insert.excluded[one.name] for one in table.columns if not one.primary_key}
    return insert.on_conflict_do_update(index_elements=keys, set_=rest)


def _insert_into(dialect: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def _use_sqlite(engine: Engine, foreign_keys: bool) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        # The driver would begin by itself, too late and never IMMEDIATE.
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
            "temp_store = MEMORY",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
            f"cache_size = -{CACHE_KIB}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get(_IMMEDIATE, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise StoreError(f"The database refused a row: {error.orig}") from error
    except DBAPIError as error:
        raise StoreError(_sentence(str(error.orig))) from error
    except SQLAlchemyError as error:
        raise StoreError(f"The database cannot be used: {error}") from error


def _sentence(reason: str) -> str:
    if "no such table" in reason or "no such column" in reason or "does not exist" in reason:
        return f"The database is behind this version; run `kiyo db upgrade` ({reason})."
    if "locked" in reason:
        return (
            f"Another process kept the database for more than {BUSY_TIMEOUT_MS // 1000} seconds; try again."
        )
    if "unable to open" in reason or "connect" in reason:
        return f"The database cannot be reached; check `[storage] url` ({reason})."
    return f"The database failed: {reason}"
