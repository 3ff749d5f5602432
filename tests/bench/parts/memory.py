"""Memory of a process that serves a hundred thousand chunks."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from core.usecases.reply import AskRequest, answer_question
from tests.bench.children import measured_by, print_measured, resident_mb
from tests.bench.corpora import Corpora, Store
from tests.bench.figures import Context, Figure, at_most
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder

CHUNKS = 100_000
STORES: tuple[Store, ...] = ("chroma", "sqlite")
RESIDENT_MB = at_most(700)


def run(context: Context) -> list[Figure]:
    figures = []
    for store in STORES:
        measured = measured_by(__name__, str(context.folder), store)
        name = f"{CHUNKS} {store}: resident after {measured['questions']} questions"
        figures.append(Figure(name, measured["asked"], "MB", RESIDENT_MB))
        figures.append(Figure(f"{CHUNKS} {store}: resident after the start", measured["started"], "MB"))
    return figures


def main() -> None:
    """The knowledge base is made in another process before, so that nothing of that stays here."""
    folder, store = Path(sys.argv[1]), sys.argv[2]
    chosen: Store = "chroma" if store == "chroma" else "sqlite"
    if len(sys.argv) > 3:
        with Corpora(load_pool(data_folder()), folder).open(CHUNKS, chosen):
            return
    measured_by(__name__, str(folder), store, "prepare")
    corpora = Corpora(load_pool(data_folder()), folder)
    with corpora.open(CHUNKS, chosen) as services:
        started = resident_mb()
        for question in corpora.pool.questions:
            asyncio.run(answer_question(services, AskRequest(question)))
        print_measured({"questions": len(corpora.pool.questions), "started": started, "asked": resident_mb()})


if __name__ == "__main__":
    main()
