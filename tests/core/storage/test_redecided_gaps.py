"""When the past is decided anew, gaps open and close as if it had been measured so in the first place."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from core.contribution.gap_items import QUESTION, ItemSupport, find_missing
from core.contribution.measure import Evidence, MeasureSettings, measure
from core.contribution.passages import passage_lines
from core.contribution.redeciding import NewRules
from core.domain import PUBLIC, Answer, Statement
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.gap_tables import gap_items, gap_marks, gap_supports
from core.storage.gaps import counts_still, with_texts
from core.storage.keys import to_ms
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.rescoring import SqlPastStore
from tests.core.contribution.refs import LEAVE
from tests.core.storage.test_rescoring import MODEL, OTHER, answers, record, rules, run
from tests.databases import Ticks
from tests.samples import SOURCE, START, Shown, answer_with, article_record

_i = gap_items.c


def noted(store: SqlAnswerStore, recorded: list[Answer]) -> None:
    for answer in recorded:
        store.gaps.note_items(answer.id, find_missing(answer), {PUBLIC}, 0)


def open_items(database: Database) -> set[tuple[str, int]]:
    """Those that count, by answer and statement."""
    query = with_texts(t.answers.c.id, _i.statement).where(counts_still)
    with database.reading() as connection:
        return {(row.id, row.statement) for row in connection.execute(query)}


def expected(found: list[Answer]) -> set[tuple[str, int]]:
    return {(answer.id, ordinal) for answer in found for ordinal in find_missing(answer)}


@pytest.mark.parametrize("which", [rules(threshold=0.97), rules(OTHER, 0.7), rules(threshold=0.6)])
def test_what_loses_its_support_opens_gaps_and_going_back_closes_them(
    database: Database, which: NewRules
) -> None:
    store = record(database, MODEL, None)
    noted(store, answers(MODEL, None))
    before = open_items(database)
    assert before == expected(answers(MODEL, None))
    run(database, which)
    assert open_items(database) == expected(answers(which.model, which.threshold))
    run(database, rules())
    assert open_items(database) == before


def test_a_higher_threshold_opens_gaps_that_are_placed_later(database: Database) -> None:
    store = record(database, MODEL, None)
    noted(store, answers(MODEL, None))
    before = len(store.gaps.unplaced("toy", 100))
    run(database, rules(threshold=0.97))
    assert len(store.gaps.unplaced("toy", 100)) > before


def test_a_run_that_was_stopped_opens_each_gap_once(database: Database) -> None:
    record(database, MODEL, None)
    which = rules(threshold=0.97)
    store = SqlPastStore(database, Ticks(), 5)
    first = store.start(which, 0)
    store.advance(first.run, which)
    half = open_items(database)
    assert half
    run(database, which)
    assert open_items(database) > half
    with database.reading() as connection:
        rows = connection.execute(select(_i.answer, _i.statement)).all()
    assert len(rows) == len(set(rows))
    again = figures_of(database)
    run(database, which)
    assert figures_of(database) == again


def figures_of(database: Database) -> list[tuple[object, ...]]:
    with database.reading() as connection:
        return [tuple(row) for row in connection.execute(select(gap_items).order_by(_i.key))]


def test_a_gap_is_shown_to_whom_its_answer_was_for(database: Database) -> None:
    store = record(database, MODEL, None)
    store.gaps.note_items("x0", [2], {PUBLIC, "managers"}, 0)
    run(database, rules(threshold=0.97))
    of = groups_by_answer(database)
    assert of["x0"] == {PUBLIC, "managers"}


def test_a_gap_of_an_answer_from_a_restricted_article_is_for_its_readers(database: Database) -> None:
    """Nothing says who asked, so whoever may read all that stood in the prompt is shown it."""
    store = SqlAnswerStore(database)
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("leave", ["One line."], readers=("managers",)))
    knowledge.save_article(article_record("expenses", ["Another."]))
    recorded = answers(MODEL, None, 2)
    store.record_answer(shown(recorded[0], "docs:leave"))
    store.record_answer(shown(recorded[1], "docs:expenses"))
    run(database, rules(threshold=0.97))
    assert groups_by_answer(database) == {"x0": {PUBLIC, "managers"}, "x1": {PUBLIC}}


def shown(answer: Answer, article_id: str) -> Answer:
    (exposure,) = answer_with("other", [Shown(article_id)]).exposures
    return replace(answer, exposures=(exposure,))


def test_a_gap_of_an_answer_from_an_erased_article_is_for_nobody(database: Database) -> None:
    store = SqlAnswerStore(database)
    store.record_answer(shown(answers(MODEL, None, 1)[0], "docs:never-seen"))
    run(database, rules(threshold=0.97))
    assert groups_by_answer(database) == {"x0": set()}


def groups_by_answer(database: Database) -> dict[str, set[str]]:
    g = t.audience_groups.c
    query = (
        select(t.answers.c.id, g.reader_group)
        .select_from(gap_items)
        .join(t.answers, t.answers.c.key == _i.answer)
        .outerjoin(t.audience_groups, g.audience == _i.audience)
    )
    found: dict[str, set[str]] = {}
    with database.reading() as connection:
        for row in connection.execute(query):
            found.setdefault(row.id, set()).update([row.reader_group] if row.reader_group else [])
    return found


def handed_over(threshold: float, question: str = "How many days?") -> Answer:
    """An answer of one statement that nearly stands in the article it was shown."""
    text = "有給休暇は入社6か月後に10日ほど付与されます。"
    evidence = Evidence(lines=passage_lines(LEAVE, "docs:leave"))
    one = Statement(0, text, 0, len(text), (), judged=True)
    found = measure([one], evidence, MODEL, MeasureSettings(threshold=threshold))
    blank = answer_with("handed", [])
    return replace(blank, evaluation=found, gate="hand_over", question=question)


def test_an_answer_handed_over_asks_again_once_nothing_in_it_is_missing(database: Database) -> None:
    store = SqlAnswerStore(database)
    store.record_answer(handed_over(0.999))
    noted(store, [handed_over(0.999)])
    assert open_items(database) == {("handed", 0)}
    run(database, rules(threshold=0.1))
    assert open_items(database) == expected([handed_over(0.1)]) == {("handed", QUESTION)}
    run(database, rules(threshold=0.999))
    assert open_items(database) == {("handed", 0)}


def test_a_greeting_that_was_handed_over_asks_nothing(database: Database) -> None:
    SqlAnswerStore(database).record_answer(handed_over(0.999, "Hello!"))
    run(database, rules(threshold=0.1))
    assert open_items(database) == set()


def test_articles_that_came_since_are_compared_with_the_opened_gaps(database: Database) -> None:
    store = record(database, MODEL, None)
    with database.writing() as connection:
        connection.execute(gap_marks.insert().values(revision=9, updated_at=1))
        article = connection.scalar(select(t.articles.c.key).limit(1))
        for revision, at in ((3, START - timedelta(days=1)), (8, START + timedelta(days=99))):
            row = {"revision": revision, "article": article, "change": "saved", "updated_at": to_ms(at)}
            connection.execute(t.revisions.insert().values(row))
        ensure_audience(connection, [PUBLIC], 1)
    run(database, rules(threshold=0.97))
    with database.reading() as connection:
        assert set(connection.scalars(select(_i.revision))) == {3}
    assert [change.revision for change in store.gaps.changes()[1]] == [8]


def test_what_an_article_supports_since_stays_until_it_is_compared_again(database: Database) -> None:
    store = record(database, MODEL, None)
    store.gaps.note_items("x0", [2], {PUBLIC}, 0)
    with database.reading() as connection:
        item = connection.scalar(select(_i.key))
        article = connection.scalar(select(t.articles.c.id).limit(1))
    assert item is not None
    assert article is not None
    store.gaps.replace_supports({article: [ItemSupport(item, 0.9, 1)]})
    run(database, rules(threshold=0.97))
    with database.reading() as connection:
        assert connection.scalars(select(gap_supports.c.item)).all() == [item]
