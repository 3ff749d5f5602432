from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import insert, text

from core.domain import ArticleKind
from core.errors import StoreError
from core.ports import SourceRecord
from core.storage import tables as t
from core.storage.engine import Database, create_database, open_database, sqlite_path
from core.storage.knowledge import SqlKnowledgeStore
from tests.databases import copied_sqlite
from tests.samples import SOURCE, article_record


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    store = SqlKnowledgeStore(database)
    half = SourceRecord("docs", "/srv/docs", cast(ArticleKind, None), frozenset({"a new group"}))
    with pytest.raises(StoreError, match="refused a row"):
        store.save_source(half)
    assert store.sources() == []
    with database.reading() as connection:
        assert connection.execute(t.audiences.select()).all() == []


def test_reading_goes_on_while_another_writes(database: Database) -> None:
    store = SqlKnowledgeStore(database)
    with database.writing() as connection:
        connection.execute(insert(t.audiences), {"readers": "[]", "updated_at": 1})
        assert store.sources() == []
        assert store.counts().articles == 0


def test_a_reading_transaction_sees_one_state_throughout(database: Database) -> None:
    with database.reading() as connection:
        assert connection.execute(t.sources.select()).all() == []
        SqlKnowledgeStore(database).save_source(SOURCE)
        assert connection.execute(t.sources.select()).all() == []
    assert SqlKnowledgeStore(database).sources() == [SOURCE]


def test_threads_share_a_store(database: Database) -> None:
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    with ThreadPoolExecutor(8) as threads:
        for n in range(4):
            threads.submit(store.save_article, article_record(f"{n}.md", ["One.", "Two."])).result()
        found = threads.map(lambda _: store.counts().chunks, range(40))
        assert set(found) == {8}


def test_sqlite_is_set_up_for_several_processes(sqlite_database: Database) -> None:
    with sqlite_database.reading() as connection:
        found = {
            name: connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout", "wal_autocheckpoint")
        }
    assert found == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 1,
        "busy_timeout": 15_000,
        "wal_autocheckpoint": 4_000,
    }


def test_a_database_kept_by_another_process_is_a_sentence(migrated_sqlite: Path, tmp_path: Path) -> None:
    url = copied_sqlite(migrated_sqlite, tmp_path / "kiyo.db")
    first, second = open_database(url), open_database(url)
    with second.reading() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    with (
        first.writing(),
        pytest.raises(StoreError, match="Another process kept the database"),
        second.writing(),
    ):
        pass
    for database in (first, second):
        database.close()


def test_a_missing_table_is_a_sentence_with_the_command(empty_url: str) -> None:
    database = create_database(empty_url)
    with pytest.raises(StoreError, match="kiyo db upgrade"):
        SqlKnowledgeStore(database).sources()
    database.close()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("kiyo.db", "cannot be read"),
        ("mysql://localhost/kiyo", "names mysql, which is not supported; write sqlite"),
        ("postgresql+asyncpg://localhost/kiyo", r"names postgresql\+asyncpg"),
    ],
)
def test_a_url_that_cannot_be_used_is_a_sentence(url: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason):
        create_database(url)


def test_an_unreachable_server_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        open_database(f"postgresql+psycopg://kiyo@/kiyo?host={tmp_path}")


def test_a_file_that_is_no_database_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "kiyo.db"
    path.write_bytes(b"no database" * 200)
    with pytest.raises(StoreError, match="not a database"):
        open_database(f"sqlite:///{path}")


def test_only_sqlite_files_have_a_path() -> None:
    assert sqlite_path("sqlite:////var/lib/kiyo.db") == Path("/var/lib/kiyo.db")
    assert sqlite_path("postgresql+psycopg://kiyo@db/kiyo") is None
