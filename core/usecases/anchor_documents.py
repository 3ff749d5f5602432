"""Which documents are searched for anchors: the best of the chunk index, or the one that is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from core.domain import ArticleId, Candidate
from core.text.normalise import normalise

_QUOTED = re.compile(r"[\"“”「『《]([^\"“”「」『』《》]{2,120})[\"“”」』》]")
_LEAST_WORDS = 2
_LEAST_CHARACTERS = 12
_LEAST_CJK = 5


def choose_documents(
    question: str, candidates: Sequence[Candidate], most: int, share: float
) -> list[ArticleId]:
    """At most `most` articles, best first, from ranked chunks.

    Articles that the question names by file or by title are chosen alone. Else every article counts as much
    as its best chunk, and at least `share` of the best one's relevance is needed.
    """
    best: dict[ArticleId, float] = {}
    for candidate in candidates:
        best[candidate.article.id] = max(best.get(candidate.article.id, 0.0), candidate.relevance)
    named = [one for one in best if one in _named(question, candidates)]
    if named:
        return named[:most]
    least = share * max(best.values(), default=0.0)
    return [one for one, relevance in best.items() if relevance >= least][:most]


def _named(question: str, candidates: Sequence[Candidate]) -> set[ArticleId]:
    asked = normalise(question)
    quoted = {normalise(match[1]).strip() for match in _QUOTED.finditer(question)}
    titles: Mapping[ArticleId, tuple[str, str]] = {
        c.article.id: (normalise(c.article.title).strip(), PurePosixPath(c.article.path).name.lower())
        for c in candidates
    }
    return {
        article
        for article, (title, file) in titles.items()
        if title in quoted or (_is_telling(title) and title in asked) or _names_file(asked, file)
    }


def _is_telling(title: str) -> bool:
    """Whether a title cannot stand in a question by chance."""
    if title.isascii():
        return len(title.split()) >= _LEAST_WORDS and len(title) >= _LEAST_CHARACTERS
    return len(title) >= _LEAST_CJK


def _names_file(asked: str, file: str) -> bool:
    """A file counts with its ending: "leave" is a word, "leave.md" is a file."""
    return "." in file and re.search(rf"(?<![\w.-]){re.escape(file)}(?![\w-])", asked) is not None
