"""What the CLI writes: results to stdout, everything else to stderr.

On a terminal long work shows a bar, elsewhere a plain line now and then; `--json` is one object on stdout.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from core.ports import Progress


_COMMANDING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing it: escape sequences, and turns of the reading direction."""
_BREAKING = re.compile("[\t\n\u2028\u2029]")


def write(text: str = "") -> None:
    """A result."""
    typer.echo(_COMMANDING.sub("\ufffd", text))


def note(text: str) -> None:
    """Something about the work, not its result."""
    typer.echo(_COMMANDING.sub("\ufffd", text), err=True)


def one_line(text: str) -> str:
    """A name or title as it may stand inside a line: it can neither end the line nor command a terminal."""
    return _BREAKING.sub("\ufffd", _COMMANDING.sub("\ufffd", text))


def write_json(value: Mapping[str, object]) -> None:
    """The result as one JSON object, in ASCII where stdout cannot write every character."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, indent=2, default=str)
    typer.echo(_COMMANDING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


@contextmanager
def show_progress() -> Iterator[Progress]:
    """A Progress that shows itself on stderr for as long as the context lasts."""
    if not sys.stderr.isatty():
        yield PlainProgress().report
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def report(done: int, total: int | None, what: str) -> None:
            bars.update(task, completed=done, total=total, description=_shorten(one_line(what)))

        yield report


class PlainProgress:
    """One line for every tenth of the work."""

    def __init__(self) -> None:
        self._shown: tuple[int | None, int] = (None, 0)

    def report(self, done: int, total: int | None, what: str) -> None:
        if not total:
            return
        tenth = done * 10 // total
        last_total, last_tenth = self._shown
        if total == last_total and tenth <= last_tenth:
            return
        self._shown = (total, tenth)
        if tenth:
            note(f"{done} of {total} {one_line(what)}".rstrip())


def _shorten(what: str, limit: int = 48) -> str:
    return what if len(what) <= limit else f"…{what[1 - limit :]}"
