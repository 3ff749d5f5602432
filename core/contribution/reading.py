"""A text as the support measure reads it: terms, character pieces, names, negation. Computed once a text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.contribution.polarity import Polarity, read_polarity
from core.text.latin import CJK
from core.text.normalise import normalise
from core.text.terms import content_terms

_LATIN_PIECE = 4
_CJK_PIECE = 2

_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+(?:\s+[^\W{CJK}]+)*")
_HIRAGANA = re.compile("[\u3041-\u3096]+")
_IS_CJK = re.compile(f"[{CJK}]")
_SPACE = re.compile(r"\s+")
_CLAUSE_BORDER = re.compile(r"[、，;；:：]|,\s|\b(?:and|which|who|but)\b")
_NAME = re.compile(r"[ァ-ヺ][ァ-ヺー]{2,}|\b[A-Z][\w'-]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s*)[\"“'(\[]*$")
_SPEAKER = re.compile(
    r"(?:^|[.!?,;]\s*|\b(?:and|but|so|yes|no|well|oh|yeah|because|that|think)\s+)(?:i|i['’](?:m|ve|d|ll)|my|me)\b"
    r"|[私僕][はもの]"
)
_ANY_SPEAKER = re.compile(r"\b(?:i|my)\b|私")


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a text is compared.

    terms: distinct content terms. pieces: runs of 2 Japanese characters, not both hiragana, or of 4
    Latin ones. folded: normalised text.
    """

    terms: frozenset[str]
    pieces: frozenset[str]
    folded: str
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class StatementReading:
    """A statement: also the terms of its clauses, its names, and whether it speaks in the first person."""

    text: str
    reading: Reading
    clauses: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    is_personal: bool


@lru_cache(maxsize=65536)
def terms_of(text: str) -> tuple[str, ...]:
    """List the distinct content terms of a text; also for asking a keyword index how rare they are."""
    return tuple(content_terms(text))


@lru_cache(maxsize=16384)
def read_text(text: str) -> Reading:
    """Read a line, a heading or a statement."""
    folded = normalise(text)
    return Reading(frozenset(terms_of(text)), _pieces(folded), folded, read_polarity(text))


@lru_cache(maxsize=1024)
def read_statement(text: str) -> StatementReading:
    """Read a statement of an answer."""
    reading = read_text(text)
    parts = (frozenset(terms_of(part)) for part in _CLAUSE_BORDER.split(text) if part and part.strip())
    clauses = tuple(terms for terms in parts if len(terms) >= 2) or (
        (reading.terms,) if reading.terms else ()
    )
    is_personal = _SPEAKER.search(reading.folded) is not None
    return StatementReading(text, reading, clauses, _names(text), is_personal)


def speaks_personally(folded: str) -> bool:
    """Say whether a normalised text speaks in the first person anywhere."""
    return _ANY_SPEAKER.search(folded) is not None


@lru_cache(maxsize=16384)
def read_window(texts: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Give terms and pieces of some texts together."""
    return join_readings([read_text(text) for text in texts if text])


def join_readings(readings: Sequence[Reading]) -> tuple[frozenset[str], frozenset[str]]:
    """Give the terms and the pieces that any of the readings has."""
    terms: frozenset[str] = frozenset().union(*(reading.terms for reading in readings))
    return terms, frozenset().union(*(reading.pieces for reading in readings))


def _pieces(folded: str) -> frozenset[str]:
    pieces: set[str] = set()
    for match in _RUN.finditer(folded):
        run = match.group()
        is_cjk = _IS_CJK.match(run) is not None
        length = _CJK_PIECE if is_cjk else _LATIN_PIECE
        if not is_cjk:
            run = _SPACE.sub("", run)
        pieces.update(run[index : index + length] for index in range(max(1, len(run) - length + 1)))
    return frozenset(piece for piece in pieces if not _HIRAGANA.fullmatch(piece))


def _names(text: str) -> tuple[str, ...]:
    found = [
        match.group()
        for match in _NAME.finditer(text)
        if not match.group().isascii()
        or not _SENTENCE_START.search(text, max(0, match.start() - 12), match.start())
    ]
    return tuple(dict.fromkeys(normalise(name) for name in found))
