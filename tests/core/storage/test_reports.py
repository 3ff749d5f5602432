from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, select

from core.domain import ANONYMOUS, Answer, Principal, Usage
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Overview, Period, QuadrantRow, Reports
from core.storage.rollup_tables import article_days
from core.storage.rollups import rebuild_article_figures
from tests.databases import copied_sqlite
from tests.samples import SOURCE, START, Shown, answer_with, article_record, days_later

ARTICLES = ["docs:a.md", "docs:b.md", "docs:c.md"]
DAY = START.date()


def period(first: int, last: int) -> Period:
    """Days counted from START."""
    return Period(DAY + timedelta(days=first), DAY + timedelta(days=last))


class Stage:
    """The stores of one database with three public articles and a restricted one."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.knowledge = SqlKnowledgeStore(database)
        self.answers = SqlAnswerStore(database)
        self.reports = Reports(database)
        self.knowledge.save_source(SOURCE)
        for name in ("a", "b", "c"):
            record = article_record(
                f"{name}.md", [f"Line {n} of {name}." for n in range(4)], title=f"T {name}"
            )
            self.knowledge.save_article(record)
        self.knowledge.save_article(article_record("secret.md", ["Secret."], title="S", readers=["hr"]))
        self.public = self.knowledge.readable_audiences(ANONYMOUS)
        self.hr = self.knowledge.readable_audiences(Principal("eva", frozenset({"hr"})))

    def record(self, *answers: Answer) -> None:
        for answer in answers:
            self.answers.record_answer(answer)

    def by_article(self, first: int, last: int) -> dict[str, QuadrantRow]:
        rows = self.reports.quadrant_rows(period(first, last), self.public)
        return {row.article_id: row for row in rows}


@pytest.fixture
def stage(database: Database) -> Stage:
    return Stage(database)


@contextmanager
def fresh_stage(migrated: Path) -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(copied_sqlite(migrated, Path(folder) / "kiyo.db"))
        yield Stage(database)
        database.close()


# --- quadrants -------------------------------------------------------------------------------------


def test_exposure_and_contribution_are_told_apart(stage: Stage) -> None:
    a, b, c = ARTICLES
    stage.record(
        answer_with("x1", [Shown(a, {0: "Line 0 of a.", 1: "Line 1 of a."}), Shown(b)]),
        answer_with(
            "x2", [Shown(a), Shown(b, exposed=False), Shown(c, {3: "L"}, exposed=False, retrieved=False)]
        ),
    )
    rows = stage.by_article(0, 0)
    assert rows[a] == QuadrantRow(a, "T a", False, 2, 2, 2, 1, 0, 0, 0.5, 0.5, 1.0, 0.625, 0.125)
    assert rows[a].rate == 0.25
    assert rows[b] == QuadrantRow(b, "T b", False, 2, 1, 1, 0, 0, 0, 0.0, 0.0, 0.5, 0.5, 0.5)
    assert rows[c] == QuadrantRow(c, "T c", False, 0, 0, 1, 1, 1, 0, 0.25, 0.25)


def test_an_answer_that_could_not_be_judged_is_left_out_of_the_rate(stage: Stage) -> None:
    a = ARTICLES[0]
    stage.record(
        answer_with("x1", [Shown(a, {0: "Line 0 of a."})], statements=1),
        answer_with("x2", [Shown(a)], judged=False),
    )
    row = stage.by_article(0, 0)[a]
    assert (row.exposure, row.answers, row.rate) == (2, 1, 1.0)
    stage.record(answer_with("x3", [Shown(ARTICLES[1])], judged=False))
    assert stage.by_article(0, 0)[ARTICLES[1]].rate is None


def test_several_chunks_of_one_article_are_one_exposure(stage: Stage) -> None:
    answer = answer_with("x1", [Shown(ARTICLES[0])])
    stage.record(replace(answer, exposures=(*answer.exposures, replace(answer.exposures[0], rank=2))))
    assert stage.by_article(0, 0)[ARTICLES[0]].exposure == 1


def test_a_period_holds_its_first_and_its_last_day_and_no_other(stage: Stage) -> None:
    a = ARTICLES[0]
    for day in (0, 3, 5):
        stage.record(answer_with(f"x{day}", [Shown(a, {0: "L"})], at=days_later(day)))
    assert stage.by_article(3, 5)[a].exposure == 2
    assert stage.by_article(1, 3)[a].exposure == 1
    assert stage.by_article(0, 4)[a].exposure == 2
    assert stage.by_article(1, 2) == {}
    assert stage.by_article(6, 9) == {}


def test_articles_of_others_are_never_listed(stage: Stage) -> None:
    stage.record(answer_with("x1", [Shown("docs:secret.md", {0: "Secret."})]))
    day = period(0, 0)
    assert stage.reports.quadrant_rows(day, stage.public) == []
    assert stage.reports.top_articles(day, stage.public, 5) == []
    assert len(stage.reports.unused_articles(day, stage.public)) == 3
    assert stage.reports.article_series("docs:secret.md", day, stage.public) == []
    assert [row.article_id for row in stage.reports.quadrant_rows(day, stage.hr)] == ["docs:secret.md"]
    assert len(stage.reports.article_series("docs:secret.md", day, stage.hr)) == 1


def test_the_top_is_ordered_by_contribution(stage: Stage) -> None:
    a, b, c = ARTICLES
    stage.record(
        answer_with("x1", [Shown(a, {0: "L"}), Shown(b, {1: "L", 2: "M"}), Shown(c)]),
        answer_with("x2", [Shown(a, {0: "L"}), Shown(b, {1: "L", 2: "M"})]),
    )
    top = stage.reports.top_articles(period(0, 0), stage.public, 5)
    assert [(row.article_id, row.contribution) for row in top] == [(b, 1.0), (a, 0.5)]
    assert len(stage.reports.top_articles(period(0, 0), stage.public, 1)) == 1


def test_why_an_article_idles_is_told_from_the_answers_it_was_shown_in(stage: Stage) -> None:
    a, b, c = ARTICLES
    stage.record(
        answer_with("x1", [Shown(a), Shown(b, {0: "L0", 1: "L1", 2: "L2"})]),
        answer_with("x2", [Shown(b), Shown(a)], at=days_later(2)),
        answer_with("x3", [Shown(b), Shown(c), Shown(a)], at=days_later(2), judged=False),
    )
    early, late, both = (stage.by_article(*days)[a] for days in ((0, 1), (1, 2), (0, 2)))
    assert (early.unsupported, early.others) == (0.25, 0.75)
    assert (late.unsupported, late.others) == (1.0, 0.0)
    assert (both.unsupported, both.others) == (0.625, 0.375)
    assert early.relevance == 1.0
    assert late.relevance == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert both.relevance == pytest.approx(11 / 18)
    assert both.figures.unsupported == 0.625
    assert both.figures.rate == 0.0


def test_a_retrieval_miss_names_the_latest_answers(stage: Stage) -> None:
    a, b, _ = ARTICLES
    missed = Shown(a, {0: "L"}, exposed=False, retrieved=False)
    for n in range(5):
        stage.record(answer_with(f"x{n}", [missed, Shown(b, {1: "L"})], at=days_later(n)))
    stage.record(answer_with("shown", [Shown(a, {0: "L"})], at=days_later(4)))
    (miss,) = stage.reports.missed_articles(period(0, 9), stage.public, 5)
    assert (miss.row.article_id, miss.row.missed, miss.answers) == (a, 5, ("x4", "x3", "x2"))
    (early,) = stage.reports.missed_articles(period(0, 1), stage.public, 5)
    assert early.answers == ("x1", "x0")
    assert stage.reports.missed_articles(period(0, 9), stage.public, 0) == []
    assert stage.reports.missed_articles(period(0, 9), [], 5) == []


def test_unused_articles_say_how_far_they_came(stage: Stage) -> None:
    a, b, c = ARTICLES
    stage.knowledge.save_article(article_record("d.md", ["D."], title="T d"))
    stage.knowledge.save_article(article_record("gone.md", ["G."], title="T gone"))
    stage.knowledge.remove_article("docs:gone.md", START)
    stage.record(
        answer_with("x1", [Shown(a, {0: "L"}), Shown(b), Shown(c, exposed=False)]),
        answer_with("x2", [Shown("docs:d.md", {0: "D."})], at=days_later(40)),
    )
    unused = stage.reports.unused_articles(period(0, 9), stage.public)
    assert [(row.article_id, row.exposure, row.retrieved) for row in unused] == [
        (b, 1, 1),
        (c, 0, 1),
        ("docs:d.md", 0, 0),
    ]


def test_the_past_of_a_removed_article_stays(stage: Stage) -> None:
    stage.record(answer_with("x1", [Shown(ARTICLES[0], {0: "L"})]))
    stage.knowledge.remove_article(ARTICLES[0], START)
    row = stage.by_article(0, 0)[ARTICLES[0]]
    assert (row.removed, row.contribution) == (True, 0.25)


def test_a_series_lists_the_days_on_which_something_was(stage: Stage) -> None:
    a = ARTICLES[0]
    stage.record(
        answer_with("x1", [Shown(a, {0: "L"})], at=days_later(4)),
        answer_with("x2", [Shown(a)], at=days_later(1)),
        answer_with("x3", [Shown(a, {0: "L", 1: "M"})], at=days_later(4)),
        answer_with("x4", [Shown(a)], at=days_later(8)),
    )
    series = stage.reports.article_series(a, period(0, 7), stage.public)
    assert [(row.day, row.exposure, row.contribution) for row in series] == [
        (DAY + timedelta(days=1), 1, 0.0),
        (DAY + timedelta(days=4), 2, 0.75),
    ]


# --- against the formulas --------------------------------------------------------------------------

SHOWN = st.builds(
    lambda article, carried, seen: Shown(
        article, {n: f"L{n}" for n in carried}, seen > 0, seen > 1 or seen == 1
    ),
    st.sampled_from([*ARTICLES, "docs:unknown.md"]),
    st.sets(st.integers(0, 3), max_size=2),
    st.integers(0, 2),
)
ANSWERS = st.lists(
    st.tuples(
        st.lists(SHOWN, max_size=3, unique_by=lambda shown: shown.article_id),
        st.integers(0, 9),
        st.booleans(),
    ),
    max_size=8,
)


def _expected(answers: list[Answer], article: str, first: int, last: int) -> tuple[float, ...]:
    """Retrieved, exposure, answers, carried, missed, contribution, from the definitions."""
    retrieved = exposure = judged = carried = missed = 0
    contribution = 0.0
    for answer in answers:
        if not days_later(first).date() <= answer.created_at.date() <= days_later(last).date():
            continue
        mine = [exposure for exposure in answer.exposures if exposure.article_id == article]
        exposed = any(one.in_prompt for one in mine)
        shares = [one.share for one in answer.evaluation.contributions if one.article_id == article]
        retrieved += bool(mine)
        exposure += exposed
        known = answer.evaluation.verdicts[0] != "not_judged"
        share = (shares[0] or 0.0) if shares and known else 0.0
        judged += known and (exposed or share > 0)
        carried += share > 0
        missed += share > 0 and not exposed
        contribution += share
    return retrieved, exposure, judged, carried, missed, contribution


@settings(max_examples=20, deadline=None)
@given(drawn=ANSWERS, first=st.integers(0, 9), length=st.integers(0, 9))
def test_figures_of_any_period_follow_the_definitions(
    migrated_sqlite: Path, drawn: list[tuple[list[Shown], int, bool]], first: int, length: int
) -> None:
    answers = [
        answer_with(f"x{n}", shown, at=days_later(day), judged=judged)
        for n, (shown, day, judged) in enumerate(drawn)
    ]
    with fresh_stage(migrated_sqlite) as stage:
        stage.record(*answers)
        rows = stage.by_article(first, first + length)
        for article in ARTICLES:
            *counts, contribution = _expected(answers, article, first, first + length)
            row = rows.get(article)
            if row is None:
                assert not any(counts)
                continue
            assert [row.retrieved, row.exposure, row.answers, row.carried, row.missed] == counts
            assert row.contribution == pytest.approx(contribution)


def test_counting_again_gives_the_same_figures(stage: Stage) -> None:
    draw = random.Random(7)
    for n in range(40):
        some = draw.sample(ARTICLES, draw.randint(0, 3))
        shown = [Shown(a, {k: f"L{k}" for k in range(draw.randint(0, 2))}, draw.random() < 0.7) for a in some]
        at, judged = days_later(draw.randint(0, 12)), draw.random() < 0.8
        stage.record(answer_with(f"x{n}", shown, at=at, judged=judged))
    kept = _rows(stage.database)
    assert kept
    with stage.database.writing() as connection:
        rebuild_article_figures(connection, 1)
    again = _rows(stage.database)
    assert again.keys() == kept.keys()
    for key, row in kept.items():
        assert again[key] == pytest.approx(row), key


def _rows(database: Database) -> dict[tuple[int, int], list[float]]:
    with database.reading() as connection:
        rows = connection.execute(select(article_days)).mappings().all()
    names = sorted(set(article_days.c.keys()) - {"article", "day", "updated_at"})
    return {(row["article"], row["day"]): [row[name] for name in names] for row in rows}


# --- answers ---------------------------------------------------------------------------------------


def test_the_overview_adds_up_the_answers_of_the_period(stage: Stage) -> None:
    first = answer_with("x1", [Shown(ARTICLES[0], {0: "L", 1: "M"})])
    second = replace(first, id="x2", found=False, gate="hand_over", usage=Usage(10, 5, 0.25, 1))
    late = replace(first, id="x3", created_at=days_later(3), channel="slack")
    stage.record(first, second, late)
    assert stage.reports.overview(period(0, 2)) == Overview(
        answers=2,
        found=1,
        sent=1,
        handed_over=1,
        statements=8,
        judged=8,
        carried=4,
        input_tokens=130,
        output_tokens=35,
        unpriced=1,
        cost_usd=0.25,
    )
    assert stage.reports.overview(period(0, 3)).answers == 3


def test_a_cost_of_which_nothing_is_known_is_unknown(stage: Stage) -> None:
    assert stage.reports.overview(period(0, 2)).cost_usd is None
    stage.record(answer_with("x1", []))
    assert stage.reports.overview(period(0, 2)).cost_usd is None
    stage.record(replace(answer_with("x2", []), usage=Usage(1, 1, 0.0, 1)))
    assert stage.reports.overview(period(0, 2)).cost_usd == 0.0


def test_heads_of_answers_turn_pages_from_the_latest(stage: Stage) -> None:
    for n in range(5):
        stage.record(answer_with(f"x{n}", [Shown(ARTICLES[0], {0: "L"})], at=days_later(n)))
    stage.answers.record_answer(answer_with("shown", [], at=days_later(9)), example=True)
    pages = [stage.reports.answer_heads(3, offset) for offset in (0, 3)]
    assert [[head.id for head in page] for page in pages] == [["shown", "x4", "x3"], ["x2", "x1", "x0"]]
    head = pages[1][0]
    assert (head.question, head.channel, head.gate, head.found) == (
        "What about x2?",
        "terminal",
        "send",
        True,
    )
    assert (head.statements, head.judged, head.carried, head.example) == (4, 4, 1, False)
    assert (head.created_at, head.confidence) == (days_later(2), 0.75)
    assert pages[0][0].example


# --- how they read ---------------------------------------------------------------------------------


def test_no_figure_of_articles_scans_answers_or_days(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        stage.record(
            answer_with("x1", [Shown(ARTICLES[0], {0: "L"}), Shown(ARTICLES[1], {1: "L"}, False, False)])
        )
        steps = _plan_of(stage, lambda: stage.reports.quadrant_rows(period(0, 9), stage.public))
        steps += _plan_of(stage, lambda: stage.reports.top_articles(period(0, 9), stage.public, 5))
        steps += _plan_of(stage, lambda: stage.reports.unused_articles(period(0, 9), stage.public))
        steps += _plan_of(stage, lambda: stage.reports.missed_articles(period(0, 9), stage.public, 5))
        steps += _plan_of(
            stage, lambda: stage.reports.article_series(ARTICLES[0], period(0, 9), stage.public)
        )
    assert any("article_days" in step or "at_end" in step for step in steps)
    assert [step for step in steps if step.startswith("SCAN") and not step.startswith("SCAN articles")] == []


def _plan_of(stage: Stage, read: Callable[[], object]) -> list[str]:
    """What SQLite does for the queries of `read`, a line a step."""
    queries: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        queries.append((statement, parameters))

    event.listen(stage.database.engine, "before_cursor_execute", note)
    read()
    event.remove(stage.database.engine, "before_cursor_execute", note)
    with stage.database.reading() as connection:
        return [
            row.detail
            for statement, parameters in queries
            if statement.startswith("SELECT")
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
