"""Find plain numbers and numbers with units, fractions and ranges in folded text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from core.text.numerals import AMOUNT, read_amount
from core.text.quantity import Quantity, plain
from core.text.units import CURRENCY_BEFORE, UNIT_AFTER, Unit, currency_of, unit_of

_NUMERAL = r"(?:\d+|[〇一二三四五六七八九十百千]+)"
_FRACTION = re.compile(
    rf"(?P<below>{_NUMERAL})分の(?P<above>{_NUMERAL})|(?<![\d./])(?P<top>\d{{1,3}})/"
    rf"(?P<bottom>\d{{1,3}})(?![\d/]|\.\d)"
    r"|(?P<sign>[½¼¾])"
    r"|(?<!and )(?<!and-)\b(?i:(?P<words>one|two|three|a)[ -](?P<part>third|quarter|fifth|half)s?)\b",
    re.ASCII,
)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5}
_SIGNS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4)}
_HALF_UNIT = re.compile(
    r"(?<![一-龥\d])半(?P<ja>日|年|月(?!板)|時間)(?!\d)"
    r"|(?<!and a )(?<!and-a-)\b[Hh]alf[ -](?:an? )?(?P<en>day|hour|year|month|minute|dozen)s?\b",
    re.ASCII,
)
_HALVES = {
    "日": ("0.5", "day"), "day": ("0.5", "day"), "年": ("6", "month"), "year": ("6", "month"),
    "月": ("0.5", "month"),
    "month": ("0.5", "month"), "時間": ("1800", "s"), "hour": ("1800", "s"),
    "minute": ("30", "s"), "dozen": ("6", ""),
}  # fmt: skip
_AND_A_HALF = re.compile(r"[ -]and[ -]a[ -]half(?=[ -])")
_HALF_AFTER = re.compile(r"半(?![日年月額分期角径])| and a half\b", re.ASCII)
_LIST_MARK = re.compile(r"(?:^|\n)[ \t]*(?:[-*>] )?\(?$")
_AFTER_LIST_MARK = re.compile(r"[.)．）](?:\s|$)")
_CITED = re.compile(r"[\[［【](?:注釈?|出典|note)? ?$")
_RANGE = re.compile(r"[ ]?(?:~|-|から|ないし|、|,|または|もしくは|or|to|/|\()[ ]?")
_SPAN = re.compile(r"[ ]?(?:~|-|から|to)[ ]?")
_NEGATIVE = re.compile(r"(?:(?:^|[\s(\[:=、。「（は約])-|マイナス[ ]?|\b[Mm]inus |[▲△][ ]?)$", re.ASCII)

_BARE = Unit("number", "")
# What follows a kanji numeral in words that only look like a number.
_NO_NUMBER_AFTER = re.compile(
    "番(?!地)|つ(?<=一つ)|人(?<=一人)(?=[でのひ一])|点(?<=一点)|種(?<=一種)(?!類)|[緒般部方切旦定括覧律致環様斉気体連層瞬見応概端向貫式屋重葉州輪夕角字元味]|"
    "[昨新家生面助手族文目夜流]|杯(?!\\d)|種の|代田|国(?!籍)|日[市月町酔中]|人前|時[的停保帰金払休預]|度(?!目)|本[化釣]|者択|枚岩|"
    "つ星|行(?!目)|点張|分(?!間|以内|以上|後|前|ほど|程度|未満|おき|ごと|毎|単位|半|\\d|[、。でをのに]?[0-9])"
)
IDIOMS = re.compile(
    "六本木|第三者|三回忌|二人三脚|十人十色|七つ道具|三日坊主|五月雨|五十音|[一二三]人称|三日月|一石二鳥|四捨五入|一期一会|"
    "八方|二十四節気|百貨店|千代|万一|万が一|一朝一夕|三々五々|十中八九|一長一短|一日の長|一人前|三人官女|七五三|八百長|八百屋|"
    "四六時中|二言|九十九里|一人ひとり|一人一人|一つ一つ|二つ返事|百人一首|千羽鶴|五輪|三種の神器"
)
"""Names and set phrases whose numerals count nothing."""

_NO_NUMBER_BEFORE = re.compile("[数何幾第唯統同単専随万均画真択逐]$")


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number with its unit, before it is converted to the base unit."""

    number: Decimal
    unit: Unit
    start: int
    end: int
    is_prefixed: bool = False

    @property
    def in_base(self) -> Decimal:
        return self.number * self.unit.factor


def find_fractions(text: str) -> Iterator[Quantity]:
    """Yield fractions, as numbers in lowest terms: 1/3, 3分の1, one third."""
    for match in _FRACTION.finditer(text):
        value = _fraction_value(match)
        if value is not None and not UNIT_AFTER.match(text, match.end()):
            number = Decimal(value.numerator) / value.denominator
            exact = number if Fraction(number) == value else value
            yield Quantity("number", plain(exact), "", match.start(), match.end())


def _fraction_value(match: re.Match[str]) -> Fraction | None:
    if match["sign"]:
        return _SIGNS[match["sign"]]
    if match["part"]:
        above = {"a": 1, "one": 1, "two": 2, "three": 3}[match["words"].lower()]
        return Fraction(above, _PARTS[match["part"].lower()])
    above_number = read_amount(match["above"] or match["top"])
    below_number = read_amount(match["below"] or match["bottom"])
    if not above_number or not below_number:
        return None
    return Fraction(int(above_number), int(below_number))


