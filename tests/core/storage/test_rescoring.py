"""Deciding the past anew gives what measuring with these rules would have recorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from core.contribution.measure import Evidence, MeasureSettings, measure
from core.contribution.passages import passage_lines
from core.contribution.redeciding import NewRules
from core.contribution.support import SupportModel, load_model
from core.contribution.verifying import VERIFIED
from core.domain import Answer, Evaluation, Statement, Verdict
from core.errors import StoreError
from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.keys import to_ms
from core.storage.rescoring import SqlPastStore
from core.storage.rollup_tables import answer_days, article_days
from core.storage.rollups import rebuild_article_figures
from tests.core.contribution.refs import EXPENSES, LEAVE, REFUNDS
from tests.databases import Ticks
from tests.samples import START, answer_with

MODEL = load_model()
OTHER = replace(MODEL, version="other-2", intercept=MODEL.intercept - 1.5, threshold=0.4)
SETS = {"docs:leave": LEAVE, "docs:expenses": EXPENSES, "docs:refunds": REFUNDS}
COUNTED: frozenset[Verdict] = frozenset({"supported", "uncited"})


def said(number: int) -> list[Statement]:
    """Statements that stand in an article, nearly do, or do not."""
    lines = [ref.line.text for text in SETS.values() for ref in passage_lines(text)]
    texts = [
        lines[number % len(lines)],
        lines[(3 * number + 1) % len(lines)].replace("five", "nine").replace("10", "12"),
        "The canteen opens at noon on Fridays.",
        " ".join(lines[(number + 4) % len(lines)].split()[:6]) + ".",
    ]
    return [Statement(n, text, 0, len(text), (1,) if n % 2 else (), True) for n, text in enumerate(texts)]


def evaluated(number: int, model: SupportModel, threshold: float | None) -> Evaluation:
    """Two articles stood in the prompt, the third is looked up; the first one's citation is known."""
    shown = dict.fromkeys(list(SETS)[:2], "-")
    evidence = Evidence(
        lines=[ref for name, text in SETS.items() for ref in passage_lines(text, name)],
        cited={1: ["docs:leave"]},
        exposed=shown,
    )
    settings = MeasureSettings(threshold=threshold)
    return measure(said(number), evidence, model, settings)


