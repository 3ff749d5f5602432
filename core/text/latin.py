"""Words, identifiers, numbers and stems of Latin and other spaced scripts, as search terms."""

import re
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec

from core.text.stopwords import SEARCH_ENGLISH

CJK = (
    "\u3005-\u3007\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Kanji and kana, to be put inside the brackets of a regular expression."""

_LETTER = rf"[^\W{CJK}]"
WORD = re.compile(
    rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!{_LETTER})"
    rf"|{_LETTER}+(?:(?:[-.']|::){_LETTER}+)*(?:\+\+|\#(?!\w))?"
)
"""One word, number or identifier: letters and digits, joined inside by - . ' _ or ::."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PREFIXED_VERSION = re.compile(r"v\d+(?:\.\d+)+")
_LONGEST_WORD = 100
"""Longer ones are data (keys, encoded files) and are cut: nobody asks for them whole."""
_SEPARATORS = re.compile(r"[-._']|::")


def word_terms(word: str) -> tuple[str, ...]:
    """Give the search terms of one match of WORD, in NFKC form with its case still as written.

    A plain word gives its English stem, a stop word nothing, a number its digits without grouping.
    An identifier gives itself whole in lower case, its parts, and, if joined by - or _, also the form
    without joints, so that `d_k` and `dk`, `e-mail` and `email` find each other.
    """
    return _word_terms(word)


def split_identifiers(text: str) -> list[str]:
    """List the identifiers of a text whole, in lower case and order, with repeats.

    An identifier is a word that has a digit, an inner joint (- . _ ::) or a capital after a small letter.
    """
    found = [match.group() for match in WORD.finditer(text)]
    return [word.lower() for word in found if _is_identifier(word) and not _NUMBER.fullmatch(word)]


@cache
def stemmer_version() -> str:
    """Name the stemmer in use and its version, for an analyser's id."""
    package = "PyStemmer" if find_spec("Stemmer") else "snowballstemmer"
    return f"{package.lower()}-{metadata.version(package)}"


@lru_cache(maxsize=65536)
def _word_terms(word: str) -> tuple[str, ...]:
    lowered = word.lower()
    if _NUMBER.fullmatch(word):
        return (word.replace(",", "")[:_LONGEST_WORD],)
    if len(word) > _LONGEST_WORD:
        return (lowered[:_LONGEST_WORD],)
    if lowered in SEARCH_ENGLISH or not lowered.strip("_"):
        return ()
    if lowered.endswith("'s"):
        word, lowered = word[:-2], lowered[:-2]
    if not _is_identifier(word):
        return _plain(lowered)
    parts = _SEPARATORS.split(lowered)
    terms = [] if lowered.replace("-", "").isalpha() and "-" in lowered else [lowered]
    if "-" in lowered or "_" in lowered:
        terms.append(re.sub("[-_]", "", lowered))
    if _PREFIXED_VERSION.fullmatch(lowered):
        terms.append(lowered[1:])
    if not all(part.isdigit() for part in parts) or "." not in lowered:
        terms.extend(_part_terms(word))
    return tuple(dict.fromkeys(terms))


def _part_terms(word: str) -> list[str]:
    pieces = [piece for part in _SEPARATORS.split(word) for piece in (part, *_PARTS.findall(part))]
    terms: list[str] = []
    for piece in pieces:
        lowered = piece.lower()
        if len(lowered) > 1 and lowered not in SEARCH_ENGLISH:
            terms.extend(_plain(lowered))
    return terms


def _is_identifier(word: str) -> bool:
    return (
        any(character in "-._:+#" or character.isdigit() for character in word)
        or re.search("[a-z][A-Z]|[A-Z]{2}[a-z]", word) is not None
    )


def _plain(lowered: str) -> tuple[str, ...]:
    word = lowered.strip("'").replace("'", "")
    return (stem(word),) if word else ()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a lower-case English word to its Snowball stem; other words come back unchanged."""
    return _english_stemmer()(word) if word.isascii() else word


_local = threading.local()


def _english_stemmer() -> Callable[[str], str]:
    """Return this thread's stemmer: PyStemmer's objects may not be shared between threads."""
    stem_word: Callable[[str], str] | None = getattr(_local, "stem_word", None)
    if stem_word is None:
        if find_spec("Stemmer"):
            stem_word = import_module("Stemmer").Stemmer("english").stemWord
        else:
            stem_word = import_module("snowballstemmer").stemmer("english").stemWord
        _local.stem_word = stem_word
    return stem_word
