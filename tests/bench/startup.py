"""How long a person waits for a fresh process: help, and a first answer on the sample."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.figures import Figure

RUNS = 3
SAMPLE = Path("core/sample/knowledge")
FILES = 10_000


def startup() -> list[Figure]:
    """Best of three, since other work on the machine only adds."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "KIYO_STORAGE__FOLDER": folder}
        _run(environment, "ingest", str(SAMPLE))
        return [
            Figure("kiyo --help, seconds", _seconds(environment, "--help"), 0.5, "at most"),
            Figure(
                "kiyo ask cold on the sample, seconds",
                _seconds(environment, "ask", "新幹線のグリーン車は使えますか"),
                3.0,
                "at most",
            ),
        ]


def unchanged() -> list[Figure]:
    """A second run over a folder of 10,000 small files in which nothing changed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {
            **os.environ,
            "KIYO_STORAGE__FOLDER": f"{folder}/store",
            "KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE": "sqlite",
        }
        pages = Path(folder, "pages")
        for number in range(FILES):
            page = pages / f"{number % 100:02}" / f"{number}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(f"# Page {number}\n\nValue {number} is {number * 7}.\n", encoding="utf-8")
        first = _seconds(environment, "ingest", str(pages), runs=1)
        again = _seconds(environment, "ingest", str(pages), runs=1)
        return [
            Figure("ingest of 10,000 new files, seconds", first),
            Figure("ingest of 10,000 unchanged files, seconds", again, 5.0, "at most"),
        ]


def _seconds(environment: dict[str, str], *arguments: str, runs: int = RUNS) -> float:
    best = float("inf")
    for _ in range(runs):
        started = time.perf_counter()
        _run(environment, *arguments)
        best = min(best, time.perf_counter() - started)
    return best


def _run(environment: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, "-m", "bots", *arguments]
    subprocess.run(command, env=environment, check=True, capture_output=True)
