"""Keywords of a question, and where they stand in a line table. Which words are keywords: `parsing`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.rag.anchors.tables import DocumentTables, Numbers
from core.rag.anchors.word_index import holds_word
from core.text.latin import CJK

Matching = Literal["word", "substring"]
"""word: an English word of the same stem, so that "cap" finds "caps" and misses "capacity"; several words
and identifiers between borders, a plural s aside; Japanese anywhere. substring: anywhere."""
KeywordSource = Literal["question", "quoted", "identifier", "dictionary", "related"]

_PLURAL = re.compile(r"(?:s|es)(?![a-z0-9])")
_HAS_CJK = re.compile(f"[{CJK}]")


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
    titles = [_find_titles(tables, keyword) for keyword in found]
    in_titles = np.array(titles, dtype=np.bool_).reshape(len(found), len(tables.titles))
    counted = np.array(list(found.values()), dtype=np.int64).reshape(len(found), len(tables.lines))
    return Occurrences(tuple(found), counted, in_titles)


def holds(text: str, keyword: Keyword) -> bool:
    """Whether a normalised text holds the keyword."""
    return any(_holds_form(text, form, keyword.matching) for form in keyword.forms)


def find_form(text: str, form: str, matching: Matching) -> Iterator[int]:
    """Yield the offsets at which a form that is not looked up by its stem stands in a normalised text."""
    bordered = matching == "word" and not _HAS_CJK.search(form)
    position = text.find(form)
    while position >= 0:
        end = position + len(form)
        if not bordered or not (_joins(text, position - 1) or _goes_on(text, end)):
            yield position
        position = text.find(form, end)


def _holds_form(text: str, form: str, matching: Matching) -> bool:
    if _has_stem(form, matching):
        return holds_word(text, form)
    return next(find_form(text, form, matching), None) is not None


def _has_stem(form: str, matching: Matching) -> bool:
    return matching == "word" and form.isascii() and form.isalpha()


def _count(tables: DocumentTables, keyword: Keyword) -> Numbers:
    """Occurrences by line. Forms inside one another ("dot product", "product") may count twice."""
    rows = [_lines_with(tables, form, keyword.matching) for form in keyword.forms]
    counted: Numbers = np.bincount(np.concatenate(rows), minlength=len(tables.lines)).astype(np.int64)
    return counted


def _lines_with(tables: DocumentTables, form: str, matching: Matching) -> Numbers:
    if _has_stem(form, matching):
        return tables.words.find(form)
    offsets = np.fromiter(find_form(tables.text, form, matching), dtype=np.int64)
    return tables.lines_at(offsets)


def _find_titles(tables: DocumentTables, keyword: Keyword) -> NDArray[np.bool_]:
    """(n sections,) whether the title holds the keyword."""
    found = np.zeros(len(tables.titles), dtype=np.bool_)
    for form in keyword.forms:
        if _has_stem(form, keyword.matching):
            found[tables.title_words.find(form)] = True
        else:
            found |= np.array([_holds_form(title, form, keyword.matching) for title in tables.titles])
    return found


def _goes_on(text: str, end: int) -> bool:
    return _joins(text, end) and not _PLURAL.match(text, end)


def _joins(text: str, position: int) -> bool:
    """Whether the character there makes one Latin word with its neighbour."""
    return 0 <= position < len(text) and text[position].isascii() and text[position].isalnum()