def answers(model: SupportModel, threshold: float | None, count: int = 12) -> list[Answer]:
    made = []
    for n in range(count):
        blank = answer_with(f"x{n}", [], at=START + timedelta(days=n // 3))
        made.append(replace(blank, evaluation=evaluated(n, model, threshold)))
    return made


def record(database: Database, model: SupportModel, threshold: float | None) -> SqlAnswerStore:
    store = SqlAnswerStore(database)
    for answer in answers(model, threshold):
        store.record_answer(answer)
    return store


def rules(model: SupportModel = MODEL, threshold: float | None = None) -> NewRules:
    return NewRules(model, threshold, 0.3, COUNTED)


def run(database: Database, which: NewRules, since: int = 0, block: int = 5) -> Any:
    store = SqlPastStore(database, Ticks(), block)
    done = started = store.start(which, since)
    while (further := store.advance(started.run, which)) is not None:
        done = further
    store.finish(started.run)
    return done


def figures(database: Database, table: Any) -> list[dict[str, Any]]:
    with database.reading() as connection:
        rows = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings().all()
    return [
        {
            k: pytest.approx(v, abs=1e-5) if isinstance(v, float) else v
            for k, v in row.items()
            if k != "updated_at"
        }
        for row in rows
    ]


def test_a_lower_threshold_gives_what_measuring_with_it_gives(database: Database) -> None:
    store = record(database, MODEL, 0.98)
    done = run(database, rules(threshold=0.2))
    assert (done.answers, done.changed > 0) == (12, True)
    for expected in answers(MODEL, 0.2):
        found = store.get_answer(expected.id)
        assert found is not None
        known = {(s.statement, s.article_id): s.verdict for s in found.evaluation.supports}
        wanted = {(s.statement, s.article_id): s.verdict for s in expected.evaluation.supports}
        # A looked-up article that failed the check is not kept, so it cannot come back.
        assert {pair: wanted[pair] for pair in known if pair in wanted} == {
            pair: verdict for pair, verdict in known.items() if pair in wanted
        }
        assert found.evaluation.evaluator == f"{MODEL.version}@0.2"


def test_a_higher_threshold_and_other_coefficients_give_what_measuring_gives(database: Database) -> None:
    store = record(database, MODEL, None)
    run(database, rules(OTHER, 0.7))
    for expected in answers(OTHER, 0.7):
        found = store.get_answer(expected.id)
        assert found is not None
        assert found.evaluation.verdicts == expected.evaluation.verdicts
        shares = {c.article_id: c.share for c in found.evaluation.contributions if c.exposed or c.statements}
        assert shares == pytest.approx({c.article_id: c.share for c in expected.evaluation.contributions})
        strongest = {c.article_id: c.strongest for c in found.evaluation.contributions if c.statements}
        wanted = {c.article_id: c.strongest for c in expected.evaluation.contributions if c.statements}
        assert strongest == pytest.approx(wanted, abs=1e-4)
        assert found.evaluation.evaluator == "other-2@0.7"


def test_figures_are_those_of_counting_again(database: Database) -> None:
    record(database, MODEL, None)
    before = figures(database, article_days)
    run(database, rules(OTHER, 0.8))
    moved = figures(database, article_days)
    assert moved != before
    with database.writing() as connection:
        rebuild_article_figures(connection, 1)
    assert moved == figures(database, article_days)
    carried = sum(row["carried"] for row in figures(database, answer_days))
    assert carried == sum(row["carried"] for row in figures(database, t.answers))


def test_going_back_restores_every_row(database: Database) -> None:
    record(database, MODEL, None)
    tables = (t.supports, t.statements, t.contributions, article_days, answer_days)
    before = [figures(database, table) for table in tables]
    run(database, rules(OTHER, 0.8))
    run(database, rules())
    after = [figures(database, table) for table in tables]
    assert before[0] == after[0]
    assert before[1] == after[1]
    without_place = [
        [{k: v for k, v in row.items() if k != "ordinal"} for row in rows] for rows in (before[2], after[2])
    ]
    assert without_place[0] == without_place[1]
    assert before[3:] == after[3:]


def test_the_same_rules_change_nothing(database: Database) -> None:
    record(database, MODEL, None)
    assert run(database, rules()).changed == 0


def test_answers_before_the_day_stay(database: Database) -> None:
    store = record(database, MODEL, None)
    done = run(database, rules(threshold=0.999), since=to_ms(START + timedelta(days=3)))
    assert done.answers == 3
    first, last = store.get_answer("x0"), store.get_answer("x11")
    assert first is not None
    assert last is not None
    assert first.evaluation.evaluator == MODEL.version
    assert last.evaluation.evaluator == f"{MODEL.version}@0.999"


def test_a_stopped_run_goes_on_where_it_was(database: Database) -> None:
    record(database, MODEL, None)
    which = rules(threshold=0.95)
    store = SqlPastStore(database, Ticks(), 5)
    first = store.start(which, 0)
    store.advance(first.run, which)
    again = SqlPastStore(database, Ticks(), 5).start(which, 0)
    assert (again.run, again.answers, again.is_resumed) == (first.run, 5, True)
    assert run(database, which).answers == 12
    assert run(database, which).is_resumed is False


def test_another_run_takes_the_place_of_one_that_had_not_ended(database: Database) -> None:
    record(database, MODEL, None)
    store = SqlPastStore(database, Ticks(), 5)
    first = store.start(rules(threshold=0.95), 0)
    store.start(rules(threshold=0.5), 0)
    with pytest.raises(StoreError, match="other rules"):
        store.advance(first.run, rules(threshold=0.95))


def test_what_a_verifier_said_counts_as_before(database: Database) -> None:
    answer = answers(MODEL, None, 1)[0]
    supports = tuple(
        replace(s, features={**s.features, VERIFIED: 0.01}) for s in answer.evaluation.supports if s.features
    )
    store = SqlAnswerStore(database)
    store.record_answer(replace(answer, evaluation=replace(answer.evaluation, supports=supports)))
    run(database, rules())
    found = store.get_answer("x0")
    assert found is not None
    for old, new in zip(supports, found.evaluation.supports, strict=True):
        assert new.probability is not None
        assert old.probability is not None
        assert new.probability < old.probability


def test_what_was_not_judged_stays_so(database: Database) -> None:
    answer = answers(MODEL, None, 1)[0]
    supports = tuple(replace(s, verdict="not_judged") for s in answer.evaluation.supports)
    silent = replace(answer.evaluation, supports=supports, verdicts=("not_judged",) * 4)
    store = SqlAnswerStore(database)
    store.record_answer(replace(answer, evaluation=silent))
    run(database, rules(threshold=0.01))
    found = store.get_answer("x0")
    assert found is not None
    assert {s.verdict for s in found.evaluation.supports} == {"not_judged"}


def test_a_line_that_is_gone_stays_stale_only_while_it_carries(database: Database) -> None:
    record(database, MODEL, None)
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE line_excerpts SET gone_at = 5")
    run(database, rules())
    assert any(row["stale"] for row in figures(database, t.contributions))
    run(database, rules(threshold=1.0))
    assert not any(row["stale"] for row in figures(database, t.contributions))


def test_two_processes_share_a_run_and_decide_each_answer_once(database: Database) -> None:
    record(database, MODEL, None)
    which = rules(threshold=0.95)
    stores = [SqlPastStore(database, Ticks(), 5) for _ in range(2)]
    runs = {store.start(which, 0).run for store in stores}
    assert len(runs) == 1
    (only,) = runs
    counts = []
    while any(found := [store.advance(only, which) for store in stores]):
        counts += [one.answers for one in found if one is not None]
    assert counts == [5, 10, 12]
    for store in stores:
        store.finish(only)
    before = figures(database, article_days)
    with database.writing() as connection:
        rebuild_article_figures(connection, 1)
    assert before == figures(database, article_days)
