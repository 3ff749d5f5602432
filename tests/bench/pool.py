"""Real sentences with their vectors, from which corpora of any size are drawn; see `corpora`.

The development data is used where it is at hand, the sample knowledge base elsewhere.
"""

from __future__ import annotations

import asyncio
import hashlib
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.app import make_embedder
from core.config import load_settings
from core.domain import Language
from core.errors import ReadError
from core.knowledge.reading import read_file
from core.ports import Embedder, Vector, Vectors
from core.text.language import detect_language
from core.text.sentences import split_sentences
from tests.bench.retrieval_sets import OWN_QUESTIONS, read_rows

SAMPLE = Path(__file__).parents[2] / "core" / "sample"
_QUESTIONS = 200
_FEWEST_SENTENCES = 3
_SHORTEST_SENTENCE = 8
_LONGEST_SENTENCE = 600


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph as its sentences, in order; title: of the page or document it stands in."""

    title: str
    language: Language
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """What corpora are drawn from, and questions that some of the passages answer."""

    passages: tuple[Passage, ...]
    questions: tuple[str, ...]

    @property
    def key(self) -> str:
        """Changes with the content."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]


class RememberingEmbedder:
    """The configured embedder, with a memory for every text that it has embedded.

    It stands in for that embedder under the same id, so a store filled with it is that embedder's store.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.known: dict[str, Vector] = {}
        self.id = embedder.id
        self.dimensions = embedder.dimensions
        self.embeds_lines = embedder.embeds_lines

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        missing = list(dict.fromkeys(text for text in texts if text not in self.known))
        if missing:
            rows = await self._embedder.embed_passages(missing)
            self.known.update(zip(missing, rows, strict=True))
        rows = np.array([self.known[text] for text in texts], dtype=np.float32)
        return rows.reshape(len(texts), self.dimensions)

    async def embed_query(self, text: str) -> Vector:
        return await self._embedder.embed_query(text)


def load_pool(data: Path | None) -> Pool:
    """Passages and an even sample of questions, always the same ones."""
    return _sample_pool() if data is None else _data_pool(data)


def embed_pool(pool: Pool, folder: Path) -> RememberingEmbedder:
    """An embedder that knows the pool's sentences; their vectors are kept in the folder."""
    embedder = RememberingEmbedder(make_embedder(load_settings(environ={})))
    sentences = list(dict.fromkeys(s for passage in pool.passages for s in passage.sentences))
    digest = hashlib.sha256(embedder.id.encode()).hexdigest()[:12]
    path = folder / f"pool-{pool.key}-{digest}.npy"
    if path.exists():
        embedder.known = dict(zip(sentences, np.load(path), strict=True))
    else:
        np.save(path, asyncio.run(embedder.embed_passages(sentences)))
    return embedder


def _data_pool(data: Path) -> Pool:
    passages: list[Passage] = []
    asked: list[list[str]] = []
    for name in ("jsquad-ja", "clapnq-en"):
        folder = data / f"retrieval-{name}"
        passages += [_passage(row["title"], row["text"]) for row in read_rows(folder / "corpus.jsonl")]
        asked.append([row["text"] for row in read_rows(folder / "queries.jsonl") if row["gold_doc_ids"]])
    for pages in ("ja", "en"):
        passages += _file_passages(sorted((data / "docs-fastapi" / pages).rglob("*.md")))
    own = read_rows(OWN_QUESTIONS)
    asked.append([row[f"question_{language}"] for row in own for language in ("ja", "en")])
    share = _QUESTIONS // len(asked)
    questions = [one for texts in asked for one in texts[:: max(1, len(texts) // share)][:share]]
    return _pool(passages, questions)


def _sample_pool() -> Pool:
    content = tomllib.loads((SAMPLE / "questions.toml").read_text(encoding="utf-8"))
    questions = [row["text"] for row in [*content["question"], *content["check"]]]
    files = sorted(path for path in (SAMPLE / "knowledge").rglob("*") if path.is_file())
    return _pool(_file_passages(files), questions)


def _pool(passages: Iterable[Passage], questions: Iterable[str]) -> Pool:
    usable = tuple(p for p in passages if len(p.sentences) >= _FEWEST_SENTENCES)
    return Pool(usable, tuple(dict.fromkeys(questions)))


def _passage(title: str, text: str) -> Passage:
    sentences = [text[span.start : span.end] for span in split_sentences(text)]
    return Passage(title, detect_language(text), tuple(_usable(sentences)))


def _file_passages(paths: Iterable[Path]) -> list[Passage]:
    """One a section. A file that cannot be read is left out."""
    passages = []
    for path in paths:
        try:
            parsed = read_file(path)
        except ReadError:
            continue
        for section in parsed.sections:
            texts = [line.text for line in parsed.lines if line.section == section.ordinal]
            passages.append(Passage(parsed.title, parsed.language, tuple(_usable(texts[1:]))))
    return passages


def _usable(sentences: Iterable[str]) -> list[str]:
    texts = dict.fromkeys(" ".join(sentence.split()) for sentence in sentences)
    return [text for text in texts if _SHORTEST_SENTENCE <= len(text) <= _LONGEST_SENTENCE]
