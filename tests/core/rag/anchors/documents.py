"""Documents, fake models and short ways to ask, for the tests of anchors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from core.domain import Article, Language, Line, LineKind, ParsedFile, Section, Usage
from core.errors import ProviderError
from core.ports import ArbiterRanking, ArbiterRequest, ArbiterVerdict, Embedder, Vector
from core.rag.anchors.detection import Meaning
from core.rag.anchors.keywords import Keyword
from core.rag.anchors.tables import DocumentTables, TableVectors, build_tables
from core.rag.relevance import CosineScale
from core.rag.spans import compose_chunk_vector

A6_WORDS = ("attention", "softmax", "query", "key", "d_k")


def article(title: str = "Manual", language: Language = "en") -> Article:
    return Article(
        id="docs/a",
        source="docs",
        path="a",
        uri="docs/a",
        title=title,
        kind="document",
        language=language,
        version="v1",
        readers=frozenset({"public"}),
        updated_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@dataclass(frozen=True)
class Part:
    """A section: its title, its lines, its page and level. Lines that begin with "|" are rows."""

    title: str
    lines: tuple[str, ...] = ()
    page: int | None = None
    level: int = 1


def document(*parts: Part, title: str = "Manual", language: Language = "en") -> DocumentTables:
    """Tables of an article with these sections; each heading is a line of its own section."""
    sections = [Section(0, 0, title, None, title)]
    lines: list[Line] = []
    for number, part in enumerate(parts, start=1):
        parent = max((s.ordinal for s in sections if s.level < part.level), default=0)
        breadcrumb = f"{sections[parent].breadcrumb} > {part.title}"
        sections.append(Section(number, part.level, part.title, parent, breadcrumb, "", part.page, part.page))
        for text in (part.title, *part.lines):
            kind: LineKind = "heading" if text is part.title else "row" if text[0] == "|" else "sentence"
            n = len(lines)
            lines.append(Line(n, number, kind, text, 0, 0, part.page, n + 1, n + 1))
    return build_tables(article(title, language), sections, lines, [])


def tables_of(parsed: ParsedFile) -> DocumentTables:
    return build_tables(article(parsed.title, parsed.language), parsed.sections, parsed.lines, [])


def substrings(words: Sequence[str]) -> list[Keyword]:
    return [Keyword(word, (word,), "substring") for word in words]


def titles(tables: DocumentTables, units: Sequence[int]) -> list[str]:
    return [tables.units[unit].title for unit in units]


async def with_vectors(tables: DocumentTables, embedder: Embedder) -> DocumentTables:
    """The same with vectors of titles, lines and units, as they are made at ingest."""
    headings = await embedder.embed_passages([section.title for section in tables.sections])
    lines = await embedder.embed_passages([line.text for line in tables.lines])
    units = [
        compose_chunk_vector(
            headings[tables.lines[unit.lines[0]].section],
            lines[list(unit.lines)],
            [len(tables.lines[i].text) for i in unit.lines],
        )
        for unit in tables.units
    ]
    return replace(tables, vectors=TableVectors(headings, lines, np.array(units, dtype=np.float32)))


@dataclass
class CountedMeaning:
    """Compares meaning with an embedder and counts how often the question is embedded."""

    embedder: Embedder
    question: str
    scale: CosineScale = field(default_factory=lambda: CosineScale(0.1, 0.1))
    calls: int = 0

    def meaning(self) -> Meaning:
        return Meaning(self._embed, self._scale)

    async def _embed(self) -> Vector:
        self.calls += 1
        return await self.embedder.embed_query(self.question)

    async def _scale(self, vector: Vector) -> CosineScale:
        return self.scale


@dataclass
class FakeArbiter:
    """Says what it was told to, or raises it, and keeps what it was asked."""

    says: ArbiterVerdict | ProviderError
    asked: list[ArbiterRequest] = field(default_factory=list)

    async def judge(self, request: ArbiterRequest) -> ArbiterVerdict:
        self.asked.append(request)
        if isinstance(self.says, ProviderError):
            raise self.says
        return self.says


def verdict(
    *rankings: tuple[str, str], not_found: bool = False, problem: str = "", confidence: float = 0.8
) -> ArbiterVerdict:
    """A verdict of (id, role)."""
    return ArbiterVerdict(
        rankings=tuple(ArbiterRanking(number, role, f"because of {number}") for number, role in rankings),
        not_found=not_found,
        confidence=confidence,
        raw="{...}",
        prompt="arbiter/default@1",
        model="fake",
        usage=Usage(100, 20, None, 1),
        problem=problem,
    )
