"""Numbers, dates and codes, and the agreement of two texts on them."""

import datetime
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.text.quantities import Quantity, compare_quantities, find_quantities

_SAME_FACT: dict[tuple[str, str, str], list[str]] = {
    ("money", "50000", "JPY"): ["5万円", "50,000円", "¥50,000", "￥５０，０００", "50000 yen",
                                "JPY 50,000", "五万円"],
    ("money", "120000000", "JPY"): ["1億2,000万円", "1億2000万円", "120 million yen", "¥120,000,000",
                                    "一億二千万円"],
    ("money", "12.5", "USD"): ["$12.50", "US$12.5", "12.50ドル", "USD 12.50", "12.5 dollars"],
    ("money", "1500000", "USD"): ["$1.5 million", "150万ドル", "1,500,000 dollars"],
    ("duration", "30", "day"): ["三十日", "30日", "３０日間", "30 days", "thirty days", "30-day"],
    ("duration", "1", "month"): ["1か月", "1ヶ月", "一ヶ月", "1ケ月間", "one month", "1カ月"],
    ("duration", "6", "month"): ["半年", "6か月", "half a year", "six months"],
    ("duration", "0.5", "day"): ["半日", "half a day", "a half day", "0.5日"],
    ("duration", "14", "day"): ["2週間", "二週間", "two weeks", "14日", "14 days"],
    ("duration", "5400", "s"): ["1時間半", "1時間30分", "90分", "90 minutes", "1 hour 30 minutes",
                                "1.5 hours"],
    ("duration", "9000", "s"): ["2時間半", "two and a half hours", "2 and a half hours", "150 min"],
    ("duration", "3", "business_day"): ["3営業日", "三営業日", "3 business days", "three working days"],
    ("percent", "20", "%"): ["2割", "20%", "２０％", "20パーセント", "20 percent", "二割", "twenty percent"],
    ("percent", "25", "%"): ["2割5分", "二割五分", "25%"],
    ("duration", "18", "month"): ["one and a half years", "1年半", "18 months", "1年6か月",
                                 "1 year and 6 months"],
    ("time", "13:00", "clock"): ["午後一時", "13時", "1 pm"],
    ("time", "15:00", "clock"): ["午後3時", "15:00", "15時", "3 pm", "3:00 p.m.", "午後三時", "１５：００"],
    ("time", "09:30", "clock"): ["午前9時半", "09:30", "9:30 AM", "午前9時30分"],
    ("date", "2026-04-01", ""): [
        "2026年4月1日", "2026-04-01", "April 1, 2026", "令和8年4月1日", "1 April 2026", "2026/4/1", "R8.4.1",
        "Apr. 1st, 2026", "二〇二六年四月一日", "2026年（令和8年）4月1日", "令和8年（2026年）4月1日",
        "２０２６年４月１日",
    ],
    ("date", "--04-01", ""): ["4月1日", "April 1", "四月一日", "1st of April"],
    ("date", "--05-02", ""): ["5/2から", "5月2日"],
    ("date", "---25", ""): ["毎月25日", "翌月二十五日", "the 25th of each month", "the 25th of the month"],
    ("date", "2019", ""): ["2019年", "令和元年", "平成31年"],
    ("date", "2026-04", ""): ["2026年4月", "April 2026", "令和8年4月"],
    ("date", "2026", "fiscal_year"): ["2026年度", "FY2026", "令和8年度"],
    ("date", "1990", "decade"): ["1990年代", "1990s"],
    ("date", "mon", "weekday"): ["月曜日", "月曜", "Monday", "Mondays"],
    ("measure", "1500000000", "byte"): ["1.5GB", "1500 MB", "1.5ギガバイト", "1,500,000 KB"],
    ("measure", "5000", "m"): ["5km", "5 km", "5,000 m", "5キロメートル", "５㎞", "5 kilometers"],
    ("measure", "0.5", "g"): ["500mg", "0.5 g", "0.5グラム"],
    ("measure", "-5", "celsius"): ["-5℃", "マイナス5℃", "−5 °C"],
    ("number", "0.5", ""): ["1/2", "2分の1", "二分の一", "½", "one half"],
    ("number", "1/3", ""): ["1/3", "3分の1", "三分の一", "one third", "2/6"],
    ("number", "23", ""): ["23", "二十三", "twenty-three", "twenty three"],
    ("number", "1250000", ""): ["125万", "1,250,000", "1.25 million", "百二十五万"],
    ("number", "23400", ""): ["23,400", "2万3,400", "二万三千四百", "twenty-three thousand four hundred"],
    ("number", "3", "person"): ["3人", "三人", "3名", "three people"],
    ("ordinal", "3", "article"): ["第3条", "第三条", "Article 3", "3条"],
    ("ordinal", "5.2", "section"): ["section 5.2", "Sec. 5.2", "Section 5.2"],
    ("ordinal", "3", ""): ["3rd", "3番目", "third"],
    ("ordinal", "2", "quarter"): ["第2四半期", "Q2", "2nd quarter"],
    ("code", "0312345678", "phone"): ["03-1234-5678", "(03)1234-5678", "+81 3-1234-5678",
                                      "０３－１２３４－５６７８"],
    ("code", "1234", "extension"): ["内線1234", "内線番号は1234", "ext. 1234", "extension 1234"],
    ("code", "5551234567", "phone"): ["555-123-4567", "(555) 123-4567", "555.123.4567"],
    ("code", "100-0001", "postal"): ["〒100-0001", "〒１００－０００１", "郵便番号: 100-0001"],
    ("code", "00123", ""): ["00123", "００１２３"],
    ("code", "ABC-123", ""): ["ABC-123", "ＡＢＣ－１２３", "ABC_123"],
    ("version", "1.2.3", ""): ["v1.2.3", "1.2.3", "version 1.2.3", "バージョン1.2.3"],
    ("email", "help@example.co.jp", ""): ["help@example.co.jp", "Help@Example.co.jp"],
    ("url", "example.com/a/b?c=1", ""): ["https://example.com/a/b?c=1", "http://www.example.com/a/b?c=1"],
}  # fmt: skip


