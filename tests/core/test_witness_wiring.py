"""Judge, verifier and published coefficients as the settings name them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.app import build, close
from core.config import Settings
from core.contribution.support import format_model, load_model
from core.errors import SettingsError
from core.ports import Services
from core.storage.calibrations import SqlCalibrationStore
from core.storage.engine import open_database
from core.usecases.coefficients import current_model, evaluator_of
from tests.tools.tiny_onnx import write_bag_model


@contextmanager
def services(
    folder: Path, evaluation: dict[str, Any], llm: dict[str, Any] | None = None
) -> Iterator[Services]:
    settings = {
        "storage": {"folder": str(folder)},
        "memory": {"embeddings": {"vector_store": "sqlite"}},
        "evaluation": evaluation,
        "llm": llm or {},
    }
    built = build(Settings.model_validate(settings))
    try:
        yield built
    finally:
        close(built)


def evaluator(made: Services) -> str:
    return evaluator_of(made, load_model())


def test_without_further_settings_there_is_neither_judge_nor_verifier(tmp_path: Path) -> None:
    with services(tmp_path, {}) as made:
        assert (made.judge, made.verifier) == (None, None)
        assert evaluator(made) == load_model().version


def test_a_judge_is_part_of_the_evaluator_version(tmp_path: Path) -> None:
    with services(tmp_path, {"judge": "openai/judge-1"}, {"model": "openai/writer-1"}) as made:
        assert made.judge is not None
        assert "+judge:openai/judge-1:" in evaluator(made)


def test_a_model_or_a_file_can_verify(tmp_path: Path) -> None:
    with services(tmp_path, {"verifier": "llm", "verifier_model": "openai/check-1"}) as made:
        assert "+verifier:openai/check-1:" in evaluator(made)
    file = tmp_path / "cross" / "model.onnx"
    file.parent.mkdir()
    file.write_bytes(write_bag_model(np.zeros((4, 2), dtype=np.float32)))
    file.with_name("tokenizer.json").write_text("{}", encoding="utf-8")
    with services(tmp_path, {"verifier": "onnx", "verifier_path": str(file)}) as made:
        assert "+verifier:onnx:cross/model.onnx/" in evaluator(made)


def test_a_file_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    missing = {"verifier": "onnx", "verifier_path": str(tmp_path / "nothing.onnx")}
    with pytest.raises(SettingsError, match="there is no file"), services(tmp_path, missing):
        pass


@pytest.mark.parametrize("judge", ["", "openai/same"])
def test_one_model_is_never_both_witnesses(tmp_path: Path, judge: str) -> None:
    evaluation = {"verifier": "llm", "verifier_model": "openai/same", "judge": judge}
    writer = {"model": "openai/other" if judge else "openai/same"}
    refused = pytest.raises(ValueError, match="one model is never both")
    with refused, services(tmp_path, evaluation, writer):
        pass


def test_the_writer_may_verify_where_another_model_judges(tmp_path: Path) -> None:
    evaluation = {"verifier": "llm", "verifier_model": "openai/writer", "judge": "openai/judge"}
    with services(tmp_path, evaluation, {"model": "openai/writer"}) as made:
        assert made.judge is not None
        assert made.verifier is not None


def test_what_is_published_counts_from_the_next_evaluation_on(tmp_path: Path) -> None:
    with services(tmp_path, {}) as made:
        assert asyncio.run(current_model(made)).version == load_model().version
        database = open_database(made.settings.database_url)
        store = SqlCalibrationStore(database)
        store.save("ours-1", format_model(load_model()).replace(load_model().version, "ours-1"), {}, {})
        store.publish("ours-1")
        database.close()
        assert asyncio.run(current_model(made)).version == "ours-1"
