"""A text as the support measure reads it: terms, character pieces, names, negation. Computed once a text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from core.contribution.polarity import Polarity, read_polarity
from core.text.latin import CJK
from core.text.normalise import normalise
from core.text.terms import content_terms

BORDER = "\0"
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

    terms: distinct content terms. runs: its runs of Japanese characters and of Latin ones without their
    spaces, with a BORDER before and after each. folded: normalised text.
    """

    terms: frozenset[str]
    runs: str
    folded: str
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class StatementReading:
    """A statement: also the terms of its clauses, its names, and whether it speaks in the first person.

    pieces: what its runs are compared by: 2 Japanese characters in a row, not both hiragana, or 4 Latin
    ones. Those of a shorter run stand between BORDERs, so that each is in the runs of a text if the text has
    the same piece.
    """

    text: str
    reading: Reading
    pieces: tuple[str, ...]
    clauses: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    is_personal: bool


@lru_cache(maxsize=8192)
def terms_of(text: str) -> tuple[str, ...]:
    """List the distinct content terms of a text; also for asking a keyword index how rare they are."""
    return tuple(content_terms(text))


@lru_cache(maxsize=8192)
def read_text(text: str) -> Reading:
    """Read a line, a heading or a statement."""
    folded = normalise(text)
    return Reading(frozenset(terms_of(text)), _runs(folded), folded, read_polarity(text))


@lru_cache(maxsize=1024)
def read_statement(text: str) -> StatementReading:
    """Read a statement of an answer."""
    reading = read_text(text)
    parts = (frozenset(terms_of(part)) for part in _CLAUSE_BORDER.split(text) if part and part.strip())
    clauses = tuple(terms for terms in parts if len(terms) >= 2) or (
        (reading.terms,) if reading.terms else ()
    )
    is_personal = _SPEAKER.search(reading.folded) is not None
    return StatementReading(text, reading, _pieces(reading.runs), clauses, _names(text), is_personal)


def speaks_personally(folded: str) -> bool:
    """Say whether a normalised text speaks in the first person anywhere."""
    return _ANY_SPEAKER.search(folded) is not None


def read_window(texts: Iterable[str]) -> tuple[Reading, ...]:
    """Read a line and what stands around it, without what is empty."""
    return tuple(read_text(text) for text in texts if text)


def _runs(folded: str) -> str:
    runs = [_SPACE.sub("", match.group()) for match in _RUN.finditer(folded)]
    return BORDER + BORDER.join(runs) + BORDER if runs else ""


def _pieces(runs: str) -> tuple[str, ...]:
    pieces: dict[str, None] = {}
    for run in runs.split(BORDER):
        length = _CJK_PIECE if _IS_CJK.match(run) else _LATIN_PIECE
        if 0 < len(run) < length:
            pieces[f"{BORDER}{run}{BORDER}"] = None
        pieces.update(dict.fromkeys(run[i : i + length] for i in range(len(run) - length + 1)))
    return tuple(piece for piece in pieces if not _HIRAGANA.fullmatch(piece.strip(BORDER)))


def _names(text: str) -> tuple[str, ...]:
    found = [
        match.group()
        for match in _NAME.finditer(text)
        if not match.group().isascii()
        or not _SENTENCE_START.search(text, max(0, match.start() - 12), match.start())
    ]
    return tuple(dict.fromkeys(normalise(name) for name in found))
