import pytest

from core.contribution.support import format_model
from core.errors import ReadError
from core.usecases.calibrate import calibrate_support, set_family
from core.usecases.eval_support import evaluate_support
from tests.bench.data.generate import generate_pairs
from tests.core.usecases.judged import ATTRIBUTION

PAIRS = generate_pairs()
HALVES = {
    "one": [row for row in PAIRS if row["group"] < "ja-n"],
    "two": [row for row in PAIRS if row["group"] >= "ja-n"],
}


async def test_the_same_sets_give_the_same_coefficients() -> None:
    first = await calibrate_support("x", HALVES, None)
    assert format_model(first) == format_model(
        await calibrate_support("x", dict(reversed(HALVES.items())), None)
    )
    assert first.origin["sets"] == {"one": len(HALVES["one"]), "two": len(HALVES["two"])}


async def test_coefficients_fitted_on_one_half_work_on_the_other() -> None:
    model = await calibrate_support("x", HALVES, None, exclude=["two"])
    assert model.origin["left_out"] == ["two"]
    assert model.origin["sets"] == {"one": len(HALVES["one"])}
    rows = [row for row in HALVES["two"] if row["error_type"] in ("number", "date", "unit")]
    assert (await evaluate_support(rows, None, model))["auc"] > 0.85


async def test_leaving_out_a_set_leaves_out_its_family() -> None:
    sets = {**HALVES, "support-three": HALVES["one"], "multi-three": ATTRIBUTION}
    model = await calibrate_support("x", sets, None, exclude=["three"])
    assert set(model.origin["sets"]) == {"one", "two"}  # type: ignore[call-overload] # origin holds any JSON
    assert set_family("support-three") == set_family("multi-three") == "three"


async def test_an_unknown_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ReadError, match="no set is called four; there are: one, two"):
        await calibrate_support("x", HALVES, None, exclude=["four"])
