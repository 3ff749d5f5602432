from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contribution.features import TermStats
from core.contribution.measure import Evidence, MeasureSettings, measure, sum_contributions
from core.contribution.passages import passage_lines
from core.contribution.statements import split_statements
from core.contribution.support import PairVectors, load_model
from core.domain import Contribution, Evaluation, LineRef, Statement, Support, Verdict
from tests.core.contribution.refs import EXPENSES, LEAVE, REFUNDS, UNRELATED, lines_of, statement

MODEL = load_model()
SENTENCES = [line.line.text for text in (LEAVE, EXPENSES, REFUNDS) for line in passage_lines(text)]


def evaluate(answer: str, evidence: Evidence, chosen: MeasureSettings | None = None) -> Evaluation:
    return measure(split_statements(answer), evidence, MODEL, chosen)


def shares(evaluation: Evaluation) -> dict[str, float | None]:
    return {item.article_id: item.share for item in evaluation.contributions}


def by_article(evaluation: Evaluation) -> dict[str, Contribution]:
    return {item.article_id: item for item in evaluation.contributions}


def pair_verdicts(evaluation: Evaluation) -> dict[tuple[int, str], Verdict]:
    return {(pair.statement, pair.article_id): pair.verdict for pair in evaluation.supports}


def test_a_copied_and_cited_line_is_supported() -> None:
    found = evaluate("領収書の画像を添付してください[1]。", Evidence(lines_of(a=EXPENSES), {1: ["a"]}))
    assert found.verdicts == ("supported",)
    assert found.supports[0].line_text == "領収書の画像を添付してください。"
    assert found.supports[0].probability is not None
    assert found.supports[0].probability > 0.9
    assert found.evaluator == MODEL.version


def test_a_statement_that_cites_one_article_and_comes_from_another() -> None:
    answer = "領収書の画像を添付してください[1]。"
    found = evaluate(answer, Evidence(lines_of(a=LEAVE, b=EXPENSES), {1: ["a"], 2: ["b"]}))
    assert pair_verdicts(found) == {(0, "a"): "unverified", (0, "b"): "uncited"}
    assert found.verdicts == ("uncited",)
    assert shares(found) == {"a": 0.0, "b": 1.0}


def test_a_citation_that_the_check_refutes_is_unverified() -> None:
    found = evaluate("有給休暇は入社6か月後に20日付与されます[1]。", Evidence(lines_of(a=LEAVE), {1: ["a"]}))
    assert found.verdicts == ("unverified",)
    assert by_article(found)["a"].statements == 0


def test_what_nothing_says_is_unsupported() -> None:
    found = evaluate("社員食堂は12時に開きます。", Evidence(lines_of(a=LEAVE)))
    assert found.verdicts == ("unsupported",)
    assert shares(found) == {"a": 0.0}


def test_shares_are_of_judged_statements_only() -> None:
    answer = (
        "こんにちは。領収書の画像を添付してください。社員食堂は12時に開きます。ほかにご質問はありますか。"
    )
    found = evaluate(answer, Evidence(lines_of(a=EXPENSES)))
    assert found.verdicts == ("not_judged", "uncited", "unsupported", "not_judged")
    assert shares(found) == {"a": 0.5}


def test_an_answer_without_statements_has_no_share() -> None:
    for answer in ("", "こんにちは。", "```\nprint(1)\n```"):
        found = evaluate(answer, Evidence(lines_of(a=EXPENSES)))
        assert [(item.share, item.sole_share) for item in found.contributions] == [(None, None)]


def test_what_two_articles_say_is_sole_for_neither() -> None:
    found = by_article(evaluate(EXPENSES, Evidence(lines_of(a=EXPENSES, b=EXPENSES, c=LEAVE))))
    assert (found["a"].share, found["a"].sole_share) == (1.0, 0.0)
    assert (found["b"].share, found["b"].sole_share) == (1.0, 0.0)
    assert found["c"].share == 0.0


