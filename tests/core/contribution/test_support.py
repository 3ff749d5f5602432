import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.features import FEATURES
from core.contribution.support import (
    Calibration,
    SupportModel,
    as_row,
    check_pairs,
    format_model,
    load_model,
    parse_model,
)

FULL = {"window": 1.0, "line": 1.0, "clause": 1.0, "pieces": 1.0, "cosine": 0.9}


def probability(model: SupportModel, **features: float) -> float:
    return float(model.probabilities(as_row(features))[0])


def test_the_shipped_coefficients_have_a_version_and_every_feature() -> None:
    model = load_model()
    assert model.version == "kiyo-support-1"
    assert set(model.weights) == set(FEATURES)
    assert model.origin["sets"]


def test_coefficients_survive_writing_and_reading() -> None:
    model = replace(load_model(), calibration=Calibration(knots=((-1.0, 0.2), (1.0, 0.9))))
    assert parse_model(format_model(model)) == model


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1}', "null"])
def test_other_files_are_no_coefficients(text: str) -> None:
    with pytest.raises(ValueError, match="no coefficients"):
        parse_model(text)


def test_an_unknown_feature_is_refused_by_name() -> None:
    model = load_model()
    text = format_model(replace(model, weights={**model.weights, "colour": 1.0}))
    with pytest.raises(ValueError, match="colour"):
        parse_model(text)


def test_more_in_common_is_never_less_probable() -> None:
    model = load_model()
    for name in ("window", "line", "clause", "pieces", "cosine"):
        assert probability(model, **{**FULL, name: 0.3}) < probability(model, **FULL)


def test_what_speaks_against_support_is_never_more_probable() -> None:
    model = load_model()
    for name in FEATURES[5:]:
        assert probability(model, **FULL, **{name: 1.0}) < probability(model, **FULL)


def test_conflicting_numbers_veto_even_a_copied_line() -> None:
    model = load_model()
    assert probability(model, **FULL, quantity_conflict=1.0, quantity_missing=0.5) < model.threshold


@pytest.mark.parametrize("name", ["negation", "antonym"])
def test_saying_the_opposite_of_a_near_line_is_a_veto_too(name: str) -> None:
    model = load_model()
    assert probability(model, **FULL, **{name: 0.9}) < model.threshold
    assert not model.contradicted(as_row({name: 0.5}))[0]


def test_attribution_asks_for_less_than_a_verdict() -> None:
    model = load_model()
    assert model.attribution_threshold < model.threshold


def test_a_missing_cosine_is_filled_in_from_the_words() -> None:
    model = load_model()
    shared = {name: value for name, value in FULL.items() if name != "cosine"}
    little = dict.fromkeys(shared, 0.1)
    assert probability(model, **shared) > model.threshold > probability(model, **little)


@given(st.lists(st.floats(0, 1), min_size=len(FEATURES), max_size=len(FEATURES)))
def test_an_explanation_adds_up_to_the_log_odds(values: list[float]) -> None:
    model = load_model()
    features = dict(zip(FEATURES, values, strict=True))
    parts = model.explain(features)
    assert math.isclose(
        model.intercept + sum(parts.values()), model.log_odds(as_row(features))[0], abs_tol=1e-9
    )


def test_knots_replace_the_curve() -> None:
    calibration = Calibration(knots=((0.0, 0.2), (2.0, 0.8)))
    assert calibration.apply(np.array([-5.0, 1.0, 9.0])).tolist() == [0.2, 0.5, 0.8]


def test_extreme_scores_stay_probabilities() -> None:
    assert Calibration().apply(np.array([-1e6, 1e6])).tolist() == [0.0, 1.0]


def test_only_articles_near_the_best_one_of_their_statement_pass() -> None:
    passed = check_pairs([1, 1, 1, 2], np.array([0.9, 0.85, 0.6, 0.6]), threshold=0.5, rival_odds=2.0)
    assert passed.tolist() == [True, True, False, True]


def test_the_best_article_fails_below_the_threshold() -> None:
    assert check_pairs([1, 2], np.array([0.49, 0.5]), 0.5, 2.0).tolist() == [False, True]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=12))
def test_the_order_of_pairs_does_not_matter(pairs: list[tuple[int, float]]) -> None:
    order = sorted(range(len(pairs)), key=lambda index: (pairs[index][1], index))

    def check(rows: list[tuple[int, float]]) -> list[bool]:
        passed = check_pairs([row[0] for row in rows], np.array([row[1] for row in rows]), 0.5, 2.0)
        return [bool(yes) for yes in passed]

    straight = check(pairs)
    assert check([pairs[index] for index in order]) == [straight[index] for index in order]


def test_a_million_stored_pairs_are_checked_at_once() -> None:
    statements = np.repeat(np.arange(200_000), 5).tolist()
    probabilities = np.tile(np.array([0.9, 0.8, 0.5, 0.4, 0.1]), 200_000)
    assert int(check_pairs(statements, probabilities, 0.5, 3.0).sum()) == 400_000
