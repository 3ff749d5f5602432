"""Find addresses, phone numbers, versions, product codes and ordinals in folded text."""

import re
from collections.abc import Iterator

from core.text.latin import CJK
from core.text.numerals import read_amount
from core.text.quantity import Kind, Quantity, plain

_URL = re.compile(
    r"\b(?:https?|ftp)://[^\s<>\"'`「」『』（）()\[\]{}|\\^、。" + CJK + "]+"
    r"|\bwww\.[\w-]+(?:\.[\w-]+)+[\w/.?=&#%~-]*",
    re.ASCII,
)
_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}", re.ASCII
)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IP = re.compile(rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?:/\d{{1,2}}|:\d{{2,5}})?(?![\d.]*\d)", re.ASCII)
_PHONE = re.compile(
    r"(?<![\w-])(?:\+\d{1,3}[- ]?\(?\d{1,4}\)?(?:[- ]?\d{2,4}){2,3}|\(0\d{1,4}\)[ ]?\d{1,4}-\d{3,4}"
    r"|0\d{1,4}-\d{1,4}-\d{3,4}"
    r"|\d{3}[-.]\d{3}[-.]\d{4}|\(\d{3}\)[ ]?\d{3}-\d{4}|0[789]0\d{8}|0120\d{6})(?![\w-])",
    re.ASCII,
)
_EXTENSION = re.compile(
    r"(?:内線(?:番号)?(?:は|[ :])*|\b[Ee]xt(?:ension|\.)?:? ?(?:number )?)(\d{2,6})(?!\d)", re.ASCII
)
_POSTAL = re.compile(r"(?:〒|郵便番号(?:は|[ :])*)(\d{3})-?(\d{4})(?!\d)", re.ASCII)
_PRODUCTS = (
    "Python|Node(?:\\.js)?|Java|PHP|Ruby|Go|Android|iOS|macOS|Ubuntu|Debian|PostgreSQL|MySQL|Django|Pydantic|FastAPI|"
    "Chrome|Kubernetes|Docker|HTTP|TLS|Windows|Excel|OpenAPI"
)
_VERSION_WORD = r"(?:(?<![A-Za-z0-9])[vV](?:er(?:sion|\.)?)?[ .]?|バージョン[ ]?)"
_VERSION = re.compile(
    rf"(?<![\w.]){_VERSION_WORD}?(\d+(?:\.\d+){{2,}}(?:[-+]?(?:rc|alpha|beta|a|b|post|dev)\.?\d*)?)(?![\w.]*\d)"
    rf"|{_VERSION_WORD}(\d+(?:\.\d+)*)"
    rf"|\b(?:{_PRODUCTS})[ ](?:version )?v?(\d+(?:\.\d+)+)(?![\w.]*\d)",
    re.ASCII,
)
_CODE = re.compile(
    r"(?<![\w.-])(?!Q[1-4]\b)(?:[A-Z][A-Za-z]{0,9}(?:[-_][A-Za-z0-9]+)*[-_](?=[A-Za-z]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*"
    r"|(?<!,)00\d+|[A-Z]{1,6}\d+[A-Z0-9]*(?:[-_][A-Z0-9]+|\.\d+)*|\d+[A-Z]{2,}\d[A-Z0-9]*|0x[0-9A-Fa-f]{2,}"
    r"|(?:ISO|RFC|JIS|IEEE|IEC|DIN|PEP)[ ][A-Z]?[ ]?\d+)(?![\w]|-\w)",
    re.ASCII,
)
_NUMERAL = r"(?:\d+|[〇一二三四五六七八九十百千]+)"
_LEVEL_NAMES = (
    "article: article 条", "chapter: chapter 章", "section: section sec. 節", "paragraph: paragraph 項",
    "item: 号", "round: 回 回目", "edition: edition 版", "rank: place 位", "part: part 部", "table: table 表",
    "figure: figure fig. 図", "step: step 手順 ステップ", "page: page p. ページ目", "line: line 行目",
    "appendix: 付録", "day: 日目", "year: 年目", "quarter: quarter 四半期", "century: century 世紀",
    "term: 期",
    "generation: generation 世代", "grade: 級", "stage: 段階", "question: question 問", "example: example 例",
    "rule: rule", "phase: phase フェーズ", "level: level レベル",
)  # fmt: skip
_LEVELS = {name: row.split(":")[0] for row in _LEVEL_NAMES for name in row.split()[1:]}
_ORDINAL = re.compile(
    rf"第(?P<ja>{_NUMERAL})(?P<ja_level>条|章|節|項|号|回|版|位|部|四半期|期|世代|級|段階|番)?"
    rf"|(?<!第)(?P<nth>{_NUMERAL})(?P<nth_level>番目|ページ目|行目|日目"
    r"|年目|回目|世紀|条(?!件)|号(?![室機車線棟館])|位(?!置)|(?<=\d)番(?![地組号目]))"
    r"|(?P<en>\d+)(?:st|nd|rd|th)\b(?:[ -](?P<en_level>century|quarter|edition|generation|place)\b)?"
    r"|\bQ(?P<quarter>[1-4])\b"
    r"|(?:\b(?P<level>(?i:article|chapter|section|paragraph|part|table|figure|step|page|line|issue|question|example"
    r"|rule|phase|level)|[Ss]ec\.|[Ff]ig\.|[Nn]o\.|p\.)[ ]?"
    r"|(?<![一-龥])(?P<ja_before>表|図|手順|ステップ|付録|問|例|フェーズ|レベル)[ ]?|(?P<hash>\#))"
    r"(?P<number>\d+(?:[.-]\d+)*)(?![\w%]|,\d)",
    re.ASCII,
)
_ORDINAL_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=3
    )
}
_ORDINAL_WORD = re.compile(rf"\b(?i:{'|'.join(_ORDINAL_WORDS)})\b(?!-|s\b)", re.ASCII)


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
    for match in _POSTAL.finditer(text):
        yield Quantity("code", f"{match[1]}-{match[2]}", "postal", match.start(), match.end())
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
        written = match["ja"] or match["nth"] or match["en"] or match["quarter"] or match["number"]
        levels = ("ja_level", "nth_level", "en_level", "level", "ja_before")
        level = "quarter" if match["quarter"] else next((match[key] for key in levels if match[key]), "")
        if match["ja"] and written in "一1" and not level:
            continue  # 第一 alone means "above all"
        number = read_amount(written) if "." not in written and "-" not in written else None
        value = plain(number) if number is not None else written
        yield Quantity(kind, value, _LEVELS.get(level.lower(), ""), match.start(), match.end())
    for match in _ORDINAL_WORD.finditer(text):
        yield Quantity(kind, _ORDINAL_WORDS[match.group().lower()], "", match.start(), match.end())


def _canonical_url(url: str) -> str:
    host, slash, path = url.rpartition("://")[2].partition("/")
    host = host.lower().removeprefix("www.")
    return (host + slash + path).rstrip("/")
