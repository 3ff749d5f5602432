"""Titles of the articles that an answer speaks of, read from the database."""

from __future__ import annotations

from core.config import Settings
from core.domain import ArticleId
from core.ports import KnowledgeStore
from core.usecases.answer_json import AnswerJson


def titles_of(knowledge: KnowledgeStore, answer: AnswerJson) -> dict[ArticleId, str]:
    """By article id; an article that is gone has none."""
    found = {
        item["article_id"]: knowledge.get_article(item["article_id"]) for item in answer["contributions"]
    }
    return {article_id: article.title for article_id, article in found.items() if article is not None}


def read_titles(settings: Settings, answer: AnswerJson) -> dict[ArticleId, str]:
    """The same where no store is open."""
    from core.storage.engine import open_database
    from core.storage.knowledge import SqlKnowledgeStore

    database = open_database(settings.database_url)
    try:
        return titles_of(SqlKnowledgeStore(database), answer)
    finally:
        database.close()
