from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contribution.sampling import PairFacts, draw_pairs

facts = st.builds(
    PairFacts,
    st.sampled_from(["supported", "uncited", "unverified", "unsupported"]),
    st.sampled_from(["slack", "discord"]),
    st.sampled_from(["ja", "en"]),
    st.floats(0.0, 1.0),
)
populations = st.lists(facts, max_size=120)


@settings(deadline=None)
@given(populations, st.integers(1, 150), st.sampled_from([0.1, 0.5, 0.9]))
def test_a_draw_speaks_for_its_whole_population(
    population: list[PairFacts], size: int, threshold: float
) -> None:
    drawn = draw_pairs(population, size, threshold, seed=3)
    places = [one.place for one in drawn]
    assert len(drawn) == min(size, len(population))
    assert places == sorted(set(places))
    assert all(0 < one.inclusion <= 1 for one in drawn)
    assert sum(1 / one.inclusion for one in drawn) == pytest.approx(len(population))


@settings(deadline=None)
@given(populations, st.integers(1, 60))
def test_the_same_seed_gives_the_same_draw(population: list[PairFacts], size: int) -> None:
    assert draw_pairs(population, size, 0.5, 7) == draw_pairs(population, size, 0.5, 7)


def test_a_whole_population_has_inclusion_one() -> None:
    population = [PairFacts("supported", "slack", "ja", n / 10) for n in range(10)]
    assert {one.inclusion for one in draw_pairs(population, 10, 0.5, 0)} == {1.0}


def test_most_of_the_draw_is_near_the_threshold_and_some_is_far() -> None:
    population = [PairFacts("supported", "slack", "ja", 0.5 if n % 10 == 0 else 0.99) for n in range(1000)]
    drawn = draw_pairs(population, 50, 0.5, 1)
    near = [one for one in drawn if one.stratum.startswith("near/")]
    assert len(near) == 35
    assert {one.inclusion for one in near} == {35 / 100}


def test_a_small_stratum_is_asked_about_too() -> None:
    population = [PairFacts("supported", "slack", "ja", 0.95)] * 500 + [
        PairFacts("unverified", "discord", "en", 0.05)
    ]
    strata = Counter(one.stratum for one in draw_pairs(population, 20, 0.5, 1))
    assert strata["far/unverified/discord/en"] == 1


def test_more_strata_than_places_are_joined_so_that_every_pair_has_a_chance() -> None:
    population = [PairFacts("supported", f"channel-{n}", "ja", 0.5) for n in range(30)]
    drawn = draw_pairs(population, 5, 0.5, 1)
    assert {one.stratum for one in drawn} == {"near/supported"}
    assert {one.inclusion for one in drawn} == {5 / 30}
