"""Memory of a process that serves a hundred thousand chunks."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from core.ports import no_progress
from core.usecases.reply import AskRequest, answer_question
from tests.bench.children import measured_by, print_measured, resident_mb
from tests.bench.corpora import Corpora, Store, open_store
from tests.bench.figures import Context, Figure, at_most
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder

CHUNKS = 100_000
STORES: tuple[Store, ...] = ("chroma", "sqlite")
RESIDENT_MB = at_most(700)
QUESTIONS = "questions.json"


def run(context: Context) -> list[Figure]:
    figures = []
    for store in STORES:
        # Made in a process before, so that nothing of the making stays in the one that serves.
        prepared = prepare(context.folder, store)
        measured = measured_by(__name__, str(prepared), store)
        name = f"{CHUNKS} {store}: resident after {measured['questions']} questions"
        figures.append(Figure(name, measured["asked"], "MB", RESIDENT_MB))
        figures.append(Figure(f"{CHUNKS} {store}: resident after the start", measured["started"], "MB"))
    return figures


def prepare(folder: Path, store: Store) -> Path:
    """The folder of a store with its indexes built and the questions to ask beside it."""
    corpora = Corpora(load_pool(data_folder()), folder)
    with corpora.open(CHUNKS, store):
        prepared = corpora.prepare(CHUNKS, no_progress)
    (prepared / QUESTIONS).write_text(json.dumps(corpora.pool.questions), encoding="utf-8")
    return prepared


def main() -> None:
    folder, store = Path(sys.argv[1]), sys.argv[2]
    questions = json.loads((folder / QUESTIONS).read_text(encoding="utf-8"))
    with open_store(folder, "chroma" if store == "chroma" else "sqlite") as services:
        started = resident_mb()
        for question in questions:
            asyncio.run(answer_question(services, AskRequest(question)))
        print_measured({"questions": len(questions), "started": started, "asked": resident_mb()})


if __name__ == "__main__":
    main()
