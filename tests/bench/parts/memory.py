"""Memory of a process that serves a hundred thousand chunks."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from core.usecases.reply import AskRequest, answer_question
from tests.bench.children import measured_by, print_measured, resident_mb, run_module
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
        # Made in a process before, so that nothing of the making stays in the one that serves.
        run_module(__name__, str(context.folder), store, "prepare")
        measured = measured_by(__name__, str(context.folder), store)
        name = f"{CHUNKS} {store}: resident after {measured['questions']} questions"
        figures.append(Figure(name, measured["asked"], "MB", RESIDENT_MB))
        figures.append(Figure(f"{CHUNKS} {store}: resident after the start", measured["started"], "MB"))
    return figures


def main() -> None:
    folder, store = Path(sys.argv[1]), sys.argv[2]
    corpora = Corpora(load_pool(data_folder()), folder)
    with corpora.open(CHUNKS, "chroma" if store == "chroma" else "sqlite") as services:
        if "prepare" in sys.argv:
            return
        started = resident_mb()
        for question in corpora.pool.questions:
            asyncio.run(answer_question(services, AskRequest(question)))
        print_measured({"questions": len(corpora.pool.questions), "started": started, "asked": resident_mb()})


if __name__ == "__main__":
    main()
