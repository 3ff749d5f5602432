import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.labels import (
    LABEL_VERDICTS,
    LabelVerdict,
    Said,
    is_disputed,
    measure_agreement,
    settle,
)

verdicts = st.lists(st.sampled_from(LABEL_VERDICTS), max_size=5)


@pytest.mark.parametrize(
    ("said", "settled", "disputed"),
    [
        ([], None, False),
        (["supported"], "supported", False),
        (["unsupported", "unsupported"], "unsupported", False),
        (["supported", "unsupported"], None, True),
        (["supported", "unsupported", "unsupported"], "unsupported", False),
        (["supported", "unclear"], "supported", False),
        (["unclear"], "unclear", False),
        (["unclear", "unclear"], "unclear", False),
        (["supported", "unsupported", "unclear"], None, True),
    ],
)
def test_a_third_person_resolves_what_two_disagree_on(
    said: list[LabelVerdict], settled: LabelVerdict | None, disputed: bool
) -> None:
    assert settle(said) == settled
    assert is_disputed(said) is disputed


@given(verdicts)
def test_the_order_of_labels_changes_nothing(said: list[LabelVerdict]) -> None:
    assert settle(said) == settle(said[::-1])


@given(verdicts.filter(bool))
def test_one_more_yes_never_turns_a_yes_into_a_no(said: list[LabelVerdict]) -> None:
    if settle(said) == "supported":
        assert settle([*said, "supported"]) == "supported"


def labelled(*rows: str) -> list[list[Said]]:
    """Each row: verdicts of ana, ben and cho as +, - or ?, a blank for none."""
    meaning: dict[str, LabelVerdict] = {"+": "supported", "-": "unsupported", "?": "unclear"}
    names = ("ana", "ben", "cho")
    return [
        [Said(name, meaning[mark]) for name, mark in zip(names, row, strict=False) if mark in meaning]
        for row in rows
    ]


def test_agreement_beyond_chance_is_kappa() -> None:
    (one,) = measure_agreement(labelled(*["++"] * 20, *["--"] * 15, *["+-"] * 5, *["-+"] * 10))
    assert (one.labellers, one.pairs, one.share) == (("ana", "ben"), 50, 0.7)
    assert one.kappa == pytest.approx(0.4)
    assert one.interval is not None
    assert one.interval[0] < 0.4 < one.interval[1]


def test_only_pairs_that_both_judged_count() -> None:
    found = measure_agreement(labelled("++", "+", " +", "--", "+ +", "?? "))
    assert [(one.labellers, one.pairs) for one in found] == [(("ana", "ben"), 3), (("ana", "cho"), 1)]


def test_nobody_in_common_is_no_agreement() -> None:
    assert measure_agreement(labelled("+", " -")) == []
