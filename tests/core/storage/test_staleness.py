from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import ANONYMOUS
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Period, QuadrantRow, Reports
from tests.samples import SOURCE, START, Shown, answer_with, article_record

RULES, TRAVEL = "docs:rules.md", "docs:travel.md"
TODAY = Period(START.date(), START.date())
LINES = ["Leave is ten days.", "Ask in chat.", "Half days count."]


@pytest.fixture
def knowledge(database: Database) -> SqlKnowledgeStore:
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    store.save_article(article_record("rules.md", LINES))
    store.save_article(article_record("travel.md", LINES, title="Travel"))
    answers = SqlAnswerStore(database)
    answers.record_answer(
        answer_with("x1", [Shown(RULES, {0: LINES[0], 1: LINES[1]}), Shown(TRAVEL, {2: LINES[0]})])
    )
    answers.record_answer(answer_with("x2", [Shown(RULES, {0: LINES[2]}), Shown(TRAVEL)]))
    return store


def figures(database: Database, knowledge: SqlKnowledgeStore, article: str) -> QuadrantRow:
    rows = Reports(database).quadrant_rows(TODAY, knowledge.readable_audiences(ANONYMOUS))
    return next(row for row in rows if row.article_id == article)


def test_a_changed_line_makes_stale_what_it_carried(database: Database, knowledge: SqlKnowledgeStore) -> None:
    before = figures(database, knowledge, RULES)
    assert (before.exposure, before.answers, before.carried, before.stale) == (2, 2, 2, 0)
    knowledge.save_article(article_record("rules.md", ["Leave is twelve days.", *LINES[1:]]))
    after = figures(database, knowledge, RULES)
    assert (after.exposure, after.answers, after.carried, after.stale) == (2, 1, 1, 1)
    assert after.contribution == 0.25


def test_a_change_elsewhere_in_the_article_makes_nothing_stale(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    knowledge.save_article(article_record("rules.md", ["A new preface.", *LINES, "And more."]))
    assert figures(database, knowledge, RULES).stale == 0


def test_the_same_line_in_another_article_is_another_matter(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    knowledge.save_article(article_record("rules.md", ["Nothing as it was."]))
    assert figures(database, knowledge, RULES).stale == 2
    assert figures(database, knowledge, TRAVEL).stale == 0


def test_a_line_that_was_compared_and_carried_nothing_makes_nothing_stale(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    answer = answer_with("x3", [Shown(TRAVEL, {0: LINES[2]})])
    failed = replace(answer.evaluation.supports[0], statement=1, line_text=LINES[1], verdict="unverified")
    supports = (*answer.evaluation.supports, failed)
    SqlAnswerStore(database).record_answer(
        replace(answer, evaluation=replace(answer.evaluation, supports=supports))
    )
    knowledge.save_article(article_record("travel.md", [LINES[0], LINES[2]], title="Travel"))
    assert figures(database, knowledge, TRAVEL).stale == 0


def test_a_line_that_comes_back_makes_it_current_again(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    before = figures(database, knowledge, RULES)
    knowledge.save_article(article_record("rules.md", LINES[1:]))
    assert figures(database, knowledge, RULES) != before
    knowledge.save_article(article_record("rules.md", LINES))
    assert figures(database, knowledge, RULES) == before


def test_an_answer_about_a_line_that_is_gone_already_is_stale_from_the_start(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    knowledge.save_article(article_record("rules.md", LINES[1:]))
    SqlAnswerStore(database).record_answer(answer_with("late", [Shown(RULES, {0: LINES[0]})]))
    row = figures(database, knowledge, RULES)
    assert (row.exposure, row.stale) == (3, 2)


def test_an_answer_that_comes_after_the_edit_of_its_line_is_stale_from_the_start(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    before = knowledge.get_article(RULES)
    assert before is not None
    knowledge.save_article(article_record("rules.md", [*LINES[:2], "Quarter days count."]))
    kept = Shown(RULES, {0: LINES[1]}, version=before.version)
    gone = Shown(RULES, {0: "Whole days only."}, version=before.version)
    answers = SqlAnswerStore(database)
    answers.record_answer(answer_with("kept", [kept]))
    assert figures(database, knowledge, RULES).stale == 1
    answers.record_answer(answer_with("gone", [gone]))
    assert figures(database, knowledge, RULES).stale == 2


def test_a_line_longer_than_its_excerpt_is_known_by_the_whole_of_it(
    database: Database, knowledge: SqlKnowledgeStore
) -> None:
    long = "A line " + "that goes on " * 40 + "and ends."
    knowledge.save_article(article_record("rules.md", [*LINES, long]))
    SqlAnswerStore(database).record_answer(answer_with("long", [Shown(RULES, {0: long})]))
    knowledge.save_article(article_record("rules.md", ["A new preface.", *LINES, long]))
    assert figures(database, knowledge, RULES).stale == 0
    knowledge.save_article(article_record("rules.md", [*LINES, long.replace("ends", "stops")]))
    assert figures(database, knowledge, RULES).stale == 1


def test_a_removed_article_keeps_its_figures(database: Database, knowledge: SqlKnowledgeStore) -> None:
    before = figures(database, knowledge, RULES)
    knowledge.remove_article(RULES, START)
    after = figures(database, knowledge, RULES)
    assert (after.contribution, after.stale) == (before.contribution, 0)
