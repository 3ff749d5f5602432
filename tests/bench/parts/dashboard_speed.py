"""Pages of a real dashboard over made-up answers of a year: their scripts, memory, ten people, a large file.

A tenth of a million answers from all the 5,000 articles, with --full a million; see `kiyo demo --scale`. Each
time is wall clock at the socket; beside it stands the CPU time of the dashboard's process for the same runs.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bots.serving import find_free_port, running_dashboard
from core.domain import ANONYMOUS
from core.storage.answer_reports import AnswerFilter, answer_rows, filter_values
from core.storage.engine import open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.made_up import name_article
from core.storage.migrating import upgrade
from core.storage.reports import Period
from core.storage.scaling import Scale, fill
from core.usecases.export_files import ANSWERS, FOLDER
from core.usecases.exporting import write_export
from tests.bench.children import children_of, cpu_seconds, measured_by, peak_mb, print_measured, resident_mb
from tests.bench.figures import Context, Figure, at_most, percentile
from tests.bench.streamlit_visitor import Visit, Visitor, opened_session

EVERYDAY = Scale(100_000, 5_000)
WARM_RUNS = 20
STARTS = 3
PEOPLE = 10
ROUNDS = 2
FIRST_SECONDS = at_most(1.5)
WARM_MS = at_most(500)
TOGETHER_SECONDS = at_most(2)
RESIDENT_MB = at_most(600)
EXPORT_MB = at_most(150)
ARTICLE = name_article(0)[0]
PAGES = (
    ("overview", "period=days_30"),
    ("overview", "period=all"),
    ("quadrants", "period=all"),
    ("quadrants", "period=days_90"),
    ("article", f"period=all&article={ARTICLE}"),
    ("unused", "period=days_90"),
    ("gaps", ""),
    ("knowledge", ""),
    ("answer", ""),
    ("answer", "period=days_90&gates=hand_over&share=20-80"),
    ("answer", "q=vacation"),
    ("ask", ""),
    ("reviews", ""),
    ("labelling", ""),
    ("calibration", ""),
    ("lab", ""),
)
"""Page and query of its address. `article` is the one that is shown most."""


@dataclass(frozen=True, slots=True)
class Timed:
    """seconds: wall clock at the socket. cpu: seconds of the dashboard's process meanwhile."""

    visit: Visit
    cpu: float

    @property
    def seconds(self) -> float:
        return self.visit.seconds


def run(context: Context) -> list[Figure]:
    scale = Scale.of(1.0) if context.full else EVERYDAY
    folder = prepare(context.folder / f"dashboard-{scale.answers}-{scale.articles}", scale)
    name = f"{scale.answers:,} answers"
    return [*measure_first(folder, name), *measure_warm(folder, name), *measure_export(folder, name)]


def prepare(folder: Path, scale: Scale) -> Path:
    """A folder with its settings and its answers, which end today; what is there is used again."""
    path = folder / "kiyo.db"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        upgrade(f"sqlite:///{draft}")
        database = open_database(f"sqlite:///{draft}")
        fill(database, scale, datetime.now(UTC))
        database.close()
        draft.rename(path)
    (folder / "kiyo.toml").write_text(f'[storage]\nfolder = "{folder}"\n', encoding="utf-8")
    return folder


@contextmanager
def started(folder: Path) -> Iterator[tuple[str, int]]:
    """Address and process of a dashboard that nobody has visited."""
    known = set(children_of())
    with running_dashboard(find_free_port(), {"KIYO_CONFIG": str(folder / "kiyo.toml")}) as address:
        yield address, (set(children_of()) - known).pop()


def measure_first(folder: Path, name: str) -> Iterator[Figure]:
    """Each page once by a new session of a new process, each time beginning with another page."""
    runs: dict[tuple[str, str], list[Timed]] = {page: [] for page in PAGES}
    for start in range(STARTS):
        place = start * len(PAGES) // STARTS
        with started(folder) as (address, process):
            for page in (*PAGES[place:], *PAGES[:place]):
                with opened_session(address) as visitor:
                    runs[page].append(_timed(visitor, page, process))
    for page, timed in runs.items():
        slowest = max(timed, key=lambda one: one.seconds)
        yield Figure(f"{name}: {_told(page)}, first", round(slowest.seconds, 2), "s", FIRST_SECONDS)
        yield Figure(f"{name}: {_told(page)}, first, CPU", round(slowest.cpu, 2), "s")


