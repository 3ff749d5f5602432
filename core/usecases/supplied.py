"""What another bot was given, found again in the knowledge base."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain import PUBLIC, Article, ArticleId, Candidate, ChunkId, Principal
from core.errors import ReadError
from core.ports import AudienceId, KnowledgeStore, Services, StoredChunk

PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Supplied:
    """One thing that stood in the other bot's prompt. reference: an article's id, URI or path. text: the
    passage that was given, "" for the whole article."""

    reference: str
    text: str = ""


class Catalogue:
    """The live articles, by what an export may call them, and their chunks; read once for an import."""

    def __init__(self, knowledge: KnowledgeStore, by_name: Mapping[str, ArticleId]) -> None:
        self._knowledge = knowledge
        self._by_name = by_name
        self._chunks: dict[ArticleId, list[ChunkId]] = {}

    def find_article(self, reference: str) -> Article:
        """The article of this id or URI, else the one whose path fits best from its end.

        Raises ReadError when none does, or several do equally well.
        """
        exact = self._knowledge.get_article(reference)
        if exact is not None:
            return exact
        wanted = _parts(reference)
        fits = {name: _common_end(wanted, _parts(name)) for name in self._by_name}
        best = max(fits.values(), default=0)
        found = {self._by_name[name] for name, length in fits.items() if length == best}
        if best == 0 or not found:
            raise ReadError(f"{reference} is not in the knowledge base")
        if len(found) > 1:
            raise ReadError(f"{reference} fits {len(found)} articles: {', '.join(sorted(found))}")
        article = self._knowledge.get_article(found.pop())
        if article is None:
            raise ReadError(f"{reference} is not in the knowledge base")
        return article

    def find_candidates(
        self, article: Article, text: str, audiences: Sequence[AudienceId]
    ) -> list[Candidate]:
        """Its chunks in order, or those that hold the given text; the whole article if none does."""
        stored = self._knowledge.load_chunks(self._chunks.get(article.id, []), audiences)
        ordered = sorted(stored.values(), key=lambda s: s.chunk.ordinal)
        given = _fold(text)
        holding = [s for s in ordered if given and _overlaps(given, _fold(s.chunk.text))]
        return [_candidate(s) for s in (holding or ordered)]

    def learn_chunks(self, embedder_id: str, audiences: Sequence[AudienceId]) -> None:
        """Read which chunks every article has."""
        newest = self._knowledge.revision()
        revision = 0
        while revision < newest:
            delta = self._knowledge.delta_since(revision, embedder_id, PAGE)
            ids = [entry.chunk_id for entry in delta.entries]
            for chunk_id, stored in self._knowledge.load_chunks(ids, audiences).items():
                self._chunks.setdefault(stored.article.id, []).append(chunk_id)
            revision = delta.revision


async def read_catalogue(services: Services) -> tuple[Catalogue, tuple[AudienceId, ...]]:
    """The catalogue of everything, and the audiences that may read everything: an import speaks for the
    people who were answered, not for who runs it."""
    return await asyncio.to_thread(_read, services)


def _read(services: Services) -> tuple[Catalogue, tuple[AudienceId, ...]]:
    knowledge = services.knowledge
    names: dict[str, ArticleId] = {}
    groups = {PUBLIC}
    for source in knowledge.sources():
        for path, state in knowledge.file_states(source.name).items():
            article = None if state.removed else knowledge.get_article(state.article_id)
            if article is None:
                continue
            groups |= article.readers
            names.update(dict.fromkeys((path, f"{source.name}/{path}", article.uri), article.id))
    audiences = tuple(knowledge.readable_audiences(Principal("import", frozenset(groups))))
    catalogue = Catalogue(knowledge, names)
    catalogue.learn_chunks(services.embedder.id, audiences)
    return catalogue, audiences


def _parts(name: str) -> list[str]:
    without_scheme = re.sub(r"^[a-z][a-z0-9+.-]*://", "", name.split("#", 1)[0])
    return [part for part in re.split(r"[/\\]+", without_scheme) if part not in ("", ".")]


def _common_end(wanted: Sequence[str], name: Sequence[str]) -> int:
    """How many parts agree from the end if one is the end of the other, else 0. A file name alone says
    something only where nothing more was asked for."""
    shorter = min(len(wanted), len(name))
    if shorter == 0 or list(wanted[-shorter:]) != list(name[-shorter:]):
        return 0
    return shorter if shorter > 1 or len(wanted) == 1 else 0


def _fold(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _overlaps(given: str, chunk: str) -> bool:
    return given in chunk or chunk in given


def _candidate(stored: StoredChunk) -> Candidate:
    return Candidate(
        chunk_id=stored.chunk_id,
        article=stored.article,
        chunk=stored.chunk,
        section=stored.section,
        lines=stored.lines,
        scores={},
        relevance=1.0,
    )
