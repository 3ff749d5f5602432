"""python -m tests.bench.peers PYTHON [--json] [--keep FOLDER]

PYTHON: of an environment with requirements.txt installed. Kiyo and the others search the same corpora one
after the other, each in a process of its own. What is compared is the search: question to ranked texts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.domain import ANONYMOUS
from core.ports import Services
from core.usecases.eval_retrieval import measure_ranking
from tests.bench.children import measured_by, one_threaded
from tests.bench.corpora import Corpora
from tests.bench.figures import Figure, Report, Target, as_json, as_table, at_least, percentile
from tests.bench.parts.quality_retrieval import measure_set
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import RetrievalSet, data_folder, load_retrieval_sets

PEERS = {"LlamaIndex": "llamaindex_pipeline", "Haystack": "haystack_pipeline"}
SIZES = (1_000, 100_000)
FASTER = at_least(5)
JUDGED_SETS = ("jsquad-ja", "clapnq-en")
_QUESTIONS = 300
_TIMED_QUESTIONS = 40
"""A plain pipeline takes seconds for a question at 100,000 chunks."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description="Kiyo beside others.")
    parser.add_argument("python", help="interpreter of an environment with requirements.txt")
    parser.add_argument("--json", action="store_true", help="no table")
    parser.add_argument("--keep", type=Path, help="keep the made knowledge bases in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kiyo-peers-", ignore_cleanup_errors=True) as temporary:
        keep = Path(options.keep or temporary)
        keep.mkdir(parents=True, exist_ok=True)
        reports = [
            Report("recall", tuple(_compare_recall(options.python))),
            *(
                Report(f"speed at {size}", tuple(_compare_speed(options.python, keep, size)))
                for size in SIZES
            ),
        ]
    if not options.json:
        print("\n".join(line for report in reports for line in as_table(report)))
    print(json.dumps(as_json(reports), ensure_ascii=False, indent=2))
    return 0


def _compare_recall(python: str) -> list[Figure]:
    data = data_folder()
    if data is None:
        print("KIYO_BENCH_DATA names no folder: recall is left out.", file=sys.stderr)
        return []
    figures: list[Figure] = []
    for chosen in load_retrieval_sets(data):
        if chosen.name in JUDGED_SETS:
            answerable = [question for question in chosen.questions if question.gold]
            step = max(1, len(answerable) // _QUESTIONS)
            figures += _recall_of(python, replace(chosen, questions=tuple(answerable[::step])))
    return figures


def _recall_of(python: str, chosen: RetrievalSet) -> list[Figure]:
    texts = [(document.id, f"{document.title}\n{document.text}") for document in chosen.corpus]
    questions = [question.text for question in chosen.questions]
    theirs: dict[str, dict[str, float | None]] = {}
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), texts, questions)
        for peer, module in PEERS.items():
            ranked = _run(python, module, folder)["ranked"]
            golds = [question.gold for question in chosen.questions]
            theirs[peer] = measure_ranking(list(zip(golds, ranked, strict=True)))
    ours = measure_set(chosen, ("hybrid",))["hybrid"]
    figures = []
    for measure in ("recall@1", "recall@10", "mrr@10"):
        best = max(float(found[measure] or 0) for found in theirs.values())
        figures.append(Figure(f"{chosen.name} Kiyo {measure}", ours[measure], "", at_least(best)))
        figures += [
            Figure(f"{chosen.name} {peer} {measure}", found[measure]) for peer, found in theirs.items()
        ]
    return figures


def _compare_speed(python: str, keep: Path, size: int) -> list[Figure]:
    corpora = Corpora(load_pool(data_folder()), keep)
    questions = corpora.pool.questions[:: max(1, len(corpora.pool.questions) // _TIMED_QUESTIONS)]
    times: dict[str, dict[str, list[float]]] = {}
    times["Kiyo"] = measured_by("tests.bench.peers.kiyo_search", str(keep), str(size), json.dumps(questions))
    with tempfile.TemporaryDirectory() as folder:
        with corpora.open(size, "sqlite") as services:
            _export(services, Path(folder), questions)
        for peer, module in PEERS.items():
            times[peer] = _run(python, module, folder)["times"]
    return [figure for name in times["Kiyo"] for figure in _ratios(name, times)]


def _ratios(name: str, times: dict[str, dict[str, list[float]]]) -> list[Figure]:
    figures = []
    for share in (50, 95):
        ours = percentile(times["Kiyo"][name], share)
        figures.append(Figure(f"Kiyo {name} p{share}", round(ours, 2), "ms"))
        for peer in PEERS:
            found = percentile(times[peer][name], share)
            target: Target | None = FASTER if "CPU" not in name else None
            figures.append(Figure(f"{peer} {name} p{share}", round(found, 2), "ms"))
            ratio = round(found / ours, 2)
            figures.append(Figure(f"{peer} / Kiyo {name} p{share}", ratio, "times", target))
    return figures


def _export(services: Services, folder: Path, questions: Sequence[str]) -> None:
    """The chunks as Kiyo indexes them, with the vectors that it searches."""
    audiences = services.knowledge.readable_audiences(ANONYMOUS)
    texts: list[tuple[str, str]] = []
    rows = []
    revision, newest = 0, services.knowledge.revision()
    while revision < newest:
        delta = services.knowledge.delta_since(revision, services.embedder.id, 5000)
        for entry in delta.entries:
            if entry.audience in audiences and entry.vector is not None:
                texts.append((str(entry.chunk_id), entry.text))
                rows.append(entry.vector)
        revision = delta.revision
    np.save(folder / "vectors.npy", np.array(rows, dtype=np.float32))
    _write(folder, texts, questions)


def _write(folder: Path, texts: Sequence[tuple[str, str]], questions: Sequence[str]) -> None:
    corpus = [{"id": id_, "text": text} for id_, text in texts]
    for name, rows in (("corpus", corpus), ("questions", [{"text": text} for text in questions])):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def _run(python: str, module: str, folder: str) -> Any:
    done = subprocess.run(
        [python, "-m", f"tests.bench.peers.{module}", folder],
        env=one_threaded({"HAYSTACK_TELEMETRY_ENABLED": "False"}),
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
