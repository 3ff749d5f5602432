from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pytest

from core.contribution.gap_items import QUESTION, ItemSupport
from core.domain import PUBLIC, Answer, Principal
from core.ports import Vectors
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.gap_reports import GapHead, GapReports
from core.storage.gaps import SqlGapStore
from core.storage.knowledge import SqlKnowledgeStore
from tests.databases import Ticks, run_alone
from tests.samples import SOURCE, START, answer_with, article_record, days_later

MANAGERS = frozenset({PUBLIC, "managers"})
LEAVE, PAY = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


class Stage:
    """A knowledge base of one article, the gaps of its answers, and people who look at them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = Ticks()
        self.knowledge = SqlKnowledgeStore(database)
        self.answers = SqlAnswerStore(database)
        self.store = SqlGapStore(database, self.clock)
        self.knowledge.save_source(SOURCE)
        self.knowledge.save_article(article_record("a.md", ["One line."]))

    def unanswered(
        self, name: str, question: str, *, groups: frozenset[str] = frozenset({PUBLIC}), at: datetime = START
    ) -> None:
        answer = replace(answer_with(name, [], judged=False, at=at), question=question, found=False)
        self.record(answer, [QUESTION], groups)

    def record(
        self, answer: Answer, items: Sequence[int], groups: frozenset[str] = frozenset({PUBLIC})
    ) -> None:
        self.answers.record_answer(answer)
        self.store.note_items(answer.id, items, groups, self.knowledge.revision())

    def place(self, *vectors: Sequence[float], model: str = "toy") -> None:
        """Give the items that wait, in their order, these vectors."""
        waiting = self.store.unplaced(model, 100)
        rows = unit(vectors)
        self.store.place(model, {w.item: row for w, row in zip(waiting, rows, strict=True)}, 0.5)

    def items(self, model: str = "toy") -> tuple[int, ...]:
        return self.store.items_after(0, model, 100).items

    def seen(self, groups: frozenset[str] = frozenset({PUBLIC}), weeks: int = 8) -> tuple[GapHead, ...]:
        return self.reports(groups).gaps(date(2026, 9, 30), weeks).gaps

    def reports(self, groups: frozenset[str] = frozenset({PUBLIC})) -> GapReports:
        return GapReports(self.database, Principal("p", groups))

    def support(self, article: str, *items: int) -> None:
        self.store.replace_supports({article: [ItemSupport(item, 0.9, 0) for item in items]})


def unit(vectors: Sequence[Sequence[float]]) -> Vectors:
    rows = np.array(vectors, dtype=np.float32)
    scaled: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


@pytest.fixture
def stage(database: Database) -> Stage:
    return Stage(database)


# --- grouping --------------------------------------------------------------------------------------


def test_texts_of_one_meaning_are_one_gap_across_answers_and_channels(stage: Stage) -> None:
    stage.unanswered("x1", "How much leave?")
    stage.record(replace(answer_with("x2", [], channel="slack"), language="ja"), [0, 3])
    assert [text.text for text in stage.store.unplaced("toy", 9)] == [
        "How much leave?",
        "Statement 0 of x2.",
        "Statement 3 of x2.",
    ]
    stage.place((1, 0.6, 0), LEAVE, PAY)
    assert stage.store.unplaced("toy", 9) == []
    leave, pay = stage.seen()
    assert (leave.items, leave.questions, leave.answers, leave.state) == (2, 1, 2, "open")
    assert (pay.name, pay.items) == ("Statement 3 of x2.", 1)
    entries = stage.reports().entries(leave.id)
    assert [(one.kind, one.channel, one.answer_id) for one in entries] == [
        ("statement", "slack", "x2"),
        ("question", "terminal", "x1"),
    ]


def test_a_gap_is_named_by_its_most_typical_text(stage: Stage) -> None:
    for name, question in (("x1", "Leave, roughly?"), ("x2", "How much leave?"), ("x3", "Leave and pay?")):
        stage.unanswered(name, question)
    stage.place((1, -0.4, 0), LEAVE, (1, 0.4, 0))
    assert [gap.name for gap in stage.seen()] == ["How much leave?"]


def test_later_texts_join_the_gap_that_is_there(stage: Stage) -> None:
    stage.unanswered("x1", "How much leave?")
    stage.place(LEAVE)
    stage.unanswered("x2", "How many days off?")
    stage.unanswered("x3", "What is the pay?")
    stage.place((1, 0.2, 0), PAY)
    assert [gap.items for gap in stage.seen()] == [2, 1]


def test_noting_the_same_items_again_changes_nothing(stage: Stage) -> None:
    stage.unanswered("x1", "How much leave?")
    stage.place(LEAVE)
    stage.store.note_items("x1", [QUESTION], {PUBLIC}, 9)
    stage.store.note_items("unknown", [QUESTION], {PUBLIC}, 9)
    assert stage.store.unplaced("toy", 9) == []
    assert stage.seen()[0].items == 1


def test_another_model_keeps_the_gaps_and_compares_only_its_own_vectors(stage: Stage) -> None:
    stage.unanswered("x1", "How much leave?")
    stage.unanswered("x2", "How many days off?")
    stage.place(LEAVE, LEAVE)
    number = stage.seen()[0].id
    waiting = stage.store.unplaced("other", 9)
    assert len(waiting) == 2
    stage.store.place("other", {waiting[0].item: unit([(0, 0, 0, 1)])[0]}, 0.5)
    assert [gap.id for gap in stage.seen()] == [number]
    stage.place((0, 0, 0.1, 1), model="other")
    stage.unanswered("x3", "Days of leave?")
    stage.place((0, 0, 0, 1), model="other")
    assert [(gap.id, gap.items) for gap in stage.seen()] == [(number, 3)]
    assert len(stage.items("other")) == 3
    assert stage.items("toy") == ()


# --- counting --------------------------------------------------------------------------------------


def test_items_are_counted_by_the_week_of_their_answer(stage: Stage) -> None:
    for n, day in enumerate((0, 5, 6, 13)):  # START is a Tuesday
        stage.unanswered(f"x{n}", "How much leave?", at=days_later(day))
    stage.place(LEAVE, LEAVE, LEAVE, LEAVE)
    gap = stage.seen()[0]
    assert [(week.monday.isoformat(), week.items) for week in gap.weeks] == [
        ("2026-08-31", 2),
        ("2026-09-07", 1),
        ("2026-09-14", 1),
    ]
    assert (gap.recent, gap.first_at, gap.last_at) == (4, START, days_later(13))
    few = stage.seen(weeks=3)[0]
    assert (few.recent, few.items, [week.items for week in few.weeks]) == (1, 4, [1])
    assert stage.seen(weeks=1) == ()
    again = stage.reports().gap(gap.id, date(2026, 9, 30), 1)
    assert again is not None
    assert (again.recent, again.items) == (0, 4)


def test_open_gaps_stand_before_closed_ones_and_frequent_ones_first(stage: Stage) -> None:
    for n in range(6):
        stage.unanswered(f"x{n}", f"Question {n}?")
    stage.place(LEAVE, PAY, PAY, (0, 0, 1), (0, 0, 1), (0, 0, 1))
    stage.support("docs:a.md", *stage.items()[3:])
    assert [(gap.recent, gap.state) for gap in stage.seen()] == [(2, "open"), (1, "open"), (3, "closed")]
    listed = stage.reports().gaps(date(2026, 9, 30), 8, limit=2)
    assert ([gap.recent for gap in listed.gaps], listed.left_out) == ([2, 1], 1)


# --- closing and opening ---------------------------------------------------------------------------


def test_a_gap_closes_with_half_of_its_texts_and_reopens_when_the_support_goes(stage: Stage) -> None:
    for n in range(3):
        stage.unanswered(f"x{n}", "How much leave?")
    stage.place(LEAVE, LEAVE, LEAVE)
    first, second, _ = stage.items()
    stage.support("docs:a.md", first)
    assert stage.seen()[0].state == "open"
    stage.clock.now += 1000
    stage.support("docs:a.md", first, second)
    gap = stage.seen()[0]
    assert gap.state == "closed"
    assert gap.closed_at is not None
    assert round(gap.closed_at.timestamp() * 1000) == stage.clock.now
    entries = stage.reports().entries(gap.id)
    assert sorted(one.is_closed for one in entries) == [False, True, True]
    assert {source.title for one in entries for source in one.supported} == {"Rules"}
    stage.support("docs:a.md")
    assert [(gap.state, gap.closed_at) for gap in stage.seen()] == [("reopened", None)]


def test_a_second_article_keeps_the_gap_closed_when_the_first_one_goes(stage: Stage) -> None:
    stage.knowledge.save_article(article_record("b.md", ["Another."]))
    stage.unanswered("x1", "How much leave?")
    stage.place(LEAVE)
    stage.support("docs:a.md", *stage.items())
    stage.support("docs:b.md", *stage.items())
    stage.support("docs:a.md")
    assert stage.seen()[0].state == "closed"
    stage.support("docs:b.md")
    assert stage.seen()[0].state == "reopened"


def test_what_changed_is_told_until_it_was_compared(stage: Stage) -> None:
    newest, changes = stage.store.changes()
    assert [(change.article_id, change.live) for change in changes] == [("docs:a.md", True)]
    stage.store.mark_compared(newest)
    assert stage.store.changes() == (newest, [])
    stage.knowledge.save_article(article_record("b.md", ["Two."]))
    stage.knowledge.save_article(article_record("b.md", ["Three."]))
    stage.knowledge.remove_article("docs:a.md", START)
    later, changes = stage.store.changes()
    assert [(change.article_id, change.live, change.revision) for change in changes] == [
        ("docs:a.md", False, later),
        ("docs:b.md", True, later - 1),
    ]
    stage.store.mark_compared(later)
    assert stage.store.changes() == (later, [])


# --- what text is kept -----------------------------------------------------------------------------


def test_a_gap_is_renamed_or_goes_when_the_text_of_its_name_goes(stage: Stage, database_url: str) -> None:
    stage.unanswered("x1", "How much leave?")
    stage.unanswered("x2", "Leave, roughly?")
    stage.place(LEAVE, (1, 0.5, 0))
    assert stage.seen()[0].name == "How much leave?"
    run_alone(_driver(database_url), "UPDATE messages SET text = NULL WHERE text = 'How much leave?'")
    gap = stage.seen()[0]
    assert (gap.name, gap.items) == ("Leave, roughly?", 1)
    run_alone(_driver(database_url), "UPDATE messages SET text = NULL")
    assert stage.seen() == ()
    assert stage.store.texts(stage.items()) == {}


def test_items_go_with_their_answer_and_empty_gaps_with_them(stage: Stage, database_url: str) -> None:
    stage.unanswered("x1", "How much leave?")
    stage.unanswered("x2", "What is the pay?")
    stage.place(LEAVE, PAY)
    run_alone(_driver(database_url), "PRAGMA foreign_keys = ON" if "sqlite" in database_url else "SELECT 1")
    with stage.database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM answers WHERE id = 'x1'")
    assert [gap.name for gap in stage.seen()] == ["What is the pay?"]
    stage.store.drop_empty()
    with stage.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM gaps").scalar_one() == 1


def test_a_statement_that_a_later_evaluation_supports_is_no_gap(stage: Stage) -> None:
    stage.record(answer_with("x1", []), [0, 1])
    stage.place(LEAVE, LEAVE)
    with stage.database.writing() as connection:
        connection.exec_driver_sql("UPDATE statements SET verdict = 'uncited' WHERE ordinal = 0")
    assert stage.seen()[0].items == 1
    assert len(stage.store.texts(stage.items())) == 1


# --- who may see what ------------------------------------------------------------------------------


def test_what_managers_asked_is_not_shown_to_others(stage: Stage) -> None:
    stage.unanswered("x1", "How much leave do staff get?")
    stage.unanswered("x2", "Whom do we dismiss?", groups=MANAGERS)
    stage.unanswered("x3", "Whom do we promote?", groups=MANAGERS)
    stage.place(LEAVE, LEAVE, PAY)
    stage.support("docs:a.md", *stage.items()[1:2])
    assert [(gap.name, gap.items, gap.state) for gap in stage.seen()] == [
        ("How much leave do staff get?", 1, "open")
    ]
    number = stage.seen()[0].id
    assert [one.text for one in stage.reports().entries(number)] == ["How much leave do staff get?"]
    assert stage.reports().gaps(date(2026, 9, 30), 8).not_shown == 2
    assert sum(gap.items for gap in stage.seen(MANAGERS)) == 3
    hidden = next(gap.id for gap in stage.seen(MANAGERS) if gap.name == "Whom do we promote?")
    assert stage.reports().gap(hidden, date(2026, 9, 30), 8) is None
    assert stage.reports().entries(hidden) == []


def test_being_in_one_of_the_groups_is_not_enough(stage: Stage) -> None:
    stage.unanswered("x1", "Secret of two groups?", groups=frozenset({PUBLIC, "managers", "hr"}))
    stage.place(LEAVE)
    assert stage.seen(MANAGERS) == ()
    assert len(stage.seen(frozenset({"hr", "managers"}))) == 1


def test_what_nobody_could_be_told_is_shown_to_nobody(stage: Stage) -> None:
    stage.unanswered("x1", "Whose is it?", groups=frozenset())
    stage.place(LEAVE)
    assert stage.seen(MANAGERS) == ()


def test_a_supporting_article_is_named_only_to_its_readers(stage: Stage) -> None:
    stage.knowledge.save_article(article_record("pay.md", ["Pay."], title="Pay", readers=["managers"]))
    stage.unanswered("x1", "What is the pay?")
    stage.place(PAY)
    stage.support("docs:pay.md", *stage.items())
    number = stage.seen()[0].id
    assert stage.reports().entries(number)[0].supported == ()
    assert stage.reports(MANAGERS).entries(number)[0].supported[0].title == "Pay"


def test_groups_are_found_behind_audiences(stage: Stage) -> None:
    stage.knowledge.save_article(article_record("m.md", ["M."], readers=["managers"]))
    stage.knowledge.save_article(article_record("h.md", ["H."], readers=["hr", "managers"]))
    stage.knowledge.save_article(article_record("p.md", ["P."], readers=["public", "guests"]))
    people = {name: frozenset({PUBLIC, name}) for name in ("managers", "hr", "guests")}
    readable = {
        name: stage.knowledge.readable_audiences(Principal(name, groups)) for name, groups in people.items()
    }
    assert stage.store.groups_behind(readable["managers"]) == frozenset({PUBLIC, "managers", "hr"})
    assert stage.store.groups_behind(readable["hr"]) == frozenset({PUBLIC, "hr"})
    assert stage.store.groups_behind(readable["guests"]) == frozenset({PUBLIC})
    assert stage.store.groups_behind([]) == frozenset({PUBLIC})


def _driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://", 1)
