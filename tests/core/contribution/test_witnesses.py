from collections.abc import Mapping

from core.contribution.measure import Evidence, measure
from core.contribution.statements import split_statements
from core.contribution.support import load_model
from core.contribution.witnesses import Pair, label_pairs
from core.domain import Evaluation, Verdict
from tests.core.contribution.refs import EXPENSES, LEAVE, lines_of

ANSWER = "領収書の画像を添付してください[1]。社員食堂は12時に開きます[1]。"
COUNTED: tuple[Verdict, ...] = ("supported", "uncited")


def judged(labels: Mapping[Pair, bool | None], answer: str = ANSWER) -> Evaluation:
    evidence = Evidence(lines_of(a=EXPENSES, b=LEAVE), cited={1: ["a"]})
    measured = measure(split_statements(answer), evidence, load_model())
    asked = {
        (s.statement, s.article_id): labels.get((s.statement, s.article_id), False) for s in measured.supports
    }
    return label_pairs(measured, asked, {"a": "1", "b": "1"}, COUNTED)


def test_the_label_of_a_judge_replaces_the_marks_of_the_answerer() -> None:
    assert judged({(0, "a"): True}).verdicts == ("supported", "unsupported")
    assert judged({(0, "a"): False}).verdicts == ("uncited", "unsupported")


def test_a_judge_alone_makes_nothing_supported() -> None:
    found = judged({(0, "a"): True, (1, "a"): True})
    assert found.verdicts[1] in ("unverified", "unsupported")
    assert {c.article_id: c.share for c in found.contributions} == {"a": 0.5, "b": 0.0}


def test_a_judge_that_fails_makes_the_pair_not_judged_and_leaves_it_out_of_the_share() -> None:
    answer = "領収書の画像を添付してください[1]。有給休暇は半日単位でも取得できます。"
    found = judged({(0, "a"): True, (1, "a"): None, (1, "b"): None}, answer)
    assert found.verdicts == ("supported", "not_judged")
    assert {c.article_id: c.share for c in found.contributions}["a"] == 1.0


def test_a_judge_that_fails_throughout_leaves_no_share() -> None:
    found = judged({(n, a): None for n in (0, 1) for a in "ab"})
    assert found.verdicts == ("not_judged", "not_judged")
    assert {c.share for c in found.contributions} == {None}


def test_a_pair_that_a_judge_was_not_asked_about_is_not_judged() -> None:
    evidence = Evidence(lines_of(a=EXPENSES), cited={1: ["a"]})
    measured = measure(split_statements("領収書の画像を添付してください[1]。"), evidence, load_model())
    assert label_pairs(measured, {}, {"a": "1"}, COUNTED).verdicts == ("not_judged",)


def test_greetings_stay_unjudged() -> None:
    assert judged({(1, "a"): True}, "こんにちは。領収書の画像を添付してください[1]。").verdicts == (
        "not_judged",
        "supported",
    )
