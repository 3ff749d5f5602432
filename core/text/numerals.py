"""Read numerals: digits with grouping, kanji numerals and English number words."""

import re
from decimal import Decimal

_KANJI_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "壱": 1, "弐": 2, "参": 3}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "億": 10**8, "兆": 10**12}

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = (
    {word: number for number, word in enumerate(_ONES.split())}
    | {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
    | {"dozen": 12}
)
_SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "k": 10**3,
    "m": 10**6,
    "bn": 10**9,
}

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_WORDS = "|".join(sorted(_WORD_VALUES, key=len, reverse=True))
_BIG_WORDS = "hundred|thousand|million|billion|trillion"
_KANJI = "〇零一二三四五六七八九"

AMOUNT = re.compile(
    rf"(?P<digits>{_DIGITS}(?:[十百千万億兆]+(?:{_DIGITS}[十百千万億兆]+)*(?:{_DIGITS})?)?"
    rf"(?:[ -]?(?i:{_BIG_WORDS})\b|[kKM](?![A-Za-z0-9])|[ ]?bn\b)?)"
    rf"|(?P<kanji>[{_KANJI}十百千壱弐][{_KANJI}十百千万億兆壱弐参]*(?:[.・][{_KANJI}]+)?)"
    rf"|(?P<words>\b(?i:(?:an?[ ](?=(?:{_BIG_WORDS}|dozen)\b))?(?:{_WORDS}|(?<=a[ ])(?:{_BIG_WORDS}))"
    rf"(?:[ -](?:and[ ])?(?:{_WORDS}|{_BIG_WORDS}))*)\b)",
    re.ASCII,
)
"""One numeral in text whose full-width characters are folded."""


def read_amount(text: str) -> Decimal | None:
    """Give the value of a match of AMOUNT; None if its parts make no number."""
    if text[0].isascii() and text[0].isalpha():
        return _read_words(text)
    scale = re.search(r"[ -]?([a-z]+)$", text, re.IGNORECASE)
    factor = 1
    if scale:
        factor = _SCALES[scale[1].lower()]
        text = text[: scale.start()]
    number = _read_kanji(text)
    return None if number is None else number * factor


def _read_kanji(text: str) -> Decimal | None:
    """Read digits, kanji digits and their scales: 1億2,000万, 二十三, 二〇二六."""
    total, section, current = Decimal(0), Decimal(0), ""
    for character in text.replace(",", ""):
        if character in _KANJI_DIGITS:
            current += str(_KANJI_DIGITS[character])
        elif character in _SMALL:
            section += (Decimal(current) if current else 1) * _SMALL[character]
            current = ""
        elif character in _LARGE:
            section += Decimal(current) if current else 0
            total += (section or 1) * _LARGE[character]
            section, current = Decimal(0), ""
        else:
            current += "." if character == "・" else character
    if current.count(".") > 1:
        return None
    return total + section + (Decimal(current) if current else 0)


def _read_words(text: str) -> Decimal | None:
    total, section = 0, 0
    for word in re.split("[ -]", text.lower()):
        if word in ("a", "an", "and"):
            continue
        if word == "dozen":
            section = (section or 1) * 12
        elif word in _WORD_VALUES:
            value = _WORD_VALUES[word]
            # "twenty three" adds up; "three four" is two numbers.
            if section % 100 and not (section % 100 >= 20 and section % 10 == 0 and value < 10):
                return None
            section += value
        elif word == "hundred":
            section = (section or 1) * 100
        else:
            total += (section or 1) * _SCALES[word]
            section = 0
    return Decimal(total + section)
