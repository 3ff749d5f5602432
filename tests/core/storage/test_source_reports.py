"""Sources with what they hold, within what may be read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from core.domain import ANONYMOUS, PUBLIC, Principal
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.source_reports import SourceReports
from tests.samples import SOURCE, article_record


def test_a_source_tells_its_live_articles_that_may_be_read(database: Database) -> None:
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_source(replace(SOURCE, name="secret", location="/srv/secret", readers=frozenset({"hr"})))
    for name in ("a", "b", "c"):
        knowledge.save_article(article_record(f"{name}.md", ["One line."]))
    knowledge.save_article(article_record("pay.md", ["Pay."], readers=("hr",)))
    knowledge.remove_article("docs:c.md", datetime(2026, 9, 1, tzinfo=UTC))
    reports = SourceReports(database)
    (public,) = reports.figures(knowledge.readable_audiences(ANONYMOUS))
    assert (public.name, public.articles, public.chunks) == (SOURCE.name, 2, 2)
    assert public.changed_at is not None
    hr = reports.figures(knowledge.readable_audiences(Principal("rie", frozenset({PUBLIC, "hr"}))))
    assert [(one.name, one.articles) for one in hr] == [(SOURCE.name, 3), ("secret", 0)]


def test_without_sources_there_is_nothing(database: Database) -> None:
    assert SourceReports(database).figures([]) == []
