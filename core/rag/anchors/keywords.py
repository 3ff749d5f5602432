"""Keywords of a question, and where they stand in a line table. Which words are keywords: `parsing`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.rag.anchors.tables import DocumentTables, Numbers
from core.text.latin import CJK, stem

Matching = Literal["word", "substring"]
"""word: an English word of the same stem, so that "cap" finds "caps" and misses "capacity"; several words
and identifiers between borders, a plural s aside; Japanese anywhere. substring: anywhere."""
KeywordSource = Literal["question", "quoted", "identifier", "dictionary", "related"]

_WORD_TAIL = re.compile(r"[^\W_]*")
_PLURAL = re.compile(r"(?:s|es)(?![a-z0-9])")
_HAS_CJK = re.compile(f"[{CJK}]")
_CHANGING = "eiy"
"""Letters at the end of a stem that its word forms do not all keep."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """One thing to look for, in any of its forms; a form more does not count twice.

    forms: normalised, at least one. weight: 1.0, less for words that only go with the subject. parts: what to
    look for instead in a document that does not hold the whole (平方根: 平方, 根).
    """

    text: str
    forms: tuple[str, ...]
    matching: Matching = "word"
    weight: float = 1.0
    source: KeywordSource = "question"
    parts: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where the keywords stand. counts: (n keywords, n lines); in_titles: (n keywords, n sections), bool."""

    keywords: tuple[Keyword, ...]
    counts: Numbers
    in_titles: np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def find_occurrences(tables: DocumentTables, keywords: Sequence[Keyword]) -> Occurrences:
    """Count every keyword in every line and look for it in every title.

    A keyword that the document does not hold is replaced by those of its parts that it holds, if any.
    """
    found: dict[Keyword, Numbers] = {}
    for keyword in keywords:
        counts = _count(tables, keyword)
        if keyword.parts and not counts.any():
            held = {part: _count(tables, part) for part in keyword.parts}
            present = {part: row for part, row in held.items() if row.any()}
            found.update(present or {keyword: counts})
        else:
            found[keyword] = counts
    in_titles = np.zeros((len(found), len(tables.titles)), dtype=np.bool_)
    for row, keyword in enumerate(found):
        in_titles[row] = [holds(title, keyword) for title in tables.titles]
    counted = np.array(list(found.values()), dtype=np.int64).reshape(len(found), len(tables.lines))
    return Occurrences(tuple(found), counted, in_titles)


def holds(text: str, keyword: Keyword) -> bool:
    """Whether a normalised text holds the keyword."""
    return any(next(find_form(text, form, keyword.matching), None) is not None for form in keyword.forms)


def find_form(text: str, form: str, matching: Matching) -> Iterator[int]:
    """Yield the offsets at which a form stands in a normalised text."""
    if matching == "word" and form.isascii() and form.isalpha():
        yield from _find_stem(text, stem(form))
        return
    bordered = matching == "word" and not _HAS_CJK.search(form)
    position = text.find(form)
    while position >= 0:
        end = position + len(form)
        if not bordered or not (_joins(text, position - 1) or _goes_on(text, end)):
            yield position
        position = text.find(form, end)


def _count(tables: DocumentTables, keyword: Keyword) -> Numbers:
    """Occurrences by line. Forms inside one another ("dot product", "product") may count twice."""
    offsets = [at for form in keyword.forms for at in find_form(tables.text, form, keyword.matching)]
    rows = tables.lines_at(np.array(offsets, dtype=np.int64))
    return np.bincount(rows, minlength=len(tables.lines)).astype(np.int64)


def _find_stem(text: str, wanted: str) -> Iterator[int]:
    beginning = wanted[:-1] if len(wanted) > 3 and wanted[-1] in _CHANGING else wanted
    position = text.find(beginning)
    while position >= 0:
        tail = _WORD_TAIL.match(text, position)
        end = tail.end() if tail else position + 1
        if not _joins(text, position - 1) and stem(text[position:end]) == wanted:
            yield position
        position = text.find(beginning, max(end, position + 1))


def _goes_on(text: str, end: int) -> bool:
    return _joins(text, end) and not _PLURAL.match(text, end)


def _joins(text: str, position: int) -> bool:
    """Whether the character there makes one Latin word with its neighbour."""
    return 0 <= position < len(text) and text[position].isascii() and text[position].isalnum()