def _facts(text: str) -> list[tuple[str, str, str]]:
    return [(quantity.kind, quantity.value, quantity.unit) for quantity in find_quantities(text)]


@pytest.mark.parametrize(
    ("fact", "written"), [(fact, written) for fact, forms in _SAME_FACT.items() for written in forms]
)
def test_each_notation_of_a_fact_has_the_same_canonical_form(
    fact: tuple[str, str, str], written: str
) -> None:
    assert _facts(written) == [fact]


@pytest.mark.parametrize(
    ("fact", "written"), [(fact, written) for fact, forms in _SAME_FACT.items() for written in forms]
)
def test_a_fact_is_found_inside_sentences_of_both_languages(fact: tuple[str, str, str], written: str) -> None:
    for sentence in (f"これは{written}です。", f"資料（{written}）を見る。", f"It is {written}, they say."):
        assert fact in _facts(sentence), sentence


@pytest.mark.parametrize(
    "text",
    [
        "一番よい方法を一緒に考える。",
        "一般に、万一のときは千葉と三重へ行く。",
        "一部の人は十分に一度きりの一切を統一する。",
        "第一に、一つの例は一種の一人で一旦考える。",
        "数百の、何千もの、数十の",
        "九州と四国と八百屋",
        "第三者が六本木で二人三脚、十人十色の三日坊主。",
        "一時的に停止し、一日中、五十音順に並べる。",
        "no one knows; one of them does",
        "手順は次の通り。[1] 注[注釈 2]も参照。",
        "1. Open it\n2. Close it",
        "",
    ],
)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert find_quantities(text) == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("3〜5日", [("duration", "3", "day"), ("duration", "5", "day")]),
        ("3、4日", [("duration", "3", "day"), ("duration", "4", "day")]),
        ("3 to 5 days", [("duration", "3", "day"), ("duration", "5", "day")]),
        ("10-20%", [("percent", "10", "%"), ("percent", "20", "%")]),
        ("50/60Hz", [("measure", "50", "Hz"), ("measure", "60", "Hz")]),
        ("thirty (30) days", [("duration", "30", "day"), ("duration", "30", "day")]),
        ("$5-10", [("money", "5", "USD"), ("money", "10", "USD")]),
        ("9:00〜17:30", [("time", "09:00", "clock12"), ("time", "17:30", "clock")]),
    ],
)
def test_both_ends_of_a_range_have_its_unit(text: str, facts: list[tuple[str, str, str]]) -> None:
    assert _facts(text) == facts


