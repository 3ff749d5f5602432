from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import streamlit as st

from core.contribution.gap_items import QUESTION
from core.domain import PUBLIC, Principal
from core.ports import SourceRecord
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from core.storage.knowledge import SqlKnowledgeStore
from dashboard.runtime import Viewer
from tests.databases import copied_sqlite, migrated_sqlite
from tests.samples import SOURCE, Shown, answer_with, article_record, toy_vectors

__all__ = ["migrated_sqlite"]

PAST = datetime(2020, 9, 1, 9, 30, tzinfo=UTC)
SECRET = SourceRecord("secret", "/srv/secret", "document", frozenset({"managers"}))
FULL = dict.fromkeys(range(4), "Hotels are paid up to 14,000 yen.")


@pytest.fixture
def database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """Three articles for everybody, one for managers, five answers."""
    opened = open_database(copied_sqlite(migrated_sqlite, tmp_path / "kiyo.db"))
    fill(opened)
    yield opened
    opened.close()


@pytest.fixture
def visitor(database: Database) -> Viewer:
    return Viewer(database, Principal("visitor"))


@pytest.fixture
def manager(database: Database) -> Viewer:
    return Viewer(database, Principal("boss", frozenset({PUBLIC, "managers"})))


@pytest.fixture
def configured(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The settings that the dashboard of a visitor reads."""
    config = tmp_path / "kiyo.toml"
    config.write_text(f'[storage]\nfolder = "{tmp_path}"\n')
    monkeypatch.setenv("KIYO_CONFIG", str(config))
    monkeypatch.delenv("KIYO_DASHBOARD_GROUPS", raising=False)
    st.cache_resource.clear()
    yield config
    st.cache_resource.clear()


def fill(database: Database) -> None:
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_source(SECRET)
    for name, title in (("a", "Travel <b>rules</b>"), ("b", "First week"), ("c", "冬の準備")):
        knowledge.save_article(article_record(f"{name}.md", ["One line."], title=title))
    knowledge.save_article(article_record("pay.md", ["Pay."], title="Pay", readers=("managers",)))
    for n in range(3):
        shown = [Shown("docs:a.md", FULL), Shown("docs:b.md")]
        answers.record_answer(answer_with(f"x{n}", shown, at=PAST + timedelta(days=n)))
    missed = Shown("docs:c.md", {0: "水抜き栓を開けます。"}, exposed=False, retrieved=False)
    answers.record_answer(
        answer_with("recorded-1", [missed, Shown("docs:b.md")], at=PAST + timedelta(days=5)), example=True
    )
    answers.record_answer(
        answer_with("pay", [Shown("docs:pay.md", FULL)], at=PAST + timedelta(days=6), channel="slack")
    )
    note_gaps(answers)


def note_gaps(answers: SqlAnswerStore) -> None:
    """A question of everybody's that nothing answered, and one that managers asked."""
    answers.gaps.note_items("x1", [QUESTION], {PUBLIC}, 0)
    answers.gaps.note_items("pay", [QUESTION], {PUBLIC, "managers"}, 0)
    waiting = answers.gaps.unplaced("toy", 9)
    rows = toy_vectors([one.text for one in waiting])
    answers.gaps.place("toy", {one.item: row for one, row in zip(waiting, rows, strict=True)}, 0.9)
