"""Verifier: a cross-encoder in an ONNX file, run in this process (extra `onnx`).

The file is named by the settings; `tokenizer.json` (and `config.json`, where the model has several labels)
lie beside it, as model hubs ship them. The passage is the first text of a pair, the statement the second.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ProviderError, SettingsError
from core.ports import Claim
from core.providers.extras import import_extra

MAX_TOKENS = 512
BATCH = 16
_SUPPORT_LABELS = ("entailment", "entail", "supported", "support", "supports", "consistent", "yes", "true")
_TOKENIZER = "tokenizer.json"


class OnnxVerifier:
    """Loads the model when it is first asked; any number of threads may ask at once."""

    def __init__(self, path: Path) -> None:
        """path: the model's file. Raises SettingsError when it or its tokenizer is not there."""
        for needed in (path, path.with_name(_TOKENIZER)):
            if not needed.is_file():
                raise SettingsError(f"evaluation.verifier_path: there is no file {needed}")
        self._path = path
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any, int | None] | None = None
        self.id = f"onnx:{path.parent.name}/{path.name}/{path.stat().st_size}"

    async def verify(self, claims: Sequence[Claim]) -> list[float | None]:
        """In batches; a value that is not finite becomes None. Raises ProviderError if the model fails."""
        return await asyncio.to_thread(self._verify, claims)

    def _verify(self, claims: Sequence[Claim]) -> list[float | None]:
        session, tokenizer, column = self._load()
        values: list[float | None] = []
        for start in range(0, len(claims), BATCH):
            logits = self._run(session, tokenizer, claims[start : start + BATCH])
            said = _probabilities(logits, column)
            values += [float(one) if np.isfinite(one) else None for one in said]
        return values

    def _load(self) -> tuple[Any, Any, int | None]:
        with self._lock:
            if self._loaded is None:
                runtime = import_extra("onnxruntime", "onnx")
                tokenizers = import_extra("tokenizers", "onnx")
                try:
                    tokenizer = tokenizers.Tokenizer.from_file(str(self._path.with_name(_TOKENIZER)))
                    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_first")
                    tokenizer.enable_padding()
                    options = runtime.SessionOptions()
                    options.log_severity_level = 3
                    session = runtime.InferenceSession(
                        str(self._path), options, providers=["CPUExecutionProvider"]
                    )
                except (
                    Exception
                ) as error:  # both packages raise their own kinds, some of them plain Exception
                    raise ProviderError(f"the verifier {self._path} cannot be loaded: {error}") from error
                self._loaded = session, tokenizer, self._support_column()
            return self._loaded

    def _run(self, session: Any, tokenizer: Any, claims: Sequence[Claim]) -> NDArray[np.float64]:
        encoded = tokenizer.encode_batch([(claim.passage, claim.statement) for claim in claims])
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
        }
        wanted = {one.name for one in session.get_inputs()}
        try:
            outputs = session.run(None, {name: rows for name, rows in given.items() if name in wanted})
        except Exception as error:  # the runtime raises its own kinds, which share no base
            raise ProviderError(f"the verifier {self._path} failed: {error}") from error
        logits = np.asarray(outputs[0], dtype=np.float64)
        if logits.ndim == 1:
            logits = logits[:, None]
        if logits.ndim != 2 or len(logits) != len(claims):
            raise ProviderError(f"the verifier {self._path} gave {logits.shape} for {len(claims)} pairs")
        return logits

    def _support_column(self) -> int | None:
        """The output that means support, by the names in `config.json`; None where it names none."""
        config = self._path.with_name("config.json")
        if not config.is_file():
            return None
        labels = json.loads(config.read_text(encoding="utf-8")).get("id2label", {})
        found = [int(place) for place, name in labels.items() if str(name).lower() in _SUPPORT_LABELS]
        return found[0] if len(found) == 1 else None


def _probabilities(logits: NDArray[np.float64], column: int | None) -> NDArray[np.float64]:
    """One output is log odds; of two without names the second means support; more need names."""
    with np.errstate(over="ignore", invalid="ignore"):
        if logits.shape[1] == 1:
            single: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-logits[:, 0]))
            return single
        chosen = column if column is not None else 1 if logits.shape[1] == 2 else None
        if chosen is None or chosen >= logits.shape[1]:
            raise ProviderError(
                f"the verifier has {logits.shape[1]} outputs and its config.json does not name one of them "
                f"{', '.join(_SUPPORT_LABELS[:3])}"
            )
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = raised[:, chosen] / raised.sum(axis=1)
        return shares
