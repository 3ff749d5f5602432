"""Find dates, weekdays and clock times in folded text, in Japanese and English notation."""

import re
from collections.abc import Callable, Iterator
from datetime import date

from core.text.numerals import read_amount
from core.text.quantity import Quantity

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = rf"(?i:(?P<month_name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))}))\b\.?"
_WEEKDAYS = {
    name: day
    for day, name in zip(
        ("mon", "tue", "wed", "thu", "fri", "sat", "sun") * 2,
        (
            "月", "火", "水", "木", "金", "土", "日",
            "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        ),
        strict=True,
    )
}  # fmt: skip
_ERAS = {
    "令和": 2018,
    "平成": 1988,
    "昭和": 1925,
    "大正": 1911,
    "明治": 1867,
    "R": 2018,
    "H": 1988,
    "S": 1925,
}
_N = r"[\d〇零一二三四五六七八九十百千]"
_DAY_EN = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR_EN = r"(?P<year>(?:19|20|21)\d\d)\b"

_MONTH_NAMES = "January|February|March|April|May|June|July|August|September|October|November|December"
_AFTER_PREPOSITION = (
    r"(?:(?<=[Ii]n )|(?<=[Ss]ince )|(?<=[Uu]ntil )|(?<=[Bb]y )|(?<=[Oo]f )|(?<=[Ff]rom )|(?<=[Dd]uring )"
    r"|(?<=[Ee]very )|(?<=[Ee]ach )|(?<=[Ll]ast )|(?<=[Nn]ext ))"
)
# By what a text must have for them to be tried.
_DATE_NOTATIONS = {
    "[年月]": (
        rf"(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})年(?![間代])(?P<fiscal>度)?"
        rf"(?:(?:[(（][^()（）\n]{{1,12}}[)）])?[ ]?"
        rf"(?P<month>{_N}{{1,3}})月(?!間)(?:[ ]?(?P<day>{_N}{{1,4}})日)?)?",
    ),
    "令和|平成|昭和|大正|明治|[RHS][ \\d元]": (
        rf"(?P<era>令和|平成|昭和|大正|明治|(?<![A-Za-z])[RHS])[ ]?(?P<year>元|{_N}{{1,3}})"
        rf"(?:年(?![間代])(?P<fiscal>度)?|[./](?=\d))"
        rf"(?:(?:[(（][^()（）\n]{{1,12}}[)）])?[ ]?"
        rf"(?P<month>{_N}{{1,3}})(?:月|[./](?=\d))(?:[ ]?(?P<day>{_N}{{1,4}})日?)?)?",
    ),
    "[毎翌当同来今先前各]月|month": (
        rf"(?:毎|翌々|翌|当|同|来|今|先|前|各)月の?(?P<day>{_N}{{1,3}})日(?!間)",
        rf"\bthe {_DAY_EN} (?:day )?of (?:each|every|the|this|next)(?: (?:following|next|same))? month\b",
    ),
    "月": (rf"(?<![\d.])(?P<month>{_N}{{1,3}})月(?!間)[ ]?(?P<day>{_N}{{1,4}})日(?!間)",),
    r"\d[-/.]\d": (
        r"(?<![\d./-])(?P<year>(?:19|20|21)\d\d)(?P<sep>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=sep)"
        r"(?P<day>0?[1-9]|[12]\d|3[01])(?![\d-])",
        r"(?<![\d/.-])(?P<month>1[0-2]|0?[1-9])/"
        r"(?P<day>3[01]|[12]\d|0?[1-9])(?=[(（][月火水木金土日]|から|まで|付|に|の|~)",
    ),
    r"\b(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)": (
        rf"\b{_MONTH} {_DAY_EN}(?:,? {_YEAR_EN})?",
        rf"\b{_DAY_EN}(?: of)? {_MONTH}(?:,? {_YEAR_EN})?",
        rf"\b{_MONTH},? {_YEAR_EN}",
        rf"\b{_AFTER_PREPOSITION}(?P<month_name>{_MONTH_NAMES})\b",
    ),
    "[一二三四五六七八九十\\d]月": (
        r"(?<![\d.〇一二三四五六七八九十百千])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?![間曜額])",
    ),
    r"FY|[12]\d{3}": (
        r"\bFY ?(?P<fiscal>(?:20)?\d\d)\b",
        rf"\b(?=[12]){_AFTER_PREPOSITION}(?P<year>(?:1[5-9]|20|21)\d\d)\b(?!\d|[,.:/%-]\d| [a-z]+s\b)",
        r"(?<![\dA-Za-z])(?P<decade>(?:1[5-9]|20)\d0)(?:年代|'?s\b)",
    ),
}
_DATE_PATTERNS = tuple(
    (re.compile(hint, re.ASCII), tuple(re.compile(pattern, re.ASCII) for pattern in patterns))
    for hint, patterns in _DATE_NOTATIONS.items()
)
_WEEKDAY = re.compile(
    r"(?P<ja>[月火水木金土日])曜日?|\b(?P<en>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b"
    r"|(?<=[\d日][(（])(?P<short>[月火水木金土日])(?=[)）])",
    re.ASCII,
)
_TIME = re.compile(
    rf"(?P<half>午前|午後|夜|朝|夕方)?(?P<hour>{_N}{{1,3}})時(?![間代点期])"
    rf"(?:(?P<minute>{_N}{{1,3}})分|(?P<half_past>半))?"
    r"|(?:(?P<half_en>午前|午後)[ ]?)?(?<![\d:.])(?P<hour_en>[0-2]?\d):(?P<minute_en>[0-5]\d)(?::[0-5]\d)?"
    r"(?![\d:])"
    r"(?:[ ]?(?P<meridiem>[AaPp]\.?[Mm]\b\.?))?"
    r"|(?<![\d:.])(?P<hour_only>1[0-2]|0?[1-9])[ ]?(?P<meridiem_only>[AaPp]\.?[Mm]\b\.?)"
    r"|(?P<named>正午|\b[Nn]oon\b|\b[Mm]idnight\b)",
    re.ASCII,
)


_HOUR_GOES_ON = re.compile("から|まで|頃|ごろ|過ぎ|前|ちょうど|~")


def find_dates(text: str) -> list[Quantity]:
    """List dates and weekdays, longer ones first; overlaps are the caller's to drop.

    A year of a Japanese era becomes the common one; missing parts are left out of the value. A fiscal
    year has the unit "fiscal_year", 1990s the unit "decade", a weekday the unit "weekday", any other date "".
    """
    patterns = [pattern for hint, group in _DATE_PATTERNS if hint.search(text) for pattern in group]
    dates = []
    for match in (match for pattern in patterns for match in pattern.finditer(text)):
        found = _date_value(match.groupdict())
        if found:
            dates.append(Quantity("date", found[0], found[1], match.start(), match.end()))
    for match in _WEEKDAY.finditer(text):
        name = match["ja"] or match["short"] or match["en"].lower()
        dates.append(Quantity("date", _WEEKDAYS[name], "weekday", match.start(), match.end()))
    return sorted(dates, key=lambda quantity: quantity.start - quantity.end)


def _date_value(parts: dict[str, str | None]) -> tuple[str, str] | None:
    year = _year(parts)
    name = parts.get("month_name")
    month = _MONTHS[name.lower()] if name else _integer(parts.get("month"))
    day = _integer(parts.get("day"))
    if parts.get("decade"):
        return parts["decade"] or "", "decade"
    if parts.get("fiscal") and not month:
        if year is None:
            short = int(parts["fiscal"] or 0)
            year = short if short > 99 else 2000 + short
        return f"{year:04d}", "fiscal_year"
    if month is not None and not _exists(year, month, day):
        return None
    if year is None and not month and not day:
        return None
    text = f"{year:04d}" if year is not None else "-"
    text += f"-{month:02d}" if month else "-" if day else ""
    return text + (f"-{day:02d}" if day else ""), ""


def _year(parts: dict[str, str | None]) -> int | None:
    text = parts.get("year")
    if text is None:
        return None
    number = 1 if text == "元" else _integer(text)
    era = parts.get("era")
    return number if number is None or not era else _ERAS[era] + number


def _integer(text: str | None) -> int | None:
    number = read_amount(text) if text else None
    return None if number is None else int(number)


def _exists(year: int | None, month: int, day: int | None) -> bool:
    try:
        date(year or 2000, month, day or 1)
    except ValueError:
        return False
    return True


def find_times(text: str) -> Iterator[Quantity]:
    """Yield clock times as HH:MM; unit "clock", or "clock12" where morning or afternoon is left open."""
    for match in _TIME.finditer(text):
        read: Callable[[re.Match[str]], Quantity | None] = _named_time if match["named"] else _clock_time
        found = read(match)
        if found:
            yield found


def _named_time(match: re.Match[str]) -> Quantity:
    value = "00:00" if match["named"].lower() == "midnight" else "12:00"
    return Quantity("time", value, "clock", match.start(), match.end())


def _clock_time(match: re.Match[str]) -> Quantity | None:
    hour_text = match["hour"] or match["hour_en"] or match["hour_only"]
    hour = _integer(hour_text)
    minute = _integer(match["minute"] or match["minute_en"]) or (30 if match["half_past"] else 0)
    if hour is None or hour > 30 or minute > 59:
        return None
    half = match["half"] or match["half_en"]
    if match["hour"] == "一" and not (half or minute or _HOUR_GOES_ON.match(match.string, match.end())):
        return None  # 一時 also means "for a while"
    meridiem = (match["meridiem"] or match["meridiem_only"] or "").lower()
    if half in ("午後", "夜", "夕方") or meridiem.startswith("p"):
        hour = hour + 12 if hour < 12 else hour
    elif half in ("午前", "朝") or meridiem.startswith("a"):
        hour = 0 if hour == 12 else hour
    told = bool(half or meridiem) or hour > 12 or hour == 0 or hour_text.startswith("0")
    unit = "clock" if told else "clock12"
    return Quantity("time", f"{hour:02d}:{minute:02d}", unit, match.start(), match.end())
