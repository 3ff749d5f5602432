"""The quadrant chart as data."""

from __future__ import annotations

from typing import Any

import pytest

from core.contribution.quadrants import classify_quadrant, find_thresholds
from core.storage.reports import Overview, QuadrantRow
from dashboard.charts import choose_across, quadrant_chart, tell_quadrants
from dashboard.runtime import QuadrantFigures
from dashboard.text import Locale, Words


def figures(*rows: tuple[str, int, float, int]) -> QuadrantFigures:
    """(title, exposure, contribution, n) of each article."""
    made = [
        QuadrantRow(f"docs:{title}", title, False, n, exposure, n, 1, 0, 0, contribution, 0.0)
        for title, exposure, contribution, n in rows
    ]
    thresholds = find_thresholds((row.exposure, row.rate) for row in made)
    return QuadrantFigures(
        rows=tuple(made),
        fields=tuple(classify_quadrant(row.exposure, row.rate, thresholds) for row in made),
        thresholds=thresholds,
        overview=Overview(1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0.0),
        not_shown=0,
    )


FOUR = figures(("often", 8, 8.0, 8), ("seldom", 1, 1.0, 1), ("vain", 8, 0.0, 8), ("idle", 1, 0.0, 1))


def drawn(made: QuadrantFigures, locale: Locale = "en") -> dict[str, Any]:
    return quadrant_chart(made, Words(locale))


def marks(made: QuadrantFigures) -> dict[str, dict[str, Any]]:
    chart = drawn(made)
    points = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "point")
    return {row["title"]: row for row in chart["datasets"][points["data"]["name"]]}


def test_each_article_stands_at_its_exposure_and_rate_and_is_as_big_as_its_contribution() -> None:
    point = marks(FOUR)["often"]
    assert (point["x"], point["rate"], point["contribution"], point["n"]) == (8, 1.0, 8.0, 8)
    points = next(layer for layer in drawn(FOUR)["layer"] if layer["mark"]["type"] == "point")
    fields = {
        channel: points["encoding"][channel]["field"] for channel in ("x", "y", "size", "color", "shape")
    }
    assert fields == {"x": "x", "y": "rate", "size": "contribution", "color": "field", "shape": "field"}


@pytest.mark.parametrize(
    ("locale", "names"),
    [
        ("en", {"Carrying", "Hidden", "Shown in vain", "Idle"}),
        ("ja", {"主力", "隠れた実力", "空振り", "休眠"}),
    ],
)
def test_the_four_fields_are_named(locale: Locale, names: set[str]) -> None:
    chart = drawn(FOUR, locale)
    texts = [layer for layer in chart["layer"] if layer["mark"]["type"] == "text"]
    rows = [row for layer in texts for row in chart["datasets"][layer["data"]["name"]]]
    assert {row["text"] for row in rows if "text" in row} == names


def test_the_tinted_fields_meet_where_the_classes_change() -> None:
    chart = drawn(FOUR)
    tints = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "rect")
    boxes = chart["datasets"][tints["data"]["name"]]
    for point in marks(FOUR).values():
        inside = [
            box
            for box in boxes
            if box["x"] <= point["x"] < box["x2"] and box["y"] <= point["rate"] < box["y2"]
        ]
        assert len(inside) == 1
        named = {"Carrying": "#0072B2", "Hidden": "#009E73", "Shown in vain": "#D55E00", "Idle": "#8C8C8C"}
        assert inside[0]["colour"] == named[point["field"]]


def test_articles_on_the_same_spot_stand_side_by_side() -> None:
    same = figures(*((f"a{n}", 3, 1.5, 3) for n in range(5)))
    places = sorted(point["x"] for point in marks(same).values())
    assert len(set(places)) == 5
    assert all(abs(place - 3) < 0.5 for place in places)


def test_many_articles_on_one_spot_stay_nearer_to_it_than_to_the_next() -> None:
    same = figures(*((f"a{n}", 3, 1.5, 3) for n in range(40)))
    assert all(abs(point["x"] - 3) < 0.5 for point in marks(same).values())


def test_titles_of_the_strongest_are_written_where_they_do_not_cover_each_other() -> None:
    made = figures(("strong", 9, 9.0, 9), ("twin", 9, 9.0, 9), ("other", 2, 1.0, 2), ("none", 4, 0.0, 4))
    chart = drawn(made)
    texts = [layer for layer in chart["layer"] if layer["mark"]["type"] == "text"]
    rows = [row for layer in texts for row in chart["datasets"][layer["data"]["name"]]]
    assert [row["title"] for row in rows if "title" in row] == ["strong", "other"]


def test_an_article_without_a_rate_is_not_drawn() -> None:
    assert set(marks(figures(("seen", 2, 1.0, 2), ("unmeasured", 3, 0.0, 0)))) == {"seen"}


def test_a_period_without_articles_draws_an_empty_chart() -> None:
    assert marks(figures()) == {}


def test_uneven_exposures_are_drawn_on_a_logarithmic_axis() -> None:
    uneven = figures(("huge", 9_000, 8.0, 8), *((f"a{n}", 3 + n, 1.0, 1) for n in range(9)))
    assert choose_across(uneven) == "log"
    assert choose_across(FOUR) == "linear"
    chart = quadrant_chart(uneven, Words("en"), "log")
    points = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "point")
    axis = points["encoding"]["x"]
    assert axis["scale"]["type"] == "symlog"
    assert axis["axis"]["values"][:4] == [0, 1, 2, 5]
    assert axis["scale"]["domain"][1] > 9_000


def test_a_click_on_a_mark_tells_which_article_it_is() -> None:
    chart = drawn(FOUR)
    (picked,) = chart["params"]
    assert picked["select"] == {"type": "point", "fields": ["article"]}
    assert {row["article"] for row in marks(FOUR).values()} == {f"docs:{name}" for name in marks(FOUR)}


def test_the_chart_is_told_in_words() -> None:
    told = tell_quadrants(FOUR, Words("en"))
    assert "Carrying: 1 (often)" in told
    assert "Idle: 1 (idle)" in told


def test_ticks_are_round_numbers_and_few() -> None:
    chart = drawn(figures(("one", 47_123, 3.0, 3)))
    points = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "point")
    ticks = points["encoding"]["x"]["axis"]["values"]
    assert ticks[:3] == [0, 5000, 10000]
