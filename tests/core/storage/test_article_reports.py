"""What the page of one article reads."""

from __future__ import annotations

from pathlib import Path

from core.storage.article_reports import ArticleReports
from tests.core.storage.test_reports import ARTICLES, Stage, _plan_of, fresh_stage, period
from tests.samples import Shown, answer_with, article_record, days_later

ALL = (0, 100)
FIRST = "Line 0 of a."
SECRET = "docs:secret.md"


def fill(stage: Stage) -> ArticleReports:
    """Two answers carried by the first line of a, a day apart; one of them by a line that never was."""
    stage.record(
        answer_with("x0", [Shown(ARTICLES[0], {0: FIRST, 1: FIRST}), Shown(ARTICLES[1])]),
        answer_with("x1", [Shown(ARTICLES[0], {0: FIRST, 1: "Another."}, False, False)], at=days_later(1)),
        answer_with("s", [Shown(SECRET, {0: "Secret."})], at=days_later(2)),
    )
    return ArticleReports(stage.database)


def test_a_line_counts_the_statements_of_the_period_that_it_carried(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        reports = fill(stage)
        both = reports.heat(ARTICLES[0], period(0, 9), stage.public, ALL)
        later = reports.heat(ARTICLES[0], period(1, 9), stage.public, ALL)
    assert [line.statements for line in both.lines] == [3, 0, 0, 0]
    assert (both.most, later.most) == (3, 1)


def test_a_line_that_is_not_in_the_article_any_more_is_lost_and_not_counted(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        reports = fill(stage)
        stage.knowledge.save_article(article_record("a.md", ["Line 1 of a."], title="T a"))
        heat = reports.heat(ARTICLES[0], period(0, 9), stage.public, ALL)
        carried = reports.carried_answers(ARTICLES[0], period(0, 9), stage.public, 9)
    assert [(line.excerpt, line.statements) for line in heat.lost] == [(FIRST, 3), ("Another.", 1)]
    assert [line.statements for line in heat.lines] == [0]
    assert (heat.most, heat.warm) == (0, 0)
    assert [(one.id, one.stale, one.exposed) for one in carried] == [("x1", True, False), ("x0", True, True)]


def test_lines_come_in_their_order_from_any_place(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        heat = fill(stage).heat(ARTICLES[0], period(0, 9), stage.public, (1, 2))
    assert [line.ordinal for line in heat.lines] == [1, 2]
    assert heat.most == 3


def test_nothing_of_an_unreadable_article_is_told(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        reports = fill(stage)
        for named in (SECRET, "docs:none.md"):
            assert reports.head(named, stage.public) is None
            heat = reports.heat(named, period(0, 9), stage.public, ALL)
            assert (heat.lines, heat.lost, heat.most, heat.warm) == ((), (), 0, 0)
            assert reports.versions(named, stage.public, 9) == []
            assert reports.carried_answers(named, period(0, 9), stage.public, 9) == []
        assert [one.id for one in reports.carried_answers(SECRET, period(0, 9), stage.hr, 9)] == ["s"]


def test_the_current_version_comes_with_those_that_answers_were_measured_against(
    migrated_sqlite: Path,
) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        reports = fill(stage)
        head = reports.head(ARTICLES[0], stage.public)
        versions = reports.versions(ARTICLES[0], stage.public, 9)
    assert head is not None
    assert {one.version: one.current for one in versions} == {head.version: True, "v1": False}


def test_lines_are_counted_on_the_latest_answers_alone(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        fill(stage)
        latest = ArticleReports(stage.database, 1)
        heat = latest.heat(ARTICLES[0], period(0, 9), stage.public, ALL)
    assert (heat.most, heat.warm) == (1, 2)


def test_no_read_of_an_article_scans_a_table(migrated_sqlite: Path) -> None:
    with fresh_stage(migrated_sqlite) as stage:
        reports = fill(stage)
        steps = _plan_of(stage, lambda: reports.head(ARTICLES[0], stage.public))
        steps += _plan_of(stage, lambda: reports.heat(ARTICLES[0], period(0, 9), stage.public, ALL))
        steps += _plan_of(stage, lambda: reports.versions(ARTICLES[0], stage.public, 9))
        steps += _plan_of(stage, lambda: reports.carried_answers(ARTICLES[0], period(0, 9), stage.public, 9))
    assert any("contributions" in step for step in steps)
    scans = [step for step in steps if step.startswith("SCAN")]
    assert set(scans) <= {"SCAN anon_1"}, "the latest answers of the article are bounded"
