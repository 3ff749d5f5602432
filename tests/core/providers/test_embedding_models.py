from __future__ import annotations

import pytest

from core.providers.embedding_models import Prefixes, find_dimensions, find_prefixes

E5 = Prefixes("query: ", "passage: ")
NOTHING = Prefixes()
SENTENCE = Prefixes("Represent this sentence for searching relevant passages: ", "")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("intfloat/multilingual-e5-large", E5),
        ("intfloat/multilingual-e5-small", E5),
        ("e5-base-v2", E5),
        ("BAAI/bge-m3", NOTHING),
        ("ollama/bge-m3:latest", NOTHING),
        ("BAAI/bge-small-en-v1.5", SENTENCE),
        ("BAAI/bge-small-zh-v1.5", Prefixes("为这个句子生成表示以用于检索相关文章：", "")),
        ("mixedbread-ai/mxbai-embed-large-v1", SENTENCE),
        ("snowflake/snowflake-arctic-embed-m", SENTENCE),
        ("snowflake-arctic-embed2", Prefixes("query: ", "")),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", Prefixes("query: ", "")),
        ("ollama/nomic-embed-text:latest", Prefixes("search_query: ", "search_document: ")),
        ("google/embeddinggemma-300m", Prefixes("task: search result | query: ", "title: none | text: ")),
        ("ollama/embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
        ("cl-nagoya/ruri-v3-310m", Prefixes("検索クエリ: ", "検索文書: ")),
        ("cl-nagoya/ruri-large-v2", Prefixes("クエリ: ", "文章: ")),
        ("pkshatech/GLuCoSE-base-ja-v2", E5),
        ("openai/text-embedding-3-small", NOTHING),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", NOTHING),
        ("thenlper/gte-base", NOTHING),
        ("someone/unheard-of", NOTHING),
    ],
)
def test_each_model_gets_the_prefixes_of_its_card(model: str, expected: Prefixes) -> None:
    assert find_prefixes(model) == expected


@pytest.mark.parametrize("model", ["intfloat/multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"])
def test_instruction_models_get_an_instruction_before_questions_only(model: str) -> None:
    prefixes = find_prefixes(model)
    assert prefixes.query.startswith("Instruct: ")
    assert prefixes.query.endswith("\nQuery: ")
    assert prefixes.passage == ""


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/text-embedding-3-small", 1536),
        ("openai/text-embedding-3-large", 3072),
        ("intfloat/multilingual-e5-large", 1024),
        ("intfloat/multilingual-e5-small", 384),
        ("ollama/nomic-embed-text", 768),
        ("ollama/mxbai-embed-large:latest", 1024),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", 384),
        ("ollama/qwen3-embedding:0.6b", 1024),
        ("someone/unheard-of", None),
    ],
)
def test_the_dimensions_of_common_models_are_known(model: str, expected: int | None) -> None:
    assert find_dimensions(model) == expected