def measure_warm(folder: Path, name: str) -> Iterator[Figure]:
    """The same pages again and again, then by several people at once, and what that leaves in memory."""
    with started(folder) as (address, process):
        with opened_session(address) as visitor:
            for page in PAGES:
                _timed(visitor, page, process)
            for page in PAGES:
                timed = [_timed(visitor, page, process) for _ in range(WARM_RUNS)]
                times = [one.seconds * 1000 for one in timed]
                cpu = [one.cpu * 1000 for one in timed]
                said = f"{name}: {_told(page)}, warm"
                yield Figure(f"{said}, p95", round(percentile(times, 95)), "ms", WARM_MS)
                yield Figure(f"{said}, CPU, median", round(percentile(cpu, 50)), "ms")
                yield Figure(f"{said}, sent", round(timed[-1].visit.kilobytes), "kB")
        yield from _measure_together(address, process, name)
        yield Figure(f"{name}: resident after all of it", resident_mb(process), "MB", RESIDENT_MB)


def _measure_together(address: str, process: int, name: str) -> Iterator[Figure]:
    """Ten people who go through all pages, each beginning with another one, and always click together."""
    before, began = cpu_seconds(process), time.perf_counter()
    barrier = threading.Barrier(PEOPLE)
    with ThreadPoolExecutor(PEOPLE) as pool:
        walks = pool.map(_walk, itertools.repeat(address), range(PEOPLE), itertools.repeat(barrier))
        visits = [visit for walk in walks for visit in walk]
    seconds = [visit.seconds for visit in visits]
    cpu = (cpu_seconds(process) - before) / len(visits)
    yield Figure(
        f"{name}: {PEOPLE} people at once, slowest page", round(max(seconds), 2), "s", TOGETHER_SECONDS
    )
    yield Figure(f"{name}: {PEOPLE} people at once, p95", round(percentile(seconds, 95), 2), "s")
    yield Figure(f"{name}: {PEOPLE} people at once, CPU of a page", round(cpu * 1000), "ms")
    pages = len(visits) / (time.perf_counter() - began)
    yield Figure(f"{name}: {PEOPLE} people at once, pages", round(pages, 1), "a second")


def _walk(address: str, number: int, barrier: threading.Barrier) -> list[Visit]:
    place = number * len(PAGES) // PEOPLE
    visits = []
    with opened_session(address) as visitor:
        for page in (*PAGES[place:], *PAGES[:place]) * ROUNDS:
            barrier.wait()
            visits.append(_visit(visitor, page))
    return visits


def measure_export(folder: Path, name: str) -> Iterator[Figure]:
    """The file of all answers, written in a process of its own like the one that works on jobs."""
    found = measured_by(__name__, str(folder))
    rows, grown = found["rows"], found["grown_mb"]
    yield Figure(f"{name}: file of {rows:,} rows, memory that it takes", grown, "MB", EXPORT_MB)
    yield Figure(f"{name}: file of {rows:,} rows", round(found["seconds"], 1), "s")
    yield Figure(f"{name}: file of {rows:,} rows, ZIP", round(found["bytes"] / 1e6, 1), "MB")


def _timed(visitor: Visitor, page: tuple[str, str], process: int) -> Timed:
    before = cpu_seconds(process)
    visit = _visit(visitor, page)
    return Timed(visit, cpu_seconds(process) - before)


def _visit(visitor: Visitor, page: tuple[str, str]) -> Visit:
    name, query = page
    visit = visitor.visit(name, f"{query}&lang=en".lstrip("&"))
    assert not visit.complaint, (page, visit.complaint)
    return visit


def _told(page: tuple[str, str]) -> str:
    name, query = page
    shown = query if "article=" not in query else query.partition("&")[0]
    return f"{name}?{shown}" if shown else name


def main() -> None:
    folder = Path(sys.argv[1])
    database = open_database(f"sqlite:///{folder / 'kiyo.db'}")
    today = datetime.now(UTC).date()
    everything = filter_values(AnswerFilter(Period(today.replace(year=today.year - 2), today)))
    audiences = SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)
    before, began = resident_mb(), time.perf_counter()
    written = write_export(folder, ANSWERS, answer_rows(database, everything, audiences))
    seconds = time.perf_counter() - began
    database.close()
    (folder / FOLDER / written["file"]).unlink()
    print_measured({**written, "seconds": seconds, "grown_mb": round(peak_mb() - before, 1)})


if __name__ == "__main__":
    main()
