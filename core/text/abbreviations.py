"""Abbreviations of English prose: which full stops do not end a sentence."""

import re
from typing import Literal

from core.text.latin import CJK


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Something always follows: a name, an example, the other side of a comparison.
_NEVER_LAST = _words(
    """mr mrs ms mx dr prof rev gen col capt lt sgt gov sen rep hon st messrs mt ft e.g i.e eg ie cf viz vs
    approx ca esp incl excl resp temp avg max min tel ext www"""
)
# A number or a letter follows: No. 5, Fig. 2a.
_BEFORE_NUMBER = _words(
    """c no nos fig figs eq eqs sec secs ch chap vol vols pp p art arts ref refs tab ver v app appx para ed
    jan feb mar apr jun jul aug sep sept oct nov dec"""
)
# Either: the next word decides.
_MAYBE_LAST = _words(
    """etc inc ltd co corp llc plc gmbh jr sr al a.m p.m am pm u.s u.k u.s.a u.n e.u d.c ph.d m.d b.a m.a m.sc
    b.sc est dept univ assn bros ave blvd rd mon tue tues wed thu thur thurs fri sat sun"""
)
_STARTERS = _words(
    """The This That These Those It He She We They You I A An In On At For But And However If When While
    There Here Then So Please See Use Note As To By With From After Before Our Your My His Her Its Each
    Every All No Not Now Next Once Only Or Since Some Such Both What Which Who Why How Is Are Do Does Can"""
)
_LAST_WORD = re.compile(rf"[^\s()\[\]\"'“”‘’「」（）【】,、;:/{CJK}]*$")
_ACRONYM = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_REFERENCE = re.compile(r"[\s\u00a0]*(?:\d|[(\[]|[A-Z](?![a-z])|[ivxlIVXL]+\b|#)")
_JAPANESE_START = re.compile(f"(?![はがをにのとでも])[{CJK}]")
_NEXT_WORD = re.compile(r"\s*[\"'“‘(\[]*([^\W\d_]+)?")

Role = Literal["none", "never_last", "before_number", "maybe_last"]


def ends_with_abbreviation(text: str, period: int, following: int) -> bool:
    """Say whether the full stop at text[period] belongs to an abbreviation inside a sentence.

    following: where the text goes on after the full stop and what closes with it.
    """
    role = _role(text, period)
    if role == "none":
        return False
    if role == "never_last":
        return True
    if role == "before_number":
        # A column heading "No. of seasons" against "The answer is no. next".
        is_heading = text[period - 2 : period] == "No" and starts_small(text, following)
        return is_heading or _REFERENCE.match(text, following) is not None
    return not starts_like_sentence(text, following)


def starts_like_sentence(text: str, position: int) -> bool:
    """Say whether the next word is one that usually opens an English sentence, or is not Latin."""
    match = _NEXT_WORD.match(text, position)
    word = match[1] if match else None
    if not word:
        return False
    return word in _STARTERS or _JAPANESE_START.match(word) is not None


def starts_small(text: str, position: int) -> bool:
    """Say whether the next word begins with a small letter."""
    match = _NEXT_WORD.match(text, position)
    return bool(match and match[1] and match[1][0].islower())


def _role(text: str, period: int) -> Role:
    window = text[max(0, period - 24) : period]
    match = _LAST_WORD.search(window)
    word = match.group() if match else ""
    lowered = word.lower()
    if lowered in _NEVER_LAST:
        return "never_last"
    if lowered in _BEFORE_NUMBER:
        return "before_number"
    if lowered in _MAYBE_LAST or _ACRONYM.fullmatch(word):
        return "maybe_last"
    # An initial: J. Smith. Not "I", which ends sentences.
    if len(word) == 1 and word.isascii() and word.isupper() and word != "I":
        return "maybe_last"
    return "none"
