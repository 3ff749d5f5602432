"""Two words in each other's place are seen; the same said in another order or voice is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.exchange import exchange_conflict
from core.contribution.measure import Evidence, measure
from core.contribution.metrics import rank_auc
from core.contribution.passages import passage_lines
from core.contribution.statements import split_statements
from core.contribution.support import load_model
from tests.bench.data.swaps import generate_swaps

SWAPS = generate_swaps()


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("佐藤が高橋に鍵を渡した。", "高橋が佐藤に鍵を渡した。"),
        ("本社は大阪から横浜へ移った。", "本社は横浜から大阪へ移った。"),
        ("海外の日当は2,500円、国内の日当は8,000円です。", "国内の日当は2,500円、海外の日当は8,000円です。"),
        ("Oliver sent the contract to Maria.", "Maria sent the contract to Oliver."),
        ("The office moved from Bristol to Leeds.", "The office moved from Leeds to Bristol."),
        ("Acme was acquired by Globex.", "Acme acquired Globex."),
        (
            "Pumps are covered for two years and filters for six months.",
            "Pumps are covered for six months and filters for two years.",
        ),
    ],
)
def test_what_changed_places_is_seen(statement: str, source: str) -> None:
    assert exchange_conflict(statement, source) > 0.5
    assert exchange_conflict(source, source) == 0.0


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("高橋に鍵を渡したのは佐藤です。", "佐藤が高橋に鍵を渡した。"),
        ("木が男性に斧で切り倒されている。", "男性が木を斧で切り倒している。"),
        ("北斗電機は青葉商事に買収された。", "青葉商事が北斗電機を買収した。"),
        ("The contract was sent to Oliver by Maria.", "Maria sent the contract to Oliver."),
        ("Globex was acquired by Acme.", "Acme acquired Globex."),
        ("Tom Fisher and Anna Berg wrote the song.", "The song was written by Anna Berg and Tom Fisher."),
        ("A price and a date are needed.", "A date and a price are needed."),
        ("砂糖と塩を入れます。", "塩と砂糖を入れます。"),
    ],
)
def test_another_order_or_voice_changes_nothing(statement: str, source: str) -> None:
    assert exchange_conflict(statement, source) < 0.5


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_swapped_names_are_told_from_true_statements_with_the_same_words(lang: str) -> None:
    rows = [row for row in SWAPS if row["lang"] == lang]
    labels = np.array([row["label"] == "supported" for row in rows])
    found = np.array([exchange_conflict(row["sentence"], row["source_text"]) for row in rows])
    auc = rank_auc(labels, -found)
    assert auc is not None
    assert auc >= 0.9
    assert (found[labels] >= 0.6).mean() <= 0.02


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_most_swapped_names_are_unsupported_and_no_true_statement_is(lang: str) -> None:
    rows = [row for row in SWAPS if row["lang"] == lang]
    supported = {"supported": [], "unsupported": []}  # type: dict[str, list[bool]]
    for row in rows:
        evidence = Evidence(lines=passage_lines(row["source_text"], "a"))
        found = measure(split_statements(row["sentence"]), evidence, load_model())
        supported[row["label"]].append("uncited" in found.verdicts)
    assert np.mean(supported["supported"]) >= 0.95
    assert np.mean(supported["unsupported"]) <= 0.5


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_gives_a_share(statement: str, source: str) -> None:
    assert 0.0 <= exchange_conflict(statement, source) <= 1.0


@given(st.sampled_from([row["source_text"] for row in SWAPS]))
def test_a_copy_never_conflicts(source: str) -> None:
    assert exchange_conflict(source, source) == 0.0
