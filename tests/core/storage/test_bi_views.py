"""The views for BI tools: their columns are promised, and their rows are those of the tables."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text

from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.schema import metadata
from tests.samples import SOURCE, START, Shown, answer_with, article_record

VIEWS = {
    "bi_answers": "answer_id asked_at day channel language model found gate confidence state evaluator "
    "statements judged carried removed_citations input_tokens output_tokens cost_usd example updated_at",
    "bi_statements": "answer_id statement text judged reason verdict updated_at",
    "bi_supports": "answer_id statement article_id version label probability verdict exposed line line_text "
    "line_gone updated_at",
    "bi_contributions": "answer_id article_id version day share sole_share statements strongest retrieved "
    "exposed stale updated_at",
    "bi_articles": "article_id title uri kind language source origin version readers lines chunks content_at "
    "removed updated_at",
}
"""Promised: a column may be added at the end, none may go or change its meaning."""
PAGE = Path(__file__).resolve().parents[3] / "docs" / "bi-views.md"


@pytest.fixture
def filled(database: Database) -> Database:
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", ["One line.", "Another line."], title="Leave"))
    shown = [Shown("docs:a.md", {0: "One line."}), Shown("docs:b.md", exposed=False)]
    answers.record_answer(answer_with("x1", shown, at=START))
    silent = replace(answer_with("x2", [], judged=False, at=START + timedelta(days=1)), found=False)
    answers.record_answer(silent, example=True)
    return database


def rows(database: Database, view: str) -> list[dict[str, Any]]:
    with database.reading() as connection:
        found = connection.execute(text(f"SELECT * FROM {view} ORDER BY 1, 2, 3")).mappings()
        return [dict(row) for row in found]


@pytest.mark.parametrize("view", VIEWS)
def test_columns_are_those_that_were_promised(filled: Database, view: str) -> None:
    assert " ".join(rows(filled, view)[0]) == VIEWS[view]


def test_the_page_names_every_column() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for view, columns in VIEWS.items():
        section = page.split(f"## {view}\n")[1].split("\n## ")[0]
        assert set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE)) == set(columns.split())


def test_answers_have_their_time_state_and_counts(filled: Database) -> None:
    first, second = rows(filled, "bi_answers")
    assert str(first["asked_at"])[:16].replace("T", " ") == "2026-09-01 09:30"
    assert str(first["day"]) == "2026-09-01"
    assert (first["state"], first["statements"], first["judged"], first["carried"]) == ("evaluated", 4, 4, 1)
    assert (bool(second["found"]), bool(second["example"]), second["judged"]) == (False, True, 0)


def test_supports_and_contributions_can_be_joined_by_their_ids(filled: Database) -> None:
    (support,) = rows(filled, "bi_supports")
    assert (support["answer_id"], support["article_id"], support["verdict"]) == (
        "x1",
        "docs:a.md",
        "supported",
    )
    assert (support["line_text"], bool(support["line_gone"])) == ("One line.", False)
    shares = {row["article_id"]: row for row in rows(filled, "bi_contributions")}
    assert shares["docs:a.md"]["share"] == 0.25
    assert (shares["docs:b.md"]["share"], bool(shares["docs:b.md"]["exposed"])) == (0.0, False)
    assert str(shares["docs:a.md"]["day"]) == "2026-09-01"
    titles = {row["article_id"]: row["title"] for row in rows(filled, "bi_articles")}
    assert titles["docs:a.md"] == "Leave"


def test_an_edited_line_is_shown_as_gone(filled: Database) -> None:
    SqlKnowledgeStore(filled).save_article(article_record("a.md", ["Something else."], title="Leave"))
    (support,) = rows(filled, "bi_supports")
    assert bool(support["line_gone"])
    assert {row["article_id"]: bool(row["stale"]) for row in rows(filled, "bi_contributions")}["docs:a.md"]


def test_every_table_has_what_change_data_capture_needs(database: Database) -> None:
    found = inspect(database.engine)
    for table in metadata.sorted_tables:
        assert found.get_pk_constraint(table.name)["constrained_columns"], table.name
        assert "updated_at" in {column["name"] for column in found.get_columns(table.name)}, table.name


def test_the_examples_of_the_page_run(filled: Database) -> None:
    blocks = re.findall(r"```sql\n(SELECT.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    with filled.reading() as connection:
        november, unverified = (connection.execute(text(block.rstrip(";\n"))).all() for block in blocks)
        ours = connection.execute(text(blocks[0].replace("2026-11", "2026-09").rstrip(";\n"))).all()
    assert (november, unverified) == ([], [])
    assert [tuple(row) for row in ours] == [("Leave", 0.25, 1, 0.25)]
