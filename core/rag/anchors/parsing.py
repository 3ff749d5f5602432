"""What a question looks for, read without a language model: keywords, shape, values, places it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.rag.anchors.dictionary import DictionaryEntry, look_up
from core.rag.anchors.keywords import Keyword
from core.rag.anchors.question_words import IGNORED
from core.text.latin import CJK, WORD
from core.text.morphology import content_words, morphology_available
from core.text.normalise import normalise
from core.text.quantities import find_quantities
from core.text.quantity import Kind, Quantity

Shape = Literal["point", "listing", "comparison", "whole"]

_QUOTED = re.compile(r"[\"“”「『]([^\"“”「」『』]{2,80})[\"“”」』]")
_PAGE = re.compile(
    r"\b(?:pages?|pp?\.)\s*(\d{1,4})(?:\s*(?:-|to|and)\s*(\d{1,4}))?|(\d{1,4})\s*(?:ページ|頁)", re.IGNORECASE
)
_SECTION = re.compile(
    r"(?:\b(?:section|chapter|article|clause|appendix)|§)\s*(\d+(?:\.\d+)*|[a-z])\b"
    r"|第\s*(\d+)\s*[章節条項編]|(\d+(?:\.\d+)+)\s*[章節項]",
    re.IGNORECASE,
)
_SHAPES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    (
        "whole",
        re.compile(
            r"\bsummar(?:y|ies|i[sz]e)\b|\boverview\b|\bgist\b"
            r"|what (?:is|does) (?:this|the) (?:paper|document|report|manual|contract|guide)"
            r"(?: about| say)?\s*\?"
            r"|要約|概要を|全体(?:像|の流れ|として)|まとめて(?:ください|教えて)|どんな(?:文書|資料|論文)",
            re.IGNORECASE,
        ),
    ),
    (
        "comparison",
        re.compile(
            r"\bdiffer(?:s|ences?|ent from)?\b|\bcompar(?:e|ed|ing|ison)\b|\bversus\b|\bvs\.?\b"
            r"|\bbetter than\b|違い|違う|比較|比べ|どちら|と.{1,20}はどう異な",
            re.IGNORECASE,
        ),
    ),
    (
        "listing",
        re.compile(
            r"^\s*list\b|\b(?:which|what) (?:\w+ ){0,2}"
            r"(?:kinds|types|sorts|ways|methods|steps|options|conditions)\b"
            r"|\bwhat are (?:the|all)\b|\bname (?:all|the)\b|\ball (?:the|of)\b|\b(?:kinds|types) of\b"
            r"|一覧|列挙|すべて|全て|種類|それぞれ|どんな.{0,12}がありますか|どのような.{0,12}がありますか",
            re.IGNORECASE,
        ),
    ),
)
_WANTED: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    (r"\bhow much\b|\bpric(?:e|es|ing)\b|\bcosts?\b|\bfees?\b|いくら|料金|費用|金額|価格|値段", ("money",)),
    (
        r"\bhow (?:long|often)\b|\bdeadline\b|何(?:時間|日間|週間|か月|ヶ月|年間)|期間|どのくらいの時間",
        ("duration", "time"),
    ),
    (
        r"\bwhen\b|\b(?:what|which) (?:date|day|year)\b|いつ|何日|何年|期限|締め?切",
        ("date", "time"),
    ),
    (r"\bpercent(?:age)?\b|\brates?\b|\bshare of\b|何(?:%|パーセント)|割合|率は", ("percent", "number")),
    (
        r"\bhow (?:many|large|big|high|fast)\b|\bnumber of\b|いくつ|何(?:人|台|件|個|回|層|本|枚|名)",
        ("number", "measure", "percent", "ordinal"),
    ),
    (r"\bversions?\b|バージョン", ("version",)),
    (r"\bcodes?\b|\b(?:phone|serial|model) number\b|番号|型番|コード", ("code",)),
)
"""What a question asks for, by its words."""
_JAPANESE_RUN = re.compile(rf"[{CJK}]+")
_ASKED_AMOUNT = re.compile("何[一-龥]")
_SURFACE_RUN = re.compile("[\u3005\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{2,}")
_KANJI_THEN_KANA = re.compile("[\u3400-\u9fff].*[\u3041-\u3096]$")
_HIRAGANA = re.compile("[\u3041-\u3096\u30fc]*")
_NUMBER = re.compile(r"\d[\d,.]*")


@dataclass(frozen=True, slots=True)
class AnchorQuestion:
    """A question as the detectors read it.

    keywords: what to look for, without repeats. values: numbers, dates and codes that stand in it; wanted:
    kinds of value that it asks for. pages and sections: those that it names ("page 8", "第5条": "5").
    """

    text: str
    keywords: tuple[Keyword, ...]
    shape: Shape = "point"
    values: tuple[Quantity, ...] = ()
    wanted: frozenset[Kind] = frozenset()
    pages: frozenset[int] = frozenset()
    sections: frozenset[str] = frozenset()


def parse_question(text: str, entries: Sequence[DictionaryEntry] = ()) -> AnchorQuestion:
    """Read a question in Japanese or English. entries: the dictionary of the domain."""
    pages, sections, rest = _read_places(text)
    quoted = [match[1].strip() for match in _QUOTED.finditer(rest)]
    phrases = [Keyword(phrase, (normalise(phrase),), "substring", 1.0, "quoted") for phrase in quoted]
    translated = look_up(_QUOTED.sub(" ", rest), entries)
    words = list(_words(translated.rest))
    return AnchorQuestion(
        text=text,
        keywords=_without_repeats([*phrases, *translated.keywords, *words]),
        shape=_shape(text),
        values=tuple(find_quantities(rest)),
        wanted=frozenset(_wanted_kinds(text)),
        pages=pages,
        sections=sections,
    )


def _read_places(text: str) -> tuple[frozenset[int], frozenset[str], str]:
    """Pages and sections that are named, and the text without them."""
    pages: set[int] = set()
    for match in _PAGE.finditer(text):
        first = int(match[1] or match[3])
        last = int(match[2]) if match[2] else first
        pages.update(range(first, last + 1) if first <= last <= first + 20 else (first, last))
    rest = _PAGE.sub(" ", text)
    sections = {next(filter(None, match.groups())).lower() for match in _SECTION.finditer(rest)}
    return frozenset(pages), frozenset(sections), _SECTION.sub(" ", rest)


def _shape(text: str) -> Shape:
    return next((shape for shape, pattern in _SHAPES if pattern.search(text)), "point")


def _wanted_kinds(text: str) -> Iterator[Kind]:
    lowered = text.lower()
    for pattern, kinds in _WANTED:
        if re.search(pattern, lowered):
            yield from kinds


def _words(text: str) -> Iterator[Keyword]:
    """Keywords of the rest of a question: words and identifiers of Latin script, Japanese words."""
    for match in WORD.finditer(text):
        yield from _latin_keywords(match.group())
    for match in _JAPANESE_RUN.finditer(_ASKED_AMOUNT.sub(" ", text)):
        yield from _japanese_keywords(match.group())


def _latin_keywords(word: str) -> Iterator[Keyword]:
    whole = word.strip("'_").removesuffix("'s")
    if not whole or whole in IGNORED or (len(whole) == 1 and not whole.isdigit()):
        return
    if whole.isalpha():
        yield Keyword(whole, (whole,))
    elif _NUMBER.fullmatch(whole):
        yield Keyword(whole, tuple(dict.fromkeys((whole, whole.replace(",", "")))))
    elif any(character.isdigit() or character in "_:+#" for character in whole):
        joined = re.sub("[-_]", "", whole)
        yield Keyword(whole, tuple(dict.fromkeys((whole, joined))), "word", 1.0, "identifier")
    else:
        parts = [part for part in re.split(r"[-.']", whole) if len(part) > 1 and part not in IGNORED]
        forms = dict.fromkeys((whole, re.sub("[-.']", " ", whole), re.sub("[-.']", "", whole)))
        yield Keyword(whole, tuple(forms), parts=tuple(Keyword(part, (part,)) for part in parts))


def _japanese_keywords(run: str) -> Iterator[Keyword]:
    """Compounds as they are written, with their words as parts, then the words outside of compounds."""
    words = content_words(run) if morphology_available() else []
    words = [word for word in words if word not in IGNORED and not word.isascii()]
    covered = ""
    for match in _SURFACE_RUN.finditer(run):
        surface = match.group()
        if surface in IGNORED:
            continue
        inside = [word for word in words if word != surface and word in surface and len(word) > 1]
        parts = tuple(Keyword(part, _japanese_forms(part)) for part in inside)
        yield Keyword(surface, _japanese_forms(surface), parts=parts)
        covered += f"{surface}\n"
    for word in words:
        forms = _japanese_forms(word)
        if forms and not any(form in covered for form in forms):
            yield Keyword(word, forms)


def _japanese_forms(word: str) -> tuple[str, ...]:
    """A word as it stands in text: without the ending that changes, without a long vowel at the end."""
    if _HIRAGANA.fullmatch(word):
        return (word,) if len(word) > 2 else ()
    if _KANJI_THEN_KANA.search(word):
        return (word[:-1],)
    return (word.removesuffix("ー"),) if len(word) > 3 else (word,)


def _without_repeats(keywords: Sequence[Keyword]) -> tuple[Keyword, ...]:
    """The first of several keywords that share a form."""
    seen: set[str] = set()
    kept: list[Keyword] = []
    for keyword in keywords:
        if not seen & set(keyword.forms):
            kept.append(keyword)
        seen.update(keyword.forms)
    return tuple(kept)
