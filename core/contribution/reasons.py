"""Why a sentence of an answer is kept but not judged: it greets, asks, hedges, refuses or says nothing."""

import re
from collections.abc import Callable
from functools import cache

from core.contribution.blocks import BlockRole
from core.contribution.phrases import GREETINGS_EN, GREETINGS_JA, HEDGES, LEAD_INS, REFUSALS
from core.text.normalise import normalise
from core.text.terms import content_terms

_MAX_GREETING = 160
"""Longer sentences are judged whatever they begin with."""
_MAX_SEARCHED = 2000
"""No turn of phrase is looked for beyond so many characters of a sentence."""

_QUESTION = re.compile(
    r"[?？][\s」』)\"'*]*$|(?:です|ます|でしょう|ません|ました|でした|だろう)か[。．.]?[\s」』)]*$"
)
_URL = re.compile(r"(?:https?://|www\.)\S+")
_WORD = re.compile(r"\w")
_DIGIT = re.compile(r"\d")
_BY_ROLE: dict[BlockRole, str] = {"heading": "heading", "code": "code", "links": "link_list"}


def reason_not_judged(text: str, role: BlockRole, leads: bool = False) -> str:
    """Say why a sentence is not judged, "" if it is.

    text: the sentence without citation marks; "" means that marks were all there was.
    leads: whether the sentence ends right before a list.
    Returns one of heading, code, link_list, citation_only, question, greeting, refusal, hedge, lead_in,
    too_short, or "".
    """
    if role in _BY_ROLE:
        return _BY_ROLE[role]
    folded = normalise(text[:_MAX_SEARCHED]).strip(" \t\n*_>-・")
    if not folded:
        return "citation_only"
    for reason, holds in _CHECKS.items():
        if holds(folded):
            return reason
    if leads and len(text) <= _MAX_SEARCHED and _phrases(LEAD_INS).search(folded):
        return "lead_in"
    if not _DIGIT.search(folded) and not content_terms(text[:_MAX_SEARCHED]):
        return "too_short"
    return ""


def _is_greeting(folded: str) -> bool:
    return len(folded) <= _MAX_GREETING and _greeting().fullmatch(folded) is not None


@cache
def _phrases(table: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{line})" for line in _lines(table)))


@cache
def _greeting() -> re.Pattern[str]:
    japanese = "|".join(f"(?:{line})" for line in _lines(GREETINGS_JA))
    english = "|".join(f"(?:{line})" for line in _lines(GREETINGS_EN))
    return re.compile(rf"(?:{japanese})[\s。．.!！、,～~♪]*|(?:{english})[\s.!,:]*")


def _lines(table: str) -> list[str]:
    return [line.replace(" ", r"\s+") for line in table.strip().split("\n")]


_CHECKS: dict[str, Callable[[str], bool]] = {
    "too_short": lambda folded: not _WORD.search(folded),
    "link_list": lambda folded: not _WORD.search(_URL.sub("", folded)),
    "question": lambda folded: _QUESTION.search(folded) is not None,
    "greeting": _is_greeting,
    "refusal": lambda folded: _phrases(REFUSALS).search(folded) is not None,
    "hedge": lambda folded: _phrases(HEDGES).search(folded) is not None,
}
"""Asked in this order; the first that holds is the reason."""
