from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.contribution.label_pairs import LabelPair
from core.contribution.labels import Said
from core.domain import ANONYMOUS, Principal
from core.errors import AskerError
from core.ports import AudienceId
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.keys import day_number
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.labels import SqlLabelStore
from tests.databases import Ticks
from tests.samples import SOURCE, Shown, answer_with, article_record

MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
WEEK = "2026-W48"
DAYS = (day_number(MONDAY.date()), day_number(MONDAY.date()) + 6)
TEXTS = [f"Line {n} of the rules." for n in range(8)]
MANAGER = Principal("mia", frozenset({"public", "managers"}))


@pytest.fixture
def store(database: Database) -> SqlLabelStore:
    """Ten answers of one week, each with two carried statements."""
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", TEXTS))
    knowledge.save_article(article_record("pay.md", ["Pay."], readers=["managers"]))
    version = article_record("a.md", TEXTS).article.version
    for n in range(10):
        shown = Shown("docs:a.md", {3: TEXTS[3], 1: TEXTS[1]}, version=version)
        answers.record_answer(answer_with(f"x{n}", [shown], at=MONDAY, channel="slack" if n % 2 else "web"))
    return SqlLabelStore(database, Ticks())


@pytest.fixture
def readers(database: Database, store: SqlLabelStore) -> list[AudienceId]:
    assert store is not None
    return SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)


def asked(store: SqlLabelStore, labeller: str, readers: list[AudienceId]) -> LabelPair:
    pair = store.next_pair(labeller, readers)
    assert pair is not None
    return pair


def test_a_week_is_drawn_once_from_all_channels(store: SqlLabelStore, readers: list[AudienceId]) -> None:
    drawn = store.draw(WEEK, DAYS, 6, 0.5)
    assert (drawn.population, drawn.items, drawn.is_new) == (20, 6, True)
    again = store.draw(WEEK, DAYS, 15, 0.5)
    assert (again.population, again.items, again.is_new) == (20, 6, False)
    assert {row.pair.channel for row in store.rows(readers)} == {"slack", "web"}


def test_another_week_holds_nothing_and_can_be_drawn_later(database: Database, store: SqlLabelStore) -> None:
    later = (DAYS[0] + 7, DAYS[1] + 7)
    assert store.draw("2026-W49", later, 6, 0.5).population == 0
    shown = Shown("docs:a.md", {0: TEXTS[0]})
    SqlAnswerStore(database).record_answer(answer_with("late", [shown], at=MONDAY.replace(day=30)))
    assert store.draw("2026-W49", later, 6, 0.5).items == 1


def test_examples_are_not_drawn(database: Database, store: SqlLabelStore) -> None:
    answer = answer_with("example", [Shown("docs:a.md", {0: TEXTS[0]})], at=MONDAY.replace(day=30))
    SqlAnswerStore(database).record_answer(answer, example=True)
    assert store.draw("2026-W49", (DAYS[0] + 7, DAYS[1] + 7), 6, 0.5).items == 0


