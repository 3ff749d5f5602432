from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from core.contribution.label_pairs import LabelValue
from core.domain import ANONYMOUS
from core.errors import AskerError, RoleError
from core.people_ports import AuditFilter
from core.ports import AudienceId
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.labels import SqlLabelStore
from core.usecases import labels
from tests.acting import acting_as, noted
from tests.samples import SOURCE, Shown, answer_with, article_record

WEEK = "2026-W48"
MINA = acting_as("mina", "maintainer")
TEXTS = [f"Line {n} of the rules." for n in range(4)]


@pytest.fixture
def store(sqlite_database: Database) -> SqlLabelStore:
    """Four answers of one week with two pairs each, all of them drawn."""
    knowledge, answers = SqlKnowledgeStore(sqlite_database), SqlAnswerStore(sqlite_database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", TEXTS))
    for n in range(4):
        shown = Shown("docs:a.md", {0: TEXTS[0], 1: TEXTS[1]})
        answers.record_answer(answer_with(f"x{n}", [shown], at=datetime(2026, 11, 23 + n, tzinfo=UTC)))
    made = SqlLabelStore(sqlite_database)
    assert labels.draw_week(made, MINA, WEEK, 50, 0.5).items == 8
    return made


@pytest.fixture
def readers(sqlite_database: Database, store: SqlLabelStore) -> list[AudienceId]:
    assert store is not None
    return SqlKnowledgeStore(sqlite_database).readable_audiences(ANONYMOUS)


def label_all(store: SqlLabelStore, who: str, readers: list[AudienceId], values: list[LabelValue]) -> None:
    for value in values:
        pair = labels.next_pair(store, who, readers)
        assert pair is not None
        labels.save_label(store, acting_as(who, "labeller"), pair.item, value, readers)


def test_a_week_runs_from_monday_to_sunday() -> None:
    assert labels.name_week(date(2026, 12, 31)) == "2026-W53"
    assert labels.name_week(date(2027, 1, 3)) == "2026-W53"
    assert labels.last_whole_week(date(2026, 12, 1)) == WEEK


@pytest.mark.parametrize("week", ["", "2026", "2026-W99", "2026-11-30", "last", "2026-W48-1"])
def test_what_is_no_week_is_refused(store: SqlLabelStore, week: str) -> None:
    with pytest.raises(AskerError, match="A week is written"):
        labels.draw_week(store, MINA, week, 5, 0.5)


def test_agreement_is_told_for_two_people(store: SqlLabelStore, readers: list[AudienceId]) -> None:
    label_all(store, "ana", readers, [1, 1, 0, 0, 1, 1, 0, 0])
    label_all(store, "ben", readers, [1, 1, 0, 0, 1, 0, 0, 1])
    (found,) = labels.agreement(store)
    assert (found.labellers, found.pairs, found.share) == (("ana", "ben"), 8, 0.75)
    assert found.kappa == pytest.approx(0.5)
    assert len(labels.disagreements(store, readers)) == 2


def test_skipping_a_dispute_leaves_it_open(store: SqlLabelStore, readers: list[AudienceId]) -> None:
    label_all(store, "ana", readers, [1] * 8)
    label_all(store, "ben", readers, [0, 1, 1, 1, 1, 1, 1, 1])
    (row,) = labels.disagreements(store, readers)
    labels.resolve(store, acting_as("eve", "labeller"), row.pair.item, "skip", readers)
    assert len(labels.disagreements(store, readers)) == 1
    labels.resolve(store, acting_as("joe", "labeller"), row.pair.item, 0, readers)
    assert labels.disagreements(store, readers) == []


def test_undo_shows_the_pair_again(store: SqlLabelStore, readers: list[AudienceId]) -> None:
    pair = labels.next_pair(store, "ana", readers)
    assert pair is not None
    ana = acting_as("ana", "labeller")
    assert labels.undo(store, ana) is None
    labels.save_label(store, ana, pair.item, "skip", readers)
    assert labels.undo(store, ana) == pair.item
    assert noted(ana.log) == [("ana", f"labels.{what}", str(pair.item)) for what in ("save", "undo")]
    assert labels.next_pair(store, "ana", readers) == pair


@pytest.mark.parametrize("name", ["", "  ", "x" * 101])
def test_a_labeller_needs_a_name(store: SqlLabelStore, readers: list[AudienceId], name: str) -> None:
    with pytest.raises(AskerError, match="needs a name"):
        labels.next_pair(store, name, readers)


def test_a_pair_of_an_unreadable_article_takes_no_label(
    store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    pair = labels.next_pair(store, "ana", readers)
    assert pair is not None
    with pytest.raises(AskerError, match="no such pair"):
        labels.save_label(store, acting_as("ana", "labeller"), pair.item, 1, [])


def test_what_is_exported_does_not_tell_what_the_check_says(
    store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    rows = labels.export_rows(store, readers)
    assert len(rows) == 8
    assert all(tuple(row) == labels.COLUMNS and row["label"] == "" for row in rows)
    assert "0.9375" not in str(rows)


def test_exported_labels_are_imported_elsewhere(
    sqlite_database: Database, store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    label_all(store, "ana", readers, [1, 0, "skip"])
    rows = labels.export_rows(store, readers)
    before = store.said()
    with sqlite_database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM label_items")
        connection.exec_driver_sql("DELETE FROM label_draws")
    assert labels.import_rows(store, MINA, rows) == 3
    assert labels.import_rows(store, MINA, rows) == 3
    assert store.said() == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "yes"}, "Row 2: a label is one of"),
        ({"labeller": " "}, "Row 2: A labeller needs a name"),
        ({"statement": "first"}, "Row 2: statement must be a number"),
        ({"statement": 77}, "Row 2: nothing was measured"),
        ({"article_id": "docs:nothing"}, "Row 2: nothing was measured"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_kept(
    sqlite_database: Database,
    store: SqlLabelStore,
    readers: list[AudienceId],
    change: dict[str, Any],
    said: str,
) -> None:
    mina = acting_as("mina", "maintainer", sqlite_database)
    first, second, *_ = ({**row, "label": 1, "labeller": "ana"} for row in labels.export_rows(store, readers))
    with pytest.raises(AskerError, match=said):
        labels.import_rows(store, mina, [first, {**second, **change}])
    assert store.said() == []


def test_a_row_without_a_column_is_named(store: SqlLabelStore) -> None:
    with pytest.raises(AskerError, match="Row 1: article_id is missing"):
        labels.import_rows(store, MINA, [{"label": "supported", "answer_id": "x0"}])


def test_who_may_not_label_or_draw_is_refused(store: SqlLabelStore, readers: list[AudienceId]) -> None:
    pair = labels.next_pair(store, "rie", readers)
    assert pair is not None
    rie, ana = acting_as("rie", "reviewer"), acting_as("ana", "labeller")
    with pytest.raises(RoleError):
        labels.save_label(store, rie, pair.item, 1, readers)
    with pytest.raises(RoleError):
        labels.resolve(store, rie, pair.item, 1, readers)
    with pytest.raises(RoleError):
        labels.undo(store, rie)
    with pytest.raises(RoleError):
        labels.draw_week(store, ana, "2026-W01", 5, 0.5)
    with pytest.raises(RoleError):
        labels.import_rows(store, ana, [])
    assert store.said() == []


def test_the_log_tells_which_pair_was_labelled_and_not_as_what(
    sqlite_database: Database, store: SqlLabelStore, readers: list[AudienceId]
) -> None:
    ana = acting_as("ana", "labeller", sqlite_database)
    pair = labels.next_pair(store, "ana", readers)
    assert pair is not None
    labels.save_label(store, ana, pair.item, 0, readers)
    (entry,) = ana.log.entries(AuditFilter(), 10)
    assert (entry.who, entry.action, entry.object_id) == ("ana", "labels.save", str(pair.item))
    assert dict(entry.detail) == {}
