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
_RANGE = re.compile(r"[ ]?(?:~|-|から|ないし|、|,|または|もしくは|or|to)[ ]?")
_SPAN = re.compile(r"[ ]?(?:~|-|から|to)[ ]?")
_NEGATIVE = re.compile(r"(?:(?:^|[\s(\[:=、。「（は約])-|マイナス[ ]?|\b[Mm]inus |[▲△][ ]?)$", re.ASCII)

_BARE = Unit("number", "")
# Words that only look like a kanji numeral with a unit.
_NO_NUMBER_AFTER = re.compile(
    r"番(?!地)|つ(?<=一つ)|人(?<=一人)(?=[でのひ一])|点(?<=一点)|緒|般|部|方|切|旦|定|括|覧|律|致|環|様|斉|気|体|連|層|瞬|杯(?!\d)|見|応|概|種の|端|向|貫|環|式|"
    r"屋|重|葉|代田|国(?!籍)|州|輪|夕|角|百屋|日市|日月|日町|日酔|人称|人ひとり|人一人|人前|時的|時停|時保|時帰|時金|時払|時休|時預|"
    r"度(?!目)|字|本化|本釣|元|者択|枚岩|味|種|つ星|行(?!目)|点張|昨|新|家|生|面|助|手|族|文|目|夜|流|"
    r"分(?!間|以内|以上|後|前|ほど|程度|未満|おき|ごと|毎|単位|半|\d|[、。でをのに]?[0-9])"
)
_NO_NUMBER_BEFORE = re.compile("[数何幾第唯統同単専随万均画真択逐]$")
_KANJI_UNIT_NEEDED = re.compile("[〇零一二三四五六七八九十百千壱弐]")


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
        if value is not None:
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
    unit_match = UNIT_AFTER.match(text, end)
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
        return not is_citation and not (_AFTER_LIST_MARK.match(text, end) and _LIST_MARK.search(before))
    if match["words"]:
        return match["words"].lower() not in ("one", "zero") or has_unit
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
