"""The plumbing of the ONNX verifier, on models of a few bytes; how good a real one is, no test here says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from core.errors import ProviderError, SettingsError
from core.ports import Claim
from core.providers.onnx_verifier import BATCH, MAX_TOKENS, OnnxVerifier
from tests.tools.tiny_onnx import write_bag_model

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "yes", "no", "broken"]
VALUES = [7.0, 0.0, 0.0, 0.0, 2.0, -2.0, float("nan")]
"""Of padding, too, so that it shows when padding is counted."""


def write_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def verifier(folder: Path, columns: Sequence[Sequence[float]] | None = None) -> OnnxVerifier:
    """columns: values of WORDS, one list for each output; one output with VALUES unless told otherwise."""
    table = np.array(columns if columns is not None else [VALUES], dtype=np.float32).T
    (folder / "model.onnx").write_bytes(write_bag_model(table))
    write_tokenizer(folder)
    return OnnxVerifier(folder / "model.onnx")


def claims(*pairs: tuple[str, str]) -> list[Claim]:
    return [Claim(statement, passage) for statement, passage in pairs]


def sigmoid(value: float) -> float:
    return 1 / (1 + float(np.exp(-value)))


async def test_one_output_is_log_odds_of_passage_and_statement_together(tmp_path: Path) -> None:
    said = await verifier(tmp_path).verify(claims(("yes", "yes"), ("no", "other words"), ("yes", "no")))
    assert said == pytest.approx([sigmoid(4.0), sigmoid(-2.0), 0.5])


async def test_padding_counts_for_nothing_whatever_else_is_in_the_batch(tmp_path: Path) -> None:
    made = verifier(tmp_path)
    alone = await made.verify(claims(("yes", "no no")))
    together = await made.verify(claims(("yes", "no no"), ("yes " * 50, "yes")))
    assert together[0] == pytest.approx(alone[0])


async def test_more_pairs_than_a_batch_come_back_in_their_order(tmp_path: Path) -> None:
    pairs = [("yes" if n % 3 else "no", "") for n in range(2 * BATCH + 1)]
    said = await verifier(tmp_path).verify(claims(*pairs))
    assert [one is not None and one > 0.5 for one in said] == [statement == "yes" for statement, _ in pairs]


async def test_no_pairs_need_no_model(tmp_path: Path) -> None:
    assert await verifier(tmp_path).verify([]) == []


async def test_a_value_that_is_no_number_is_none_and_leaves_the_others(tmp_path: Path) -> None:
    said = await verifier(tmp_path).verify(claims(("broken", "yes"), ("yes", "yes")))
    assert said[0] is None
    assert said[1] == pytest.approx(sigmoid(4.0))


async def test_a_passage_that_is_too_long_is_cut_and_the_statement_is_not(tmp_path: Path) -> None:
    (said,) = await verifier(tmp_path).verify(claims(("yes", "other " * 3 * MAX_TOKENS)))
    assert said == pytest.approx(sigmoid(2.0))


async def test_of_two_outputs_the_second_means_support(tmp_path: Path) -> None:
    said = await verifier(tmp_path, [[0.0] * 7, VALUES]).verify(claims(("yes", ""), ("no", "")))
    assert said == pytest.approx([sigmoid(2.0), sigmoid(-2.0)])


async def test_the_config_names_the_output_that_means_support(tmp_path: Path) -> None:
    labels = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    (tmp_path / "config.json").write_text(json.dumps({"id2label": labels}))
    three = verifier(tmp_path, [VALUES, [0.0] * 7, [-one for one in VALUES]])
    (said,) = await three.verify(claims(("yes", "")))
    assert said == pytest.approx(np.exp(2.0) / (np.exp(2.0) + 1.0 + np.exp(-2.0)))


async def test_several_outputs_without_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match=r"3 outputs and its config\.json"):
        await verifier(tmp_path, [[0.0] * 7] * 3).verify(claims(("yes", "")))


def test_a_file_that_is_not_there_is_named_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"verifier_path: there is no file .*model\.onnx"):
        OnnxVerifier(tmp_path / "model.onnx")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(SettingsError, match=r"there is no file .*tokenizer\.json"):
        OnnxVerifier(tmp_path / "model.onnx")


async def test_a_file_that_is_no_model_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    write_tokenizer(tmp_path)
    with pytest.raises(ProviderError, match="cannot be loaded"):
        await OnnxVerifier(tmp_path / "model.onnx").verify(claims(("yes", "")))


def test_the_id_tells_one_file_from_another(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert verifier(tmp_path / "one").id != verifier(tmp_path / "two").id
    assert verifier(tmp_path / "one").id == verifier(tmp_path / "one").id