def test_an_exposed_article_without_lines_has_an_explicit_zero() -> None:
    evidence = Evidence(lines_of(a=EXPENSES), exposed={"a": "1", "gone": "7"})
    found = by_article(evaluate(EXPENSES, evidence))
    assert (found["gone"].share, found["gone"].version, found["gone"].strongest) == (0.0, "7", None)


def test_a_citation_of_a_deleted_article_cannot_be_judged() -> None:
    evidence = Evidence([], cited={1: ["gone"]}, exposed={"gone": "7"})
    found = evaluate("領収書の画像を添付してください[1]。", evidence)
    assert found.verdicts == ("not_judged",)
    assert shares(found) == {"gone": None}


def test_a_deleted_article_beside_a_living_one_leaves_the_check_to_the_other() -> None:
    evidence = Evidence(lines_of(a=EXPENSES), cited={1: ["gone"]}, exposed={"gone": "7", "a": "1"})
    found = evaluate("領収書の画像を添付してください[1]。", evidence)
    assert pair_verdicts(found) == {(0, "gone"): "not_judged", (0, "a"): "uncited"}
    assert shares(found) == {"a": 1.0, "gone": 0.0}


def test_an_article_that_was_not_exposed_is_asked_only_where_nothing_exposed_supports() -> None:
    answer = "領収書の画像を添付してください。Vouchers cannot be exchanged for cash."
    evidence = Evidence(lines_of(a=EXPENSES, copy=EXPENSES, found=REFUNDS), exposed={"a": "1"})
    found = evaluate(answer, evidence)
    assert pair_verdicts(found) == {(0, "a"): "uncited", (1, "found"): "uncited"}
    missed = by_article(found)["found"]
    assert (missed.exposed, missed.share) == (False, 0.5)
    assert "copy" not in by_article(found)
    assert [pair.exposed for pair in found.supports] == [True, False]


def test_the_line_of_a_pair_is_whole_so_that_its_hash_is_that_of_the_article() -> None:
    long = "領収書の画像を添付してください、" * 30 + "必ず。"
    found = evaluate(long, Evidence(lines_of(a=long)))
    assert found.supports[0].line_text == long


def test_settings_decide_what_counts() -> None:
    evidence = Evidence(lines_of(a=EXPENSES), {1: ["a"]})
    answer = "領収書の画像を添付してください[1]。支払った日から30日以内に申請します。"
    assert shares(evaluate(answer, evidence)) == {"a": 1.0}
    strict = MeasureSettings(counted=frozenset({"supported"}))
    assert shares(evaluate(answer, evidence, strict)) == {"a": 0.5}
    assert shares(evaluate(answer, evidence, MeasureSettings(threshold=0.9999))) == {"a": 0.0}


def test_vectors_that_say_nothing_are_as_good_as_none() -> None:
    lines = lines_of(a=EXPENSES, b=LEAVE)
    broken = np.full((len(lines), 4), np.nan, dtype=np.float32)
    broken[0] = 0
    statements = np.zeros((5, 4), dtype=np.float32)
    statements[0] = np.inf
    with_broken = evaluate(EXPENSES, Evidence(lines, vectors=PairVectors(statements, broken)))
    assert with_broken == evaluate(EXPENSES, Evidence(lines))


def test_a_near_vector_raises_the_probability() -> None:
    lines = lines_of(a="Vouchers stay valid for a year.")
    answer = "Vouchers expire after twelve months."
    one = np.array([[1.0, 0.0]], dtype=np.float32)
    far = np.array([[0.0, 1.0]], dtype=np.float32)

    def probability(vectors: PairVectors) -> float:
        found = evaluate(answer, Evidence(lines, vectors=vectors)).supports[0].probability
        assert found is not None
        return found

    assert probability(PairVectors(one, one)) > probability(PairVectors(one, far))


def test_sums_without_judged_statements_are_none() -> None:
    pair = Support(0, "a", "1", 0, "", label=True, probability=0.9, verdict="supported")
    assert sum_contributions([pair], 0, {"a": "1"})[0].share is None


