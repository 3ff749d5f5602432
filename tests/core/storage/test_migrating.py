from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, select, text

from core.errors import StoreError
from core.storage import tables as t
from core.storage.engine import create_database, open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.migrating import current_revision, downgrade, head_revision, upgrade
from core.storage.schema import SCHEMA_REVISION, metadata
from tests.samples import SOURCE, article_record


def test_an_empty_database_comes_up_to_the_schema_of_the_code(empty_url: str) -> None:
    assert current_revision(empty_url) is None
    assert upgrade(empty_url) == head_revision() == SCHEMA_REVISION
    database = open_database(empty_url)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    database.close()


def test_every_table_has_a_primary_key_and_a_time_of_change(empty_url: str) -> None:
    upgrade(empty_url)
    database = create_database(empty_url)
    with database.reading() as connection:
        schema = inspect(connection)
        for name in set(schema.get_table_names()) - {"alembic_version"}:
            assert schema.get_pk_constraint(name)["constrained_columns"], name
            columns = {column["name"]: column for column in schema.get_columns(name)}
            assert not columns["updated_at"]["nullable"], name
    database.close()


def test_the_way_down_leaves_nothing(empty_url: str) -> None:
    upgrade(empty_url)
    downgrade(empty_url, "base")
    database = create_database(empty_url)
    with database.reading() as connection:
        assert set(inspect(connection).get_table_names()) <= {"alembic_version"}
    database.close()
    assert current_revision(empty_url) is None
    assert upgrade(empty_url) == SCHEMA_REVISION


def test_articles_survive_the_way_down_to_the_first_revision_and_up_again(empty_url: str) -> None:
    upgrade(empty_url)
    database = open_database(empty_url)
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    store.save_article(article_record("rules.md", ["Leave is ten days.", "Ask in chat."]))
    before = store.article_lines("docs:rules.md"), store.delta_since(0, "toy", 10)
    database.close()

    downgrade(empty_url, "0001")
    assert current_revision(empty_url) == "0001"
    upgrade(empty_url)

    database = open_database(empty_url)
    store = SqlKnowledgeStore(database)
    after = store.article_lines("docs:rules.md"), store.delta_since(0, "toy", 10)
    assert after[0] == before[0]
    assert [entry.text for entry in after[1].entries] == [entry.text for entry in before[1].entries]
    database.close()


def test_upgrading_again_changes_nothing(empty_url: str) -> None:
    upgrade(empty_url)
    database = open_database(empty_url)
    SqlKnowledgeStore(database).save_source(SOURCE)
    assert upgrade(empty_url) == SCHEMA_REVISION
    with database.reading() as connection:
        assert connection.scalars(select(t.sources.c.name)).all() == ["docs"]
    database.close()


def test_an_absent_database_is_a_sentence_with_the_command(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    with pytest.raises(StoreError, match=r"no database at .*none\.db.*kiyo db upgrade"):
        open_database(f"sqlite:///{path}")
    assert not path.exists()


def test_a_database_without_tables_is_a_sentence_with_the_command(empty_url: str) -> None:
    upgrade(empty_url)
    downgrade(empty_url, "base")
    with pytest.raises(StoreError, match="kiyo db upgrade"):
        open_database(empty_url)


def test_a_database_that_is_behind_is_a_sentence_with_the_command(empty_url: str) -> None:
    upgrade(empty_url, "0001")
    with pytest.raises(StoreError, match=r"at 0001 and this version needs .*kiyo db upgrade"):
        open_database(empty_url)


def test_a_database_of_a_newer_version_asks_for_a_newer_kiyo(empty_url: str) -> None:
    upgrade(empty_url)
    database = create_database(empty_url)
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(StoreError, match="newer than this version"):
        open_database(empty_url)


def test_the_folder_of_a_new_database_is_made(tmp_path: Path) -> None:
    path = tmp_path / "data" / "deep" / "kiyo.db"
    upgrade(f"sqlite:///{path}")
    assert path.is_file()