def test_a_rule_of_a_company_is_read_completely() -> None:
    text = (
        "有給休暇は入社6か月後に10日付与され、3営業日前までに申請。月3,000円、内線1234、5万円を超える支出。"
    )
    assert _facts(text) == [
        ("duration", "6", "month"),
        ("duration", "10", "day"),
        ("duration", "3", "business_day"),
        ("money", "3000", "JPY"),
        ("code", "1234", "extension"),
        ("money", "50000", "JPY"),
    ]


def test_positions_point_into_the_text_as_given() -> None:
    text = "締切は２０２６年４月１日、費用は￥５０，０００です。"
    assert [text[quantity.start : quantity.end] for quantity in find_quantities(text)] == [
        "２０２６年４月１日",
        "￥５０，０００",
    ]


@given(
    st.text(alphabet="0123456789一二三十百千万円日月年時分半割%,.-/:〜 $¥abkmAB第条#(["), st.text(max_size=5)
)
def test_any_text_is_read_without_overlaps(text: str, more: str) -> None:
    found = find_quantities(text + more)
    assert all(0 <= quantity.start < quantity.end <= len(text + more) for quantity in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_equal_values_in_other_notation_are_matched() -> None:
    agreement = compare_quantities(
        "50,000円を超える支出は30 days以内に申請します。",
        "5万円を超える支出は、三十日以内に申請してください。",
    )
    assert [quantity.value for quantity in agreement.matched] == ["50000", "30"]
    assert agreement.conflicting == agreement.missing == ()


def test_another_value_of_the_same_unit_conflicts() -> None:
    agreement = compare_quantities("60日以内に申請します。", "30日以内に申請してください。5万円まで。")
    assert [(quantity.value, quantity.unit) for quantity in agreement.conflicting] == [("60", "day")]
    assert agreement.matched == agreement.missing == ()


def test_a_value_of_which_the_source_says_nothing_is_missing() -> None:
    agreement = compare_quantities("費用は5万円です。", "30日以内に申請してください。")
    assert agreement.missing == (Quantity("money", "50000", "JPY", 3, 6),)
    assert agreement.matched == agreement.conflicting == ()


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("施行は4月1日です。", "2026年4月1日に施行する。"),
        ("It took effect in 2026.", "Effective April 1, 2026."),
        ("It was founded in 1952.", "Founded 1952, it grew."),
        ("受付は3時までです。", "受付は午後3時まで。"),
        ("支給日は25日です。", "毎月25日に支給する。"),
        ("24時間以内に返信します。", "We reply within one day."),
        ("about 1.5 million users", "There were 1,512,345 users."),
        ("約150万人が使う。", "1,512,345人が利用した。"),
        ("費用は50,000円です。", "| 費用（円） | 50,000 |"),
        ("番号は1234です。", "内線1234へ連絡してください。"),
        ("the E-1042 error", "error code e-1042 means"),
        ("2001年9月4日に開園した。", "2001年（平成13年）9月4日に開園。"),
    ],
)
def test_a_less_exact_or_differently_placed_value_is_matched(statement: str, source: str) -> None:
    agreement = compare_quantities(statement, source)
    assert agreement.matched
    assert agreement.conflicting == agreement.missing == ()


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("施行は2026年5月1日です。", "2026年4月1日に施行する。"),
        ("It took effect in 2025.", "Effective April 1, 2026."),
        ("会議は火曜日です。", "会議は月曜日に行う。"),
        ("受付は午後4時までです。", "受付は午後3時まで。"),
        ("受付は4時までです。", "受付は午後3時まで。"),
        ("第4条による。", "第3条を適用する。"),
        ("2 hours", "It takes 3 hours."),
        ("エラー E-1043 です。", "エラー E-1042 のときは再起動する。"),
        ("It has four families.", "It has three families."),
        ("3割引きです。", "20%引きです。"),
        ("バージョン1.2.4が必要。", "バージョン1.2.3以上が必要。"),
        ("see https://example.com/b", "see https://example.com/a"),
        ("-5℃まで", "5℃まで"),
    ],
)
def test_a_changed_value_is_not_matched(statement: str, source: str) -> None:
    agreement = compare_quantities(statement, source)
    assert agreement.conflicting
    assert agreement.matched == ()


def test_a_bare_number_beside_other_words_is_missing_rather_than_conflicting() -> None:
    agreement = compare_quantities("It offers two solutions.", "Call 555 or press 123.")
    assert [quantity.value for quantity in agreement.missing] == ["2"]
    assert agreement.conflicting == ()


