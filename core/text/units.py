"""Units, currencies and counters that follow or precede a number, with their base units."""

import re
from dataclasses import dataclass
from decimal import Decimal

from core.text.quantity import Kind


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number with this unit is: value times factor, in the base unit."""

    kind: Kind
    base: str
    factor: Decimal = Decimal(1)


def _table(kind: Kind, base: str, *rows: str) -> dict[str, Unit]:
    """Read rows of the form "factor: name name ..."; an underscore in a name stands for a space."""
    table = {}
    for row in rows:
        factor, _, names = row.partition(":")
        for name in names.split():
            table[name.replace("_", " ")] = Unit(kind, base, Decimal(factor))
    return table


_UNITS = {
    **_table("duration", "s", "0.001: ms msec millisecond milliseconds ミリ秒", "0.000001: μs µs マイクロ秒"),
    **_table("duration", "s", "1: s sec secs second seconds 秒間 秒", "60: min mins minute minutes 分間 分"),
    **_table("duration", "s", "3600: h hr hrs hour hours 時間"),
    **_table(
        "duration", "day", "1: day days 日間 日 calendar_days calendar_day 暦日", "7: week weeks 週間 週"
    ),
    **_table("duration", "business_day", "1: 営業日 business_days business_day working_days working_day"),
    **_table("duration", "business_day", "1: 稼働日 就業日"),
    **_table("duration", "month", "1: month months か月間 か月 ヶ月間 ヶ月 ケ月 カ月間 カ月 ヵ月 箇月 個月"),
    **_table(
        "duration", "month", "12: year years yr yrs 年間 年 ヵ年 か年 カ年", "3: 四半期 quarters quarter"
    ),
    **_table("percent", "%", "1: % パーセント percent pct per_cent", "10: 割"),
    **_table("percent", "point", "1: ポイント percentage_points percentage_point pt points"),
    **_table("money", "JPY", "1: 円 yen JPY 圓", "0.01: 銭"),
    **_table("money", "USD", "1: ドル 米ドル dollars dollar USD US_dollars", "0.01: セント cents cent"),
    **_table("money", "EUR", "1: ユーロ euros euro EUR €"),
    **_table("money", "GBP", "1: ポンド pounds_sterling GBP"),
    **_table("money", "CNY", "1: 人民元 元 yuan CNY RMB"),
    **_table("money", "KRW", "1: ウォン won KRW"),
    **_table("measure", "m", "1000: km ㎞ キロメートル kilometers kilometres kilometer kilometre"),
    **_table("measure", "m", "1: m メートル meters metres meter metre", "0.01: cm ㎝ センチメートル センチ"),
    **_table("measure", "m", "0.01: centimeters centimetres", "0.001: mm ㎜ ミリメートル millimeters ミリ"),
    **_table(
        "measure", "m", "0.000001: μm µm", "0.0254: inches inch インチ", "0.3048: ft feet foot フィート"
    ),
    **_table("measure", "m", "1609.344: miles mile マイル", "0.9144: yards yard"),
    **_table(
        "measure", "g", "1000: kg ㎏ キログラム kilograms kilogram kilos キロ", "1: g グラム grams gram"
    ),
    **_table("measure", "g", "0.001: mg ㎎ ミリグラム milligrams", "1000000: t トン tons ton tonnes"),
    **_table("measure", "g", "453.59237: lb lbs pounds pound", "28.349523125: oz ounces ounce"),
    **_table(
        "measure", "L", "1: L l リットル liters litres liter litre", "0.001: mL ml ㎖ ミリリットル cc ㏄"
    ),
    **_table("measure", "L", "0.001: milliliters millilitres milliliter millilitre", "0.01: cL cl"),
    **_table("measure", "L", "3.785411784: gallons gallon gal ガロン", "0.473176473: pints pint パイント"),
    **_table("measure", "L", "0.1: dL dl デシリットル"),
    **_table(
        "measure", "m2", "1: m2 m² ㎡ 平方メートル 平米 square_meters square_metres", "1000000: km2 km²"
    ),
    **_table("measure", "m3", "1: m3 m³ ㎥ 立方メートル"),
    **_table("measure", "byte", "1: bytes byte バイト B", "1000: KB kB キロバイト", "1000000: MB メガバイト"),
    **_table("measure", "byte", "1000000000: GB ギガバイト ギガ", "1000000000000: TB テラバイト テラ"),
    **_table("measure", "byte", "1024: KiB", "1048576: MiB", "1073741824: GiB", "1099511627776: TiB"),
    **_table("measure", "bit", "1: bits bit ビット"),
    **_table("measure", "bit/s", "1: bps", "1000: kbps Kbps", "1000000: Mbps", "1000000000: Gbps"),
    **_table("measure", "Hz", "1: Hz ヘルツ", "1000: kHz", "1000000: MHz", "1000000000: GHz"),
    **_table("measure", "W", "1: W ワット watts watt", "1000: kW キロワット"),
    **_table("measure", "Wh", "1: Wh", "1000: kWh キロワット時"),
    **_table("measure", "V", "1: V ボルト volts volt", "1000: kV"),
    **_table("measure", "A", "1: A アンペア amps amp", "0.001: mA"),
    **_table("measure", "Ah", "1: Ah", "0.001: mAh"),
    **_table("measure", "celsius", "1: ℃ °C 度C degrees_Celsius degrees_C"),
    **_table("measure", "fahrenheit", "1: °F ℉ degrees_Fahrenheit"),
    **_table("measure", "degree", "1: 度 ° degrees degree"),
    **_table("measure", "px", "1: px pixels pixel ピクセル 画素"),
    **_table("measure", "km/h", "1: km/h kph 時速"),
    **_table("measure", "dB", "1: dB デシベル"),
    **_table("measure", "J", "4.184: cal カロリー", "4184: kcal キロカロリー", "1: J ジュール"),
    **_table("measure", "rpm", "1: rpm"),
    **_table("measure", "fps", "1: fps"),
    **_table("measure", "token", "1: tokens token トークン"),
    **_table(
        "number", "person", "1: 人 名様 名 people persons person employees members users ユーザー ユーザ"
    ),
    **_table("number", "time", "1: 回 times 度目 回目"),
    **_table("number", "item", "1: 個 items item つ 点 件 pieces piece cases"),
    **_table("number", "page", "1: 頁 ページ pages page"),
    **_table("number", "character", "1: 文字 字 characters character chars"),
    **_table("number", "line", "1: 行 lines line rows 列 columns"),
    **_table("number", "sheet", "1: 枚 sheets"),
    **_table("number", "unit", "1: 台 units 基"),
    **_table("number", "company", "1: 社 companies"),
    **_table("number", "kind", "1: 種類 種 kinds types"),
    **_table("number", "age", "1: 歳 才 years_old"),
    **_table("number", "country", "1: か国 カ国 ヶ国 countries"),
    **_table("number", "fold", "1: 倍 fold x"),
    **_table("number", "long", "1: 本"),
    **_table("number", "book", "1: 冊 copies"),
    **_table("number", "shop", "1: 店舗 店 shops stores"),
    **_table("number", "place", "1: か所 カ所 ヶ所 箇所 places locations"),
    **_table("number", "household", "1: 世帯 households"),
    **_table("number", "floor", "1: 階 階建て floors"),
    **_table("number", "seat", "1: 席 seats"),
    **_table("number", "step", "1: 段階 steps"),
}

# These single letters are units only when they touch the number: "5 A" may be anything.
_TOUCHING = frozenset("AVWBJtshx")
_NAMES = sorted(_UNITS, key=len, reverse=True)
_LATIN = [name for name in _NAMES if name[-1].isascii() and name[-1].isalnum() and name[0].isascii()]
_TOUCHING_NAMES = [name for name in _LATIN if name in _TOUCHING]
_SPACED_NAMES = [name for name in _LATIN if name not in _TOUCHING]
_OTHERS = [name for name in _NAMES if name not in set(_LATIN)]

UNIT_AFTER = re.compile(
    rf"(?:[ -]?(?P<word>{'|'.join(map(re.escape, _SPACED_NAMES))})(?![A-Za-z0-9])"
    rf"|(?P<letter>{'|'.join(map(re.escape, _TOUCHING_NAMES))})(?![A-Za-z0-9])"
    rf"|[ ]?(?P<sign>{'|'.join(map(re.escape, _OTHERS))}))",
    re.ASCII,
)
"""A unit right behind a number."""

_CURRENCY_SIGNS = {
    "¥": "JPY", "\\": "JPY", "JPY": "JPY", "$": "USD", "US$": "USD", "USD": "USD", "€": "EUR", "EUR": "EUR",
    "£": "GBP",
    "GBP": "GBP", "A$": "AUD", "AUD": "AUD", "C$": "CAD", "CAD": "CAD", "CHF": "CHF", "CNY": "CNY",
    "RMB": "CNY", "₩": "KRW", "KRW": "KRW", "HK$": "HKD", "₹": "INR", "INR": "INR",
}  # fmt: skip
_SIGNS = "|".join(map(re.escape, sorted(_CURRENCY_SIGNS, key=len, reverse=True)))
CURRENCY_BEFORE = re.compile(
    rf"(?<![A-Za-z])(?P<sign>{_SIGNS})[ ]?$",
    re.ASCII,
)
"""A currency sign right before a number, at the end of the text before it."""


def unit_of(match: re.Match[str]) -> Unit:
    """Give the unit of a match of UNIT_AFTER."""
    return _UNITS[match["word"] or match["letter"] or match["sign"]]


def currency_of(match: re.Match[str]) -> Unit:
    """Give the currency of a match of CURRENCY_BEFORE."""
    return Unit("money", _CURRENCY_SIGNS[match["sign"]])
