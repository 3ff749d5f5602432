from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from core.channel_ports import FeedbackKind, FeedbackRow
from core.contribution.correctness import Opinion
from core.storage.answers import SqlAnswerStore
from core.storage.bias_reports import NOT_KEPT, BiasReports
from core.storage.engine import Database
from core.storage.feedback import SqlFeedbackStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Period
from tests.samples import SOURCE, START, Shown, answer_with, article_record, days_later

ALL = Period(START.date(), START.date() + timedelta(days=99))


def filled(database: Database, answers: int) -> BiasReports:
    knowledge, store = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", ["One line."]))
    for n in range(answers):
        shown = [Shown("docs:a.md", {0: "One line.", 2: "One line."})]
        store.record_answer(answer_with(f"x{n}", shown, at=days_later(n % 50)))
    return BiasReports(database)


def test_an_answer_tells_its_share_length_sentences_format_and_model(database: Database) -> None:
    reports = filled(database, 1)
    markdown = replace(answer_with("list", []), text="- **One**\n- Two", model="gpt")
    SqlAnswerStore(database).record_answer(markdown)
    first, second = reports.answer_figures(ALL, 100)
    assert (first.carried, first.sentences, first.format, first.model) == (0.5, 4, "prose", "extractive")
    assert first.characters == len(answer_with("x0", []).text)
    assert (second.carried, second.format, second.model) == (0.0, "markdown", "gpt")


def test_what_says_nothing_of_the_measure_is_left_out(database: Database) -> None:
    reports = filled(database, 1)
    store = SqlAnswerStore(database)
    store.record_answer(answer_with("example", []), example=True)
    store.record_answer(answer_with("unjudged", [], judged=False))
    store.record_answer(answer_with("later", [], at=days_later(200)))
    assert len(reports.answer_figures(ALL, 100)) == 1
    assert len(reports.statements(ALL, 100)) == 1
    assert reports.answer_figures(Period(START.date() - timedelta(9), START.date() - timedelta(1)), 100) == []


def test_a_long_period_is_sampled_evenly(database: Database) -> None:
    reports = filled(database, 60)
    assert 5 <= len(reports.answer_figures(ALL, 15)) <= 15
    assert len(reports.statements(ALL, 1000)) == 60


def test_length_outlives_the_text_and_the_format_does_not(database: Database) -> None:
    reports = filled(database, 1)
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE messages SET text = NULL")
    (figures,) = reports.answer_figures(ALL, 100)
    assert figures.characters > 50
    assert figures.format == NOT_KEPT


def test_statements_come_in_order_with_whether_they_are_carried(database: Database) -> None:
    reports = filled(database, 1)
    assert reports.statements(ALL, 100) == [
        [(f"Statement {n} of x0.", n in (0, 2)) for n in range(4)],
    ]


def test_opinions_stand_beside_what_articles_carry(database: Database) -> None:
    reports = filled(database, 3)
    SqlAnswerStore(database).record_answer(answer_with("example", []), example=True)
    store = SqlFeedbackStore(database)
    said: list[tuple[str, str, FeedbackKind, str | None]] = [
        ("x0", "ana", "helpful", None),
        ("x0", "bo", "not_helpful", None),
        ("x0", "cy", "wrong_source", "docs:a.md"),
        ("x1", "ana", "wrong_source", "docs:never"),
        ("example", "ana", "helpful", None),
    ]
    for answer, person, kind, article in said:
        store.save(FeedbackRow(answer, person, kind, article, "web", START))
    assert reports.opinions(ALL, 100) == [Opinion(0.5, 0, 1), Opinion(0.5, 1, 2, (True,))]
    assert len(reports.opinions(ALL, 1)) == 1
    before = Period(START.date() - timedelta(9), START.date() - timedelta(1))
    assert reports.opinions(before, 100) == []