@pytest.mark.parametrize("unit", ["1", "一", "1,111", "1.1", "A1-", "two ", "+1 ", "1年", "a@", "1/"])
def test_long_runs_of_one_notation_come_to_an_end(unit: str) -> None:
    found = find_quantities(unit * (5_000 // len(unit)))
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_positions_hold_through_a_long_text() -> None:
    text = "期限は30日です。" * 1_000
    found = find_quantities(text)
    assert len(found) == 1_000
    assert {text[quantity.start : quantity.end] for quantity in found} == {"30日"}


def test_a_source_that_leaves_the_day_out_is_silent_on_it() -> None:
    agreement = compare_quantities("2026年4月1日に始まる。", "2026年4月に始まる。")
    assert [quantity.value for quantity in agreement.missing] == ["2026-04-01"]


_KANJI = dict(zip("0123456789", "〇一二三四五六七八九", strict=True))


def _in_kanji(number: int) -> str:
    """Write 1 to 99,999,999 in kanji."""
    if number >= 10_000:
        return _in_kanji(number // 10_000) + "万" + (_in_kanji(number % 10_000) if number % 10_000 else "")
    text = ""
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            text += ("" if digit == 1 and name else _KANJI[str(digit)]) + name
    return text


_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def _in_words(number: int) -> str:
    """Write 1 to 999,999,999 in English."""
    for scale, name in ((1_000_000, "million"), (1_000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = number % scale
            return f"{_in_words(number // scale)} {name}" + (f" {_in_words(rest)}" if rest else "")
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")


_NUMBERS = st.one_of(st.integers(2, 999), st.integers(1_000, 9_999_999))


def _notations(number: int) -> list[str]:
    full_width = str(number).translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})
    return [f"{number}円", f"{number:,}円", f"¥{number:,}", f"{full_width}円", f"{_in_kanji(number)}円",
            f"{number:,} yen", f"JPY {number}", f"{_in_words(number)} yen"]  # fmt: skip


@given(_NUMBERS, st.data())
def test_rewriting_a_number_keeps_agreement(number: int, data: st.DataObject) -> None:
    stated, given_ = (
        data.draw(st.sampled_from(_notations(number))),
        data.draw(st.sampled_from(_notations(number))),
    )
    agreement = compare_quantities(f"費用は{stated}です。", f"The fee is {given_}.")
    assert [quantity.value for quantity in agreement.matched] == [str(number)], (stated, given_)
    assert agreement.conflicting == agreement.missing == ()


@given(_NUMBERS, _NUMBERS, st.data())
def test_another_number_breaks_agreement(number: int, other: int, data: st.DataObject) -> None:
    assume(number != other)
    stated, given_ = (
        data.draw(st.sampled_from(_notations(number))),
        data.draw(st.sampled_from(_notations(other))),
    )
    agreement = compare_quantities(f"費用は{stated}です。", f"The fee is {given_}.")
    assert [quantity.value for quantity in agreement.conflicting] == [str(number)], (stated, given_)
    assert agreement.matched == agreement.missing == ()


@given(st.dates(datetime.date(1990, 1, 1), datetime.date(2099, 12, 30)), st.data())
def test_rewriting_a_date_keeps_agreement(day: datetime.date, data: st.DataObject) -> None:
    forms = [day.isoformat(), f"{day.year}年{day.month}月{day.day}日", f"{day.year}/{day.month}/{day.day}",
             f"{day.strftime('%B')} {day.day}, {day.year}",
             f"{day.day} {day.strftime('%b')} {day.year}"]  # fmt: skip
    stated, given_ = data.draw(st.sampled_from(forms)), data.draw(st.sampled_from(forms))
    agreement = compare_quantities(f"期限は{stated}です。", f"The deadline: {given_}")
    assert [quantity.value for quantity in agreement.matched] == [day.isoformat()], (stated, given_)
    later = compare_quantities(
        f"期限は{stated}です。", f"The deadline: {(day + datetime.timedelta(days=1)).isoformat()}"
    )
    assert later.matched == ()
    assert later.conflicting


@pytest.mark.parametrize(
    "same", [("250 millilitres", "0.25 L"), ("2 gallons", "2ガロン"), ("50 milliliters", "50ml")]
)
def test_volumes_are_the_same_in_every_spelling(same: tuple[str, str]) -> None:
    one, other = (find_quantities(text) for text in same)
    assert [(q.value, q.unit) for q in one] == [(q.value, q.unit) for q in other]