def test_a_labeller_sees_the_statement_and_the_lines_around(
    store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    store.draw(WEEK, DAYS, 20, 0.5)
    pair = next(row.pair for row in store.rows(readers) if row.pair.statement == 3)
    assert pair.text == f"Statement 3 of {pair.answer_id}."
    assert pair.question == f"What about {pair.answer_id}?"
    assert (pair.before, pair.line, pair.after) == (tuple(TEXTS[:3]), TEXTS[3], tuple(TEXTS[4:7]))


def test_lines_around_are_left_out_once_the_article_has_changed(
    database: Database, store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    store.draw(WEEK, DAYS, 20, 0.5)
    SqlKnowledgeStore(database).save_article(article_record("a.md", ["Something else."]))
    pair = asked(store, "ana", readers)
    assert pair.line in (TEXTS[1], TEXTS[3])
    assert (pair.before, pair.after) == ((), ())


def test_two_people_are_asked_about_a_pair_and_those_nobody_judged_come_first(
    store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    store.draw(WEEK, DAYS, 2, 0.5)
    first = asked(store, "ana", readers)
    store.save("ana", first.item, "supported")
    second = asked(store, "ben", readers)
    assert second.item != first.item
    store.save("ben", second.item, "supported")
    assert asked(store, "ben", readers).item == first.item
    store.save("ben", first.item, "supported")
    assert store.next_pair("ben", readers) is None
    assert asked(store, "eve", readers).item == second.item
    store.save("eve", second.item, "unclear")
    assert store.next_pair("eve", readers) is None


def test_a_third_person_decides_what_two_dispute(store: SqlLabelStore, readers: list[AudienceId]) -> None:
    store.draw(WEEK, DAYS, 1, 0.5)
    item = asked(store, "ana", readers).item
    store.save("ana", item, "supported")
    with pytest.raises(AskerError, match="Nobody disagrees"):
        store.resolve("eve", item, "supported")
    store.save("ben", item, "unsupported")
    assert [row.said for row in store.disputed(readers)] == [
        (Said("ana", "supported"), Said("ben", "unsupported"))
    ]
    with pytest.raises(AskerError, match="Somebody who has not"):
        store.resolve("ana", item, "unsupported")
    store.resolve("eve", item, "unsupported")
    assert store.disputed(readers) == []
    counts = store.counts()
    assert (counts.settled, counts.supported, counts.unsupported, counts.disputed) == (1, 0, 1, 0)


def test_the_last_label_can_be_taken_back(database: Database, readers: list[AudienceId]) -> None:
    ticks = Ticks()
    labels = SqlLabelStore(database, ticks)
    labels.draw(WEEK, DAYS, 3, 0.5)
    items = []
    for _ in range(2):
        items.append(asked(labels, "ana", readers).item)
        labels.save("ana", items[-1], "supported")
        ticks.now += 5
    assert labels.undo("ana") == items[1]
    assert labels.undo("ana") == items[0]
    assert labels.undo("ana") is None
    assert labels.said() == []


def test_saying_something_else_replaces_what_was_said(
    store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    store.draw(WEEK, DAYS, 1, 0.5)
    item = asked(store, "ana", readers).item
    store.save("ana", item, "supported")
    store.save("ana", item, "unclear")
    assert store.said() == [(Said("ana", "unclear"),)]
    with pytest.raises(AskerError, match="no such pair"):
        store.save("ana", 10_000, "supported")


def test_what_somebody_may_not_read_is_not_asked(database: Database) -> None:
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("pay.md", ["Pay."], readers=["managers"]))
    SqlAnswerStore(database).record_answer(
        answer_with("secret", [Shown("docs:pay.md", {0: "Pay."})], at=MONDAY)
    )
    store = SqlLabelStore(database, Ticks())
    assert store.draw(WEEK, DAYS, 5, 0.5).items == 1
    assert store.next_pair("ana", knowledge.readable_audiences(ANONYMOUS)) is None
    assert store.next_pair("mia", knowledge.readable_audiences(MANAGER)) is not None


def test_text_goes_with_its_answer_and_the_label_stays(
    database: Database, store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    store.draw(WEEK, DAYS, 20, 0.5)
    for row in store.rows(readers):
        store.save("ana", row.pair.item, "supported")
    with database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM answers")
    assert store.rows(readers) == []
    assert len(store.said()) == 20


def test_a_pair_that_was_not_drawn_can_be_picked(store: SqlLabelStore) -> None:
    item = store.find_item("x4", "docs:a.md", 3)
    assert item is not None
    assert store.find_item("x4", "docs:a.md", 3) == item
    assert store.find_item("x4", "docs:a.md", 0) is None
    drawn = store.draw(WEEK, DAYS, 50, 0.5)
    assert (drawn.population, drawn.items) == (19, 19)


def test_pairs_without_a_verdict_are_not_drawn(database: Database) -> None:
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", TEXTS))
    answer = answer_with("x", [Shown("docs:a.md", {0: TEXTS[0], 1: TEXTS[1]})], at=MONDAY)
    first, second = answer.evaluation.supports
    supports = (replace(first, verdict="not_judged", probability=None), second)
    SqlAnswerStore(database).record_answer(
        replace(answer, evaluation=replace(answer.evaluation, supports=supports))
    )
    assert SqlLabelStore(database, Ticks()).draw(WEEK, DAYS, 5, 0.5).items == 1
