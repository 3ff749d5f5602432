from __future__ import annotations

from collections.abc import Iterator

from core.providers.fastembed_reranker import FastembedReranker


class LengthEncoder:
    """Stands for fastembed's cross-encoder: a passage scores by its length."""

    def rerank(self, query: str, documents: list[str]) -> Iterator[float]:
        return (float(len(document) - len(query)) for document in documents)


async def test_the_reranker_scores_passages_in_order() -> None:
    reranker = FastembedReranker(load=lambda name: LengthEncoder())
    assert await reranker.score("ab", ["abcd", "a"]) == [2.0, -1.0]


async def test_no_passages_load_no_model() -> None:
    def load(name: str) -> LengthEncoder:
        raise AssertionError(name)

    assert await FastembedReranker(load=load).score("question", []) == []
