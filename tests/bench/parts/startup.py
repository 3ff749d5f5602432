"""How long a person waits for a fresh process: help, and a first answer on the sample."""

from __future__ import annotations

import tempfile

from tests.bench.children import median, run_module
from tests.bench.figures import Context, Figure, Target, at_most
from tests.bench.pool import SAMPLE

RUNS = 5
HELP_SECONDS = at_most(0.5)
ASK_SECONDS = at_most(3)
QUESTION = "新幹線のグリーン車は使えますか"


def run(context: Context) -> list[Figure]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environ = {"KIYO_STORAGE__FOLDER": folder, **_bytecode(f"{folder}/bytecode")}
        run_module("bots", "ingest", str(SAMPLE / "knowledge"), environ=environ)
        return [
            *_measure("kiyo --help", HELP_SECONDS, environ, "--help"),
            *_measure("kiyo ask on the sample, in a new process", ASK_SECONDS, environ, "ask", QUESTION),
        ]


def _measure(name: str, target: Target, environ: dict[str, str], *arguments: str) -> list[Figure]:
    run_module("bots", *arguments, environ=environ)
    runs = [run_module("bots", *arguments, environ=environ) for _ in range(RUNS)]
    return [
        Figure(f"{name}, median", round(median([one.seconds for one in runs]), 3), "s", target),
        Figure(f"{name}, CPU", round(median([one.cpu_seconds for one in runs]), 3), "s"),
    ]


def _bytecode(folder: str) -> dict[str, str]:
    """Let Python keep what it compiled, as it does unless told otherwise; the first start is not measured."""
    return {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
