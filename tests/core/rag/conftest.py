"""Candidates as retrieval hands them on, made from a few words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from core.domain import Article, Candidate, Chunk, Line, Section
from core.text.tokens import count_tokens

MakeCandidate = Callable[..., Candidate]


@pytest.fixture
def make_candidate() -> MakeCandidate:
    def make(
        chunk_id: int, text: str, relevance: float = 0.5, article: str = "a", title: str = "Title"
    ) -> Candidate:
        sentences = [s for s in text.split("\n") if s]
        lines = tuple(
            Line(i, 1, "sentence", s, text.index(s), text.index(s) + len(s), None, i + 1, i + 1)
            for i, s in enumerate(sentences)
        )
        section = Section(1, 1, "Part", 0, f"{title} > Part")
        last = max(len(lines) - 1, 0)
        chunk = Chunk(0, 1, text, 0, len(text), 0, last, count_tokens(text), section.breadcrumb)
        owner = Article(
            article,
            "s",
            f"{article}.md",
            f"s/{article}.md",
            title,
            "document",
            "en",
            "v1",
            frozenset({"public"}),
            datetime(2026, 1, 1, tzinfo=UTC),
        )
        return Candidate(chunk_id, owner, chunk, section, lines, {"keyword": 1.0}, relevance)

    return make
