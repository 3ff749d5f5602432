"""Files of many answers: written row by row, so that memory does not grow with them."""

from __future__ import annotations

import asyncio
import csv
import io
import secrets
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from core.domain import Principal
from core.errors import AskerError
from core.ports import Progress, Services, no_progress
from core.usecases.export_files import ANSWERS, FOLDER, plain

KEPT_SECONDS = 86_400.0
"""A file is taken away by the first export a day later."""
STEP = 10_000


def write_export(
    folder: Path,
    name: str,
    rows: Iterable[Mapping[str, object]],
    progress: Progress = no_progress,
    clock: Callable[[], float] = time.time,
) -> dict[str, Any]:
    """Write the rows as one CSV in a ZIP file below `folder`/exports; nothing in it starts a formula.

    name: of the CSV, without ending. The keys of the first row are the columns. Files of the day before are
    taken away. Returns file (its name), rows and bytes.
    """
    target = folder / FOLDER
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sweep(target, clock() - KEPT_SECONDS)
    path = target / f"{name}-{secrets.token_hex(8)}.zip"
    count = 0
    try:
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive,
            archive.open(f"{name}.csv", "w", force_zip64=True) as raw,
            io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text,
        ):
            count = _write(text, rows, progress)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return {"file": path.name, "rows": count, "bytes": path.stat().st_size}


async def export_answers(
    services: Services, payload: Mapping[str, Any], progress: Progress = no_progress
) -> dict[str, Any]:
    """Write the answers that the filter of the payload lets pass, as far as its groups may read them."""
    if services.export_rows is None:
        raise AskerError("This process cannot write files of answers.")
    principal = Principal(str(payload["person"]), frozenset(payload["groups"]))
    audiences = await asyncio.to_thread(services.knowledge.readable_audiences, principal)
    rows = services.export_rows(payload["answers"], audiences)
    return await asyncio.to_thread(write_export, services.settings.folder, ANSWERS, rows, progress)


def _write(text: io.TextIOBase, rows: Iterable[Mapping[str, object]], progress: Progress) -> int:
    writer = csv.writer(text)
    count = 0
    for row in rows:
        if not count:
            writer.writerow(row)
        writer.writerow([plain(value) for value in row.values()])
        count += 1
        if count % STEP == 0:
            progress(count, None, "rows")
    return count


def _sweep(folder: Path, before: float) -> None:
    for path in folder.glob("*.zip"):
        if path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
