"""python -m tests.bench [--only PART ...] [--json] [--full] [--keep FOLDER]

Prints a table of every part as it is done, then all figures as one JSON object; with --json that alone.
Times are wall clock unless a figure says CPU: run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from bots.__main__ import ONE_THREAD
from tests.bench.figures import Context, Report, UnavailableError, as_json, as_table

PARTS = (
    "quality_retrieval",
    "quality_support",
    "quality_attribution",
    "quality_calibration",
    "speed_evaluation",
    "speed_lookup",
    "anchors",
    "speed_reply",
    "scaling",
    "figures_at_scale",
    "figures_on_postgres",
    "dashboard_speed",
    "memory",
    "ingest",
    "startup",
    "channels_load",
)
"""Modules of tests.bench.parts, each with run(context) -> figures."""


def main() -> int:
    options = _parse()
    os.environ.update({name: "1" for name in ONE_THREAD if name not in os.environ})
    from tests.bench.retrieval_sets import data_folder  # numpy reads those variables when it is imported

    reports = []
    with _folder(options.keep) as folder:
        context = Context(data_folder(), folder, options.full)
        if context.data is None:
            print("KIYO_BENCH_DATA names no folder: quality is left out.", file=sys.stderr)
        for name in options.only or PARTS:
            report = _run(name, context)
            reports.append(report)
            if not options.json:
                print("\n".join(as_table(report)), flush=True)
    print(json.dumps({"machine": _machine(), "parts": as_json(reports)}, ensure_ascii=False, indent=2))
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Quality, speed and memory.")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", action="store_true", help="no table")
    parser.add_argument("--full", action="store_true", help="also a million chunks (an hour, 15 GB)")
    parser.add_argument(
        "--keep", type=Path, help="keep the made knowledge bases here for the next run (2 GB)"
    )
    return parser.parse_args()


def _run(name: str, context: Context) -> Report:
    print(f"running {name}", file=sys.stderr, flush=True)
    try:
        part = import_module(f"tests.bench.parts.{name}")
        return Report(name, tuple(part.run(context)))
    except UnavailableError as error:
        return Report(name, (), str(error))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="kiyo-bench-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _machine() -> dict[str, object]:
    """load: of the last minute, in processes; figures taken above the number of processors are too high."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


if __name__ == "__main__":
    sys.exit(main())
