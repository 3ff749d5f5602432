"""Answers that leave before they are evaluated, on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select

from core.domain import ANONYMOUS, Answer, Candidate, Evaluation
from core.ports import Deferral, LateOutcome, PendingEvaluation
from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.deferring import FIRST_PAUSE_MS, MAX_ATTEMPTS
from core.storage.engine import Database
from core.storage.evaluation_tables import deferred_spans
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Period, QuadrantRow, Reports
from tests.databases import Ticks
from tests.samples import SOURCE, START, Shown, answer_with, article_record

RULES, PAY = "docs:rules.md", "docs:pay.md"
LINES = ["Leave is ten days.", "Ask in chat."]
NOTHING = Evaluation((), (), (), (), "")
LEASE = 60.0


class Stage:
    """A store with two articles, a clock that is moved by hand, and what belongs to one answer."""

    def __init__(self, database: Database) -> None:
        self.clock = Ticks()
        self.database = database
        self.knowledge = SqlKnowledgeStore(database)
        self.answers = SqlAnswerStore(database, clock=self.clock)
        self.knowledge.save_source(SOURCE)
        self.knowledge.save_article(article_record("rules.md", LINES))
        self.knowledge.save_article(article_record("pay.md", ["Pay day is the 25th."]))

    def candidate(self, article_id: str) -> Candidate:
        audiences = self.knowledge.readable_audiences(ANONYMOUS)
        chunk_id = min(self.knowledge.article_chunks(article_id))
        stored = self.knowledge.load_chunks([chunk_id], audiences)[chunk_id]
        lines = self.knowledge.article_lines(article_id)
        return Candidate(chunk_id, stored.article, stored.chunk, stored.section, lines, {}, 0.0)

    def measured(self, answer_id: str = "x1", **changes: object) -> Answer:
        version = self.candidate(RULES).article.version
        shown = [Shown(RULES, {0: LINES[0], 1: LINES[1]}, version=version), Shown(PAY)]
        return replace(answer_with(answer_id, shown), **changes)  # type: ignore[arg-type] # fields of Answer

    def defer(self, answer_id: str = "x1", **changes: object) -> Answer:
        """Record the answer without its evaluation; returns it as it will be."""
        whole = self.measured(answer_id, **changes)
        shown = {1: [self.candidate(RULES)], 2: [self.candidate(PAY)]}
        deferral = Deferral(shown, self.knowledge.readable_audiences(ANONYMOUS), 0.75, "citations")
        self.answers.defer_answer(replace(whole, evaluation=NOTHING), deferral)
        return whole

    def claim(self, worker: str = "one") -> PendingEvaluation:
        found = self.answers.claim_evaluation(worker, LEASE)
        assert found is not None
        return found

    def figures(self) -> list[QuadrantRow]:
        day = START.date()
        audiences = self.knowledge.readable_audiences(ANONYMOUS)
        return Reports(self.database).quadrant_rows(Period(day - timedelta(days=3), day), audiences)


@pytest.fixture
def stage(database: Database) -> Stage:
    return Stage(database)


def outcome(answer: Answer, **changes: object) -> LateOutcome:
    made = LateOutcome(answer.evaluation, 0.5, 0.5, None)
    return replace(made, **changes)  # type: ignore[arg-type] # fields of LateOutcome


def test_an_answer_waits_with_all_that_was_shown(stage: Stage) -> None:
    whole = stage.defer()
    found = stage.answers.get_answer("x1")
    assert found is not None
    assert (found.evaluation, found.exposures) == (NOTHING, whole.exposures)
    assert stage.answers.evaluation_states() == {"waiting": 1}
    pending = stage.claim()
    assert (pending.text, pending.found, pending.gate, pending.relevance) == (whole.text, True, "send", 0.75)
    assert pending.shown == {1: (stage.candidate(RULES),), 2: (stage.candidate(PAY),)}
    assert pending.gone == {}
    assert list(pending.audiences) == stage.knowledge.readable_audiences(ANONYMOUS)


def test_a_late_evaluation_leaves_what_an_early_one_would_have_left(stage: Stage) -> None:
    early = stage.measured("early")
    stage.answers.record_answer(early)
    once = stage.figures()
    late = stage.defer("late")
    assert [row.exposure for row in stage.figures()] == [2, 2]
    assert [row.contribution for row in stage.figures()] == [row.contribution for row in once]
    assert stage.answers.finish_evaluation(stage.claim(), outcome(late, confidence=0.75))
    twice = stage.figures()
    assert [row.contribution for row in twice] == [2 * row.contribution for row in once]
    assert [row.answers for row in twice] == [2 * row.answers for row in once]
    assert stage.answers.get_answer("late") == late
    overview = Reports(stage.database).overview(Period(START.date(), START.date()))
    assert (overview.answers, overview.statements, overview.judged, overview.carried) == (2, 8, 8, 4)
    assert stage.answers.evaluation_states() == {"done": 1}
    with stage.database.reading() as connection:
        assert connection.scalar(select(func.count()).select_from(deferred_spans)) == 0


def test_a_claimed_answer_is_nobody_elses_until_its_lease_ends(stage: Stage) -> None:
    stage.defer()
    first = stage.claim("one")
    assert stage.answers.claim_evaluation("two", LEASE) is None
    stage.clock.now += int(LEASE * 1000) + 1
    second = stage.claim("two")
    assert (second.answer_id, second.attempt) == (first.answer_id, 2)


def test_of_two_evaluators_of_one_answer_only_the_last_claim_records(stage: Stage) -> None:
    whole = stage.defer()
    first = stage.claim("one")
    stage.clock.now += int(LEASE * 1000) + 1
    second = stage.claim("two")
    assert not stage.answers.finish_evaluation(first, outcome(whole))
    assert stage.answers.finish_evaluation(second, outcome(whole))
    assert not stage.answers.finish_evaluation(second, outcome(whole))
    assert not stage.answers.finish_evaluation(first, outcome(whole))
    assert [row.contribution for row in stage.figures()] == [0.5, 0.0]


def test_the_same_worker_after_a_restart_does_not_record_the_old_claim(stage: Stage) -> None:
    whole = stage.defer()
    before = stage.claim("one")
    stage.clock.now += int(LEASE * 1000) + 1
    after = stage.claim("one")
    assert not stage.answers.finish_evaluation(before, outcome(whole))
    assert stage.answers.finish_evaluation(after, outcome(whole))


def test_a_clock_that_goes_back_gives_nothing_out_twice_and_loses_nothing(stage: Stage) -> None:
    yesterday = START - timedelta(days=1)
    late = stage.defer("late"), stage.defer("early", created_at=yesterday)
    stage.clock.now -= 24 * 3600 * 1000
    first = stage.claim("one")
    stage.clock.now -= 24 * 3600 * 1000
    second = stage.claim("two")
    assert [first.answer_id, second.answer_id] == ["late", "early"]
    assert stage.answers.claim_evaluation("three", LEASE) is None
    for pending, whole in zip((first, second), late, strict=True):
        assert stage.answers.finish_evaluation(pending, outcome(whole))
    assert [row.contribution for row in stage.figures()] == [1.0, 0.0]


def test_recording_a_deferred_answer_again_changes_nothing(stage: Stage) -> None:
    whole = stage.defer()
    stage.defer()
    assert stage.answers.finish_evaluation(stage.claim(), outcome(whole))
    stage.defer()
    assert stage.answers.evaluation_states() == {"done": 1}
    assert stage.answers.claim_evaluation("one", LEASE) is None


def test_a_failed_evaluation_is_tried_again_after_a_pause_and_in_the_end_given_up(stage: Stage) -> None:
    whole = stage.defer()
    for attempt in range(MAX_ATTEMPTS):
        stage.answers.fail_evaluation(stage.claim(), "The model is away.")
        assert stage.answers.claim_evaluation("one", LEASE) is None
        stage.clock.now += FIRST_PAUSE_MS * 4**attempt + 1
    assert stage.answers.evaluation_states() == {"failed": 1}
    assert stage.answers.claim_evaluation("one", LEASE) is None
    assert stage.answers.retry_evaluations() == 1
    pending = stage.claim()
    assert set(pending.shown) == {1, 2}
    assert stage.answers.finish_evaluation(pending, outcome(whole))
    assert stage.answers.evaluation_states() == {"done": 1}
    assert stage.answers.retry_evaluations() == 0


def test_a_worker_that_stops_each_time_is_not_given_the_answer_for_ever(stage: Stage) -> None:
    stage.defer()
    for _ in range(MAX_ATTEMPTS):
        stage.claim()
        stage.clock.now += int(LEASE * 1000) + 1
    assert stage.answers.claim_evaluation("one", LEASE) is None
    assert stage.answers.evaluation_states() == {"failed": 1}


def test_an_article_edited_meanwhile_is_evaluated_as_it_was_shown_and_then_stale(stage: Stage) -> None:
    whole = stage.defer()
    shown = stage.candidate(RULES)
    stage.knowledge.save_article(article_record("rules.md", ["Leave is twelve days."]))
    pending = stage.claim()
    assert [one.lines for one in pending.shown[1]] == [shown.lines]
    assert pending.shown[1][0].article.version == shown.article.version
    assert stage.answers.finish_evaluation(pending, outcome(whole))
    rules = next(row for row in stage.figures() if row.article_id == RULES)
    assert (rules.exposure, rules.stale, rules.contribution) == (1, 1, 0.0)


def test_an_article_removed_meanwhile_keeps_what_it_carried(stage: Stage) -> None:
    whole = stage.defer()
    stage.knowledge.remove_article(RULES, START)
    pending = stage.claim()
    assert len(pending.shown[1]) == 1
    assert stage.answers.finish_evaluation(pending, outcome(whole))
    rules = next(row for row in stage.figures() if row.article_id == RULES)
    assert (rules.removed, rules.stale, rules.contribution) == (True, 0, 0.5)


def test_the_text_of_an_erased_article_is_gone_from_the_queue_at_once(stage: Stage) -> None:
    stage.defer()
    version = stage.candidate(RULES).article.version
    with stage.database.writing() as connection:
        connection.execute(delete(t.articles).where(t.articles.c.id == RULES))
    pending = stage.claim()
    assert set(pending.shown) == {2}
    assert pending.gone == {1: ((RULES, version),)}


def test_an_answer_that_is_erased_leaves_the_queue(stage: Stage) -> None:
    whole = stage.defer()
    pending = stage.claim()
    with stage.database.writing() as connection:
        connection.execute(delete(t.answers))
    assert not stage.answers.finish_evaluation(pending, outcome(whole))
    assert stage.answers.evaluation_states() == {}


def test_a_text_that_is_gone_is_none(stage: Stage) -> None:
    stage.defer()
    with stage.database.writing() as connection:
        connection.execute(t.messages.update().values(text=None))
    assert stage.claim().text is None


def test_a_later_verdict_below_the_gate_warns_staff_once(stage: Stage) -> None:
    whole = stage.defer()
    assert stage.answers.finish_evaluation(stage.claim(), outcome(whole, share=0.25, warned_gate="hand_over"))
    (warning,) = stage.answers.late_warnings(10, unseen=True)
    assert (warning.answer_id, warning.gate_sent, warning.gate_measured) == ("x1", "send", "hand_over")
    assert (warning.share, warning.seen_by) == (0.25, None)
    assert stage.answers.mark_warnings_seen(["x1", "none"], "mika") == 1
    assert stage.answers.mark_warnings_seen(["x1"], "ken") == 0
    assert stage.answers.late_warnings(10, unseen=True) == []
    assert [one.seen_by for one in stage.answers.late_warnings(10)] == ["mika"]
    found = stage.answers.get_answer("x1")
    assert found is not None
    assert found.gate == "send"
