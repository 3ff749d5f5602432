import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.features import (
    FEATURES,
    TermStats,
    count_terms,
    match_article,
    pair_features,
    read_article,
    weigh_statement,
)
from core.contribution.passages import passage_lines
from core.contribution.reading import read_statement, terms_of
from tests.core.contribution.refs import EXPENSES, LEAVE, REFUNDS


def features(
    statement: str, text: str, line: int = 0, stats: TermStats | None = None, title: str = ""
) -> dict[str, float]:
    lines = passage_lines(text, title=title)
    article = read_article(lines)
    weighed = weigh_statement(read_statement(statement), stats or TermStats())
    row = pair_features(weighed, match_article(weighed, article), lines[line], 0.5)
    return dict(zip(FEATURES, row, strict=True))


def test_a_copied_line_has_everything_and_nothing_against_it() -> None:
    found = features("有給休暇は入社6か月後に10日付与されます。", LEAVE)
    assert found == {
        **dict.fromkeys(FEATURES, 0.0),
        **dict.fromkeys(("window", "line", "clause", "pieces"), 1.0),
        "cosine": 0.5,
    }


def test_neighbours_and_heading_count_for_the_window_only() -> None:
    found = features("経費の領収書は5万円から承認が必要です。", EXPENSES, line=1, title="申請")
    assert found["window"] > found["line"] > 0
    assert features("申請", EXPENSES, line=1, title="申請")["window"] == 1.0


def test_rare_terms_weigh_more() -> None:
    stats = TermStats(1000, {"有給": 2, "賃金": 900})
    rare = features("有給の賃金", "有給です。", stats=stats)["line"]
    common = features("有給の賃金", "賃金です。", stats=stats)["line"]
    assert rare > 0.5 > common


def test_one_uncovered_clause_shows() -> None:
    covered = features("有給休暇は10日付与され、半日単位でも取得できます。", LEAVE)["clause"]
    added = features("有給休暇は10日付与され、未使用分は会社が翌月に買い取ります。", LEAVE)["clause"]
    assert covered > added


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("有給休暇は入社6か月後に20日付与されます。", "quantity_conflict"),
        ("有給休暇は入社6週間後に10日付与されます。", "quantity_conflict"),
        ("有給休暇は入社後に付与され、内線1234で確認できます。", "quantity_missing"),
    ],
)
def test_numbers_that_the_source_does_not_have_show(statement: str, name: str) -> None:
    assert features(statement, LEAVE)[name] > 0


@pytest.mark.parametrize("amount", ["5万円", "50,000円", "¥50,000", "５万円"])
def test_the_same_amount_in_another_notation_agrees(amount: str) -> None:
    found = features(f"{amount}を超える支出は事前に上長の承認が必要です。", EXPENSES, line=2)
    assert (found["quantity_missing"], found["quantity_conflict"], found["quantity_far"]) == (0, 0, 0)


def test_counting_one_or_two_things_is_no_conflict() -> None:
    source = "Of the snakes in the region, 20 venomous species belong to the vipers and the elapids."
    assert features("The 20 venomous species belong to two families.", source)["quantity_conflict"] == 0.0
    assert features("The 25 venomous species belong to the vipers.", source)["quantity_conflict"] == 1.0


def test_a_number_from_far_away_in_the_article_shows() -> None:
    lines = "取得する日の3営業日前までに申請してください。"
    article = f"{lines}上長が承認します。半日単位でも取れます。次の年に繰り越せます。繰り越しは20日までです。"
    assert features("申請は20日前までです。", article)["quantity_far"] > 0


def test_negation_and_opposites_count_as_far_as_the_line_is_about_the_statement() -> None:
    assert features("Vouchers can be exchanged for cash.", REFUNDS, line=2)["negation"] == 1.0
    assert 0 < features("Vouchers can be exchanged for cash at any bank.", REFUNDS, line=2)["negation"] < 1
    opposite = features(
        "A cancellation made more than 48 hours before the event is charged.", REFUNDS, line=1
    )
    assert opposite["antonym"] > 0
    assert opposite["negation"] == 0


def test_unknown_names_and_a_speaking_answerer_show() -> None:
    assert features("Refunds go to the original card at Barclays.", REFUNDS)["name"] == 1.0
    assert features("I think refunds go to the original card.", REFUNDS)["personal"] == 1.0
    assert features("I think so.", "I think so.")["personal"] == 0.0


def test_a_statement_without_terms_is_covered_by_nothing() -> None:
    found = features("ええ。", LEAVE)
    assert (found["window"], found["line"]) == (0.0, 0.0)


def test_stats_count_texts_not_occurrences() -> None:
    assert count_terms(["refund refund", "refund card"]) == TermStats(2, {"refund": 2, "card": 1})
    assert terms_of("refund refund") == ("refund",)


def test_control_characters_in_a_source_change_nothing() -> None:
    plain = features("Refunds go back to the card.", REFUNDS)
    assert (
        features("Refunds go back to the card.", REFUNDS.replace("card", "card\x00\x07"))["window"]
        == plain["window"]
    )


@given(st.text(max_size=80), st.text(min_size=1, max_size=120))
def test_every_feature_lies_between_0_and_1(statement: str, text: str) -> None:
    lines = passage_lines(text)
    if not lines:
        return
    article = read_article(lines)
    weighed = weigh_statement(read_statement(statement), TermStats())
    match = match_article(weighed, article)
    for line in lines:
        row = pair_features(weighed, match, line, float("nan"))
        assert math.isnan(row[FEATURES.index("cosine")])
        assert all(
            -1e-9 <= value <= 1 + 1e-9 for name, value in zip(FEATURES, row, strict=True) if name != "cosine"
        )
