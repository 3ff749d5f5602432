"""LlamaIndex: in-memory vector index and BM25 retriever, joined by reciprocal rank. Defaults throughout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# These packages are not in Kiyo's own environment, where types are checked.
from llama_index.core import VectorStoreIndex  # type: ignore[import-not-found]
from llama_index.core.base.embeddings.base import BaseEmbedding  # type: ignore[import-not-found]
from llama_index.core.llms.mock import MockLLM  # type: ignore[import-not-found]
from llama_index.core.retrievers import QueryFusionRetriever  # type: ignore[import-not-found]
from llama_index.core.schema import TextNode  # type: ignore[import-not-found]
from llama_index.retrievers.bm25 import BM25Retriever  # type: ignore[import-not-found]

from tests.bench.peers.exchange import DEPTH, Encoder, measure, read_corpus

encoder = Encoder()


class UseEmbedding(BaseEmbedding):  # type: ignore[misc]  # its base is not installed where types are checked
    """The embedding model that Kiyo ships with."""

    def _get_query_embedding(self, query: str) -> list[float]:
        return encoder.encode_question(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return encoder.encode([text])[0]


def main() -> None:
    folder = Path(sys.argv[1])
    ids, texts, vectors = read_corpus(folder, encoder)
    nodes: list[Any] = [
        TextNode(id_=id_, text=text, embedding=vector)
        for id_, text, vector in zip(ids, texts, vectors, strict=True)
    ]
    index = VectorStoreIndex(nodes=nodes, embed_model=UseEmbedding())
    retriever = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=DEPTH),
            BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=DEPTH),
        ],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        similarity_top_k=DEPTH,
        num_queries=1,
        use_async=False,
    )
    measure(folder, encoder, lambda question: [hit.node.node_id for hit in retriever.retrieve(question)])


if __name__ == "__main__":
    main()