@pytest.mark.parametrize("source", [LEAVE, EXPENSES, REFUNDS])
def test_every_copied_sentence_is_supported_and_every_changed_number_is_not(source: str) -> None:
    evidence = Evidence(lines_of(a=source))
    assert set(evaluate(source, evidence).verdicts) == {"uncited"}
    for old, new in (
        ("10日", "25日"),
        ("3営業日", "9営業日"),
        ("30日", "45日"),
        ("5万円", "8万円"),
        ("14 days", "40 days"),
    ):
        if old in source:
            changed = next(
                line.line.text for line in passage_lines(source.replace(old, new)) if new in line.line.text
            )
            assert evaluate(changed, evidence).verdicts == ("unsupported",), changed


articles = st.dictionaries(
    st.sampled_from("abcd"),
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)
answers = st.lists(
    st.sampled_from(
        [*SENTENCES, "社員食堂は12時に開きます。", "こんにちは。", "Parking is free on Sundays."]
    ),
    min_size=1,
    max_size=6,
)


def _lines(chosen: dict[str, list[str]]) -> list[LineRef]:
    return lines_of(**{name: " ".join(sentences) for name, sentences in chosen.items()})


def _statements(texts: list[str]) -> list[Statement]:
    return [
        replace(statement(text, index), judged=text != "こんにちは。") for index, text in enumerate(texts)
    ]


@settings(deadline=None, max_examples=40)
@given(articles, answers)
def test_shares_are_shares(chosen: dict[str, list[str]], texts: list[str]) -> None:
    found = measure(_statements(texts), Evidence(_lines(chosen)), MODEL)
    for item in found.contributions:
        if item.share is not None:
            assert item.sole_share is not None
            assert 0 <= item.sole_share <= item.share <= 1
    assert {item.article_id for item in found.contributions} == set(chosen)


@settings(deadline=None, max_examples=30)
@given(articles, answers)
def test_saying_everything_twice_changes_no_share(chosen: dict[str, list[str]], texts: list[str]) -> None:
    evidence = Evidence(_lines(chosen))
    once, twice = (measure(_statements(said), evidence, MODEL) for said in (texts, texts * 2))
    assert shares(twice) == pytest.approx(shares(once))


@settings(deadline=None, max_examples=30)
@given(articles, answers, st.randoms(use_true_random=False))
def test_the_order_of_sources_changes_nothing(
    chosen: dict[str, list[str]], texts: list[str], random: Random
) -> None:
    lines = _lines(chosen)
    mixed = list(lines)
    random.shuffle(mixed)
    statements = _statements(texts)
    assert measure(statements, Evidence(lines), MODEL) == measure(statements, Evidence(mixed), MODEL)


@settings(deadline=None, max_examples=30)
@given(articles, answers)
def test_an_unrelated_article_changes_nothing(chosen: dict[str, list[str]], texts: list[str]) -> None:
    stats = TermStats()
    lines, statements = _lines(chosen), _statements(texts)
    before = measure(statements, Evidence(lines, stats=stats), MODEL)
    after = measure(statements, Evidence([*lines, *lines_of(zzz=UNRELATED)], stats=stats), MODEL)
    assert after.verdicts == before.verdicts
    assert [item for item in after.contributions if item.article_id != "zzz"] == list(before.contributions)
    assert by_article(after)["zzz"].statements == 0


def test_a_sentence_said_twice_is_judged_twice_by_its_own_citation() -> None:
    text = passage_lines(LEAVE)[0].line.text
    said = [statement(text, 0, (1,)), statement(text, 1)]
    evidence = Evidence(lines=lines_of(leave=LEAVE), cited={1: ["leave"]})
    evaluation = measure(said, evidence, MODEL)
    assert evaluation.verdicts == ("supported", "uncited")
    first, second = evaluation.supports
    assert (first.probability, first.features) == (second.probability, second.features)
