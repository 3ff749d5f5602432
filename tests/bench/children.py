"""Measuring in a process of its own, so that memory and caches are those of one knowledge base alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bots.__main__ import ONE_THREAD


@dataclass(frozen=True, slots=True)
class Finished:
    """seconds: wall clock from start to end. cpu_seconds: user and system. stdout: all of it."""

    seconds: float
    cpu_seconds: float
    stdout: str


def run_module(module: str, *arguments: str, environ: Mapping[str, str] | None = None) -> Finished:
    """Run a module of Python and wait for it. Raises CalledProcessError when it fails, after its words."""
    before, started = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=one_threaded(environ),
        capture_output=True,
        check=False,
        text=True,
    )
    seconds, after = time.perf_counter() - started, os.times()
    if done.returncode:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Finished(seconds, cpu, done.stdout)


def one_threaded(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment and more, with one thread for linear algebra as Kiyo sets it."""
    return {**dict.fromkeys(ONE_THREAD, "1"), **os.environ, **(environ or {})}


def measured_by(module: str, *arguments: str) -> Any:
    """What a module printed as the last line of its output, read as JSON."""
    return json.loads(run_module(module, *arguments).stdout.splitlines()[-1])


def print_measured(value: Any) -> None:
    """The other end of `measured_by`."""
    print(json.dumps(value, ensure_ascii=False))


def resident_mb(process: int | Literal["self"] = "self") -> float:
    """Memory of a process now, files that it maps included."""
    return _memory_mb(process, "VmRSS")


def peak_mb(process: int | Literal["self"] = "self") -> float:
    """The most that `resident_mb` has ever been."""
    return _memory_mb(process, "VmHWM")


def _memory_mb(process: int | str, name: str) -> float:
    with open(f"/proc/{process}/status", encoding="utf-8") as status:
        row = next(line for line in status if line.startswith(name))
    return round(int(row.split()[1]) / 1024, 1)


def cpu_seconds(process: int) -> float:
    """User and system time of a process up to now, of all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children_of(process: int | Literal["self"] = "self") -> list[int]:
    """Processes that its threads have started and that still live."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]


def median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
