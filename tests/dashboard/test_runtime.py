"""What the pages read, within what the person may see."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from core.errors import StoreError
from core.storage.answer_reports import AnswerFilter
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Period
from dashboard.runtime import EVERYTHING, Viewer, choose_period, open_viewer


def test_articles_come_strongest_first_each_in_its_field(visitor: Viewer) -> None:
    figures = visitor.read_quadrants(EVERYTHING)
    placed = {row.article_id: field for row, field in zip(figures.rows, figures.fields, strict=True)}
    assert placed == {"docs:a.md": "carrying", "docs:c.md": "hidden", "docs:b.md": "in_vain"}
    assert [row.article_id for row in figures.rows] == ["docs:a.md", "docs:c.md", "docs:b.md"]
    assert figures.overview.answers == 5


def test_a_period_leaves_out_what_came_before(visitor: Viewer) -> None:
    figures = visitor.read_quadrants(Period(date(2020, 9, 2), date(2020, 9, 3)))
    assert [(row.article_id, row.exposure) for row in figures.rows] == [("docs:a.md", 2), ("docs:b.md", 2)]


def test_articles_that_may_not_be_read_are_left_out_and_counted(visitor: Viewer, manager: Viewer) -> None:
    assert visitor.read_quadrants(EVERYTHING).not_shown == 1
    whole = manager.read_quadrants(EVERYTHING)
    assert whole.not_shown == 0
    assert "docs:pay.md" in {row.article_id for row in whole.rows}


def test_an_article_that_is_withdrawn_from_somebody_is_gone_at_once(
    visitor: Viewer, database: Database
) -> None:
    """Figures are kept for a while, but not beyond who may read them."""
    assert "docs:a.md" in {row.article_id for row in visitor.read_quadrants(EVERYTHING).rows}
    SqlKnowledgeStore(database).set_readers("docs:a.md", ["managers"])
    assert "docs:a.md" not in {row.article_id for row in visitor.read_quadrants(EVERYTHING).rows}


def test_an_answer_from_unreadable_articles_keeps_its_text_back(visitor: Viewer, manager: Viewer) -> None:
    seen = visitor.read_answer("pay")
    assert seen is not None
    assert seen.protected
    assert seen.articles == {}
    whole = manager.read_answer("pay")
    assert whole is not None
    assert not whole.protected
    assert whole.articles["docs:pay.md"].title == "Pay"


def test_the_list_of_answers_keeps_such_questions_back(visitor: Viewer, manager: Viewer) -> None:
    everything = AnswerFilter(EVERYTHING)
    asked = {line.id: line.question for line in visitor.find_answers(everything, 10).lines}
    assert asked["pay"] == ""
    assert asked["x1"] == "What about x1?"
    (latest,) = manager.find_answers(everything, 1).lines
    assert latest.question == "What about pay?"


def test_an_answer_that_does_not_exist_is_none(visitor: Viewer) -> None:
    assert visitor.read_answer("nothing") is None


def test_the_periods_end_today() -> None:
    today = date(2026, 11, 30)
    assert choose_period("days_7", today) == Period(date(2026, 11, 24), today)
    assert choose_period("all", today) == EVERYTHING


def test_groups_come_from_whoever_started_it(
    configured: Path, visitor: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_viewer().read_quadrants(EVERYTHING).not_shown == 1
    monkeypatch.setenv("KIYO_DASHBOARD_GROUPS", "staff, managers")
    assert open_viewer().read_quadrants(EVERYTHING).not_shown == 0


def test_without_a_database_it_says_how_to_make_one(configured: Path) -> None:
    configured.write_text(f'[storage]\nfolder = "{configured.parent / "empty"}"\n')
    with pytest.raises(StoreError, match="kiyo db upgrade"):
        open_viewer()


def test_gaps_and_misses_are_read_for_the_same_weeks(visitor: Viewer, manager: Viewer) -> None:
    found = visitor.read_gaps(4, date(2020, 9, 13))
    assert (found.since, found.until) == (date(2020, 8, 17), date(2020, 9, 13))
    assert [(gap.name, gap.items) for gap in found.listed.gaps] == [("What about x1?", 1)]
    assert found.listed.not_shown == 1
    assert [miss.row.title for miss in found.misses] == ["冬の準備"]
    assert [entry.text for entry in visitor.read_gap_entries(found.listed.gaps[0].id)] == ["What about x1?"]
    assert len(manager.read_gaps(4, date(2020, 9, 13)).listed.gaps) == 2
    assert visitor.read_gaps(1, date(2021, 1, 1)).listed.gaps == ()


def test_few_answers_give_no_warning(visitor: Viewer) -> None:
    biases = visitor.read_biases(EVERYTHING)
    assert (biases.answers, biases.warns) == (4, False)
