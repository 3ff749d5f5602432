from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contribution.decisions import (
    Pairs,
    decide_pairs,
    decide_statements,
    name_evaluator,
    rename_evaluator,
    rescore,
    sum_pairs,
)
from core.contribution.features import FEATURES
from core.contribution.measure import VERDICT_ORDER, Evidence, MeasureSettings, measure
from core.contribution.passages import passage_lines
from core.contribution.support import as_row, load_model
from core.domain import Evaluation, Verdict
from tests.core.contribution.refs import EXPENSES, LEAVE, REFUNDS, lines_of, statement

MODEL = load_model()
SENTENCES = [line.line.text for text in (LEAVE, EXPENSES, REFUNDS) for line in passage_lines(text)]
MIXED = [*SENTENCES, "Refunds take 14 days.", "休暇は半日でも取れます。", "社員食堂は12時に開きます。"]
COUNTED: tuple[Verdict, ...] = ("supported", "uncited")


def pairs_of(evaluation: Evaluation) -> Pairs:
    supports = evaluation.supports
    said = [np.nan if s.probability is None else s.probability for s in supports]
    return Pairs(
        statements=np.array([s.statement for s in supports], dtype=np.int64),
        labels=np.array([s.label for s in supports], dtype=bool),
        probabilities=np.array(said, dtype=np.float64),
        compared=np.array([s.line is not None for s in supports], dtype=bool),
        judged=np.array([s.verdict != "not_judged" for s in supports], dtype=bool),
        exposed=np.array([s.exposed for s in supports], dtype=bool),
    )


def names(codes: np.ndarray[tuple[int], np.dtype[np.int8]]) -> list[Verdict]:
    return [VERDICT_ORDER[code] for code in codes]


answers = st.lists(
    st.tuples(st.sampled_from(MIXED), st.sampled_from([(), (1,), (2,)])), min_size=1, max_size=6
)
articles = st.dictionaries(
    st.sampled_from("abcd"),
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(articles, answers, st.sampled_from([0.05, 0.3, 0.5, 0.9, 0.999]))
def test_deciding_stored_pairs_anew_is_measuring_anew_with_that_threshold(
    chosen: dict[str, list[str]], said: list[tuple[str, tuple[int, ...]]], threshold: float
) -> None:
    lines = lines_of(**{name: " ".join(sentences) for name, sentences in chosen.items()})
    evidence = Evidence(lines, cited={1: ["a"], 2: ["b"]})
    stated = [statement(text, ordinal, cited) for ordinal, (text, cited) in enumerate(said)]
    before = measure(stated, evidence, MODEL)
    after = measure(stated, evidence, MODEL, MeasureSettings(threshold=threshold))
    pairs = pairs_of(before)
    codes = decide_pairs(pairs, threshold, MODEL.rival_odds)
    assert names(codes) == [support.verdict for support in after.supports]
    assert names(decide_statements(pairs.statements, codes, len(stated))) == list(after.verdicts)
    wanted = {c.article_id: c for c in after.contributions}
    ids = sorted(wanted)
    owners = np.array([ids.index(s.article_id) for s in before.supports], dtype=np.int64)
    sums = sum_pairs(owners, len(ids), pairs, codes, COUNTED)
    assert sums.carried.tolist() == [wanted[id_].statements for id_ in ids]
    soles = [round((wanted[id_].sole_share or 0.0) * len(stated)) for id_ in ids]
    assert sums.sole.tolist() == soles
    strongest = [None if np.isnan(one) else float(one) for one in sums.strongest]
    assert strongest == [wanted[id_].strongest for id_ in ids]


def test_features_that_were_stored_give_the_probability_again() -> None:
    measured = measure(
        [statement(text, n) for n, text in enumerate(MIXED)], Evidence(lines_of(a=LEAVE, b=EXPENSES)), MODEL
    )
    rows = np.vstack([as_row(pair.features) for pair in measured.supports]).astype(np.float32)
    nobody = np.full(len(rows), np.nan)
    again = rescore(MODEL, rows.astype(np.float64), nobody, 0.3)
    assert again == pytest.approx([pair.probability for pair in measured.supports], abs=1e-5)


def test_a_verifier_is_heard_again_when_features_are_scored_anew() -> None:
    stated = [statement("Refunds take 14 days.")]
    evidence = Evidence(lines_of(a=REFUNDS), verified={(0, "a"): 0.99})
    measured = measure(stated, evidence, MODEL).supports[0]
    row = as_row(measured.features)
    again = rescore(MODEL, row, np.array([measured.features["verifier"]]), 0.3)
    assert float(again[0]) == pytest.approx(measured.probability)
    assert float(again[0]) > float(MODEL.probabilities(row)[0])


def one(*, exposed: bool, probability: float, statement: int = 0, label: bool = False) -> Pairs:
    return Pairs(
        np.array([statement]),
        np.array([label]),
        np.array([probability]),
        *(np.array([True]),) * 2,
        np.array([exposed]),
    )


def joined(*parts: Pairs) -> Pairs:
    return Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in Pairs.__slots__))


def test_an_article_that_was_not_exposed_counts_only_where_no_exposed_one_does() -> None:
    both = joined(one(exposed=True, probability=0.6), one(exposed=False, probability=0.9))
    assert names(decide_pairs(both, 0.5, 1.8)) == ["uncited", "unsupported"]
    assert names(decide_pairs(both, 0.7, 1.8)) == ["unsupported", "uncited"]


def test_what_could_not_be_judged_stays_so_whatever_the_threshold() -> None:
    failed = replace(one(exposed=True, probability=0.9), judged=np.array([False]))
    for threshold in (0.0, 0.5, 1.0):
        codes = decide_pairs(failed, threshold, 1.8)
        assert names(codes) == ["not_judged"]
        assert names(decide_statements(failed.statements, codes, 1)) == ["not_judged"]


def test_a_statement_without_pairs_is_unsupported() -> None:
    nothing = np.array([], dtype=np.int64)
    assert names(decide_statements(nothing, nothing.astype(np.int8), 2)) == ["unsupported", "unsupported"]


def test_no_pairs_at_all_are_no_reason_to_fail() -> None:
    nothing = joined(one(exposed=True, probability=0.5))
    empty = Pairs(*(getattr(nothing, name)[:0] for name in Pairs.__slots__))
    codes = decide_pairs(empty, 0.5, 1.8)
    assert len(codes) == 0
    assert sum_pairs(empty.statements, 1, empty, codes, COUNTED).carried.tolist() == [0]


def test_the_recorded_name_tells_coefficients_threshold_and_witnesses() -> None:
    assert name_evaluator("kiyo-support-1") == "kiyo-support-1"
    assert name_evaluator("kiyo-support-1", 0.625, "judge:m") == "kiyo-support-1@0.625+judge:m"
    assert rename_evaluator("kiyo-support-1@0.625+judge:m", "mine-2", None) == "mine-2+judge:m"


def test_the_order_of_features_is_what_was_stored() -> None:
    assert as_row({name: float(place) for place, name in enumerate(FEATURES)})[0].tolist() == list(
        range(len(FEATURES))
    )


def test_statements_keep_their_own_pairs_apart() -> None:
    two = joined(
        one(exposed=True, probability=0.9, label=True), one(exposed=True, probability=0.1, statement=1)
    )
    assert names(decide_pairs(two, 0.5, 1.8)) == ["supported", "unsupported"]