def find_half_units(text: str) -> Iterator[Quantity]:
    """Yield half a day, year, month or hour: 半日, 半年, half an hour."""
    for match in _HALF_UNIT.finditer(text):
        value, unit = _HALVES[match["ja"] or match["en"]]
        yield Quantity("duration" if unit else "number", value, unit, match.start(), match.end())


def find_amounts(text: str, taken: bytearray) -> Iterator[Quantity]:
    """Yield numbers and what their unit makes of them, in base units, from left to right.

    taken: nonzero where another kind of quantity has been found already.
    """
    amounts = [amount for match in AMOUNT.finditer(text) if (amount := _read(text, match, taken))]
    for amount in _merge_compounds(text, _share_units(text, amounts)):
        value = plain(amount.in_base)
        yield Quantity(amount.unit.kind, value, amount.unit.base, amount.start, amount.end)


def _read(text: str, match: re.Match[str], taken: bytearray) -> _Amount | None:
    start, end = match.span()
    if any(taken[start:end]):
        return None
    number = read_amount(match.group())
    if number is None:
        return None
    before = text[max(0, start - 12) : start]
    # "thirty (30) days": the unit stands behind the bracket.
    behind = end + 1 if before.endswith("(") and text[end : end + 1] == ")" else end
    unit_match = UNIT_AFTER.match(text, behind)
    if unit_match and any(taken[end : unit_match.end()]):
        unit_match = None
    if not _is_number(text, match, before, unit_match is not None):
        return None
    half_between = _AND_A_HALF.match(text, end)
    if half_between:
        number += Decimal("0.5")
        end = half_between.end()
        unit_match = UNIT_AFTER.match(text, end)
    negative = _NEGATIVE.search(before)
    currency = CURRENCY_BEFORE.search(before)
    if currency:
        signed = _NEGATIVE.search(before[: currency.start()])
        number = -number if signed else number
        return _Amount(number, currency_of(currency), start - len(currency.group()), end, is_prefixed=True)
    if negative:
        number = -number
        start -= len(negative.group().lstrip(" (:=、。「（は約[\n\t"))
    if not unit_match:
        return _Amount(number, _BARE, start, end)
    return _with_half(text, _Amount(number, unit_of(unit_match), start, unit_match.end()))


def _with_half(text: str, amount: _Amount) -> _Amount:
    """Add the half that follows a unit: 1時間半, an hour and a half."""
    half = _HALF_AFTER.match(text, amount.end)
    if not half or amount.unit.kind != "duration":
        return amount
    return replace(amount, number=amount.number + Decimal("0.5"), end=half.end())


def _is_number(text: str, match: re.Match[str], before: str, has_unit: bool) -> bool:
    """Say whether a match of AMOUNT is meant as a number here."""
    end = match.end()
    if match["digits"]:
        previous = before[-1:] or " "
        if previous.isascii() and (previous.isalpha() or previous in "_#"):
            return False
        is_citation = _CITED.search(before) and text[end : end + 1] in ("]", "］", "】")
        is_short = match.group().isdigit() and len(match.group()) <= 3
        is_listed = is_short and _AFTER_LIST_MARK.match(text, end) and _LIST_MARK.search(before)
        return not is_citation and not is_listed
    if match["words"]:
        return match["words"].lower() not in ("one", "zero") or has_unit or bool(_AND_A_HALF.match(text, end))
    looks_alike = _NO_NUMBER_AFTER.match(text, end) and not before.endswith("割")
    if looks_alike or _NO_NUMBER_BEFORE.search(before):
        return False
    if len(match.group()) > 1:
        return True
    previous = before[-1:]
    return has_unit and not ("一" <= previous <= "龥" and previous not in "約月週年日各計合毎最全割")


def _share_units(text: str, amounts: list[_Amount]) -> list[_Amount]:
    """Give the bare end of a range the unit of the other end: 3〜5日, ¥500-1,000."""
    shared = list(amounts)
    for index in range(len(shared) - 2, -1, -1):
        first, second = shared[index], shared[index + 1]
        if not _RANGE.fullmatch(text, first.end, second.start):
            continue
        if first.unit == _BARE and second.unit != _BARE and not second.is_prefixed:
            shared[index] = replace(first, unit=second.unit)
        elif first.is_prefixed and second.unit == _BARE and _SPAN.fullmatch(text, first.end, second.start):
            shared[index + 1] = replace(second, unit=first.unit)
    return shared


def _merge_compounds(text: str, amounts: list[_Amount]) -> Iterator[_Amount]:
    """Join 1時間30分, 1 hour 30 minutes, 1年6か月 and 2割5分 into one amount."""
    pending: _Amount | None = None
    for amount in amounts:
        if pending is not None and _continues(text, pending, amount):
            small = Decimal(1) if amount.unit.base != pending.unit.base else amount.unit.factor
            pending = replace(
                pending,
                number=pending.number + amount.number * small / pending.unit.factor,
                end=amount.end,
            )
            continue
        if pending is not None:
            yield pending
        pending = amount
    if pending is not None:
        yield pending


def _continues(text: str, first: _Amount, second: _Amount) -> bool:
    between = text[first.end : second.start]
    if first.unit.base == "%" and first.unit.factor == 10:
        return between == "" and text[second.start : second.end].endswith("分")
    if first.unit.kind != "duration" or first.unit.base != second.unit.base:
        return False
    return first.unit.factor > second.unit.factor and between.strip(" ,") in ("", "and", "と")
