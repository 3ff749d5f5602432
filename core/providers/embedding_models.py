"""What is known of embedding models by name: what they want before a text, and how long their vectors are.

A model that was trained with prefixes finds clearly less without them. The table follows the models' cards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_SENTENCE = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a question and before a text that is to be found; "" for nothing."""

    query: str = ""
    passage: str = ""


_PREFIXES: tuple[tuple[str, Prefixes], ...] = (
    (r"(multilingual-)?e5-.*instruct", Prefixes(query=_WEB_SEARCH)),
    (r"(multilingual-)?e5-", Prefixes("query: ", "passage: ")),
    (r"bge-m3", Prefixes()),
    (r"bge-.*-zh", Prefixes(query="为这个句子生成表示以用于检索相关文章：")),
    (r"bge-", Prefixes(query=_SENTENCE)),
    (r"mxbai-embed-large", Prefixes(query=_SENTENCE)),
    (r"snowflake-arctic-embed.*(2|v2\.0)$", Prefixes(query="query: ")),
    (r"snowflake-arctic-embed", Prefixes(query=_SENTENCE)),
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(query=_WEB_SEARCH)),
    (r"ruri-v3", Prefixes("検索クエリ: ", "検索文書: ")),
    (r"ruri-", Prefixes("クエリ: ", "文章: ")),
    (r"glucose-base-ja-v2", Prefixes("query: ", "passage: ")),
)

_DIMENSIONS: tuple[tuple[str, int], ...] = (
    (r"text-embedding-3-large", 3072),
    (r"text-embedding-(3-small|ada-002)", 1536),
    (r"(multilingual-)?e5-large", 1024),
    (r"(multilingual-)?e5-base", 768),
    (r"(multilingual-)?e5-small", 384),
    (r"bge-(m3|large)", 1024),
    (r"bge-base", 768),
    (r"bge-small-zh", 512),
    (r"bge-small", 384),
    (r"mxbai-embed-large", 1024),
    (r"snowflake-arctic-embed2", 1024),
    (r"nomic-embed-text", 768),
    (r"embeddinggemma", 768),
    (r"(paraphrase-multilingual|all)-minilm-l(6|12)", 384),
    (r"paraphrase-multilingual-mpnet", 768),
    (r"all-minilm", 384),
    (r"potion-multilingual", 256),
    (r"qwen3-embedding[-:]0\.6b", 1024),
    (r"mistral-embed", 1024),
    (r"gemini-embedding-001", 3072),
)


def find_prefixes(model: str) -> Prefixes:
    """Look a model up by the last part of its name, in any case: `ollama/nomic-embed-text:latest`,
    `intfloat/multilingual-e5-large`. A model that is not known gets none."""
    return next((known for pattern, known in _PREFIXES if re.match(pattern, _short_name(model))), Prefixes())


def find_dimensions(model: str) -> int | None:
    """Look up how long a model's vectors are; None when it is not known."""
    return next((size for pattern, size in _DIMENSIONS if re.match(pattern, _short_name(model))), None)


def _short_name(model: str) -> str:
    return model.rpartition("/")[2].lower().removesuffix(":latest")
