"""Find addresses, phone numbers, versions, product codes and ordinals in folded text."""

import re
from collections.abc import Iterator

from core.text.latin import CJK
from core.text.numerals import read_amount
from core.text.quantity import Kind, Quantity, plain

_URL = re.compile(
    r"\b(?:https?|ftp)://[^\s<>\"'`「」『』（）()\[\]{}|\\^"
    + CJK
    + r"、。]+|\bwww\.[\w-]+(?:\.[\w-]+)+[\w/.?=&#%~-]*",
    re.ASCII,
)
_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
)
_IP = re.compile(
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:/\d{1,2}|:\d{2,5})?(?![\d.]*\d)"
)
_PHONE = re.compile(
    r"(?<![\w-])(?:\+\d{1,3}[- ]?\(?\d{1,4}\)?(?:[- ]?\d{2,4}){2,3}|\(0\d{1,4}\)[ ]?\d{1,4}-\d{3,4}"
    r"|0\d{1,4}-\d{1,4}-\d{3,4}|0[789]0\d{8}|0120\d{6})(?![\w-])",
    re.ASCII,
)
_EXTENSION = re.compile(
    r"(?:内線(?:番号)?[ :]*(?:は)?|\b[Ee]xt(?:ension|\.)?:? ?(?:number )?)(\d{2,6})\b", re.ASCII
)
_VERSION = re.compile(
    r"(?<![\w.])(?:[vV](?:er(?:sion|\.)?)?[ .]?|バージョン[ ]?)?(\d+(?:\.\d+){2,}(?:[-+]?(?:rc|alpha|beta|a|b|post|dev)\.?\d*)?)(?![\w.]*\d)"
    r"|(?:(?<![A-Za-z])[vV](?:er(?:sion|\.)?)?[ .]?|バージョン[ ]?)(\d+(?:\.\d+)*)"
    r"|(?:\b(?:Python|Node(?:\.js)?|Java|PHP|Ruby|Go|Android|iOS|macOS|Ubuntu|Debian|PostgreSQL|MySQL|Django|Pydantic"
    r"|FastAPI|Chrome|Kubernetes|Docker|HTTP|TLS|Windows|Excel|OpenAPI)[ ](?:version )?v?)(\d+(?:\.\d+)+)(?![\w.]*\d)",
    re.ASCII,
)
_CODE = re.compile(
    r"(?<![\w.-])(?:[A-Z][A-Za-z]{0,9}(?:[-_][A-Za-z0-9]+)*[-_](?=[A-Za-z]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*"
    r"|[A-Z]{1,6}\d+[A-Z0-9]*(?:[-_][A-Z0-9]+)*|\d+[A-Z]{2,}\d[A-Z0-9]*|0x[0-9A-Fa-f]{2,}|[A-Z]{2,5} \d{4,5}(?=[^\w,.]|$))(?![\w]|-\w)",
    re.ASCII,
)
_NUMERAL = r"(?:\d+|[〇一二三四五六七八九十百千]+)"
_LEVELS = {
    "条": "article", "article": "article", "章": "chapter", "chapter": "chapter", "節": "section",
    "section": "section", "sec.": "section", "項": "paragraph", "paragraph": "paragraph", "号": "item", "回": "round",
    "版": "edition", "位": "rank", "部": "part", "part": "part", "表": "table", "table": "table", "図": "figure",
    "figure": "figure", "fig.": "figure", "手順": "step", "ステップ": "step", "step": "step", "ページ目": "page",
    "page": "page", "p.": "page", "番目": "", "番": "", "line": "line", "行目": "line", "付録": "appendix",
    "日目": "day", "年目": "year", "四半期": "quarter", "期": "term", "世代": "generation", "級": "grade", "段階": "stage",
    "no.": "", "#": "", "issue": "", "question": "question", "問": "question", "例": "example", "example": "example",
    "rule": "rule", "phase": "phase", "フェーズ": "phase", "level": "level", "レベル": "level", "回目": "round",
}  # fmt: skip
_ORDINAL = re.compile(
    rf"第(?P<ja>{_NUMERAL})(?P<ja_level>条|章|節|項|号|回|版|位|部|四半期|期|世代|級|段階|番)?"
    rf"|(?<!第)(?P<nth>{_NUMERAL})(?P<nth_level>番目|ページ目|行目|日目|年目|回目|条(?!件)|位(?!置)|番(?![地組号目]))"
    r"|(?P<en>\d+)(?:st|nd|rd|th)\b"
    r"|(?:\b(?P<level>(?i:article|chapter|section|paragraph|part|table|figure|step|page|line|issue|question|example|rule|phase"
    r"|level)|[Ss]ec\.|[Ff]ig\.|[Nn]o\.|p\.)[ ]?|(?P<ja_before>表|図|手順|ステップ|付録|問|例|フェーズ|レベル)[ ]?|(?P<hash>\#))"
    r"(?P<number>\d+(?:[.-]\d+)*)(?![\d%]|,\d)"
)
_ORDINAL_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=3
    )
}
_ORDINAL_WORD = re.compile(rf"\b(?i:{'|'.join(_ORDINAL_WORDS)})\b(?!-|s\b)")


def find_addresses(text: str) -> Iterator[Quantity]:
    """Yield web and mail addresses, internet addresses and phone numbers."""
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?*_")
        yield Quantity("url", _canonical_url(url), "", match.start(), match.start() + len(url))
    for match in _EMAIL.finditer(text):
        yield Quantity("email", match.group().lower(), "", match.start(), match.end())
    for match in _IP.finditer(text):
        yield Quantity("code", match.group(), "ip", match.start(), match.end())
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if match.group()[0] == "+" and digits.startswith("81"):
            digits = "0" + digits[2:].removeprefix("0")
        yield Quantity("code", digits, "phone", match.start(), match.end())
    for match in _EXTENSION.finditer(text):
        yield Quantity("code", match[1], "extension", match.start(), match.end())


def find_codes(text: str) -> Iterator[Quantity]:
    """Yield version numbers and product or error codes."""
    for match in _VERSION.finditer(text):
        value = match[1] or match[2] or match[3]
        yield Quantity("version", value.lower(), "", match.start(), match.end())
    for match in _CODE.finditer(text):
        yield Quantity("code", re.sub("[ _]", "-", match.group().upper()), "", match.start(), match.end())


def find_ordinals(text: str) -> Iterator[Quantity]:
    """Yield numbers that name a place in an order: 第3条, 3rd, section 5.2, step 3."""
    kind: Kind = "ordinal"
    for match in _ORDINAL.finditer(text):
        written = match["ja"] or match["nth"] or match["en"] or match["number"]
        level = (
            match["ja_level"]
            or match["nth_level"]
            or match["level"]
            or match["ja_before"]
            or match["hash"]
            or ""
        )
        number = read_amount(written) if "." not in written and "-" not in written else None
        value = plain(number) if number is not None else written
        yield Quantity(kind, value, _LEVELS.get(level.lower(), ""), match.start(), match.end())
    for match in _ORDINAL_WORD.finditer(text):
        yield Quantity(kind, _ORDINAL_WORDS[match.group().lower()], "", match.start(), match.end())


def _canonical_url(url: str) -> str:
    scheme, separator, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    del scheme, separator
    return (
        host.lower().removeprefix("www.") + slash + path.rstrip("/")
        if path
        else host.lower().removeprefix("www.")
    )
