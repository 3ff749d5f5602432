import math

import pytest

from core.errors import ReadError
from core.providers.local_embeddings import LocalEmbedder
from core.usecases.eval_support import evaluate_support
from tests.bench.data.generate import generate_pairs
from tests.core.usecases.judged import SUPPORT


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


async def test_figures_of_rows_that_the_measure_gets_right() -> None:
    found = await evaluate_support(SUPPORT, None)
    assert {name: found[name] for name in ("n", "n_supported", "auc", "balanced_accuracy", "f1")} == {
        "n": 4,
        "n_supported": 2,
        "auc": 1.0,
        "balanced_accuracy": 1.0,
        "f1": 1.0,
    }
    assert 0 < found["threshold"] < 1
    assert sum(item["n"] for item in found["bins"]) == 4
    assert set(found["by_language"]) == {"en", "ja"}
    assert found["by_error_type"]["number"] == {"n": 1, "auc": 1.0, "caught": 1.0}
    assert found["auc_overlap"] == 1.0


async def test_figures_that_cannot_be_computed_are_none() -> None:
    found = await evaluate_support(SUPPORT[:1], None)
    assert (found["auc"], found["balanced_accuracy"], found["ci"]["auc"]) == (None, None, None)
    empty = await evaluate_support([], None)
    assert (empty["n"], empty["auc"], empty["ece"]) == (0, None, None)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"source_text": "a", "sentence": "b", "label": "maybe"}, "row 1: `label`"),
        ({"source_text": "a", "label": "supported"}, "row 1: `sentence`"),
        ({"sentence": "a", "label": "supported"}, "row 1: `source_text`"),
    ],
)
async def test_a_wrong_row_is_named(row: dict[str, str], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        await evaluate_support([row], None)


async def test_empty_texts_are_measured_like_any_other(embedder: LocalEmbedder) -> None:
    rows = [
        {"source_text": "", "sentence": "", "label": "unsupported"},
        {"source_text": "…", "sentence": "Refunds take 14 days.", "label": "unsupported"},
    ]
    found = await evaluate_support(rows, embedder)
    assert found["n"] == 2
    assert math.isfinite(found["ece"])


@pytest.mark.parametrize("lang", ["ja", "en"])
async def test_statements_changed_in_one_thing_score_below_true_ones(
    lang: str, embedder: LocalEmbedder
) -> None:
    """Quality gate on statements that were written before anything was fitted."""
    rows = [row for row in generate_pairs() if row["lang"] == lang]
    found = await evaluate_support(rows, embedder)
    kinds = found["by_error_type"]
    assert min(kinds[kind]["auc"] for kind in ("number", "date", "unit")) >= 0.92
    assert min(kinds[kind]["caught"] for kind in ("number", "date", "unit")) >= 0.8
    assert min(kinds[kind]["auc"] for kind in ("negation", "antonym")) >= 0.82
    assert min(kinds[kind]["caught"] for kind in ("negation", "antonym")) >= 0.6
    assert found["recall"] >= 0.9
