"""Analysers: how a text becomes the terms that keyword search counts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, get_args

from core.text.latin import CJK, WORD, stem, stemmer_version, word_terms
from core.text.morphology import content_words, morphology_available, morphology_version
from core.text.normalise import fold_for_terms
from core.text.stopwords import ENGLISH

AnalyserName = Literal["morphological", "dictionary_free", "bigram"]

_RULES = "1"
"""Raise when a rule of this package changes terms, so that indexes rebuild."""

_CACHED_LENGTH = 200
_HAS_CJK = re.compile(f"[{CJK}]")
_CJK_RUN_OR_WORD = re.compile(f"(?P<cjk>[{CJK}]+)|{WORD.pattern}")
_PLAIN_NUMBER = re.compile(r"[\d.,]+")
_HIRAGANA_PAIR = re.compile("[\u3041-\u3096\u309d\u309e\u30fc]{2}")
_SINGLE = re.compile("[\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_TUTORIAL_REMOVED = str.maketrans("", "", "、。\u3000 ")


@dataclass(frozen=True, slots=True)
class Analyser:
    """A rule from text to terms.

    id: name, rule version and the versions of whatever decides its terms; an index stores it and is
    rebuilt when it differs.
    """

    id: str
    _terms_of: Callable[[str], list[str]]

    def analyse(self, text: str) -> list[str]:
        """List the terms of a text in order, with repeats; safe to call from several threads."""
        if len(text) <= _CACHED_LENGTH:
            return list(_short_terms(self._terms_of, text))
        return self._terms_of(text)


def make_analyser(name: AnalyserName) -> Analyser:
    """Build the analyser of that name.

    morphological: Japanese content words and compounds (SudachiPy) and English stems.
    dictionary_free: character pairs of Japanese except all-hiragana ones, single kanji and katakana, and
    English stems.
    bigram: every adjacent character pair after removing comma, full stop and spaces, as in tutorials.
    Raises ValueError for another name, and if morphological is asked for where SudachiPy is missing.
    """
    if name == "morphological":
        if not morphology_available():
            raise ValueError("the morphological analyser needs the packages sudachipy and sudachidict-small")
        return Analyser(f"{name}/{_RULES};{morphology_version()};{stemmer_version()}", _morphological)
    if name == "dictionary_free":
        return Analyser(f"{name}/{_RULES};{stemmer_version()}", _dictionary_free)
    if name == "bigram":
        return Analyser(f"{name}/{_RULES}", _bigrams)
    raise ValueError(f"no analyser is called {name!r}; there are: {', '.join(get_args(AnalyserName))}")


def best_available_analyser() -> Analyser:
    """Build the morphological analyser, or the dictionary-free one where no dictionary is installed."""
    return make_analyser("morphological" if morphology_available() else "dictionary_free")


def content_terms(text: str) -> list[str]:
    """List the distinct words of a text that carry its topic, in order of first appearance.

    For measuring how much of one text stands in another: unlike the terms for search, without compounds
    and without any function word. Japanese by the morphological analyser where it is installed.
    """
    words = _morphological(text, with_compounds=False) if morphology_available() else _dictionary_free(text)
    return [word for word in dict.fromkeys(words) if word not in _function_stems()]


@cache
def _function_stems() -> frozenset[str]:
    return frozenset(stem(word.replace("'", "")) for word in ENGLISH)


@lru_cache(maxsize=8192)
def _short_terms(terms_of: Callable[[str], list[str]], text: str) -> tuple[str, ...]:
    return tuple(terms_of(text))


def _bigrams(text: str) -> list[str]:
    kept = text.translate(_TUTORIAL_REMOVED)
    return [kept[index : index + 2] for index in range(len(kept) - 1)]


def _morphological(text: str, with_compounds: bool = True) -> list[str]:
    terms: list[str] = []
    folded = fold_for_terms(text)
    if not _HAS_CJK.search(folded):
        return _latin_terms(folded)
    start = 0
    for match in WORD.finditer(folded):
        # A number before Japanese is one word with what follows: 5\u4e07 is 50000.
        if _PLAIN_NUMBER.fullmatch(match.group()) and _HAS_CJK.match(folded, match.end()):
            continue
        if _HAS_CJK.search(folded, start, match.start()):
            terms.extend(content_words(folded[start : match.start()], with_compounds))
        terms.extend(word_terms(match.group()))
        start = match.end()
    if _HAS_CJK.search(folded, start):
        terms.extend(content_words(folded[start:], with_compounds))
    return terms


def _dictionary_free(text: str) -> list[str]:
    terms: list[str] = []
    for match in _CJK_RUN_OR_WORD.finditer(fold_for_terms(text)):
        terms.extend(_cjk_pairs(match.group()) if match["cjk"] else word_terms(match.group()))
    return terms


def _latin_terms(folded: str) -> list[str]:
    terms: list[str] = []
    for word in WORD.findall(folded):
        terms.extend(word_terms(word))
    return terms


def _cjk_pairs(run: str) -> list[str]:
    terms: list[str] = []
    for index, character in enumerate(run):
        if _SINGLE.match(character):
            terms.append(character)
        pair = run[index : index + 2]
        if len(pair) == 2 and not _HIRAGANA_PAIR.fullmatch(pair):
            terms.append(pair)
    return terms
