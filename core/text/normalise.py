"""Bring text into the one form in which it is compared; what people see stays as written."""

import re
import unicodedata

_INVISIBLE = re.compile("[\u00ad\u180b-\u180d\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
_PUNCTUATION = str.maketrans(
    {
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2212": "-",
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u301c": "~",
    }
)
_SPACED_RUN = re.compile(r"(?<!\S)[^\W\d_](?: [^\W\d_]){2,}(?!\S)")
_SPACED_HINT = re.compile(r"(?:^|\s)[^\W\d_]\s+[^\W\d_](?:\s|$)")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SPACED_CJK_LINE = re.compile(rf"[ \t]*[{_CJK}](?:[ \t]+[{_CJK}])+[ \t]*")


def normalise(text: str) -> str:
    """Fold width, case, compatibility characters and letter-spaced headings, for matching only.

    Half-width katakana and full-width Latin become ordinary ones, subscripts and superscripts join
    their word (d\u2082 -> d2), invisible characters go, and a line made mostly of single letters
    ("A T T E N T I O N") is read as words. Offsets into the result are not offsets into the text.
    Applying it twice changes nothing.
    """
    if text.isascii():
        return _join_spelt_lines(text.lower())
    # Folding case can undo the composed form and the other way round ("\u0130", "\u1e9e"): once more each.
    return _join_spelt_lines(fold_width(fold_width(text).casefold()).casefold())


def fold_width(text: str) -> str:
    """Bring characters to their ordinary form (NFKC, plain hyphens and quotes), keeping case."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PUNCTUATION)


def fold_for_terms(text: str) -> str:
    """Normalise like `normalise`, but keep case, which tells where the parts of an identifier begin."""
    return _join_spelt_lines(fold_width(text))


def join_spaced_letters(line: str) -> str:
    """Join the letters of a heading spelt with spaces; any other line is returned unchanged.

    A line counts as spelt when single letters are the majority of its parts and at least three, or
    when it consists of single Japanese characters alone. Two or more spaces separate words.
    """
    if _SPACED_CJK_LINE.fullmatch(line):
        return "".join(line.split())
    parts = line.split()
    singles = sum(1 for part in parts if len(part) == 1 and part.isalpha())
    if singles < 3 or singles * 2 <= len(parts):
        return line
    return _SPACED_RUN.sub(lambda run: run.group().replace(" ", ""), line)


def _join_spelt_lines(text: str) -> str:
    if not _SPACED_HINT.search(text):
        return text
    return "\n".join(join_spaced_letters(line) for line in text.split("\n"))
