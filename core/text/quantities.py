"""Find what can be checked exactly in a text - numbers, dates, codes - and compare two texts on it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from core.text.agreement import Agreement, Mention, sort_by_agreement
from core.text.amounts import IDIOMS, find_amounts, find_fractions, find_half_units
from core.text.calendar_terms import find_dates, find_times
from core.text.codes import find_addresses, find_codes, find_ordinals
from core.text.latin import stem
from core.text.quantity import Quantity
from core.text.stopwords import ENGLISH

__all__ = ["Agreement", "Quantity", "compare_quantities", "find_quantities"]

# One character each, so that positions stay.
_SAME = (
    ("\u3000\u00a0\u202f\u2009", " "),
    ("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    ("〜", "~"),
    ("￥", "¥"),
)
_FOLDED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    ord(character): plain_one for characters, plain_one in _SAME for character in characters
}
_ANY = re.compile(
    r"[\d〇一二三四五六七八九十百千壱弐半½¼¾@]|曜|正午|元年|www|http"
    r"|\b(?i:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|half|quarters?|thirds?"
    r"|hundred|thousand|million|billion|dozen|noon|midnight|\w+days?|twice|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.ASCII,
)
_APPROXIMATE = re.compile(
    r"(?:約|およそ|おおよそ|ほぼ|だいたい|\b(?:about|approximately|approx\.|around|roughly|nearly|almost|some))\s*[¥$€£]?$",
    re.IGNORECASE | re.ASCII,
)
_WORD_BEFORE = re.compile(
    r"([A-Za-z_]{2,}|[一-龥ァ-ヶー]+)(?:[はがをのも:=(（「]|[^\S\n]|(?<=[a-z]) (?:is|are|of|to|at) )*$"
)
_WORD_AFTER = re.compile(r"[ -]?([A-Za-z]{3,}|[一-龥ァ-ヶー]+)")
# In the order of precedence where two would claim the same characters.
_FINDERS = (
    find_addresses, find_dates, find_times, find_codes, find_half_units, find_fractions, find_ordinals
)  # fmt: skip
_CACHED_LENGTH = 4000
_WINDOW = 2000
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ENDS = re.compile(r"[。．.!?！？:：;；)）」』]\s*$")
_TAIL = 24
"""More characters than the part of a notation that a line break could tear off."""


def find_quantities(text: str) -> list[Quantity]:
    """List the numbers, amounts, dates, times, codes and addresses of a text, in order, none overlapping.

    Equal facts in other notation are equal in kind, value and unit: 5万円 and JPY 50,000, 三十日 and
    30 days, 午後3時 and 15:00, 令和8年4月1日 and April 1, 2026. Both ends of a range are listed with its
    unit. List numbers and citation marks are left out, and so are words that only look like numbers (一緒).
    """
    return list(_find(text))


def compare_quantities(statement: str, source: str) -> Agreement:
    """Sort the quantities of a statement into matched, conflicting and missing in the source.

    A stated value is matched if the source has an equal one of a compatible unit or, where the statement
    says "about", one that rounds to it; a date may be less exact than the source's. It is conflicting if
    the source has this kind and unit with other values only, else missing.
    """
    agreement = sort_by_agreement(_mentions(statement), _mentions(source))
    if not (agreement.conflicting or agreement.missing):
        return agreement
    return _match_literally(agreement, statement.translate(_FOLDED), source.translate(_FOLDED))


def _mentions(text: str) -> Sequence[Mention]:
    return _mentions_cached(text) if len(text) <= _CACHED_LENGTH else _mentions_anew(text)


@lru_cache(maxsize=512)
def _mentions_cached(text: str) -> Sequence[Mention]:
    return _mentions_anew(text)


def _mentions_anew(text: str) -> Sequence[Mention]:
    found = _find(text)
    if not found:
        return ()
    folded = text.translate(_FOLDED)
    return tuple(_mention(folded, quantity) for quantity in found)


def _mention(folded: str, quantity: Quantity) -> Mention:
    before = folded[max(0, quantity.start - 24) : quantity.start]
    beside: list[str] = []
    if quantity.kind == "number" and not quantity.unit:
        words = _WORD_BEFORE.search(before), _WORD_AFTER.match(folded, quantity.end)
        beside = [stem(match[1].lower()) for match in words if match]
    is_approximate = _APPROXIMATE.search(before) is not None
    return Mention(quantity, is_approximate, frozenset(word for word in beside if word not in ENGLISH))


def _match_literally(agreement: Agreement, statement: str, source: str) -> Agreement:
    """Count a bare number or a code as matched when the source has it letter by letter."""

    def stands_there(quantity: Quantity) -> bool:
        if quantity.kind not in ("number", "code", "version") or quantity.unit:
            return False
        written = re.escape(statement[quantity.start : quantity.end])
        return re.search(rf"(?<![A-Za-z\d]){written}(?![A-Za-z\d]|[.,]\d)", source, re.IGNORECASE) is not None

    found = {quantity for quantity in agreement.conflicting + agreement.missing if stands_there(quantity)}
    if not found:
        return agreement
    return Agreement(
        matched=tuple(sorted((*agreement.matched, *found), key=lambda quantity: quantity.start)),
        conflicting=tuple(quantity for quantity in agreement.conflicting if quantity not in found),
        missing=tuple(quantity for quantity in agreement.missing if quantity not in found),
    )


def _find(text: str) -> tuple[Quantity, ...]:
    """Read line by line: the lines of an article come in ever other company, each is read once."""
    if "\n" not in text:
        return _find_in_lines(text)
    found: list[Quantity] = []
    start = 0
    for lines in _separable(text):
        found.extend(_shift(_find_in_lines(lines), start))
        start += len(lines)
    return tuple(found)


def _separable(text: str) -> Iterable[str]:
    """Cut at the line breaks that no notation can reach across."""
    start = 0
    for match in _LINE.finditer(text):
        line = match.group()
        if _ENDS.search(line) or not _ANY.search(line[-_TAIL:].translate(_FOLDED)):
            yield text[start : match.end()]
            start = match.end()
    if start < len(text):
        yield text[start:]


def _shift(found: Iterable[Quantity], by: int) -> Iterable[Quantity]:
    return found if not by else (replace(one, start=one.start + by, end=one.end + by) for one in found)


def _find_in_lines(text: str) -> tuple[Quantity, ...]:
    return _find_cached(text) if len(text) <= _CACHED_LENGTH else _find_anew(text)


@lru_cache(maxsize=16384)
def _find_cached(text: str) -> tuple[Quantity, ...]:
    return _find_anew(text)


def _find_anew(text: str) -> tuple[Quantity, ...]:
    folded = text.translate(_FOLDED)
    if not _ANY.search(folded):
        return ()
    found: list[Quantity] = []
    start = 0
    while start < len(folded):
        end = _window_end(folded, start)
        found.extend(_shift(_find_in_window(folded[start:end]), start))
        start = end
    return tuple(found)


def _window_end(text: str, start: int) -> int:
    """Cut long text where it pauses: notations are short, and the time for a window is bounded."""
    limit = start + _WINDOW
    if limit >= len(text):
        return len(text)
    for marks in (("\n", "。", ". "), ("、", ", ", " ")):
        pause = max(text.rfind(mark, start + 1, limit) for mark in marks)
        if pause >= 0:
            return pause + 1
    return limit


def _find_in_window(folded: str) -> list[Quantity]:
    if not _ANY.search(folded):
        return []
    taken = bytearray(len(folded))
    for idiom in IDIOMS.finditer(folded):
        taken[idiom.start() : idiom.end()] = b"\x01" * len(idiom.group())
    found: list[Quantity] = []
    for finder in _FINDERS:
        _take(finder(folded), taken, found)
    _take(find_amounts(folded, taken), taken, found)
    return sorted(found, key=lambda quantity: quantity.start)


def _take(quantities: Iterable[Quantity], taken: bytearray, found: list[Quantity]) -> None:
    """Keep those that overlap nothing kept before."""
    for quantity in quantities:
        if not any(taken[quantity.start : quantity.end]):
            taken[quantity.start : quantity.end] = b"\x01" * (quantity.end - quantity.start)
            found.append(quantity)
