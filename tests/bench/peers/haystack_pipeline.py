"""Haystack: its in-memory store with both retrievers, joined by reciprocal rank. Defaults throughout."""

from __future__ import annotations

import sys
from pathlib import Path

# These packages are not in Kiyo's own environment, where types are checked.
from haystack import Document, Pipeline, component  # type: ignore[import-not-found]
from haystack.components.joiners import DocumentJoiner  # type: ignore[import-not-found]
from haystack.components.retrievers.in_memory import (  # type: ignore[import-not-found]
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore  # type: ignore[import-not-found]

from tests.bench.peers.exchange import DEPTH, Encoder, measure, read_corpus

encoder = Encoder()


@component
class UseTextEmbedder:
    """The embedding model that Kiyo ships with."""

    @component.output_types(embedding=list[float])  # type: ignore[untyped-decorator]
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": encoder.encode_question(text)}


def main() -> None:
    folder = Path(sys.argv[1])
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(
        [
            Document(id=id_, content=text, embedding=vector)
            for id_, text, vector in zip(*read_corpus(folder, encoder), strict=True)
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("embedder", UseTextEmbedder())
    pipeline.add_component("by_meaning", InMemoryEmbeddingRetriever(store, top_k=DEPTH))
    pipeline.add_component("by_words", InMemoryBM25Retriever(store, top_k=DEPTH))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=DEPTH))
    pipeline.connect("embedder.embedding", "by_meaning.query_embedding")
    pipeline.connect("by_meaning", "joiner")
    pipeline.connect("by_words", "joiner")

    def search(question: str) -> list[str]:
        found = pipeline.run({"embedder": {"text": question}, "by_words": {"query": question}})
        return [document.id for document in found["joiner"]["documents"]]

    measure(folder, encoder, search)


if __name__ == "__main__":
    main()
