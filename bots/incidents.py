"""Errors nobody expected: the traceback goes to a log file under an id that people can quote."""

from __future__ import annotations

import secrets
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from core.errors import SettingsError

LOG_FILE = "errors.log"


def record_incident(error: BaseException) -> tuple[str, Path]:
    """Append the traceback to the log in Kiyo's folder, else in the temporary one; returns id and file."""
    incident = secrets.token_hex(4)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    entry = f"{when} incident {incident}\n{''.join(traceback.format_exception(error))}\n"
    for folder in (_folder(), Path(tempfile.gettempdir())):
        path = folder / LOG_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
                log.write(entry)
        except OSError:
            continue
        break
    return incident, path


def _folder() -> Path:
    from core.config import load_settings
    from core.sections.memory import StorageSettings

    try:
        return load_settings().folder
    except (SettingsError, OSError):
        return Path(StorageSettings().folder)
