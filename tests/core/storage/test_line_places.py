from __future__ import annotations

from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.line_places import LinePlace, find_places
from tests.samples import SOURCE, article_record


def test_lines_are_found_while_their_article_is_unchanged(database: Database) -> None:
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    first = article_record("a.md", ["One.", "Two."])
    store.save_article(first)
    key = (first.article.id, first.article.version, 1)
    other = (first.article.id, "older", 0)
    assert find_places(database, [key, other]) == {key: LinePlace(1, first.lines[1].line_start)}
    store.save_article(article_record("a.md", ["Zero.", "One."]))
    assert find_places(database, [key]) == {}
    assert find_places(database, []) == {}
