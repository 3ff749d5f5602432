import pytest

from core.contribution.antonyms import english_antonyms, japanese_antonyms
from core.contribution.polarity import antonym_mismatch, negation_mismatch, read_polarity


def mismatches(statement: str, source: str) -> tuple[bool, bool]:
    one, other = read_polarity(statement), read_polarity(source)
    return negation_mismatch(one, other), antonym_mismatch(one, other)


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("領収書は必要ありません。", "領収書が必要です。"),
        ("半日単位では取得できません。", "半日単位でも取得できます。"),
        ("誰もログインしていない。", "社員がログインしている。"),
        ("上限はあります。", "上限はありません。"),
        ("Half days are not possible.", "Half days are possible."),
        ("You can exchange vouchers.", "You can't exchange vouchers."),
        ("Nobody can sign in.", "Everybody can sign in."),
        ("The form works without a receipt.", "The form works with a receipt."),
    ],
)
def test_denying_what_the_source_affirms_is_a_mismatch(statement: str, source: str) -> None:
    assert mismatches(statement, source) == (True, False)
    assert mismatches(source, statement) == (True, False)


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("事前に申請しなければなりません。", "事前に申請します。"),
        ("平日だけでなく祝日も営業します。", "平日も祝日も営業します。"),
        ("少なくとも3日かかります。", "3日かかります。"),
        ("Apply no later than Friday.", "Apply by Friday."),
        ("It covers not only repairs but parts.", "It covers repairs and parts."),
        ("返金されません。", "返金はされません。"),
        ("The fee is not refunded.", "The fee isn't refunded."),
    ],
)
def test_a_negation_that_denies_nothing_is_no_mismatch(statement: str, source: str) -> None:
    assert mismatches(statement, source)[0] is False


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("5万円を下回る支出に承認が必要です。", "5万円を上回る支出に承認が必要です。"),
        ("12文字以下にします。", "12文字以上にします。"),
        ("料金は無料です。", "料金は有料です。"),
        ("Costs rose by 2%.", "Costs fell by 2%."),
        ("It starts below 35%.", "It starts above 35%."),
        ("The desk is open on Sundays.", "The desk is closed on Sundays."),
        ("At most 12 characters.", "At least 12 characters."),
    ],
)
def test_the_opposite_word_is_a_mismatch(statement: str, source: str) -> None:
    assert mismatches(statement, source)[1] is True


def test_a_source_with_both_words_opposes_neither() -> None:
    assert mismatches("Costs rose.", "Costs rose, then fell.")[1] is False


def test_every_opposite_is_known_from_both_sides() -> None:
    for antonyms in (english_antonyms(), japanese_antonyms()):
        assert all(word in antonyms[other] for word, others in antonyms.items() for other in others)
