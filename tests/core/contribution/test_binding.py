import pytest

from core.contribution.binding import binding_conflict

FOUNDED = "当社は1987年に横浜で創業し、2003年に本社を大阪へ移しました。"
PLANS = "The Basic plan costs $19 a month and allows up to 25 users. The Team plan costs $49 a month."
TRIPS = "国内出張の日当は一日2,500円、海外出張の日当は一日8,000円です。"


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("当社の創業は2003年です。", FOUNDED),
        ("The Team plan costs $19.", PLANS),
        ("海外出張の日当は2,500円です。", TRIPS),
    ],
)
def test_a_number_that_belongs_to_other_words_conflicts(statement: str, source: str) -> None:
    assert binding_conflict(statement, source) > 0


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("当社の創業は1987年です。", FOUNDED),
        ("The Team plan costs $49.", PLANS),
        ("国内出張の日当は2,500円です。", TRIPS),
        ("本社は2003年に大阪へ移りました。", FOUNDED),
    ],
)
def test_a_number_that_belongs_to_its_words_does_not(statement: str, source: str) -> None:
    assert binding_conflict(statement, source) == 0


def test_without_a_rival_or_a_number_there_is_no_conflict() -> None:
    assert binding_conflict("The Team plan costs $49.", "The Team plan costs $49.") == 0
    assert binding_conflict("The Team plan is new.", PLANS) == 0
    assert binding_conflict("", "") == 0
