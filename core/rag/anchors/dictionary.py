"""The dictionary of a domain: words that mean the same, across languages, and words that go with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.rag.anchors.keywords import Keyword, KeywordSource, holds
from core.text.normalise import normalise

RELATED_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """terms: synonyms, any of which stands for all (注意機構, attention). related: what a passage on the
    subject is likely to speak of."""

    terms: tuple[str, ...]
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Translated:
    """keywords: one for each entry whose term stands in the question, and its related words. rest: the
    normalised question without these terms."""

    keywords: tuple[Keyword, ...]
    rest: str


def look_up(question: str, entries: Sequence[DictionaryEntry]) -> Translated:
    """Find the entries of which a term stands in the question; the longest term wins where two overlap."""
    rest = normalise(question)
    by_length = sorted(
        ((normalise(term), entry) for entry in entries for term in entry.terms if term.strip()),
        key=lambda pair: -len(pair[0]),
    )
    keywords: dict[DictionaryEntry, Keyword] = {}
    for term, entry in by_length:
        if holds(rest, Keyword(term, (term,), "word")):
            keywords.setdefault(entry, make_keyword(entry.terms, "dictionary"))
            rest = rest.replace(term, " ")
    related = {
        word: make_keyword([word], "related", RELATED_WEIGHT) for entry in keywords for word in entry.related
    }
    return Translated((*keywords.values(), *related.values()), rest)


def make_keyword(terms: Sequence[str], source: KeywordSource, weight: float = 1.0) -> Keyword:
    """One keyword for words that mean the same. English words are found in all their forms."""
    forms = tuple(dict.fromkeys(normalise(term) for term in terms if term.strip()))
    return Keyword(terms[0], forms, "word", weight, source)


def read_entries(rows: Sequence[Mapping[str, Sequence[str]]]) -> tuple[DictionaryEntry, ...]:
    """Entries of the settings: {terms = [...], related = [...]}."""
    return tuple(DictionaryEntry(tuple(row["terms"]), tuple(row.get("related", ()))) for row in rows)
