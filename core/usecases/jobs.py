"""Work as data: what one process asks of the one that holds the indexes, and how that one does it.

A kind and a JSON payload go in, a JSON result comes out; the CLI runs its own work through the same door,
so an answer looks the same wherever it was made.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_args

from core.domain import FileOutcome, IngestStatus, Principal
from core.errors import AskerError, KiyoError, ReadError
from core.job_requests import ask_job, ingest_item
from core.lab_requests import read_lab
from core.ports import Job, Progress, Services, Turn, no_progress
from core.rag.gate import GateThresholds
from core.usecases.answer_json import answer_to_json
from core.usecases.evaluate_pending import evaluate_pending
from core.usecases.exporting import export_answers
from core.usecases.gaps import compare_gaps
from core.usecases.ingest import IngestReport, IngestRequest, ingest_path
from core.usecases.lab import run_lab
from core.usecases.recorded import import_answers
from core.usecases.refresh import refresh_indexes
from core.usecases.reindex import rebuild_indexes
from core.usecases.reply import AskRequest, answer_question

JobKind = Literal["ask", "lab", "export", "ingest", "reindex", "import", "evaluate"]
KINDS: tuple[JobKind, ...] = get_args(JobKind)
LEASE_SECONDS: Mapping[JobKind, float] = {
    "ask": 300.0,
    "lab": 1800.0,
    "export": 3600.0,
    "ingest": 6 * 3600.0,
    "reindex": 6 * 3600.0,
    "import": 6 * 3600.0,
    "evaluate": 6 * 3600.0,
}

FILES_KEPT = 2_000

_log = logging.getLogger(__name__)


def ask_payload(request: AskRequest) -> dict[str, object]:
    """The payload of an `ask` job."""
    asked = ask_job(request.question, request.principal, request.channel, request.history)
    return {**asked, "thresholds": asdict(request.thresholds)}


def ingest_payload(requests: Sequence[IngestRequest]) -> dict[str, object]:
    """The payload of an `ingest` job; paths become absolute, since the worker stands elsewhere."""
    return {
        "paths": [
            {
                **ingest_item(
                    request.path, kind=request.kind, readers=request.readers, source=request.source
                ),
                "recursive": request.recursive,
                "allow_empty": request.allow_empty,
            }
            for request in requests
        ]
    }


async def perform(
    services: Services, kind: str, payload: Mapping[str, Any], progress: Progress = no_progress
) -> dict[str, Any]:
    """Do the work of one job now and return its result; raises what the work raises."""
    if kind == "ask":
        return dict(answer_to_json(await answer_question(services, _read_ask(payload))))
    if kind in _FOR_PAGES:
        return await _FOR_PAGES[kind](services, payload, progress)
    if kind == "ingest":
        return await _ingest(services, payload, progress)
    if kind == "reindex":
        return asdict(await rebuild_indexes(services, progress))
    if kind == "import":
        return asdict(await import_answers(services, payload["lines"], progress))
    if kind == "evaluate":
        await asyncio.to_thread(services.answers.retry_evaluations)
        report = asdict(await evaluate_pending(services, progress=progress))
        await refresh_indexes(services)
        await compare_gaps(services, progress)
        return report
    raise AskerError(f"There is no work of the kind {kind!r}.")


async def _lab(services: Services, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    return await run_lab(services, read_lab(payload), progress)


_FOR_PAGES: Mapping[str, Callable[[Services, Mapping[str, Any], Progress], Awaitable[dict[str, Any]]]] = {
    "lab": _lab,
    "export": export_answers,
}
"""Work that pages of the dashboard ask for."""


def shorten_report(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result to keep: of the files of an ingest only those that did not stay as they were, FILES_KEPT at
    most."""
    if "files" not in result:
        return dict(result)
    told = [one for one in result["files"] if one["status"] != "unchanged"]
    return {**result, "files": told[:FILES_KEPT]}


async def run_pending_job(services: Services, worker: str) -> bool:
    """Take the oldest waiting job and do it; without one, evaluate an answer that has left already, where
    answers are evaluated in the background. False when there is nothing to do.

    A failure becomes a sentence in the job: that of a KiyoError, else one with the id of the incident in
    the log.
    """
    job = await _claim(services, worker)
    if job is None:
        return await _evaluate_one(services)
    try:
        result = await perform(services, job.kind, job.payload)
    except KiyoError as error:
        await asyncio.to_thread(services.jobs.fail, job.id, str(error))
    except Exception:
        incident = secrets.token_hex(4)
        _log.exception("job %s (%s) failed, incident %s", job.id, job.kind, incident)
        await asyncio.to_thread(
            services.jobs.fail, job.id, f"Something went wrong; the log of the worker says more ({incident})."
        )
    else:
        await asyncio.to_thread(services.jobs.finish, job.id, result)
    return True


async def _evaluate_one(services: Services) -> bool:
    if services.settings.evaluation.mode != "background":
        return False
    report = await evaluate_pending(services, limit=1)
    return bool(report.evaluated)


async def _claim(services: Services, worker: str) -> Job | None:
    """Questions first, since somebody waits for the answer."""
    for kind in KINDS:
        job = await asyncio.to_thread(services.jobs.claim, worker, LEASE_SECONDS[kind], (kind,))
        if job is not None:
            return job
    return None


def _read_ask(payload: Mapping[str, Any]) -> AskRequest:
    return AskRequest(
        question=str(payload["question"]),
        principal=Principal(str(payload["person"]), frozenset(payload["groups"])),
        channel=str(payload["channel"]),
        history=tuple(
            Turn(role, text, tuple(article for cited in rest for article in cited))
            for role, text, *rest in payload.get("history", ())
        ),
        thresholds=GateThresholds(**payload.get("thresholds", {})),
    )


async def _ingest(services: Services, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """One report of all paths; a path that is refused as a whole is a problem, and the rest goes on."""
    reports: list[IngestReport] = []
    problems: list[str] = []
    for item in payload["paths"]:
        try:
            report = await ingest_path(services, _read_ingest(item), progress)
            reports.append(report)
            if report.problem and report.problem not in problems:
                problems.append(report.problem)
        except ReadError as error:
            problems.append(str(error))
    counts = await asyncio.to_thread(services.knowledge.counts)
    return {
        **{status: sum(report.count(status) for report in reports) for status in get_args(IngestStatus)},
        "problems": problems,
        "files": [_outcome(report.source, outcome) for report in reports for outcome in report.outcomes],
        "articles": counts.articles,
        "chunks": counts.chunks,
    }


def _read_ingest(item: Mapping[str, Any]) -> IngestRequest:
    readers = item["readers"]
    return IngestRequest(
        path=Path(item["path"]),
        recursive=bool(item["recursive"]),
        kind=item["kind"],
        readers=None if readers is None else tuple(readers),
        source=item["source"],
        allow_empty=bool(item.get("allow_empty", False)),
    )


def _outcome(source: str, outcome: FileOutcome) -> dict[str, Any]:
    return {"source": source, **asdict(outcome)}
