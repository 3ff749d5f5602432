"""Retrieval sets of the development data as corpus and questions; the folder is named by KIYO_BENCH_DATA."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.usecases.eval_retrieval import Document, Question, read_corpus, read_questions

OWN_QUESTIONS = Path(__file__).parent / "data" / "fastapi_questions.jsonl"
SAMPLED = 1500


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """family: sets that must be left out together. folder: pages to ingest instead of a corpus."""

    name: str
    family: str
    corpus: tuple[Document, ...]
    questions: tuple[Question, ...]
    folder: Path | None = None


def data_folder() -> Path | None:
    """The development data, None where it is not at hand."""
    named = os.environ.get("KIYO_BENCH_DATA", "")
    return Path(named) if named and Path(named).is_dir() else None


def load_retrieval_sets(folder: Path, sampled: int = SAMPLED) -> Iterator[RetrievalSet]:
    """Every set below the folder; of very many questions an even sample of at most `sampled`."""
    for path in sorted(folder.glob("retrieval-*")):
        if (path / "corpus.jsonl").exists():
            questions = read_questions(read_rows(path / "queries.jsonl"))
            step = max(1, len(questions) // sampled)
            name = path.name.removeprefix("retrieval-")
            corpus = tuple(read_corpus(read_rows(path / "corpus.jsonl")))
            yield RetrievalSet(name, name, corpus, tuple(questions[::step]))
    yield from _fastapi_sets(folder)


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _fastapi_sets(folder: Path) -> Iterator[RetrievalSet]:
    """Questions and pages in both languages, crossed; the shared questions and our own."""
    shared = folder / "retrieval-fastapi-questions" / "questions.jsonl"
    rows = (read_rows(shared) if shared.exists() else []) + read_rows(OWN_QUESTIONS)
    for pages in ("en", "ja"):
        for asked in ("en", "ja"):
            questions = tuple(
                Question(str(i), row[f"question_{asked}"], frozenset(row["gold_docs"]))
                for i, row in enumerate(rows)
            )
            name = f"fastapi-{asked}-question-{pages}-pages"
            yield RetrievalSet(name, "fastapi", (), questions, folder / "docs-fastapi" / pages)
